"""Web addresses: cleaning what reports write, and the identity under which variants count once."""

from dream_evaluators.urls.cleaning import clean_raw, text_fragment, trim_bare
from dream_evaluators.urls.identifiers import find_doi, identifier_url
from dream_evaluators.urls.identity import canonicalise, split_address
from dream_evaluators.urls.placeholders import is_allowed, is_placeholder
from dream_evaluators.urls.wrappers import Unwrapped, is_redirector, unwrap

__all__ = [
    "Unwrapped",
    "canonicalise",
    "clean_raw",
    "find_doi",
    "identifier_url",
    "is_allowed",
    "is_placeholder",
    "is_redirector",
    "split_address",
    "text_fragment",
    "trim_bare",
    "unwrap",
]
