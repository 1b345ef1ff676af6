"""Where a judge's quotes stand, and whether they carry the numbers they are given for."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream_evaluators.metrics.quotes import AROUND, find_quote, number_problem
from dream_evaluators.model.source import Source, SourceBlock
from dream_evaluators.prompts.answers import ClaimVerdict
from tests.strategies import claim_answer, make_source

FILLER = "Nothing of note was said about that in the years that followed it. "


def paragraphs(*parts: str, hidden: tuple[int, ...] = ()) -> Source:
    """A page of paragraphs, some of which its reader does not see."""
    blocks, at = [], 0
    for number, part in enumerate(parts):
        end = at + len(part)
        blocks.append(SourceBlock(start=at, end=end, kind="paragraph", hidden=number in hidden))
        at = end + 1
    return make_source("\n".join(parts), blocks=tuple(blocks))


def found(quote: str, source: Source) -> str | None:
    """The stretch of the source's text that the quote is, None when it is none."""
    place = find_quote(quote, source)
    return source.text[place.start : place.end] if place.found else None


@pytest.mark.parametrize("quote", ["", " ", "\n\t"])
def test_no_words_are_no_quote(quote: str) -> None:
    assert find_quote(quote, make_source("Words.")).how == "absent"


@pytest.mark.parametrize("blocks", [(), (SourceBlock(start=0, end=20, kind="paragraph"),)])
def test_where_nothing_is_hidden_a_quote_is_found_in_the_text_as_it_is(
    blocks: tuple[SourceBlock, ...],
) -> None:
    source = make_source("It opened, they say.", blocks=blocks)
    assert found("opened, they", source) == "opened, they"
    assert found("closed, they", source) is None


@pytest.mark.parametrize("hidden", [(0,), (1,), (0, 1), (1, 2), (0, 3)])
def test_a_quote_is_placed_in_the_whole_text_whatever_is_hidden_before_it(
    hidden: tuple[int, ...],
) -> None:
    parts = ("One came first.", "Two came second.", "Three came third.", "Four came last.")
    source = paragraphs(*parts, hidden=hidden)
    for number, part in enumerate(parts):
        assert found(part, source) == (None if number in hidden else part)


def test_a_quote_may_go_over_what_is_hidden_and_then_holds_it() -> None:
    source = paragraphs("Sales rose in May.", "Unseen words.", "They fell in June.", hidden=(1,))
    assert found("rose in May. They fell", source) == "rose in May.\nUnseen words.\nThey fell"


@given(st.data())
def test_every_visible_paragraph_is_found_where_it_stands(data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 6))
    parts = [f"Paragraph {n} says thing {n * 7}." for n in range(count)]
    hidden = data.draw(st.sets(st.integers(0, count - 1)))
    source = paragraphs(*parts, hidden=tuple(hidden))
    for number, block in enumerate(source.blocks):
        place = find_quote(parts[number], source)
        assert place.found == (number not in hidden)
        if place.found:
            assert (place.start, place.end) == (block.start, block.end)


def test_finding_a_quote_in_a_large_page_of_many_blocks_takes_no_time() -> None:
    parts = [f"{FILLER}{n}" for n in range(10_000)]
    source = paragraphs(*parts, hidden=tuple(range(0, 10_000, 2)))
    start = time.process_time()
    assert found(parts[9_999], source) == parts[9_999]
    assert found("words that stand nowhere", source) is None
    assert time.process_time() - start < 5


# Numbers


def problem(fact: str, quote: str, source: Source, relation: str = "supported") -> str:
    verdict = ClaimVerdict.model_validate_json(claim_answer((fact, relation, quote)))
    return number_problem(verdict, source)


PAGE = "The plant opened in 2019. It employs 240 people. Sales rose 41.6 percent to 3.1 million."


@pytest.mark.parametrize(
    ("fact", "quote"),
    [
        ("it opened in 2019", "opened in 2019"),
        ("it employs people", "employs 240 people"),
        ("sales rose about 42 percent", "rose 41.6 percent"),
        ("sales of 3.1 million", "to 3.1 million"),
        ("the two plants opened", "The plant opened"),
    ],
)
def test_a_part_whose_number_its_quote_carries_has_no_problem(fact: str, quote: str) -> None:
    assert problem(fact, quote, make_source(PAGE)) == ""


def test_a_number_beside_the_quote_is_as_good_as_one_in_it() -> None:
    assert problem("it opened in 2019", "It employs 240 people", make_source(PAGE)) == ""


def test_a_number_far_from_the_quote_is_found_as_long_as_the_source_has_it() -> None:
    source = make_source("It opened. " + FILLER * (AROUND // 20) + "That was in 2019.")
    assert problem("it opened in 2019", "It opened.", source) == ""


def test_a_number_that_the_source_nowhere_has_is_told() -> None:
    told = problem("it employs 400 people", "employs 240 people", make_source(PAGE))
    assert "'it employs 400 people' is called supported" in told
    assert "'400'" in told


def test_of_several_parts_the_one_with_the_missing_number_is_told() -> None:
    verdict = ClaimVerdict.model_validate_json(
        claim_answer(
            ("opened in 2019", "supported", "opened in 2019"),
            ("with 400 jobs", "supported", "240 people"),
        )
    )
    assert "'with 400 jobs'" in number_problem(verdict, make_source(PAGE))


@pytest.mark.parametrize("relation", ["absent", "contradicted"])
def test_only_what_is_called_supported_has_to_carry_its_numbers(relation: str) -> None:
    assert problem("400 people", "240 people", make_source(PAGE), relation) == ""


def test_a_number_that_a_reader_does_not_see_is_none() -> None:
    parts = ("It employs people. " + FILLER * (AROUND // 20), "There are 400 of them.")
    assert problem("it employs 400", "It employs people.", paragraphs(*parts)) == ""
    assert "'400'" in problem(
        "it employs 400", "It employs people.", paragraphs(*parts, hidden=(1,))
    )


def test_a_number_is_looked_for_also_where_the_quote_is_found_nowhere() -> None:
    assert problem("it has 240 people", "made of 240 people", make_source(PAGE)) == ""
    assert "'400'" in problem("it has 400 people", "made of people", make_source(PAGE))


THAI = "สะพานยาว 1,840 เมตร และสูง 96 เมตร เปิดใช้เมื่อปีที่แล้วโดยชาวบ้านในหมู่บ้าน"


@pytest.mark.parametrize(
    ("fact", "fine"),
    [
        ("The bridge is 1,840 metres long", True),
        ("The bridge is 1840 metres long", True),
        ("The bridge is 2,840 metres long", False),
        ("The bridge is 840 metres long", False),
    ],
)
def test_of_a_page_in_another_language_only_the_digits_are_asked_for(
    fact: str, *, fine: bool
) -> None:
    quote = "สะพานยาว 1,840 เมตร"
    verdict = ClaimVerdict.model_validate_json(claim_answer((fact, "supported", quote)))
    assert (number_problem(verdict, make_source(THAI)) == "") == fine


@pytest.mark.parametrize(
    ("fact", "fine"),
    [
        ("The average was 20.4", True),
        ("The loss was 610", True),
        ("The loss was 611", False),
        ("The average was 204", False),
        ("The loss was 610 dollars", False),
    ],
)
def test_a_number_without_a_unit_is_there_where_its_digits_are(fact: str, *, fine: bool) -> None:
    source = make_source("The average over January was 20.4 °C. The loss was −€610 a month.")
    verdict = ClaimVerdict.model_validate_json(claim_answer((fact, "supported", "The average")))
    assert (number_problem(verdict, source) == "") == fine
