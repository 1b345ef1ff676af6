"""How often the chosen sentences hold a complete gold evidence set: WiCE dev and fool-me-twice.

    python bench/evidence.py [--data DIR]

full@k: some annotated set of evidence sentences lies wholly within the k picked; `+-1` with each
pick's neighbours. BM25 alone, plain coverage and the page's first sentences are beside it.
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from dream_evaluators.judges.views import BRIEF_PASSAGE_TOKENS, PASSAGE_TOKENS
from dream_evaluators.passages import select, split_sentences
from dream_evaluators.passages.matching import Match, match
from dream_evaluators.passages.selection import bm25, rank
from fit_lexical import DATA

Ranker = Callable[[Match, int], list[int]]
DEPTHS = (1, 3, 5, 10)


def bybm25(laid: Match, k: int) -> list[int]:
    """Rank by BM25 alone."""
    scores = bm25(laid)
    return sorted(scores, key=lambda at: -scores[at])[:k]


def by_coverage(laid: Match, k: int) -> list[int]:
    """Rank by the weight of the claim's terms in each sentence."""
    sentences = laid.sentences
    return sorted(range(len(sentences)), key=lambda at: -laid.weight(sentences[at].hits))[:k]


def first(laid: Match, k: int) -> list[int]:
    """Take the first sentences."""
    return [*range(min(k, len(laid.sentences)))]


RANKERS: dict[str, Ranker] = {
    "greedy coverage (ours)": rank, "bm25": bybm25, "coverage": by_coverage, "first": first,
}  # fmt: skip


def lay(rows: Sequence[dict[str, object]]) -> list[tuple[Match, list[set[int]]]]:
    """Lay each claim over the annotators' own sentences, which blocks mark as such."""
    laid = []
    for row in rows:
        sentences, gold = row["sents"], row["gold_sets"]
        assert isinstance(sentences, list)
        assert isinstance(gold, list)
        text = "\n\n".join(sentence.replace("\n", " ") or "-" for sentence in sentences)
        result = match(str(row["claim"]), text)
        owner = owners(text, result)
        wanted = [{at for at, place in enumerate(owner) if place in each} for each in gold if each]
        laid.append((result, [each for each in wanted if each]))
    return [(result, gold) for result, gold in laid if gold]


def owners(text: str, laid: Match) -> list[int]:
    """Tell for each of our sentences which annotated one it lies in."""
    found = []
    passed = at = 0
    for sentence in laid.sentences:
        passed += text.count("\n\n", at, sentence.start)
        at = sentence.start
        found.append(passed)
    return found


def full(
    laid: Sequence[tuple[Match, list[set[int]]]], ranker: Ranker, k: int, around: int
) -> float:
    """Give the share of claims with a gold set wholly among the picked."""
    hits = 0
    for result, gold in laid:
        picked = {at + step for at in ranker(result, k) for step in range(-around, around + 1)}
        hits += any(each <= picked for each in gold)
    return hits / len(laid)


def within(rows: Sequence[dict[str, object]], max_tokens: int) -> float:
    """Give the share of claims with a gold set wholly in the passages shown for so many tokens."""
    hits = claims = 0
    for row in rows:
        sentences, gold = row["sents"], row["gold_sets"]
        assert isinstance(sentences, list)
        assert isinstance(gold, list)
        wanted = [each for each in gold if each]
        if not wanted:
            continue
        text = "\n\n".join(sentence.replace("\n", " ") or "-" for sentence in sentences)
        shown = "\n".join(p.text for p in select(str(row["claim"]), text, max_tokens=max_tokens))
        claims += 1
        hits += any(all(sentences[at].replace("\n", " ") in shown for at in e) for e in wanted)
    return hits / claims


def main() -> None:
    """Print one table a set, and the time `select` takes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    options = parser.parse_args()
    for name in ("wice_dev", "fm2_dev"):
        with gzip.open(options.data / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
        laid = lay(rows)
        depths = [(k, 0) for k in DEPTHS] + [(5, 1), (10, 1)]
        print(f"\n## {name}: {len(laid)} claims with evidence\n")
        print("| method | " + " | ".join(f"full@{k}{' +-1' * a}" for k, a in depths) + " |")
        print("|---|" + "---|" * len(depths))
        for title, ranker in RANKERS.items():
            cells = [f"{full(laid, ranker, k, around):.3f}" for k, around in depths]
            print(f"| {title} | " + " | ".join(cells) + " |")
        shares = ", ".join(
            f"{within(rows, tokens):.3f} in {tokens:,} tokens"
            for tokens in (BRIEF_PASSAGE_TOKENS, PASSAGE_TOKENS)
        )
        print(f"\nwhole evidence shown: {shares}")
        texts = [str(row["source_text"]) for row in rows]
        start = time.process_time()
        chosen = [select(str(row["claim"]), row["source_text"]) for row in rows]
        spent = (time.process_time() - start) * 1000 / len(rows)
        kept = sum(len(p.text) for passages in chosen for p in passages) / sum(map(len, texts))
        count = sum(len(split_sentences(text)) for text in texts) / len(texts)
        print(
            f"\nselect: {spent:.2f} CPU ms a page of {count:.0f} sentences; keeps {kept:.0%} of it"
        )


if __name__ == "__main__":
    main()
