"""Reports and packs from files: only below the allowed roots, and only what can be a report."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from dream_evaluators.errors import PathRefused, ReportUnreadable

# The longest of 2,165 real reports has 0.73 M characters, and HTTP clients may send 4 MiB.
MAX_REPORT_BYTES = 4 * (1 << 20)


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


def read_report(path: Path) -> str:
    """Read a report file.

    Raises:
        ReportUnreadable: It is missing, not a file, empty, too large or not text.
    """
    try:
        if path.is_dir():
            raise ReportUnreadable(f"{path.name} is a folder; name the report file in it.")
        size = path.stat().st_size
        if size > MAX_REPORT_BYTES:
            raise ReportUnreadable(too_large(size))
        body = path.read_bytes()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ReportUnreadable(f"{path.name} cannot be read ({reason}). Check the path.") from None
    return _decoded(body)


def checked_report(text: str) -> str:
    """Check a report that came as text.

    Raises:
        ReportUnreadable: It is empty, too large or not text.
    """
    body = text.encode("utf-8", "replace")
    if len(body) > MAX_REPORT_BYTES:
        raise ReportUnreadable(too_large(len(body)))
    return _decoded(body)


def _decoded(body: bytes) -> str:
    from dream_evaluators.report import decode_report  # noqa: PLC0415 - start-up

    return decode_report(body)


def too_large(size: int) -> str:
    """Say that a report is too large and what to do."""
    limit = MAX_REPORT_BYTES // (1 << 20)
    return (
        f"The report has {size / (1 << 20):.1f} MB; {limit} MB are the limit. "
        "Split it by chapter and evaluate the parts."
    )
