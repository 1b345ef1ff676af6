"""DOCX files of our own making: the parts that a test needs, as Office Open XML."""

from __future__ import annotations

import zipfile
from io import BytesIO
from xml.sax.saxutils import escape, quoteattr

_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_SPACES = (
    f'xmlns:w="{_W}" xmlns:r="{_R}"'
    ' xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
    ' xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    ' xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"'
)
_STYLES = f"""<w:styles {_SPACES}>
<w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style>
<w:style w:type="paragraph" w:styleId="Heading2"><w:name w:val="heading 2"/>
<w:basedOn w:val="Heading1"/></w:style>
<w:style w:type="paragraph" w:styleId="Title"><w:name w:val="Title"/></w:style>
<w:style w:type="paragraph" w:styleId="Big"><w:name w:val="My big text"/>
<w:pPr><w:outlineLvl w:val="2"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="Quote"><w:name w:val="Quote"/></w:style>
<w:style w:type="paragraph" w:styleId="TOC1"><w:name w:val="toc 1"/></w:style>
<w:style w:type="paragraph" w:styleId="SourceCode"><w:name w:val="Source Code"/></w:style>
<w:style w:type="paragraph" w:styleId="Body"><w:name w:val="Body"/><w:basedOn w:val="Heading1"/>
<w:pPr><w:outlineLvl w:val="9"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="ListBullet"><w:name w:val="List Bullet"/>
<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>
<w:style w:type="character" w:styleId="FootnoteReference"><w:name w:val="footnote reference"/>
<w:rPr><w:vertAlign w:val="superscript"/></w:rPr></w:style>
<w:style w:type="character" w:styleId="Unseen"><w:name w:val="unseen"/><w:rPr><w:vanish/></w:rPr>
</w:style></w:styles>"""
_NUMBERING = f"""<w:numbering {_SPACES}>
<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl>
<w:lvl w:ilvl="1"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum>
<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:start w:val="1"/>
<w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl></w:abstractNum>
<w:abstractNum w:abstractNumId="2"><w:lvl w:ilvl="0"><w:start w:val="1"/>
<w:numFmt w:val="decimal"/><w:lvlText w:val="[%1]"/></w:lvl></w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>
<w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>
<w:num w:numId="3"><w:abstractNumId w:val="2"/></w:num>
<w:num w:numId="4"><w:abstractNumId w:val="1"/>
<w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num></w:numbering>"""
_CONTENT_TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="xml" ContentType="application/xml"/></Types>'
)


def run(text: str, properties: str = "") -> str:
    """Write a run."""
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{escape(text)}</w:t></w:r>'


RAISED = '<w:vertAlign w:val="superscript"/>'
BOLD = "<w:b/>"


def paragraph(*content: str, style: str = "", listed: tuple[int, int] | None = None) -> str:
    """Write a paragraph; what is no markup is a run. `listed` is (list, depth)."""
    properties = f'<w:pStyle w:val="{style}"/>' if style else ""
    if listed:
        properties += (
            f'<w:numPr><w:ilvl w:val="{listed[1]}"/><w:numId w:val="{listed[0]}"/></w:numPr>'
        )
    inner = "".join(part if part.startswith("<") else run(part) for part in content)
    return f"<w:p><w:pPr>{properties}</w:pPr>{inner}</w:p>"


def table(rows: list[list[str]], *, header: bool = True) -> str:
    """Write a table of paragraphs (markup) or texts."""
    look = f'<w:tblPr><w:tblLook w:firstRow="{int(header)}"/></w:tblPr>'
    cells = "".join(
        "<w:tr>"
        + "".join(f"<w:tc>{c if c[:1] == '<' else paragraph(c)}</w:tc>" for c in row)
        + "</w:tr>"
        for row in rows
    )
    return f"<w:tbl>{look}{cells}</w:tbl>"


def hyperlink(number: str, *content: str) -> str:
    """Write a link to the address with a relationship id."""
    inner = "".join(part if part.startswith("<") else run(part) for part in content)
    return f'<w:hyperlink r:id="{number}">{inner}</w:hyperlink>'


def make_docx(
    *blocks: str,
    links: dict[str, str] | None = None,
    footnotes: dict[str, str] | None = None,
    endnotes: dict[str, str] | None = None,
    title: str = "",
    parts: dict[str, str | bytes] | None = None,
    compression: int = zipfile.ZIP_DEFLATED,
) -> bytes:
    """Write a package; `parts` adds members or puts others in the place of ours."""
    body = "".join(blocks)
    members: dict[str, str | bytes] = {
        "[Content_Types].xml": _CONTENT_TYPES,
        "_rels/.rels": _relationships(
            ("officeDocument", "word/document.xml", ""),
            ("core-properties", "docProps/core.xml", ""),
        ),
        "word/document.xml": f"<w:document {_SPACES}><w:body>{body}</w:body></w:document>",
        "word/styles.xml": _STYLES,
        "word/numbering.xml": _NUMBERING,
        "docProps/core.xml": f'<cp xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>'
        f"{escape(title)}</dc:title></cp>",
    }
    addresses = [("hyperlink", url, number) for number, url in (links or {}).items()]
    named = [(kind, f"{kind}.xml", "") for kind in ("styles", "numbering", "footnotes", "endnotes")]
    members["word/_rels/document.xml.rels"] = _relationships(*named, *addresses)
    for kind, notes in (("footnote", footnotes), ("endnote", endnotes)):
        if notes is not None:
            inner = "".join(f'<w:{kind} w:id="{n}">{text}</w:{kind}>' for n, text in notes.items())
            members[f"word/{kind}s.xml"] = f"<w:{kind}s {_SPACES}>{inner}</w:{kind}s>"
            members[f"word/_rels/{kind}s.xml.rels"] = _relationships(*addresses)
    return make_zip({**members, **(parts or {})}, compression)


def make_zip(members: dict[str, str | bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Write a ZIP archive."""
    out = BytesIO()
    with zipfile.ZipFile(out, "w", compression) as package:
        for name, content in members.items():
            package.writestr(name, content)
    return out.getvalue()


def _relationships(*entries: tuple[str, str, str]) -> str:
    written = "".join(
        f"<Relationship Id={quoteattr(number or f'x{i}')} Type={quoteattr(f'{_R}/{kind}')}"
        f" Target={quoteattr(target)}"
        f"{' TargetMode=' + quoteattr('External') if kind == 'hyperlink' else ''}/>"
        for i, (kind, target, number) in enumerate(entries)
    )
    space = "http://schemas.openxmlformats.org/package/2006/relationships"
    return f'<Relationships xmlns="{space}">{written}</Relationships>'
