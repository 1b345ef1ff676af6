"""PDF reports: the text layer in reading order, with the links that lie over it."""

from dream_evaluators.documents.pdf.reading import read_pdf

__all__ = ["read_pdf"]
