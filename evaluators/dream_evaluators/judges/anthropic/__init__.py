"""The anthropic rung: questions put to a model over the Messages API, or any endpoint like it."""

from __future__ import annotations

from dream_evaluators.judges.anthropic.pricing import Spent
from dream_evaluators.judges.anthropic.responder import AnthropicResponder
from dream_evaluators.judges.anthropic.settings import (
    BATCH_FROM,
    DEFAULT_MODEL,
    AnthropicSettings,
    judge_name,
)

__all__ = [
    "BATCH_FROM",
    "DEFAULT_MODEL",
    "AnthropicResponder",
    "AnthropicSettings",
    "Spent",
    "judge_name",
]
