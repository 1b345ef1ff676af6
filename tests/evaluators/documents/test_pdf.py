"""PDF: reading order, links over text, running lines, paragraphs, tables, anchors of pages."""

from __future__ import annotations

import pytest

from dream_evaluators.documents import open_document
from dream_evaluators.documents.document import Document
from dream_evaluators.errors import ReportUnreadable
from dream_evaluators.report import parse_report
from tests.evaluators.documents.pdf_files import Page, make_pdf, write_objects

FULL = "This line is as long as the column is wide and says nothing at all, ok"


def opened(*pages: Page) -> Document:
    return open_document(make_pdf(list(pages)))


def page_of(*lines: str, x: float = 60, top: float = 740, size: float = 10) -> Page:
    """Lines below each other; "" leaves a gap."""
    page, y = Page(), top
    for line in lines:
        if line:
            page.text(x, y, line, size=size)
        y -= 1.3 * size
    return page


def text_of(*lines: str) -> str:
    return opened(page_of(*lines)).text.rstrip("\n")


def test_lines_of_a_paragraph_are_joined() -> None:
    assert text_of(FULL, "and it goes on here.", "", "Another one.") == (
        f"{FULL} and it goes on here.\n\nAnother one."
    )


@pytest.mark.parametrize(
    ("first", "second", "joined"),
    [
        (f"{FULL} inter-", "national trade grew.", f"{FULL} international trade grew."),
        (f"{FULL} Franco-", "Prussian war.", f"{FULL} Franco-Prussian war."),
        (f"{FULL} covid-", "19 cases.", f"{FULL} covid-19 cases."),
        (f"{FULL} https://a.test/long-", "path/x.", f"{FULL} https://a.test/long-path/x."),
        (f"{FULL} https://a.test/", "Path now.", f"{FULL} https://a.test/Path now."),
        (f"{FULL} https://a.test/x", "is good.", f"{FULL} https://a.test/x is good."),
    ],
)
def test_line_ends_inside_words_and_addresses(first: str, second: str, joined: str) -> None:
    assert text_of(first, second) == joined


def test_a_compound_that_the_document_has_elsewhere_keeps_its_hyphen() -> None:
    text = text_of("A well-known man is here.", "", f"{FULL} well-", "known people live.")
    assert text.endswith("well-known people live.")


def test_an_address_over_three_lines_is_whole() -> None:
    text = text_of(f"{FULL} https://a.test/one-", "two/" + "x" * 60 + "-", "three/end and more.")
    assert f"https://a.test/one-two/{'x' * 60}-three/end and more." in text


def test_a_line_break_that_was_meant_stays() -> None:
    assert text_of("Short title", "Then text begins here and goes on.", FULL, "so.") == (
        f"Short title  \nThen text begins here and goes on.  \n{FULL} so."
    )


def test_sizes_make_headings_by_rank() -> None:
    page = Page()
    page.text(60, 740, "Report", size=20)
    page.text(60, 700, "Part one", size=14)
    for row in range(5):
        page.text(60, 680 - 13 * row, FULL)
    page.text(60, 590, "Bold words", bold=True)
    page.text(60, 570, "Then text.")
    text = opened(page).text
    assert text.startswith("# Report\n\n## Part one\n\n")
    assert "\n\n**Bold words**\n\nThen text.\n" in text


def test_markers_of_lists_are_written_as_lists() -> None:
    text = text_of(
        "• First thing is here", "• Second thing", "", "1. One", "2. Two", "", "[1] A source"
    )
    assert text == "- First thing is here\n- Second thing\n1. One\n2. Two\n\n[1] A source"


def test_markers_drawn_apart_join_their_lines() -> None:
    page = page_of("First thing is here", "Second thing", x=80)
    page.text(60, 727, "•")
    page.text(60, 740, "•")
    assert opened(page).text == "- First thing is here\n- Second thing\n"


# --- links ----------------------------------------------------------------------------------------


def test_links_lie_over_the_words_they_belong_to() -> None:
    page = Page()
    begin = page.text(60, 740, "Cars grew, says ")
    end = page.text(begin, 740, "the office (2024)")
    page.text(end, 740, ", in 2024.")
    page.link(begin, 740, end, "https://a.test/x(1)?b=c")
    assert opened(page).text == (
        "Cars grew, says [the office (2024)](https://a.test/x(1)?b=c), in 2024.\n"
    )


