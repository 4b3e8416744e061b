"""Parts of the verifier of the pages, compared with test vectors and with the Python code."""

import json
import random
from hashlib import sha256
from itertools import takewhile
from pathlib import Path

import pytest

from domain.chance import Chance
from domain.errors import Unreadable
from domain.registry import rule_systems
from ledger.canonical import canonical, decode
from ledger.keys import SigningKey
from ledger.transparency.merkle import MemoryTree, leaf_hash, prove_consistency
from replay.laws.game_laws import possible_seats
from tests.mutations.changes import NESTED, ODD_BYTES, ODD_VALUES
from tests.mutations.subjects import subjects
from tests.support.records import KEY, STRANGER, signed_again
from tests.support.verifier import Verifier

VECTORS = json.loads((Path(__file__).parents[1] / "domain" / "chance_vectors.json").read_text())
GROUP_ORDER = 2**252 + 27742317777372353535851937790883648493
SMALL_ORDER = (
    "0100000000000000000000000000000000000000000000000000000000000000",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "0000000000000000000000000000000000000000000000000000000000000000",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
)
"""Encodings of points whose order divides 8; with the sign bit, there are as many more."""
NEUTRAL_SIGNATURE = "586666666666666666666666666666666666666666666666666666666666666601".ljust(
    64, "0"
)
"""The base point and 1: valid for every message under the neutral element as public key."""
SET_UPS = 3
"""Set-ups of each kind that are drawn."""
DEEPEST = b"[" * 254 + b"]" * 254

NOT_CANONICAL_TEXTS = {
    b'{"b":1,"a":2}': "keys",
    b'{"a":1,"a":1}': "keys",
    b'{"a": 1}': "space",
    b'{"a":1}\r': "space",
    b' {"a":1}': "space",
    b'{"a":1}x': "syntax",
    b'\xef\xbb\xbf{"a":1}': "space",
    b'"\xff"': "utf8",
    b'"\xed\xa0\x80"': "utf8",
    rb'"\u0041"': "string",
    rb'"\/"': "string",
    rb'"\ud800"': "string",
    rb'"\u001F"': "string",
    rb'"\u000a"': "string",
    b'"\x1f"': "string",
    b"01": "number",
    b"-0": "number",
    b"1.0": "number",
    b"1e2": "number",
    b"9007199254740992": "number",
    b"-9007199254740992": "number",
    b"9" * 5000: "number",
    b"NaN": "syntax",
    b"nul": "syntax",
    b"+1": "syntax",
    b"": "syntax",
    b"{": "syntax",
    b"[1,]": "syntax",
    b'{"a"}': "syntax",
    b"{1:2}": "syntax",
    b'"a': "syntax",
    b"[" + DEEPEST + b"]": "depth",
    b"[" * 100_000: "depth",
}


@pytest.mark.parametrize("text", NOT_CANONICAL_TEXTS, ids=lambda text: repr(text[:20]))
def test_text_that_is_not_canonical_is_refused_with_the_reason(
    verifier: Verifier, text: bytes
) -> None:
    assert verifier.parse(text)["reason"] == NOT_CANONICAL_TEXTS[text]
    with pytest.raises(Unreadable):
        decode(text)


def test_canonical_text_is_read_and_written_as_it_is(verifier: Verifier) -> None:
    astral = {
        "\ufb33": 1,
        "\U0001f600": 2,
        "a": '\b\t\n\f\r"\\/\x00\x1f\x7f€',
        "__proto__": [[], {}, None, True],
    }
    for value in (
        astral,
        *(value for value in ODD_VALUES if value is not NESTED),
        1 - 2**53,
        {"1": 2, "10": 3, "2": 4},
    ):
        text = canonical(value)
        assert verifier.parse(text) == {"text": text.decode()}
    assert verifier.parse(DEEPEST) == {"text": DEEPEST.decode()}


