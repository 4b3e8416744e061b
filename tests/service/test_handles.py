"""Handles: which ones are allowed, and which ones look alike."""

import unicodedata

import pytest

from service.accounts.handles import InvalidHandle, parse_handle, skeletons, spellings
from tests.support.faults import raises


def look_alike(first: str, second: str) -> bool:
    return not skeletons(parse_handle(first)).isdisjoint(skeletons(parse_handle(second)))


@pytest.mark.parametrize(
    "handle",
    [
        *("ada", "Ada.1", "a", "_", "7", "x" * 32, "ada_b-c.d", "José", "Ñandú", "Đặng", "straße"),
        *(
            "张伟",
            "山田たろう",
            "ヤマダ",
            "김철수",
            "Ελένη",
            "Владимир",
            "Հայկ",
            "ნინო",
            "שלום",
            "محمد",
            "محمد7",
        ),
        *("हिन्दी", "সুমি", "அம்மா", "สมชาย", "አበበ"),
    ],
)
def test_a_plain_name_in_any_script_is_a_handle(handle: str) -> None:
    assert parse_handle(handle) == unicodedata.normalize("NFKC", handle)


@pytest.mark.parametrize(
    ("text", "handle"),
    [
        ("e\u0301", "\xe9"),
        ("\N{FULLWIDTH LATIN CAPITAL LETTER A}da", "Ada"),
        ("\N{HALFWIDTH KATAKANA LETTER YA}", "\N{KATAKANA LETTER YA}"),
        ("\N{LATIN SMALL LIGATURE FI}nn", "finn"),
        ("ada\N{SUPERSCRIPT TWO}", "ada2"),
        ("\N{MATHEMATICAL BOLD SMALL A}da", "ada"),
    ],
)
def test_letters_in_an_unusual_form_are_replaced_by_the_usual_ones(text: str, handle: str) -> None:
    assert parse_handle(text) == handle


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            " ",
            "a b",
            "a\nb",
            "-ada",
            "ada.",
            ".",
            "x" * 33,
            "\u0301a",
            "a@b",
            "a\u200bb",
            "\ud800",
        ),
        *("a\N{ZERO WIDTH JOINER}b", "\N{PILE OF POO}"),
        "a" + "\u0301" * 60_000,
    ],
)
def test_only_letters_digits_and_a_few_signs_are_allowed(text: str) -> None:
    with raises(InvalidHandle, match="1 to 32 letters, digits"):
        parse_handle(text)
    assert spellings(text) == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\N{HANGUL FILLER}", "the character U\\+1160"),
        ("a\N{COMBINING GRAPHEME JOINER}da", "the character U\\+034F"),
        ("\N{ARABIC TATWEEL}", "the character U\\+0640"),
        ("7\u05d0", "directions of writing"),
        ("\N{CYRILLIC SMALL LETTER A}da", "must not mix scripts: Cyrillic and Latin"),
        ("\N{GREEK SMALL LETTER OMICRON}lga", "must not mix scripts: Greek and Latin"),
        ("田中ken", "must not mix scripts: Han and Latin"),
        ("たろう김", "must not mix scripts: Hangul and Hiragana"),
    ],
)
def test_invisible_characters_and_mixed_scripts_are_refused(text: str, message: str) -> None:
    with raises(InvalidHandle, match=message):
        parse_handle(text)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("coco", "\u0441\u043e\u0441\u043e"),  # Cyrillic
        (
            "HOB",
            "\u041d\u041e\u0412",
        ),  # Cyrillic capitals, the small letters of which look different
        ("IA", "\u0456\u0430"),  # Cyrillic small letters
        ("ovo", "\u03bf\u03bd\u03bf"),  # Greek
        ("modern", "modem"),
        ("Ian", "lan"),
        ("player1", "playerl"),
        ("bob", "b0b"),
        ("ida", "\N{LATIN CAPITAL LETTER I WITH DOT ABOVE}da"),
        ("ada", "ADA"),
    ],
)
def test_handles_that_look_alike_share_a_skeleton(first: str, second: str) -> None:
    assert look_alike(first, second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        *(
            ("ada", "adá"),
            ("ada", "adb"),
            ("lan", "ian"),
            ("player-1", "player-2"),
            ("nick", "nik"),
        ),
        *(("Влад", "Vlad"), ("ana", "añá"), ("e", "\N{LATIN SMALL LETTER E WITH DOT ABOVE}")),
        ("田中", "田小"),
    ],
)
def test_different_names_share_no_skeleton(first: str, second: str) -> None:
    assert not look_alike(first, second)


def test_a_text_may_spell_an_old_handle_in_nfc_or_a_new_one_in_nfkc() -> None:
    assert spellings("Ada") == ("ada",)
    assert spellings("\N{FULLWIDTH LATIN CAPITAL LETTER A}da") == (
        "\N{FULLWIDTH LATIN SMALL LETTER A}da",
        "ada",
    )


@pytest.mark.parametrize(
    "text", [" ada", "ada\n", "\u00a0ada\u200b", "\ufeffada \u2066", "\tada\r\n"]
)
def test_white_space_around_a_handle_is_not_part_of_it(text: str) -> None:
    assert parse_handle(text) == "ada"
    assert spellings(text) == spellings(text.replace("ada", "@ada")) == ("ada",)


@pytest.mark.parametrize("text", ["@ada", "a da", "a\u200bda", "@", "\u200b", ""])
def test_a_mark_and_white_space_within_are_not_part_of_a_new_handle(text: str) -> None:
    with pytest.raises(InvalidHandle):
        parse_handle(text)
