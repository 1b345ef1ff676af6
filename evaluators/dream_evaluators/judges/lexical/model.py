"""The fitted weights: a logistic regression over the features, read from `weights.json`."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from dream_evaluators.judges.lexical.features import NAMES


@dataclass(frozen=True, slots=True)
class Model:
    """`p_support = 1 / (1 + exp(-(intercept + sum(weight * feature))))`."""

    intercept: float
    weights: tuple[float, ...]  # in the order of `features.NAMES`

    def probability(self, vector: Sequence[float]) -> float:
        """Give the probability (0-1) that the source supports the claim in full."""
        pairs = zip(self.weights, vector, strict=True)
        score = self.intercept + sum(weight * value for weight, value in pairs)
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, score))))


@cache
def shipped() -> Model:
    """Read the weights that come with the package, once."""
    resource = files("dream_evaluators.judges.lexical").joinpath("weights.json")
    stored = json.loads(resource.read_text("utf-8"))
    return Model(stored["intercept"], tuple(stored["weights"][name] for name in NAMES))