def test_changed_lines_are_read_or_refused_as_python_does(verifier: Verifier) -> None:
    chance = random.Random("lines")
    lines = [
        line for subject in subjects() for line in subject.data.splitlines() if len(line) < 700
    ]
    refused = 0
    for _ in range(300):
        line = bytearray(chance.choice(lines))
        at = chance.randrange(len(line))
        line[at : at + chance.randrange(2)] = chance.choice(
            [*ODD_BYTES, b"-", b".", b"e", b"\\u00e9", b"0"]
        )
        try:
            text = {"text": canonical(decode(bytes(line))).decode()}
        except Unreadable:
            refused += 1
            assert "reason" in verifier.parse(bytes(line)), bytes(line)
        else:
            assert verifier.parse(bytes(line)) == text, bytes(line)
    assert 50 < refused < 300


def test_signatures_are_checked_as_strictly_as_in_python(verifier: Verifier) -> None:
    key = SigningKey.from_seed(b"e" * 32)
    signature = key.signature(b"message")
    s = int.from_bytes(bytes.fromhex(signature)[32:], "little")
    malleable = signature[:64] + (s + GROUP_ORDER).to_bytes(32, "little").hex()
    assert verifier.call("isSigned", key.public, "message", signature)
    for wrong in (
        ("message ", signature),
        ("message", malleable),
        ("message", signature.upper()),
        ("message", signature[:-2]),
        ("message", ""),
        *(("message", point + signature[64:]) for point in SMALL_ORDER),
    ):
        assert not verifier.call("isSigned", key.public, *wrong)
    for point in SMALL_ORDER:
        for sign in (0, 0x80):
            public = point[:-2] + f"{int(point[-2:], 16) | sign:02x}"
            assert not verifier.call("isSigned", public, "message", NEUTRAL_SIGNATURE)
    assert not verifier.call("isSigned", "02" + "00" * 31, "message", signature)


def test_chance_draws_what_the_test_vectors_say(verifier: Verifier) -> None:
    for vector in VECTORS["seeds"]:
        secret, version = vector["secret"], vector["version"]
        nonces = [nonce for nonce in vector["nonces"] if nonce or version == 1]
        assert verifier.call("seed", secret, nonces, version) == vector["seed"]
    for vector in VECTORS["below"]:
        limits = [*takewhile(lambda limit: limit <= 2**53, vector["n"])]
        assert len(limits) > 7
        assert verifier.call("below", vector["seed"], limits) == vector["drawn"][: len(limits)]
    for vector in VECTORS["shuffle"]:
        assert verifier.call("shuffle", vector["seed"], vector["of"]) == vector["shuffled"]


@pytest.mark.parametrize("size", [2**26 + 1, 2**30])
def test_a_file_that_is_too_large_is_not_read(verifier: Verifier, size: int) -> None:
    result = verifier.call("verifySize", size)
    assert result["verdicts"]["form"] == "broken"
    assert "read" not in result["reports"]
    assert result["reports"][0]["finding"]["code"] == "record-too-large"


@pytest.mark.parametrize(
    "data", [b"", b"\x89PNG\r\n\x1a\n" * 9, b"{}\n", b"[]\n", b"null\n", b"a,b\n1,2\n", b'{"a": 1}']
)
def test_a_file_that_is_no_record_is_refused_at_its_first_line(
    verifier: Verifier, data: bytes
) -> None:
    verification = verifier.verify(data)
    assert verification.findings[0]["details"]["line"] == 1
    assert verification.broken == {"form"}
    assert {verification.verdicts[check] for check in verification.verdicts if check != "form"} == {
        "unknown"
    }


def test_a_line_without_an_end_is_not_read_to_its_end(verifier: Verifier) -> None:
    header, _, _ = subjects()[0].data.partition(b"\n")
    assert verifier.verify(header + b"\n" + b" " * 2**21).codes("form") == {"line-too-long"}


