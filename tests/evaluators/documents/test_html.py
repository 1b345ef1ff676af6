"""Pages: what a reader sees, as Markdown, with every citation connected to its entry."""

from __future__ import annotations

import re
from html import escape, unescape

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dream_evaluators.documents import open_document
from dream_evaluators.errors import ReportUnreadable
from dream_evaluators.report import parse_report


def text_of(html: str) -> str:
    return open_document(f"<!doctype html><body>{html}".encode()).text.rstrip("\n")


def cited(html: str) -> list[tuple[str, list[str]]]:
    report = parse_report(text_of(html))
    return [(s.claim, [c.canonical_url for c in s.citations]) for s in report.statements]


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<h2>A <em>title</em></h2>", "## A title"),
        ("<p>One\n  two\t three</p>", "One two three"),
        ("<p>a</p><div>b<p>c</div>", "a\n\nb\n\nc"),
        ("<p>a<br>b</p>", "a  \nb"),
        ("<p><b>Sources</b></p><p>x <b>y</b></p>", "**Sources**\n\nx y"),
        ("<ul><li>a<ul><li>b</ul><li>c</ul>", "- a\n  - b\n- c"),
        ("<ol start=3><li>a<li value=7>b<li>c</ol>", "3. a\n7. b\n8. c"),
        ("<ol start='x'><li>a</ol>", "1. a"),
        ("<li>stray</li>", "- stray"),
        ("<ul><li><p>a</p><p>b</p></ul>", "- a\n\n  b"),
        ("<blockquote><p>a</p><p>b</p></blockquote>", "> a\n\n> b"),
        ("<pre><code>x  = [1]\ny</code></pre>", "```\nx  = [1]\ny\n```"),
        ("<pre>```</pre>", "````\n```\n````"),
        ("<p>Call <code>f(x)</code> or <kbd>a`b</kbd>.</p>", "Call `f(x)` or a`b."),
        (
            "<table><tr><th>a<th>b|c<tr><td>1<td><p>x</p><p>y</p></table>",
            "| a | b\\|c |\n| --- | --- |\n| 1 | x; y |",
        ),
        (
            "<table><thead><tr><td>a</thead><tr><td>1</table>",
            "| a |\n| --- |\n| 1 |",
        ),
        ("<table><tr><td>1<td>2</table>", "| 1 | 2 |"),
        ("<table role=presentation><tr><td>1<td>2</table>", "1\n\n2"),
        ("<table><tr><td><h2>T</h2><p>x</table>", "## T\n\nx"),
        ("<table><tr><td><pre>a</pre>b</table>", "```\na\n```\n\nb"),
        ("<p>10<sup>6</sup> km<sup>2</sup>, 4<sup>th</sup>, H<sub>2</sub>O</p>",
         "10<sup>6</sup> km<sup>2</sup>, 4th, H2O"),
        ("<p>a &lt;b&gt; &amp;amp; c &lt; 3</p>", "a &lt;b> &amp;amp; c < 3"),
        ("<p># no heading</p><p>- no item</p><p>| no row</p>",
         "\\# no heading\n\n\\- no item\n\n\\| no row"),
        ("<p>x <math><mi>a</mi><annotation encoding='x-tex'>a^2</annotation></math></p>",
         "x $a^2$"),
        ("<p><math><mi>a</mi><mo>=</mo><mn>1</mn></math></p>", "a=1"),
        ("<details><summary>More</summary>text</details>", "More\n\ntext"),
        ("<p>a\u200bb\u00adc\u202ed</p>", "abcd"),
    ],
)  # fmt: skip
def test_elements_become_markdown(html: str, markdown: str) -> None:
    assert text_of(html) == markdown


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<a href='https://a.test/x'>the paper</a>", "[the paper](https://a.test/x)"),
        ("see<a href='https://a.test/x'> it </a>now", "see [it](https://a.test/x) now"),
        ("<a href='https://a.test/x'>https://a.test/x</a>", "https://a.test/x"),
        ("<a href='https://a.test/x.'>https://a.test/x.</a>", "<https://a.test/x.>"),
        ("<a href='https://a.test/x/'>a.test/x</a>", "<https://a.test/x/>"),
        ("<a href='https://a.test/x'>a.test</a>", "[a.test](https://a.test/x)"),
        ("<a href='https://a.test/a b(c'>t]</a>", "[t\\]](https://a.test/a%20b%28c)"),
        ("<a href='https://a.test/a_(b)'>[3]</a>", "[[3]](https://a.test/a_(b))"),
        ("<a href='https://a.test/'><img alt='Logo'></a>", "[Logo](https://a.test/)"),
        ("<a href='https://a.test/' title='Home'><svg></svg></a>", "[Home](https://a.test/)"),
        ("<a href='https://a.test/'><i></i></a>", "<https://a.test/>"),
        ("<a href='//a.test/x'>t</a>", "[t](https://a.test/x)"),
        ("<a href='www.a.test/x'>t</a>", "[t](https://www.a.test/x)"),
        ("x<a href='https://a.test/'></a>", "x"),
        ("<a href='doi:10.1000/1'>t</a>", "[t](doi:10.1000/1)"),
        ("<a href='javascript:f()'>t</a>", "t"),
        ("<a href='data:text/html,x'>t</a>", "t"),
        ("<a href='mailto:a@b.test'>t</a>", "t"),
        ("<a href='/local'>t</a>", "t"),
        ("<a href='#top'>t</a>", "t"),
        ("<a>t</a>", "t"),
    ],
)
def test_links_are_kept_or_dropped_with_their_text_left(html: str, markdown: str) -> None:
    assert text_of(f"<p>{html}</p>") == markdown