def test_quad_points_place_a_link_too() -> None:
    page = Page()
    end = page.text(60, 740, "the office")
    page.text(end, 740, " said so in 2024 and is right.")
    page.link(60, 740, end, "quads https://a.test/x")
    assert opened(page).text == "[the office](https://a.test/x) said so in 2024 and is right.\n"


def test_a_link_over_two_lines_is_one() -> None:
    page = Page()
    begin = page.text(60, 740, f"{FULL} says ")
    end = page.text(begin, 740, "the big")
    page.link(begin, 740, end, "https://a.test/x")
    after = page.text(60, 727, "office")
    page.link(60, 727, after, "https://a.test/x")
    page.text(after, 727, " now.")
    assert opened(page).text == f"{FULL} says [the big office](https://a.test/x) now.\n"


def test_a_link_over_a_picture_is_told_after_the_text_beside_it() -> None:
    page = Page()
    end = page.text(60, 740, "Cars grew by 5 % in 2024.")
    page.text(60, 700, "Elsewhere.")
    page.link(end + 5, 740, end + 15, "https://a.test/x")
    assert opened(page).text.startswith("Cars grew by 5 % in 2024.<https://a.test/x>\n")


def test_script_and_mail_links_leave_their_text() -> None:
    page = Page()
    end = page.text(60, 740, "mail us at once please, all of you out there")
    page.link(60, 740, end, "mailto:a@b.test")
    assert opened(page).text == "mail us at once please, all of you out there\n"


def with_jump(shown: str, target: str, *entries: str, raised: bool = False) -> str:
    page = Page()
    begin = page.text(60, 740, "Cars grew by 5 % in 2024.")
    size, y = (6.0, 744.5) if raised else (10.0, 740.0)
    end = page.text(begin, y, shown, size=size)
    page.link(begin, y, end, target, size=size)
    for row, entry in enumerate(entries):
        page.text(60, 640 - 30 * row, entry)
    return opened(page).text


def test_a_raised_number_that_jumps_to_its_entry_is_a_marker() -> None:
    text = with_jump("1", "0:655", "1. Source, https://a.test/1", raised=True)
    assert text == "Cars grew by 5 % in 2024.[1]\n\n1. Source, https://a.test/1\n"
    assert with_jump("1", "act 0:655", "1. Source, https://a.test/1", raised=True) == text


def test_brackets_around_a_linked_number_are_not_doubled() -> None:
    page = Page()
    begin = page.text(60, 740, "Cars grew by 5 % in 2024 [")
    end = page.text(begin, 740, "1")
    page.text(end, 740, "].")
    page.link(begin, 740, end, "0:655")
    page.text(60, 640, "[1] Source, https://a.test/1")
    assert opened(page).text.startswith("Cars grew by 5 % in 2024 [1].\n")


def test_the_arrow_back_to_the_text_is_dropped() -> None:
    page = Page()
    end = page.text(60, 740, "1. Source, https://a.test/1 and more words")
    after = page.text(end, 740, "^")
    page.link(end, 740, after, "0:100")
    assert opened(page).text == "1. Source, https://a.test/1 and more words\n"


def test_entries_with_the_same_number_are_told_apart_by_the_jump() -> None:
    text = with_jump("[1]", "0:625", "1. Other, https://b.test/1", "1. Mine, https://a.test/1")
    report = parse_report(text)
    assert [c.url for c in report.statements[0].citations] == ["https://a.test/1"]


@pytest.mark.parametrize("target", ["0:200", "0:655"])
def test_a_number_that_jumps_to_something_else_is_text(target: str) -> None:
    text = with_jump(" See section 3", target, "Figure 3 shows this.")
    assert text.startswith("Cars grew by 5 % in 2024. See section 3\n")


def test_raised_digits_without_a_link_are_superscripts() -> None:
    page = Page()
    end = page.text(60, 740, "An area of 10 km")
    end = page.text(end, 744.5, "2", size=6)
    page.text(end, 740, " was sold in 2024.")
    assert opened(page).text == "An area of 10 km² was sold in 2024.\n"