def test_fields_of_later_versions_leave_their_meaning_unknown(verifier: Verifier) -> None:
    record = signed_again(subjects()[0].data, KEY, later=1)
    verification = verifier.verify(record)
    assert verification.verdicts["form"] == "unknown"
    assert verification.codes("form") == {"field-unknown"}
    assert verification.verdicts["head"] == "holds"


def test_the_first_fault_names_its_event(verifier: Verifier) -> None:
    lines = subjects()[0].data.splitlines(keepends=True)
    lines[9] = lines[9].replace(b'"at":"2026', b'"at":"2027')
    assert verifier.verify(b"".join(lines)).first == ("chain", "hash", 9)


def test_a_browser_without_ed25519_leaves_the_signatures_open(verifier: Verifier) -> None:
    subject = next(subject for subject in subjects() if subject.name == "signed")
    with Verifier("--without-ed25519") as old:
        verification = old.verify(subject.data)
        assert verification.broken == set()
        open_checks = {
            check for check, verdict in verification.verdicts.items() if verdict == "unknown"
        }
        assert open_checks == {"head", "signatures", "receipts"}
        assert {code for check in open_checks for code in verification.codes(check)} == {
            "no-ed25519"
        }
        changed = subject.data.replace(b'"knights":2', b'"knights":1', 1)
        assert old.verify(changed).broken == {"chain"}


def test_a_key_that_the_reader_does_not_trust_proves_nothing(verifier: Verifier) -> None:
    record = subjects()[0].data
    for trusted in ((), [{"public": STRANGER.public}]):
        verification = verifier.verify(record, trusted)
        assert verification.codes("head") == {"unknown-key"}
        assert verification.verdicts["head"] == "unknown"
    retired = [
        {
            "public": KEY.public,
            "from": "2026-01-01T00:00:00.000Z",
            "until": "2026-01-02T00:00:00.000Z",
        }
    ]
    verification = verifier.verify(record, retired)
    assert verification.codes("head") == {"key-retired"}
    assert verification.codes("receipts") == {"key-period"}


@pytest.mark.parametrize("name", rule_systems())
def test_a_set_up_is_drawn_as_the_rules_draw_it(verifier: Verifier, name: str) -> None:
    entry = rule_systems()[name]
    possible = possible_seats(entry.system, entry.options)
    assert len(possible) >= 3
    for seats in possible:
        complete = entry.system.check_options(seats, entry.options)
        for number in range(SET_UPS):
            seed = sha256(f"{name} {seats} {number}".encode()).digest()
            event = entry.system.set_up(seats, complete, Chance(seed))
            created = {"rules": entry.rules, "seats": seats, "options": entry.options}
            drawn = verifier.call("setUp", created, seed.hex())
            assert drawn == {"data": event.data, "secrets": dict(event.secrets)}


@pytest.mark.parametrize(
    ("rules", "seats"), [("barony", 1), ("barony", 5), ("baron", 6), ("baron", "2"), ("go", 2)]
)
def test_a_set_up_that_the_rules_do_not_have_is_not_drawn(
    verifier: Verifier, rules: str, seats: object
) -> None:
    created = {"rules": rules, "seats": seats, "options": {}}
    assert verifier.call("setUp", created, "00" * 32) is None


def test_consistency_paths_hold_for_the_trees_that_they_lead_to_only(verifier: Verifier) -> None:
    tree = MemoryTree()
    tree.append([leaf_hash(b"%d" % number) for number in range(19)])
    other = "ab" * 32
    for second in (2, 5, 8, 16, 19):
        for first in range(1, second):
            path = [hash.hex() for hash in prove_consistency(tree, first, second)]
            roots = tree.root(first).hex(), tree.root(second).hex()
            assert verifier.call("consistent", first, second, *roots, path)
            assert not verifier.call("consistent", first, second, other, roots[1], path)
            assert not verifier.call("consistent", first, second, roots[0], other, path)
            assert not verifier.call("consistent", first, second, *roots, [*path, other])
            assert not verifier.call("consistent", first, second, *roots, path[:-1])
            assert not verifier.call("consistent", first, second, *roots, [other, *path[1:]])
