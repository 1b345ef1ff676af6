"""Opening documents off the event loop: in a thread, or in a process that can be killed."""

from __future__ import annotations

import anyio
import anyio.to_process
import anyio.to_thread
from anyio.lowlevel import RunVar

from dream_evaluators.documents.document import Document
from dream_evaluators.documents.opening import checked_format, read_as
from dream_evaluators.errors import ReportUnreadable

SECONDS = 60.0  # for one file in a process; our choice, a 300-page PDF takes five
WORKERS = 2  # processes, and threads, at a time
MEMORY = 2 << 30  # bytes of address space that a reading process may use
THREAD_BYTES = 5_000_000  # of HTML; more is read in a process

_LIMIT: RunVar[anyio.CapacityLimiter] = RunVar("dream_document_workers")


async def open_document_safely(body: bytes, *, name: str = "", media_type: str = "") -> Document:
    """Open a report without blocking the event loop, whatever is in it.

    PDF, DOCX and large pages are read in a process that is killed after 60 s or on cancellation;
    the rest in a thread.

    Args:
        body: The whole file, see `open_document`.
        name: Of the file.
        media_type: As declared by the sender.

    Raises:
        ReportUnreadable: As `open_document`, and when reading takes too long or breaks down.
    """
    # Deciding may unpack a directory of 50 MB: not here either.
    format = await anyio.to_thread.run_sync(checked_format, body, name, media_type)
    if not _may_bite(body, format):
        return await anyio.to_thread.run_sync(read_as, body, format, limiter=_limiter())
    try:
        # The clock starts when there is a process to be had: waiting is nobody's hanging.
        async with _limiter():
            with anyio.fail_after(SECONDS):
                return await anyio.to_process.run_sync(
                    read_confined,
                    body,
                    format,
                    cancellable=True,
                    limiter=anyio.CapacityLimiter(1),
                )
    except TimeoutError as error:
        raise ReportUnreadable(
            f"Reading the {format} file took longer than {SECONDS:g} s. "
            "Export the report as Markdown, or send it in parts."
        ) from error
    except anyio.BrokenWorkerProcess as error:
        raise ReportUnreadable(
            f"Reading the {format} file broke down: it is damaged or hostile. "
            "Export the report as Markdown."
        ) from error


def _may_bite(body: bytes, format: str) -> bool:
    """Whether a body could hang or crash its reader."""
    if format == "html":
        from dream_evaluators.documents.html import is_tame  # noqa: PLC0415 - start-up

        return len(body) > THREAD_BYTES or not is_tame(body)
    return format in ("pdf", "docx")


def _limiter() -> anyio.CapacityLimiter:
    """Return this event loop's limit on workers."""
    limiter = _LIMIT.get(None)
    if limiter is None:
        limiter = anyio.CapacityLimiter(WORKERS)
        _LIMIT.set(limiter)
    return limiter


def read_confined(body: bytes, format: str) -> Document:
    """Read a body in a process of its own, within a limit on memory where the system has one."""
    try:
        import resource  # noqa: PLC0415 - not on Windows
    except ImportError:
        return read_as(body, format)
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    if soft == resource.RLIM_INFINITY or soft > MEMORY:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, hard))
    return read_as(body, format)
