"""Files: only below the allowed roots, and only what can be a report."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from dream_evaluators.errors import PathRefused, ReportUnreadable

# The longest of 2,165 real reports has 0.73 M characters, and HTTP clients may send 4 MiB.
MAX_REPORT_BYTES = 4 * (1 << 20)
# A PDF or DOCX holds pictures and fonts beside its text.
MAX_DOCUMENT_BYTES = 20 * (1 << 20)


@dataclass(frozen=True)
class Roots:
    """The folders that files may be read from."""

    folders: tuple[Path, ...]

    @classmethod
    def of(cls, folders: Iterable[Path], home: Path) -> Roots:
        """Take the folders that exist; never the file system's root or the whole home."""
        resolved = (folder.resolve() for folder in folders)
        refused = {Path(home.anchor or "/"), home.resolve()}
        return cls(tuple(f for f in resolved if f.is_dir() and f not in refused))

    def admit(self, path: str) -> Path:
        """Resolve a path, links first, and check that it lies below a root.

        Raises:
            PathRefused: It does not, or it is no path at all.
        """
        try:
            resolved = Path(path).expanduser().resolve()
        except (OSError, ValueError, RuntimeError):
            raise PathRefused(f"{path[:200]!r} is not a usable path.") from None
        if any(resolved.is_relative_to(folder) for folder in self.folders):
            return resolved
        if not self.folders:
            raise PathRefused(
                "No folder is open for reading. Set DREAM_ROOTS to the folder of your reports, or "
                "send the text as `report`."
            )
        # Names only: where the folders lie is nobody's business who was not told.
        names = ", ".join(folder.name for folder in self.folders)
        raise PathRefused(
            f"{path[:200]!r} lies outside the folders that may be read ({names}). Move it there, "
            "set DREAM_ROOTS, or send the text as `report`."
        )


def read_report(path: Path) -> bytes:
    """Read a report file.

    Raises:
        ReportUnreadable: It is missing, no ordinary file, or too large.
    """
    try:
        size = path.stat().st_size
        # Not a folder, and nothing that never ends, such as a device or a pipe.
        if not path.is_file():
            what = "is a folder; name the report file in it" if path.is_dir() else "is no file"
            raise ReportUnreadable(f"{path.name} {what}.")
        if size > MAX_DOCUMENT_BYTES:
            raise ReportUnreadable(too_large(size, MAX_DOCUMENT_BYTES))
        return path.read_bytes()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ReportUnreadable(f"{path.name} cannot be read ({reason}). Check the path.") from None


def check_size(text: str) -> None:
    """Check that a report is not longer than what can be judged.

    Raises:
        ReportUnreadable: It is.
    """
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > MAX_REPORT_BYTES:
        raise ReportUnreadable(too_large(size, MAX_REPORT_BYTES))


def too_large(size: int, limit: int) -> str:
    """Say that a report is too large and what to do."""
    return (
        f"The report has {size / (1 << 20):.1f} MB; {limit >> 20} MB are the limit. "
        "Split it by chapter and evaluate the parts."
    )
