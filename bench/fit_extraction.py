"""Fit the weights of the main-content scorer to pages whose main text is known.

Prints a cross-validated table, and with `--write` renews `web/weights.py`. Needs numpy and
scikit-learn, which the project does not depend on.

    python bench/fit_extraction.py [--write]
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser

from dream_evaluators.web import cues, features, scoring
from dream_evaluators.web.walk import walk_page

np: Any = import_module("numpy")
PAGES = Path(__file__).parents[2] / "shared/data/pages/wcxb_dev_sample.jsonl.gz"
WEIGHTS = Path(__file__).parents[1] / "evaluators/dream_evaluators/web/weights.py"
FOLDS = 6
TAGS = ("p", "li", "h1", "h2", "h3", "h4", "div", "dt", "dd", "blockquote", "figcaption")
REGULARISATION = 0.1  # C; stronger than accuracy on the pages themselves would ask for
LENGTH_POWER = 0.7  # a passage counts by its words to this power, a page always the same
THRESHOLDS = (-1.3, -1.2, -1.1, -1.0, -0.9, -0.8, -0.7, -0.6, -0.5, -0.4, -0.3)
_TOKEN = re.compile(r"\w+")


def tokens(text: str) -> list[str]:
    return _TOKEN.findall(text.lower())


class Sample:
    """One page: its passages, their traits, and the share of each that is main text."""

    def __init__(self, row: dict[str, Any]) -> None:
        tree = LexborHTMLParser(row["html"], options=LexborDocumentOptions.WO_EVENTS)
        walk = walk_page(tree)
        self.passages = walk.passages
        gold = tokens(row["gold"])
        self.gold, self.size = Counter(gold), len(gold)
        self.words = [tokens(passage.text) for passage in self.passages]
        self.labels = np.array(list(self.share_of_gold(gold)))
        power = np.array([len(words) for words in self.words]) ** LENGTH_POWER
        self.weights = power / max(power.sum(), 1)
        if self.passages:
            features.resolve(walk)
            self.rows = features.traits(self.passages, features.survey(self.passages))
            self.matrix = np.array(
                [
                    [
                        *row,
                        *(bool(p.place.within & bit) for bit in cues.BIT.values()),
                        *(p.place.tag == tag for tag in TAGS),
                    ]
                    for p, row in zip(self.passages, self.rows, strict=True)
                ],
                dtype=float,
            )

    def share_of_gold(self, gold: list[str]) -> Iterator[float]:
        """Yield the share of each passage that is in the gold text, by word triples."""
        joined, triples = f" {' '.join(gold)} ", set(zip(gold, gold[1:], gold[2:], strict=False))
        for words in self.words:
            if len(words) < 4:
                yield float(bool(words) and f" {' '.join(words)} " in joined)
            else:
                own = list(zip(words, words[1:], words[2:], strict=False))
                yield sum(triple in triples for triple in own) / len(own)

    def context(self, logits: Iterable[float]) -> Any:
        """Measure what the neighbours say, as the scorer does."""
        lengths = [len(passage.text) for passage in self.passages]
        return np.array(scoring.context([-z for z in logits], lengths, self.rows))

    def score(self, keep: Iterable[bool]) -> tuple[float, float, float]:
        """Return token F1, precision and recall of the passages kept."""
        count: Counter[str] = Counter()
        for words, kept in zip(self.words, keep, strict=True):
            if kept:
                count.update(words)
        total, hits = sum(count.values()), sum((count & self.gold).values())
        precision, recall = hits / max(total, 1), hits / self.size
        return 2 * precision * recall / max(precision + recall, 1e-9), precision, recall


def fit(samples: Sequence[Sample], matrices: Sequence[Any]) -> Any:
    rows = np.vstack([m for matrix in matrices for m in (matrix, matrix)])
    target = np.concatenate(
        [np.r_[np.ones(len(s.labels)), np.zeros(len(s.labels))] for s in samples]
    )
    weight = np.concatenate(
        [np.r_[s.labels * s.weights, (1 - s.labels) * s.weights] for s in samples]
    )
    keep = weight > 0
    regression = import_module("sklearn.linear_model").LogisticRegression
    model = regression(C=REGULARISATION, max_iter=500)
    return model.fit(rows[keep], target[keep], weight[keep] * keep.sum() / len(samples) / 4)


def fit_both(samples: Sequence[Sample]) -> tuple[Any, Any]:
    own = fit(samples, [s.matrix for s in samples])
    return own, fit(samples, [s.context(own.decision_function(s.matrix)) for s in samples])


def apply(models: tuple[Any, Any], sample: Sample) -> Any:
    own, around = models
    return around.decision_function(sample.context(own.decision_function(sample.matrix)))


def report(samples: Sequence[Sample], logits: Sequence[Any], empty: int) -> None:
    for threshold in THRESHOLDS:
        rows = np.array(
            [
                s.score(
                    [
                        z > threshold and not p.place.hidden
                        for z, p in zip(zs, s.passages, strict=True)
                    ]
                )
                for s, zs in zip(samples, logits, strict=True)
            ]
        )
        f, p, r = rows.sum(axis=0) / (len(rows) + empty)
        lost = (rows[:, 2] < 0.5).sum() + empty
        print(f"  penalty < {-threshold:.1f}: F {f:.4f} P {p:.4f} R {r:.4f} lost {lost}")


def cross_validated(samples: Sequence[Sample]) -> list[Any]:
    logits: list[Any] = [None] * len(samples)
    for fold in np.array_split(np.random.RandomState(0).permutation(len(samples)), FOLDS):
        held = set(fold)
        models = fit_both([s for n, s in enumerate(samples) if n not in held])
        for n in fold:
            logits[n] = apply(models, samples[n])
    return logits


def write(models: tuple[Any, Any]) -> None:
    own, around = models
    values = iter(-own.coef_[0])
    tables = {
        "TRAITS": {name: next(values) for name in features.TRAITS},
        "CUES": {name: next(values) for name in cues.CUES},
        "TAGS": {name: next(values) for name in TAGS},
        # The context is given as a penalty too, its first value with the other sign.
        "CONTEXT": dict(zip(scoring.CONTEXT, -around.coef_[0], strict=True)),
    }
    lines = [
        '"""Weights of the main-content scorer, written by bench/fit_extraction.py: do not edit.',
        "",
        "A positive weight speaks against main content. Logistic regression over 150 pages of the",
        "WCXB dev split; docs/accuracy.md has what they reach on pages they have not seen.",
        '"""',
        "",
        "from __future__ import annotations",
        "",
        f"OWN_BASE = {-own.intercept_[0]:.3f}",
        f"CONTEXT_BASE = {-around.intercept_[0]:.3f}",
    ]
    for name, table in tables.items():
        lines += [f"{name}: dict[str, float] = {{"]
        lines += [f'    "{key}": {value:.3f},' for key, value in table.items()]
        lines += ["}"]
    WEIGHTS.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    with gzip.open(PAGES, "rt", encoding="utf-8") as lines:
        samples = [Sample(json.loads(line)) for line in lines]
    full = [sample for sample in samples if sample.passages]
    empty = len(samples) - len(full)
    print(f"{len(samples)} pages, {FOLDS}-fold cross-validation (pages without text count as lost)")
    report(full, cross_validated(full), empty)
    models = fit_both(full)
    print("the same pages seen")
    report(full, [apply(models, sample) for sample in full], empty)
    if "--write" in sys.argv:
        write(models)


if __name__ == "__main__":
    main()
