"""The offline judge: a lexical model, deterministic, without any language model."""

from dream_evaluators.judges.lexical.numbers import missing_numbers
from dream_evaluators.judges.lexical.verdict import LEXICAL_VERSION, LexicalVerdict, assess

__all__ = ["LEXICAL_VERSION", "LexicalVerdict", "assess", "missing_numbers"]
