"""Canonical JSON: each value has one text, the one that RFC 8785 defines, and no other text is decoded."""

import json
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.errors import Unreadable
from ledger.canonical import canonical, decode, unhex
from tests.support.faults import raises

VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(1 - 2**53, 2**53 - 1) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def rfc8785(value: Any) -> bytes:
    """RFC 8785 implemented independently, with the standard library only."""
    match value:
        case dict():
            keys = sorted(value, key=lambda key: key.encode("utf-16-be"))
            return b"{" + b",".join(rfc8785(k) + b":" + rfc8785(value[k]) for k in keys) + b"}"
        case list():
            return b"[" + b",".join(map(rfc8785, value)) + b"]"
        case _:
            return json.dumps(value, ensure_ascii=False).encode()


@given(VALUES)
def test_canonical_json_follows_the_rfc_and_decodes_to_the_same_value(value: Any) -> None:
    text = canonical(value)
    assert text == rfc8785(value)
    assert decode(text) == value


def test_keys_are_sorted_by_utf16_even_where_utf8_sorts_differently() -> None:
    assert canonical(
        {"\ufb33": 1, "\U0001f600": 2, "a": {"\ufb33": [{"\ufb33": 1, "\U0001f600": 2}]}}
    ) == ('{"a":{"\ufb33":[{"\U0001f600":2,"\ufb33":1}]},"\U0001f600":2,"\ufb33":1}'.encode())


def test_escapes_are_as_short_as_possible() -> None:
    assert (
        canonical('\b\t\n\f\r"\\/\x00\x1f\x7f€')
        == rb'"\b\t\n\f\r\"\\/\u0000\u001f' + '\x7f€"'.encode()
    )


@pytest.mark.parametrize("value", [2**53, -(2**53), {1: 2}, {"a": object()}, b"", {"a": {1, 2}}])
def test_a_value_without_canonical_json_is_rejected(value: Any) -> None:
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
def test_fractions_are_rejected_in_every_notation(text: str) -> None:
    with raises(Unreadable, match="is not an integer"):
        decode(text.encode())


@given(VALUES, st.floats(allow_nan=False, allow_infinity=False))
def test_a_fraction_is_rejected_wherever_it_is(value: Any, fraction: float) -> None:
    for whole in ([fraction, value], [value, fraction], {"a": value, "b": fraction, "c": "."}):
        with pytest.raises(Unreadable):
            decode(orjson.dumps(whole, option=orjson.OPT_SORT_KEYS))


@pytest.mark.parametrize(
    "value", ["1.5,", {"at": "09:15:00.000Z"}, ["a.1]", "3e5}", '"1.5', "\\", "1e5,"], {"1.5": 1}]
)
def test_strings_that_look_like_fractions_are_decoded(value: Any) -> None:
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
def test_text_that_is_not_canonical_is_rejected(text: str) -> None:
    with pytest.raises(Unreadable):
        decode(text.encode())


def test_bytes_that_are_not_utf8_are_rejected() -> None:
    with pytest.raises(Unreadable):
        decode(b'"\xff"')


@given(st.binary(max_size=40))
def test_decoded_bytes_are_the_canonical_json_of_their_value(data: bytes) -> None:
    try:
        value = decode(data)
    except Unreadable:
        return
    assert canonical(value) == data


@pytest.mark.parametrize("text", ["AB", "a", "0x", " 00", "00 ", "zz", 5, None, "00\n"])
def test_hex_must_be_lowercase_and_whole_bytes(text: object) -> None:
    assert unhex("00ff") == b"\x00\xff"
    with pytest.raises(ValueError, match="lowercase hex"):
        unhex(text)
