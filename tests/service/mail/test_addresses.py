"""E-mail addresses: which texts are addresses, and which addresses share a bound."""

import pytest

from service.email_address import InvalidAddress, limit_key, parse_address, parse_sender
from tests.support.faults import raises


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("ada@example.org", "ada@example.org"),
        ("Ada.Lovelace+games@EXAMPLE.org", "Ada.Lovelace+games@example.org"),
        ("zoe\u0308@bücher.example", "zoë@bücher.example"),
        ("用户@例子.广告", "用户@例子.广告"),
    ],
)
def test_an_address_is_normalized(text: str, address: str) -> None:
    assert parse_address(text) == address


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ada",
        "@example.org",
        "ada@",
        "ada@localhost",
        "ada@nowhere",
        "ada@[127.0.0.1]",
        "ada@127.0.0.1",
        "ada@mail.local",
        "ada@@example.org",
        "ada@example..org",
        "ada lovelace@example.org",
        "Ada <ada@example.org>",
        '"ada"@example.org',
        "ada@example.org,bob@example.org",
        "ada@example.org\nBcc: bob@example.org",
        "ada@example.org\r\nBcc: bob@example.org",
        "ada\0@example.org",
        "ada@\ud800.org",
        "a" * 65 + "@example.org",
        "ada@" + "b" * 250 + ".org",
        "a" * 100_000 + "@example.org",
    ],
)
def test_other_texts_are_refused(text: str) -> None:
    with raises(InvalidAddress, match="^must be an e-mail address$"):
        parse_address(text)


def test_variants_of_an_address_share_a_bound() -> None:
    variants = ["ada@example.org", "ADA@example.org", "ada+1@example.org", "ada+2+3@example.org"]
    assert {limit_key(address) for address in variants} == {"ada@example.org"}
    assert limit_key("bob@example.org") != limit_key("ada@example.org")


def test_a_sender_may_have_a_name() -> None:
    sender = parse_sender("Cartulary <games@example.org>")
    assert (sender.display_name, sender.addr_spec) == ("Cartulary", "games@example.org")
    assert parse_sender("games@example.org").display_name == ""
