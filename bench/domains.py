"""Domain authority measured: trick addresses, agreement with experts, coverage, cost, threads.

Reads ../shared/data/domains beside the repository; run with `python bench/domains.py`.
"""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit

from dream_evaluators.web.domains import REGISTRY_VERSION, DomainAuthority
from dream_evaluators.web.domains.registry import shipped_rows

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "domains"
FIELDS = ("domain", "publisher", "class")
HIGH, LOW = 0.7, 0.4  # what counts as high and low quality in the expert list


def ranks(values: list[float]) -> list[float]:
    """Average ranks."""
    order = sorted(range(len(values)), key=values.__getitem__)
    out = [0.0] * len(values)
    at = 0
    while at < len(order):
        end = at
        while end < len(order) and values[order[end]] == values[order[at]]:
            end += 1
        for place in order[at:end]:
            out[place] = (at + end - 1) / 2
        at = end
    return out


def spearman(left: list[float], right: list[float]) -> float:
    """Spearman's rank correlation."""
    a, b = ranks(left), ranks(right)
    mean = (len(a) - 1) / 2
    cov = sum((x - mean) * (y - mean) for x, y in zip(a, b, strict=True))
    var = sum((x - mean) ** 2 for x in a) * sum((y - mean) ** 2 for y in b)
    return float(cov / var**0.5)


def auc(high: list[float], low: list[float]) -> float:
    """Chance that a high-quality domain outscores a low-quality one."""
    joined = ranks(high + low)
    rank_sum = sum(joined[: len(high)])
    return (rank_sum - len(high) * (len(high) - 1) / 2) / (len(high) * len(low))


def rows(name: str) -> list[list[str]]:
    """Rows of a table of the data folder, without its header."""
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines[1:]]


def tricky(scorer: DomainAuthority) -> None:
    """Domain, publisher and class on the hand-made cases."""
    cases = json.loads((DATA / "tricky_urls.dev.json").read_text(encoding="utf-8"))
    right = [0, 0, 0]
    for case in cases:
        got = scorer.score(case["url"])
        right[0] += got.registrable_domain == case["registrable_domain"]
        right[1] += got.publisher == case["effective_publisher"]
        right[2] += got.source_class == case["class"]
    named = "  ".join(f"{what} {n}" for what, n in zip(FIELDS, right, strict=True))
    print(f"tricky_urls.dev   {named}  of {len(cases)}")


def experts(scorer: DomainAuthority) -> None:
    """Agreement with the expert list where we answer."""
    ours, theirs, everyone, filled = [], [], [], []
    for name, value in rows("lin2023.tsv"):
        score = scorer.score(f"https://{name}/").score
        everyone.append(float(value))
        filled.append(50.0 if score is None else score)
        if score is not None:
            ours.append(score)
            theirs.append(float(value))
    high = [o for o, t in zip(ours, theirs, strict=True) if t >= HIGH]
    low = [o for o, t in zip(ours, theirs, strict=True) if t < LOW]
    print(f"lin2023           answered {len(ours)} of {len(everyone)}")
    print(f"                  Spearman {spearman(ours, theirs):.3f}")
    print(f"                  Spearman with the rest at 50 {spearman(filled, everyone):.3f}")
    print(f"                  AUC {auc(high, low):.3f}  ({len(high)} high, {len(low)} low)")


def coverage(scorer: DomainAuthority) -> None:
    """Share of what real reports cite that gets a score, by the domain alone."""
    total = answered = 0
    for name, urls, *_ in rows("cited_domains.tsv"):
        total += int(urls)
        answered += int(urls) * (scorer.score(f"https://{name}/").score is not None)
    print(f"cited_domains     citation mass answered {answered / total:.3f} of {total}")


def sample_urls() -> list[str]:
    """Addresses for timing: known and unknown names, with paths."""
    names = [row[0] for row in rows("cited_domains.tsv")[:4000]]
    return [f"https://www.{name}/a/b-{at}?c=d" for at, name in enumerate(names)]


def cost() -> None:
    """Cost of a URL against the two calls that any scorer needs; distinct hosts, caches cold."""
    from tldextract import TLDExtract

    extract = TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True)
    urls = sample_urls()
    extract("warm.example.com")
    best = {"floor": 9.0, "cold": 9.0, "again": 9.0}
    for _ in range(5):
        scorer = DomainAuthority()
        marks = [time.perf_counter()]
        for url in urls:
            extract(url)
            urlsplit(url)
        marks.append(time.perf_counter())
        for _ in range(2):
            for url in urls:
                scorer.score(url)
            marks.append(time.perf_counter())
        for name, start, end in zip(best, marks[:-1], marks[1:], strict=True):
            best[name] = min(best[name], end - start)
    floor, cold, again = (best[name] / len(urls) * 1e6 for name in best)
    print(f"cost              tldextract+urlsplit {floor:.1f} µs, the gate is 4 times that")
    print(f"                  score {cold:.1f} µs = {cold / floor:.2f} times")
    print(f"                  with hosts seen before {again:.1f} µs = {again / floor:.2f} times")


def threads() -> None:
    """Sixteen threads that start cold agree."""
    urls = sample_urls()[:300]
    answers: list[list[object]] = []
    gate = threading.Barrier(16)

    def work() -> None:
        gate.wait()
        scorer = DomainAuthority()
        answers.append([scorer.score(url) for url in urls])

    crew = [threading.Thread(target=work) for _ in range(16)]
    for thread in crew:
        thread.start()
    for thread in crew:
        thread.join()
    print(f"threads           16 cold starts agree: {all(a == answers[0] for a in answers)}")


def main() -> None:
    """Print every gate."""
    start = time.perf_counter()
    scorer = DomainAuthority()
    print(f"registry          {len(shipped_rows())} entries, version {REGISTRY_VERSION}")
    print(f"start             {(time.perf_counter() - start) * 1e3:.0f} ms")
    tricky(scorer)
    experts(scorer)
    coverage(scorer)
    cost()
    threads()


if __name__ == "__main__":
    main()
