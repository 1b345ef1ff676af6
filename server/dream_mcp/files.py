"""Files: only below the allowed roots, and only what can be a report."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from dream_evaluators.errors import PathRefused, ReportUnreadable

# The longest of 2,165 real reports has 0.73 M characters, and HTTP clients may send 4 MiB.
MAX_REPORT_BYTES = 4 * (1 << 20)
# A PDF or DOCX holds pictures and fonts beside its text.
MAX_DOCUMENT_BYTES = 20 * (1 << 20)
MAX_PACK_BYTES = 200 * (1 << 20)
MAX_ANSWERS_BYTES = 20 * (1 << 20)
NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)  # Windows has neither
NONBLOCK = getattr(os, "O_NONBLOCK", 0)


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


def read_file(path: Path, limit: int) -> bytes:
    """Read an admitted file whole.

    Args:
        path: As `Roots.admit` returned it: resolved, without links.
        limit: Bytes at most.

    Raises:
        ReportUnreadable: It is missing, no ordinary file, too large, or was swapped meanwhile.
    """
    try:
        # A link put there since it was admitted is not followed, a pipe does not block.
        handle = os.open(path, os.O_RDONLY | NOFOLLOW | NONBLOCK)
    except OSError as error:
        raise ReportUnreadable(_unreadable(path, error)) from None
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            what = "is a folder; name a file in it" if stat.S_ISDIR(found.st_mode) else "is no file"
            raise ReportUnreadable(f"{path.name} {what}.")
        if not _is_still(path, handle, found):
            raise ReportUnreadable(f"{path.name} changed while it was opened; try again.")
        if found.st_size > limit:
            raise ReportUnreadable(too_large(found.st_size, limit))
        with os.fdopen(os.dup(handle), "rb") as stream:
            return stream.read(limit + 1)
    except OSError as error:
        raise ReportUnreadable(_unreadable(path, error)) from None
    finally:
        os.close(handle)


def _is_still(path: Path, handle: int, found: os.stat_result) -> bool:
    """Whether what was opened is what was admitted: no folder above it became a link meanwhile."""
    try:
        return Path(f"/proc/self/fd/{handle}").readlink() == path
    except OSError:  # no such view of open files: Windows, macOS
        return path.resolve() == path and os.path.samestat(path.stat(), found)


def _unreadable(path: Path, error: OSError) -> str:
    reason = error.strerror or type(error).__name__
    return f"{path.name} cannot be read ({reason}). Check the path."


def read_report(path: Path) -> bytes:
    """Read a report file.

    Raises:
        ReportUnreadable: It is missing, no ordinary file, or too large.
    """
    return read_file(path, MAX_DOCUMENT_BYTES)


def check_size(text: str) -> None:
    """Check that a report is not longer than what can be judged.

    Raises:
        ReportUnreadable: It is.
    """
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > MAX_REPORT_BYTES:
        raise ReportUnreadable(too_large(size, MAX_REPORT_BYTES))


def too_large(size: int, limit: int) -> str:
    """Say that a file is too large and what to do."""
    return (
        f"The file has {size / (1 << 20):.1f} MB; {limit >> 20} MB are the limit. "
        "Split it by chapter and evaluate the parts."
    )
