"""Pages saved as one message (MHTML, RFC 2557): the page is the first HTML part."""

from __future__ import annotations

from dream_evaluators.documents.formats import HEAD, is_mail
from dream_evaluators.errors import ReportUnreadable

PARTS_CAP = 2_000  # pictures and style sheets of one page; our choice


def unpack_page(body: bytes) -> bytes:
    """Return the page of a saved message; any other body as it is.

    Raises:
        ReportUnreadable: The message has no page.
    """
    if not is_mail(body[:HEAD]):
        return body
    from email import message_from_bytes  # noqa: PLC0415 - start-up

    for number, part in enumerate(message_from_bytes(body).walk()):
        if number > PARTS_CAP:
            break
        if part.get_content_type() in ("text/html", "application/xhtml+xml"):
            page = part.get_payload(decode=True)
            if isinstance(page, bytes) and page.strip():
                return page
    raise ReportUnreadable("The saved page holds no HTML. Save it as HTML or Markdown.")
