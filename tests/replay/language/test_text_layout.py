"""Text made safe, measured, cut and wrapped, and markup that escapes it."""

import string
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replay.language.text_layout import clean, columns, cut, ems, isolated, with_minus, wrap
from replay.render.descriptions import in_words
from replay.render.markup import Markup, element, number


@given(st.text(), st.integers(1, 40))
def test_wrapped_lines_keep_to_the_width_and_lose_nothing(text: str, width: int) -> None:
    lines = wrap(clean(text), width, columns)
    assert "".join("".join(lines).split()) == "".join(clean(text).split())
    assert all(columns(line) <= width or len(line) == 1 for line in lines)


@given(st.text(), st.floats(2, 40))
def test_a_cut_text_fits(text: str, width: float) -> None:
    kept = cut(text, width, ems)
    assert ems(kept) <= width
    assert kept == text or (kept.endswith("…") and text.startswith(kept[:-1]))


def test_the_last_of_too_many_lines_is_cut() -> None:
    assert wrap("one two three four", 5, columns, max_lines=2) == ["one", "two…"]


def test_lines_are_not_broken_at_hard_spaces() -> None:
    assert wrap("a b\xa0c d", 4, columns) == ["a", "b\xa0c", "d"]


@pytest.mark.parametrize(
    ("text", "width"),
    [("abc", 3), ("東京", 4), ("e\u0301", 1), ("a\u200bb", 2), ("ﬁ", 1), ("\u1160", 0)],
)
def test_columns_are_those_of_a_terminal(text: str, width: int) -> None:
    assert columns(text) == width


@given(st.text())
def test_clean_text_contains_no_control_characters(text: str) -> None:
    kept = clean(text)
    assert not any(ord(char) < 32 or 127 <= ord(char) < 160 for char in kept)
    assert "\u202e" not in kept
    kept.encode("utf-8")
    assert clean(kept) == kept


def test_clean_leaves_ordinary_text_unchanged() -> None:
    text = string.ascii_letters + "éßñ東京 " + string.punctuation
    assert clean(text) == text


def test_negative_numbers_are_shown_with_a_minus_sign() -> None:
    assert with_minus("-3,-12 1:-1") == "\u22123,\u221212 1:\u22121"
    assert with_minus("set-up for 3-4") == "set-up for 3-4"
    assert ems(with_minus("-3")) > ems("-3")


def test_a_name_in_the_rules_is_shown_in_words() -> None:
    assert in_words("war_machine") == "war machine"


def test_text_from_right_to_left_is_isolated_and_stays_so_when_it_is_cut() -> None:
    assert isolated("ada") == "ada"
    assert isolated("éva") == "éva"
    name = isolated("שלום")
    assert (name[0], name[-1]) == ("\u2068", "\u2069")
    assert columns(name) == 4
    assert cut(name, 3, columns) == "\u2068של…\u2069"


@given(st.text(), st.text())
def test_elements_escape_texts_and_attributes(content: str, value: str) -> None:
    content, value = clean(content), clean(value)
    markup = element("text", content, data_value=value, x=1.25, fill=None)
    parsed = ET.fromstring(markup)  # noqa: S314 # our own output
    assert (parsed.text or "") == content
    assert parsed.attrib == {"data-value": value, "x": "1.2"}


def test_markup_within_markup_is_not_escaped_again() -> None:
    inner = element("title", "a < b")
    assert element("g", inner, "&") == "<g><title>a &lt; b</title>&amp;</g>"
    assert isinstance(element("g", inner), Markup)


@pytest.mark.parametrize(
    ("value", "text"), [(0.0, "0"), (-0.04, "0"), (12.0, "12"), (1 / 3, "0.3"), (-2.55, "-2.5")]
)
def test_numbers_have_no_trailing_zeros(value: float, text: str) -> None:
    assert number(value) == text
