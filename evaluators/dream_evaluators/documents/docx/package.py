"""The ZIP of a DOCX: parts found by their relationships, read within limits, never unpacked."""

from __future__ import annotations

import posixpath
import zipfile
import zlib
from io import BytesIO
from xml.etree.ElementTree import Element

from dream_evaluators.documents.docx.xml import parse
from dream_evaluators.errors import ReportUnreadable

PART_CAP = 100 * 1024 * 1024  # bytes of one unpacked part; the longest real report has 5 MB
TOTAL_CAP = 200 * 1024 * 1024  # bytes of all parts read
RATIO_CAP = 300  # unpacked to packed, of parts above RATIO_FROM; text reaches 30
RATIO_FROM = 5 * 1024 * 1024  # bytes
_OFFICE = "/officeDocument"
_NO_FILE = "The document is damaged: it has no {0}. Send it again, or export it as Markdown."


class Package:
    """An open package. Names of parts are paths within it, without a slash at the start."""

    def __init__(self, body: bytes) -> None:
        try:
            self._zip = zipfile.ZipFile(BytesIO(body))
            self._members = {member.filename: member for member in self._zip.infolist()}
        except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError) as error:
            raise ReportUnreadable(
                f"The document is a damaged ZIP ({error}). Send it again."
            ) from error
        self._read = 0

    def main(self) -> str:
        """Return the name of the document's main part.

        Raises:
            ReportUnreadable: The package has none.
        """
        for kind, target, _ in self._relationships(""):
            if kind.endswith(_OFFICE) and target in self._members:
                return target
        if "word/document.xml" in self._members:
            return "word/document.xml"
        raise ReportUnreadable(_NO_FILE.format("main part"))

    def related(self, part: str, kind: str) -> str:
        """Return the part that another names by the last word of the relationship's type, or ""."""
        for found, target, _ in self._relationships(part):
            if found.endswith("/" + kind) and target in self._members:
                return target
        return ""

    def links(self, part: str) -> dict[str, str]:
        """Return the addresses outside the package that a part names, by relationship id."""
        return {
            name: target
            for kind, target, name in self._relationships(part)
            if kind.endswith("/hyperlink")
        }

    def tree(self, part: str) -> Element | None:
        """Read a part, None when the package does not have it.

        Raises:
            ReportUnreadable: Damaged, encrypted, or larger than a report can be.
        """
        member = self._members.get(part)
        return parse(self._bytes(member), part) if member is not None else None

    def _bytes(self, member: zipfile.ZipInfo) -> bytes:
        """Unpack a part, and never more of it than the limits allow, whatever its header says."""
        packed = max(1, member.compress_size)
        bomb = member.file_size > RATIO_FROM and member.file_size / packed > RATIO_CAP
        if bomb or member.file_size > PART_CAP:
            raise ReportUnreadable(
                f"The document unpacks to {member.file_size:,} bytes, more than a report can have."
            )
        if member.flag_bits & 1:
            raise ReportUnreadable("The document is encrypted. Save it without a password.")
        try:
            with self._zip.open(member) as opened:
                part = opened.read(member.file_size + 1)
        except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError) as error:
            raise ReportUnreadable(
                f"The document is damaged ({error}). Send it again, or export it as Markdown."
            ) from error
        self._read += len(part)
        if self._read > TOTAL_CAP:
            raise ReportUnreadable("The document unpacks to more than a report can have.")
        return part

    def _relationships(self, part: str) -> list[tuple[str, str, str]]:
        """Return (type, target, id) of what a part names; targets inside are full names."""
        folder, name = posixpath.split(part)
        tree = self.tree(posixpath.join(folder, "_rels", f"{name}.rels"))
        found = []
        for relation in tree if tree is not None else ():
            target = relation.get("Target", "")
            if relation.get("TargetMode") != "External":
                target = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
            found.append((relation.get("Type", ""), target, relation.get("Id", "")))
        return found
