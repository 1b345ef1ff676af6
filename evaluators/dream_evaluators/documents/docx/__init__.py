"""DOCX reports (Office Open XML, ISO/IEC 29500): own reader on zipfile and expat."""

from dream_evaluators.documents.docx.body import read_docx

__all__ = ["read_docx"]
