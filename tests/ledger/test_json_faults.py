"""A line that is not canonical JSON is rejected with the reason, whatever is wrong with it."""

import pytest

from domain.errors import Unreadable
from ledger.canonical import MAX_DEPTH, decode
from tests.support.faults import raises


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"", "the line is empty"),
        (b"  \r", "the line is empty"),
        (b'\xef\xbb\xbf{"a":1}', "byte order mark"),
        ('{"a":1}'.encode("utf-16"), "encoded in UTF-16 or UTF-32"),
        ('{"a":1}'.encode("utf-16-le"), "encoded in UTF-16 or UTF-32"),
        ('{"a":1}'.encode("utf-16-be"), "encoded in UTF-16 or UTF-32"),
        (b'{"a":"\xff"}', "byte 7 of the line is not valid UTF-8"),
        (b'{"a":1}\r', "ends with a carriage return"),
        (b'{"a":' + b"[" * 100_000, "nested more than 254 deep"),
        (b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1), "nested more than 254 deep"),
        (b'{"a":1,"b":{"c":1,"c":1}}', 'the key "c" occurs twice in one object'),
        (b'{"a":9007199254740992}', "the number 9007199254740992 is too large"),
        (b'{"a":-' + b"9" * 5000 + b"}", r"the number -9+\.\.\. is too large"),
        (b'{"a":1.5}', r"the number 1\.5 is not an integer"),
        (b'{"a":1e9}', "the number 1e9 is not an integer"),
        (b'{"a":NaN}', "NaN is not a number"),
        (b'{"a":1', "not JSON: a syntax error at character 7 of the line"),
        (b'{"b":1,"a":2}', "not canonical JSON"),
        (b'{"a": 1}', "not canonical JSON"),
        (b'{"a":-0}', "not canonical JSON"),
        (b'{"a":"\\u0041"}', "not canonical JSON"),
        (b'{"a":"\\ud800"}', "not canonical JSON"),
        (b"01", "not JSON"),
    ],
)
def test_the_reason_why_a_line_is_not_canonical_json_is_given(text: bytes, reason: str) -> None:
    with raises(Unreadable, match=reason):
        decode(text)


def test_values_may_be_nested_as_deep_as_the_bound() -> None:
    text = b"[" * MAX_DEPTH + b"]" * MAX_DEPTH
    assert decode(text)


def test_brackets_in_strings_do_not_count_as_nesting() -> None:
    with raises(Unreadable, match="not an integer"):
        decode(b'{"a":"' + b"[" * 1000 + b'\\"[","b":1.5}')


def test_the_reason_is_found_in_linear_time() -> None:
    """Thousands of keys and brackets in one line, as long as a line of a record may be."""
    keys = b",".join(b'"%d":1' % (key // 2) for key in range(100_000))
    with raises(Unreadable, match="occurs twice"):
        decode(b"{" + keys + b"}")