def test_a_raised_number_with_an_address_is_a_link() -> None:
    text = with_jump("7", "https://a.test/7", raised=True)
    assert text == "Cars grew by 5 % in 2024.[7](https://a.test/7)\n"


# --- pages ----------------------------------------------------------------------------------------


def numbered(pages: int, foot: str = "Page {0} of {1}") -> list[Page]:
    made = []
    for number in range(1, pages + 1):
        page = page_of(f"Chapter {number} begins. " + FULL, "and ends soon.", top=650)
        page.text(60, 770, "Annual report 2024")
        page.text(60, 30, foot.format(number, pages))
        made.append(page)
    return made


def test_running_lines_are_told_once_and_are_no_statements() -> None:
    text = opened(*numbered(4)).text
    assert text.count("Annual report") == 1
    assert text.startswith("<!-- On most pages (numbers as #): Annual report # -->\n\n")
    assert "Page" not in text
    assert all("Annual" not in s.claim for s in parse_report(text).statements)
    assert text.count("and ends soon.") == 4


@pytest.mark.parametrize("foot", ["{0}", "- {0} -", "{0} / {1}"])
def test_numbers_that_count_pages_are_dropped(foot: str) -> None:
    lines = opened(*numbered(3, foot)).text.splitlines()
    assert not [line for line in lines if line.strip("- /0123456789") == "" and line]


def test_roman_page_numbers_are_dropped() -> None:
    pages = [page_of(FULL, "and ends.") for _ in range(4)]
    for page, number in zip(pages, ("i", "ii", "iii", "iv"), strict=True):
        page.text(300, 30, number)
    assert "iii" not in opened(*pages).text


def test_numbers_at_the_edge_that_do_not_count_stay() -> None:
    pages = [page_of(FULL, "and ends.") for _ in range(3)]
    for page, number in zip(pages, ("12", "77", "31"), strict=True):
        page.text(300, 30, number)
    text = opened(*pages).text
    assert all(number in text for number in ("12", "77", "31"))


def test_pages_have_anchors_and_sentences_go_over_them() -> None:
    first = page_of("Cars grew in 2024 because they were", size=10)
    second = page_of("cheaper than before.", "", "New paragraph here.")
    document = opened(first, second)
    assert document.text.startswith("Cars grew in 2024 because they were cheaper than before.\n")
    pages = [(a.label, document.text[a.start :][:7]) for a in document.anchors]
    assert pages == [("1", "Cars gr"), ("2", "cheaper")]


@pytest.mark.parametrize(
    ("last", "first"), [("It has no end", "• item"), ("1. One item here", "2. Two")]
)
def test_a_list_marker_begins_a_page_anew(last: str, first: str) -> None:
    text = opened(page_of(FULL, last), page_of(first, "", FULL)).text
    lines = [line.strip() for line in text.splitlines()]
    assert first.replace("•", "-") in lines


def test_a_heading_at_the_end_of_a_page_takes_nothing_in() -> None:
    page = page_of(*[FULL] * 8, "")
    page.text(60, 500, "Results", size=16)
    text = opened(page, page_of(*[FULL.lower()] * 4)).text
    assert f"\n\n# Results\n\n{FULL.lower()}" in text


def test_a_finished_sentence_ends_its_paragraph_with_the_page() -> None:
    text = opened(page_of("Cars grew."), page_of("Buses fell.")).text
    assert text == "Cars grew.\n\nBuses fell.\n"


def column(page: Page, x: float, words: str, rows: int) -> list[tuple[float, float, str]]:
    return [(x, 700 - 13 * row, f"{words} {row:02} in a narrow column here") for row in range(rows)]


def test_a_line_over_both_columns_parts_them() -> None:
    page = Page()
    wide = "W" * 90
    for begin, words in ((700, "first"), (500, "second")):
        for row in range(9):
            y = begin - 13 * row
            page.text(60, y, f"{words} left {row} in a narrow column", size=9)
            page.text(320, y, f"{words} right {row} in narrow columns", size=9)
    page.text(60, 550, wide, size=9)
    text = opened(page).text
    order = ["first left 8", "first right 8", wide, "second left 0", "second right 8"]
    assert [text.index(words) for words in order] == sorted(text.index(words) for words in order)


