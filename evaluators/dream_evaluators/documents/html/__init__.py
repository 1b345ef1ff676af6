"""HTML reports: saved pages, exports of chat products, fragments."""

from dream_evaluators.documents.html.reading import is_tame, read_html

__all__ = ["is_tame", "read_html"]
