"""Strict Ed25519: what OpenSSL refuses, and what `ledger.keys.verify` refuses besides.

The curve is computed here once more from its equation (RFC 8032, section 5.1), so that the constants of
ledger/keys.py are not compared with themselves.
"""

from hashlib import sha512
from itertools import count
from typing import Final

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from domain.json_types import JsonObject
from ledger.canonical import canonical
from ledger.keys import BadSignature, SigningKey, check_public_key, check_signed, key_id, verify
from tests.support.faults import raises
from tests.support.records import SINCE

PRIME: Final = 2**255 - 19
ORDER: Final = 2**252 + 27742317777372353535851937790883648493
D: Final = -121665 * pow(121666, -1, PRIME) % PRIME
NEUTRAL: Final = (0, 1)
MESSAGE: Final = b"message"

Point = tuple[int, int]


def root(square: int) -> int | None:
    """Return a square root modulo the prime, None if there is none."""
    candidate = pow(square, (PRIME + 3) // 8, PRIME)
    if (candidate * candidate - square) % PRIME:
        candidate = candidate * pow(2, (PRIME - 1) // 4, PRIME) % PRIME
    return None if (candidate * candidate - square) % PRIME else candidate


def point_with(y: int) -> Point | None:
    """Return the point with this y and an even x; None if there is none."""
    x = root((y * y - 1) * pow(D * y * y + 1, -1, PRIME) % PRIME)
    return None if x is None else (x if x % 2 == 0 else PRIME - x, y)


def add(one: Point, other: Point) -> Point:
    (x1, y1), (x2, y2) = one, other
    product = D * x1 * x2 * y1 * y2 % PRIME
    return (
        (x1 * y2 + x2 * y1) * pow(1 + product, -1, PRIME) % PRIME,
        (y1 * y2 + x1 * x2) * pow(1 - product, -1, PRIME) % PRIME,
    )


def times(scalar: int, point: Point) -> Point:
    sum = NEUTRAL
    while scalar:
        if scalar & 1:
            sum = add(sum, point)
        point, scalar = add(point, point), scalar >> 1
    return sum


def encode(x: int, y: int) -> bytes:
    return (y | (x & 1) << 255).to_bytes(32, "little")


def small_order_points() -> set[Point]:
    """Return the points whose order divides 8: the multiples of one that has the order 8."""
    points: set[Point] = set()
    candidates = filter(None, map(point_with, count(2)))
    while len(points) < 8:
        generator = times(ORDER, next(candidates))
        points = {times(scalar, generator) for scalar in range(8)}
    return points


SMALL_ORDER: Final = sorted(small_order_points())
BASE: Final = point_with(4 * pow(5, -1, PRIME) % PRIME)
NOT_CANONICAL: Final = [
    *(encode(sign, y) for y in (PRIME, PRIME + 1) for sign in (0, 1)),
    *(encode(1, y) for y in (1, PRIME - 1)),  # x is 0, which has no sign
]
"""The other encodings of points of small order."""


def signature_of_neutral_key(scalar: int) -> bytes:
    """Return a signature that the neutral element as public key makes valid for every message."""
    assert BASE is not None
    return encode(*times(scalar, BASE)) + scalar.to_bytes(32, "little")


def is_accepted_by_openssl(public: bytes, signature: bytes, message: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except InvalidSignature:
        return False
    return True


@pytest.fixture
def key() -> SigningKey:
    return SigningKey.from_seed(b"e" * 32)


def test_there_are_eight_points_of_small_order_and_six_more_encodings_of_them() -> None:
    encodings = {encode(*point) for point in SMALL_ORDER}
    assert len(encodings) == 8
    assert all(times(8, point) == NEUTRAL for point in SMALL_ORDER)
    assert len({*NOT_CANONICAL} - encodings) == 6


@pytest.mark.parametrize(
    "public", [*(encode(*point) for point in SMALL_ORDER), *NOT_CANONICAL], ids=bytes.hex
)
def test_a_public_key_of_small_order_is_refused_in_every_encoding(public: bytes) -> None:
    with raises(BadSignature, match=r"small order|not encoded canonically"):
        check_public_key(public)
    with raises(BadSignature, match=r"small order|not encoded canonically"):
        verify(public, signature_of_neutral_key(5), MESSAGE)


def test_the_neutral_element_would_sign_every_message() -> None:
    public, signature = encode(*NEUTRAL), signature_of_neutral_key(5)
    for message in (b"one", b"another"):
        assert is_accepted_by_openssl(public, signature, message)
        with raises(BadSignature, match="the public key is a point of small order"):
            verify(public, signature, message)


def test_a_statement_signed_by_a_key_of_small_order_is_not_genuine() -> None:
    public = encode(*NEUTRAL)
    payload: JsonObject = {"key": key_id(public), "text": "anything"}
    signature = signature_of_neutral_key(7)
    assert is_accepted_by_openssl(public, signature, canonical(payload))
    entry = {"key": key_id(public), "public": public.hex(), "from": SINCE, "until": None}
    with pytest.raises(BadSignature):
        check_signed({**payload, "signature": signature.hex()}, [entry])


def test_an_encoding_that_is_not_reduced_is_refused_for_a_point_of_any_order() -> None:
    for y in range(19):
        with raises(BadSignature, match="the public key is not encoded canonically"):
            check_public_key((PRIME + y).to_bytes(32, "little"))


def test_a_signature_whose_s_is_increased_by_the_order_is_refused(key: SigningKey) -> None:
    signature = bytes.fromhex(key.signature(MESSAGE))
    public = bytes.fromhex(key.public)
    verify(public, signature, MESSAGE)
    s = int.from_bytes(signature[32:], "little")
    for factor in range(1, 16):
        malleable = signature[:32] + (s + factor * ORDER).to_bytes(32, "little")
        with raises(BadSignature, match="malleable"):
            verify(public, malleable, MESSAGE)


@pytest.mark.parametrize("r", [encode(*NEUTRAL), encode(*SMALL_ORDER[-1])], ids=bytes.hex)
def test_an_r_of_small_order_is_refused(key: SigningKey, r: bytes) -> None:
    public = bytes.fromhex(key.public)
    secret = int.from_bytes(sha512(b"e" * 32).digest()[:32], "little")
    scalar = secret & ~7 & (1 << 254) - 1 | 1 << 254
    challenge = int.from_bytes(sha512(r + public + MESSAGE).digest(), "little")
    signature = r + (challenge * scalar % ORDER).to_bytes(32, "little")
    assert is_accepted_by_openssl(public, signature, MESSAGE) == (r == encode(*NEUTRAL))
    with raises(BadSignature, match="the R of the signature is a point of small order"):
        verify(public, signature, MESSAGE)


def test_keys_and_signatures_of_another_length_are_refused(key: SigningKey) -> None:
    public, signature = bytes.fromhex(key.public), bytes.fromhex(key.signature(MESSAGE))
    for wrong in (b"", public[:-1], public + b"\0"):
        with raises(BadSignature, match="a public key has 32 bytes"):
            verify(wrong, signature, MESSAGE)
    for wrong in (b"", signature[:-1], signature + b"\0"):
        with raises(BadSignature, match="a signature has 64 bytes"):
            verify(public, wrong, MESSAGE)


def test_bytes_that_encode_no_point_verify_nothing() -> None:
    (no_point,) = [y for y in range(2, 4) if point_with(y) is None][:1]
    public = no_point.to_bytes(32, "little")
    check_public_key(public)
    with raises(BadSignature, match="does not match"):
        verify(public, signature_of_neutral_key(5), MESSAGE)


def test_the_vectors_of_rfc_8032_are_accepted_and_none_of_their_changed_messages() -> None:
    for seed, public, message, r, s in (
        (
            "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
            "",
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155",
            "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
        ),
        (
            "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
            "72",
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da",
            "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
        ),
    ):
        key = SigningKey.from_seed(bytes.fromhex(seed))
        assert key.public == public
        assert key.signature(bytes.fromhex(message)) == r + s
        verify(bytes.fromhex(public), bytes.fromhex(r + s), bytes.fromhex(message))
        with raises(BadSignature, match="does not match"):
            verify(bytes.fromhex(public), bytes.fromhex(r + s), b"other")
