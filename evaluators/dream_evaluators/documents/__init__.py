"""Opening what people have: Markdown, text, HTML, PDF and DOCX to one text with anchors.

Everything is written as the Markdown that `report.parse_report` reads: links as `[text](url)`,
notes as `[^1]` with definitions, headings as `#`, tables as rows.
"""

from dream_evaluators.documents.confinement import open_document_safely
from dream_evaluators.documents.document import Anchor, Document
from dream_evaluators.documents.opening import open_document
from dream_evaluators.documents.parts import join_parts

__all__ = ["Anchor", "Document", "join_parts", "open_document", "open_document_safely"]
