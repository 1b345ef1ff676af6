"""What docs/accuracy.md says of extraction holds on pages whose main text is known."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from dream_evaluators.web.extract import extract_html

ROOT = Path(__file__).parents[3]
PAGES = ROOT.parent / "shared/data/pages/wcxb_dev_sample.jsonl.gz"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not PAGES.exists(), reason="the pages with known text are not here"),
]


@pytest.fixture(scope="module")
def bench() -> ModuleType:
    spec = importlib.util.spec_from_file_location("extraction", ROOT / "bench/extraction.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_main_text_is_found_with_its_numbers(bench: ModuleType) -> None:
    pages = bench.read_pages(PAGES)
    figures = bench.summary(pages, bench.run("ours", pages))
    for name, least in bench.GATES.items():
        assert figures[name] >= least, name
    assert figures["lost"] <= bench.MOST_LOST


def test_hardly_any_real_page_seems_to_give_orders(bench: ModuleType) -> None:
    pages = bench.read_pages(PAGES)
    flags = [extract_html(page["html"], page["url"]).flags for page in pages]
    assert sum("instruction_like_text" in each for each in flags) <= 0.01 * len(pages)
