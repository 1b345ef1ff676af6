"""Passages of a source: its sentences, those that bear on a claim, and where a quote stands."""

from dream_evaluators.passages.grounding import Grounding, ground
from dream_evaluators.passages.selection import Passage, select
from dream_evaluators.passages.sentences import split_sentences

__all__ = ["Grounding", "Passage", "ground", "select", "split_sentences"]