def test_a_link_around_blocks_stays_one_link() -> None:
    html = "<a href='https://a.test/x'><div>t</div><div>u</div></a>"
    assert text_of(html) == "[t u](https://a.test/x)"


def test_relative_links_need_an_address_of_the_page() -> None:
    page = '<html><head><base href="https://a.test/d/"></head><body><a href="../x">t</a></body>'
    assert open_document(page.encode()).text == "[t](https://a.test/x)\n"
    saved = '<!-- saved from url=(0014)https://a.test/d/r --><html><a href="x?a=1&amp;b=2">t</a>'
    assert open_document(saved.encode()).text == "[t](https://a.test/d/x?a=1&b=2)\n"


@pytest.mark.parametrize(
    "html",
    [
        "<p hidden>secret</p>",
        "<p style='color:red; display: none'>secret</p>",
        "<p style='position:absolute;left:-9999px'>secret</p>",
        "<span class='x sr-only'>secret</span>",
        "<div aria-hidden=true>secret</div>",
        "<nav>secret</nav>",
        "<div role=navigation>secret</div>",
        "<script>secret</script>",
        "<style>secret</style>",
        "<template>secret</template>",
        "<noscript>secret</noscript>",
        "<button>secret</button>",
        "<!-- secret -->",
        "<textarea>secret</textarea>",
    ],
)
def test_what_no_reader_sees_is_no_text(html: str) -> None:
    assert text_of(f"<p>shown</p>{html}") == "shown"


def test_a_numbered_link_to_an_entry_of_the_same_number_is_a_marker() -> None:
    assert cited(
        "<p>Cars grew by 5 % in 2024 <a href='#r2'>[2]</a>. Buses fell by 3 %.<sup><a href='#r1'>1"
        "</a></sup></p><h2>Sources</h2><ol><li id=r1><a href='https://a.test/1'>A paper</a>"
        "<li id=r2><a href='https://a.test/2'>B paper</a></ol>"
    ) == [
        ("Cars grew by 5 % in 2024.", ["https://a.test/2"]),
        ("Buses fell by 3 %.", ["https://a.test/1"]),
    ]


def test_brackets_around_a_linked_number_are_not_doubled() -> None:
    html = (
        "<p>Cars grew [<a href='#r1'>1</a>, <a href='#r2'>2</a>].</p>"
        "<ol><li id=r1>A https://a.test/1<li id=r2>B https://a.test/2</ol>"
    )
    assert text_of(html).startswith("Cars grew [1, 2].")


def test_a_numbered_link_to_an_entry_without_number_gives_it_a_label() -> None:
    html = (
        "<p>Cars grew by 5 % in 2024 <a href='#r2'>[7]</a>.</p><h2>Sources</h2>"
        "<ul><li id=r1>A https://a.test/1<li><p id=r2>B https://a.test/2</ul>"
    )
    assert cited(html)[0] == ("Cars grew by 5 % in 2024.", ["https://a.test/2"])


def test_lists_that_use_a_number_twice_are_told_apart() -> None:
    html = (
        "<p>Cars grew by 5 % in 2024 <a href='#a'>[1]</a>. Buses fell by 3 % <a href='#b'>[1]</a>."
        " Trams rose by 2 % <a href='#b'>[1]</a>.</p><h2>Sources</h2>"
        "<ol><li id=a>A https://a.test/1</ol><ol><li id=b>B https://b.test/1</ol>"
    )
    assert [urls for _, urls in cited(html)] == [
        ["https://a.test/1"],
        ["https://b.test/1"],
        ["https://b.test/1"],
    ]


def test_wikipedia_notes_lose_their_way_back() -> None:
    html = (
        '<p>Cars grew by 5 % in 2024.<sup id="cite_ref-1"><a href="#cite_note-1">[a]</a></sup></p>'
        '<ol><li id="cite_note-1"><b><a href="#cite_ref-1">^</a></b> <sup><a href="#cite_ref-1">a'
        '</a></sup> <a href="https://a.test/1">A paper</a></li></ol>'
    )
    assert text_of(html) == (
        "Cars grew by 5 % in 2024.[^fna]\n\n[^fna]: [A paper](https://a.test/1)"
    )


