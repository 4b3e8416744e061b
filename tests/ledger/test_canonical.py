"""Canonical JSON: one text for a value, as RFC 8785 has it, and no other text is read."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.errors import Unreadable
from ledger.canonical import canonical, decode, unhex

VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(1 - 2**53, 2**53 - 1) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def by_the_book(value: Any) -> bytes:
    """RFC 8785 written down once more, with nothing but the standard library."""
    match value:
        case dict():
            keys = sorted(value, key=lambda key: key.encode("utf-16-be"))
            return (
                b"{" + b",".join(by_the_book(k) + b":" + by_the_book(value[k]) for k in keys) + b"}"
            )
        case list():
            return b"[" + b",".join(map(by_the_book, value)) + b"]"
        case _:
            return json.dumps(value, ensure_ascii=False).encode()


@given(VALUES)
def test_it_is_what_the_rfc_says_and_reads_back(value: Any) -> None:
    text = canonical(value)
    assert text == by_the_book(value)
    assert decode(text) == value


def test_keys_are_ordered_by_utf16_where_utf8_would_order_them_otherwise() -> None:
    assert canonical(
        {"\ufb33": 1, "\U0001f600": 2, "a": {"\ufb33": [{"\ufb33": 1, "\U0001f600": 2}]}}
    ) == ('{"a":{"\ufb33":[{"\U0001f600":2,"\ufb33":1}]},"\U0001f600":2,"\ufb33":1}'.encode())


def test_escapes_are_the_shortest() -> None:
    assert (
        canonical('\b\t\n\f\r"\\/\x00\x1f\x7f€')
        == rb'"\b\t\n\f\r\"\\/\u0000\u001f' + '\x7f€"'.encode()
    )


@pytest.mark.parametrize("value", [2**53, -(2**53), {1: 2}, {"a": object()}, b"", {"a": {1, 2}}])
def test_what_has_no_canonical_form_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="no canonical JSON"):
        canonical(value)


@pytest.mark.parametrize(
    "text",
    [
        '{"a":1.5}',
        '{"a":-0.0}',
        "[1.0]",
        "1.0",
        "1e+16",
        "1e-7",
        "[1e+16]",
        '{"a":[1,1.2345e+300,"x"]}',
        '{"a":"\\\\","b":0.5}',
        '{"a":"\\"","b":1e-7}',
    ],
)
def test_fractions_are_refused_however_they_are_written(text: str) -> None:
    with pytest.raises(Unreadable, match="not canonical"):
        decode(text.encode())


@pytest.mark.parametrize(
    "value", ["1.5,", {"at": "09:15:00.000Z"}, ["a.1]", "3e5}", '"1.5', "\\", "1e5,"], {"1.5": 1}]
)
def test_strings_that_look_like_fractions_are_read(value: Any) -> None:
    assert decode(canonical(value)) == value


@pytest.mark.parametrize(
    "text",
    [
        '{"b":1,"a":2}',
        '{"a":1,"a":1}',
        '{"a": 1}',
        '{"a":1}\n',
        '{"a":1}\r',
        '\ufeff{"a":1}',
        '"\\u0041"',
        '"\\/"',
        "01",
        "-0",
        "9007199254740992",
        "123456789012345678901234567890",
        "NaN",
        "Infinity",
        "",
        "{",
        "[" * 5000 + "]" * 5000,
        "[" * 300 + "]" * 300,
        "nul",
        '"\\ud800"',
    ],
)
def test_any_other_text_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        decode(text.encode())


def test_bytes_that_are_no_utf8_are_unreadable() -> None:
    with pytest.raises(Unreadable):
        decode(b'"\xff"')


@given(st.binary(max_size=40))
def test_no_bytes_at_all_are_read_in_two_ways(data: bytes) -> None:
    try:
        value = decode(data)
    except Unreadable:
        return
    assert canonical(value) == data


@pytest.mark.parametrize("text", ["AB", "a", "0x", " 00", "00 ", "zz", 5, None, "00\n"])
def test_hex_is_lowercase_and_whole_bytes(text: object) -> None:
    assert unhex("00ff") == b"\x00\xff"
    with pytest.raises(ValueError, match="lowercase hex"):
        unhex(text)