@pytest.mark.parametrize("by_rows", [False, True])
def test_two_columns_are_read_one_after_the_other(by_rows: bool) -> None:
    page = Page()
    page.text(60, 740, "A title over both columns of the page", size=10)
    left, right = column(page, 60, "left", 12), column(page, 320, "right", 12)
    order = [pair for row in zip(left, right, strict=True) for pair in row]
    for x, y, line in order if by_rows else left + right:
        page.text(x, y, line, size=9)
    text = opened(page).text
    assert text.index("A title") < text.index("left 00") < text.index("left 11")
    assert text.index("left 11") < text.index("right 00") < text.index("right 11")


def test_blocks_drawn_late_stand_in_their_place() -> None:
    page = Page()
    page.text(60, 740, "First of all.")
    page.text(60, 640, "Third in the row.")
    page.text(60, 690, "Second in the row.")
    assert opened(page).text == "First of all.\n\nSecond in the row.\n\nThird in the row.\n"


def cells(page: Page, rows: list[list[str]], *, bold: bool = True) -> None:
    for number, row in enumerate(rows):
        for place, words in enumerate(row):
            for at, line in enumerate(words.split("\n")):
                if line:
                    shown = bold and number == 0
                    page.text(60 + 160 * place, 700 - 40 * number - 12 * at, line, bold=shown)


def test_tables_become_rows_with_their_header() -> None:
    page = page_of("Some text before the table that is long enough to be text.")
    cells(
        page, [["City", "Share", "Year"], ["Oslo\nand more", "5 %", "2024"], ["Rome", "", "2023"]]
    )
    page.text(60, 560, "After it.")
    assert opened(page).text.split("\n\n")[1:] == [
        "| City | Share | Year |\n| --- | --- | --- |\n| Oslo and more | 5 % | 2024 |\n"
        "| Rome |  | 2023 |",
        "After it.\n",
    ]


def test_a_table_without_a_bold_row_has_no_header() -> None:
    page = Page()
    cells(page, [["Oslo", "5 %"], ["Rome", "7 %"]], bold=False)
    assert opened(page).text == "| Oslo | 5 % |\n| Rome | 7 % |\n"


def test_a_wide_blank_in_one_line_is_no_table() -> None:
    page = Page()
    page.text(60, 740, "Signed:")
    page.text(120, 740, "the author")
    page.text(60, 700, "Text.")
    assert opened(page).text == "Signed: the author\n\nText.\n"


# --- what cannot be read --------------------------------------------------------------------------


def test_a_scan_asks_for_text_recognition() -> None:
    page = Page(image=True)
    with pytest.raises(ReportUnreadable, match="OCR"):
        opened(page)


def test_an_empty_page_asks_for_text_too() -> None:
    with pytest.raises(ReportUnreadable, match="no text"):
        opened(Page())


def test_a_locked_file_asks_for_an_open_one() -> None:
    with pytest.raises(ReportUnreadable, match="password"):
        open_document(make_pdf([page_of("secret")], encrypted=True))


@pytest.mark.parametrize("keep", [20, 200, 400])
def test_damaged_files_say_so(keep: int) -> None:
    whole = make_pdf([page_of("text")])
    with pytest.raises(ReportUnreadable):
        open_document(whole[:keep])
    with pytest.raises(ReportUnreadable, match="damaged"):
        open_document(b"%PDF-1.4\n" + b"\xff\x00garbage" * 100)


def test_a_page_that_is_its_own_parent_is_no_endless_loop() -> None:
    catalog = b"<</Type/Catalog/Pages 2 0 R>>"
    pages = b"<</Type/Pages/Kids[2 0 R 2 0 R]/Count 4/Parent 2 0 R>>"
    with pytest.raises(ReportUnreadable):
        open_document(write_objects([catalog, pages], b"/Root 1 0 R"))


def test_too_many_pages_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dream_evaluators.documents.pdf.reading.PAGE_CAP", 1)
    with pytest.raises(ReportUnreadable, match="limit is 1"):
        opened(page_of("a"), page_of("b"))


def test_slow_files_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dream_evaluators.documents.pdf.reading.SECONDS", -1.0)
    with pytest.raises(ReportUnreadable, match="longer than"):
        opened(page_of("a"))