def test_word_pages_name_their_notes_by_anchors() -> None:
    html = (
        '<p>Cars grew by 5 %.<a href="#_ftn1" name="_ftnref1">[1]</a></p>'
        '<div><p><a href="#_ftnref1" name="_ftn1">[1]</a> A, https://a.test/1</p></div>'
    )
    assert cited(html) == [("Cars grew by 5 %.", ["https://a.test/1"])]


def test_symbols_as_note_marks_get_a_label() -> None:
    html = "<p>Cars grew by 5 %.<a href='#n'>†</a></p><div id=n>A, https://a.test/1</div>"
    assert cited(html) == [("Cars grew by 5 %.", ["https://a.test/1"])]


def test_a_number_that_leads_to_a_heading_or_a_whole_section_is_no_citation() -> None:
    html = (
        f"<p>See section <a href='#s'>2</a> and <a href='#d'>3</a>.</p><h2 id=s>Two</h2>"
        f"<div id=d>{'long text ' * 500}</div>"
    )
    assert text_of(html).startswith("See section 2 and 3.")


def test_links_of_a_saved_page_to_itself_are_within_it() -> None:
    page = (
        '<html><head><link rel=canonical href="https://a.test/r"></head><body>'
        '<p>Cars grew <a href="https://a.test/r#n1">[1]</a>.</p>'
        "<ol><li id=n1>A https://b.test/1</ol></body>"
    )
    assert open_document(page.encode()).text.startswith("Cars grew [1].")


def test_the_main_part_is_read_when_it_holds_the_text() -> None:
    main = "<main><p>The report is long enough to be all there is.</p></main>"
    assert text_of(f"<header>Site name</header>{main}<footer>Imprint</footer>") == (
        "The report is long enough to be all there is."
    )


def test_of_a_chat_only_the_answers_are_read() -> None:
    html = (
        "<div data-message-author-role=user>Write a report!</div>"
        "<div data-message-author-role=assistant><p>Cars grew.</p></div>"
    )
    assert text_of(html) == "Cars grew."


@pytest.mark.parametrize(
    ("head", "encoding"),
    [
        ("<meta charset=iso-8859-1>", "cp1252"),
        ("<meta http-equiv=content-type content='text/html; charset=shift_jis'>", "shift_jis"),
        ("<meta charset=utf-8>", "utf-8"),
        ("<meta charset=no-such>", "utf-8"),
    ],
)
def test_the_declared_encoding_is_used(head: str, encoding: str) -> None:
    said = "価格" if encoding == "shift_jis" else "Größe"
    assert open_document(f"<html>{head}<p>{said}".encode(encoding)).text == f"{said}\n"


@given(st.text(alphabet="ab1 #>|-*_`[](){}<>&$~=+.:!é価", min_size=1, max_size=60))
@example("&#1")
def test_no_word_of_a_paragraph_is_lost_or_made_up(text: str) -> None:
    words = re.findall(r"[ab1é価]+", text)
    if not words:
        return
    page = f"<!doctype html><p>xx {escape(text)} xx</p>"
    # Markdown's references end with a semicolon; `&#1` is three characters in it, as it was.
    read = re.sub(r"&[#\w]+;", lambda found: unescape(found[0]), open_document(page.encode()).text)
    assert re.findall(r"[ab1é価]+", read) == words


@given(
    st.lists(
        st.sampled_from(
            "<p> </p> <ul> </ul> <ol> <li> </li> <table> <tr> <td> </td> </table> <a> <sup> </sup>"
            " </a> <pre> </pre> <b> </b> <h2> </h2> <blockquote> </blockquote> <code> </code> <br>"
            " x 1 [1] <math> <a§href='#i'> <p§id=i> <a§href='https://a.test/x'>".split()
        ),
        max_size=40,
    )
)
def test_any_order_of_tags_is_read(parts: list[str]) -> None:
    page = "<!doctype html><p>start</p>" + "".join(parts).replace("§", " ")
    assert "start" in open_document(page.encode()).text


def test_a_page_without_text_says_so() -> None:
    with pytest.raises(ReportUnreadable, match="script"):
        open_document(b"<html><body><div id=app></div><script>f()</script></body></html>")


def test_bold_paragraphs_become_headings_only_when_they_read_as_such() -> None:
    assert text_of(f"<p><b>{'long ' * 50}</b></p>") == ("long " * 50).strip()
    assert text_of("<ul><li><b>Lead</b></ul>") == "- Lead"
    assert text_of("<p><b>Cost</b> is 5.</p>") == "Cost is 5."
