"""JSON values that enter or leave the domain, as types.

`domain.event` and each rule system's `formats` build their TypedDicts from these. They are exact: mypy
checks the code against them, and the OpenAPI document is generated from them. What a type cannot state, a
range or a length, is metadata of `Annotated`; a plain string there is a description.
"""

from dataclasses import dataclass
from types import UnionType
from typing import Annotated, Any, Final, TypeAlias

BOT_NAME: Final = "[a-z0-9_-]{1,32}"
"""A regular expression for the name of a bot."""
GAME_ID: Final = "[A-Za-z0-9._~-]{1,100}"
"""A regular expression for the id of a game."""
CLUB_ID: Final = "[0-9a-f]{16}"
"""A regular expression for the id of a club."""
INTEGERS_BELOW: Final = 2**53
"""Every integer in JSON is smaller than this in magnitude."""


@dataclass(frozen=True, slots=True)
class Range:
    """The least and the greatest value of an integer, both included; None: no bound but 2^53."""

    minimum: int | None = None
    maximum: int | None = None


@dataclass(frozen=True, slots=True)
class Length:
    """The least and the greatest number of items of a list; None: no upper bound."""

    minimum: int = 0
    maximum: int | None = None


@dataclass(frozen=True, slots=True)
class Pattern:
    """A regular expression that the whole of a string matches."""

    regex: str


ObjectType: TypeAlias = type | UnionType
"""The type of a JSON object: a TypedDict, or a union of TypedDicts."""

JsonObject: TypeAlias = dict[str, Any]
"""A decoded JSON object from outside, whose fields are still unchecked."""

HexJson: TypeAlias = Annotated[list[int], Length(2, 2), "A hex, [q, r] in axial coordinates."]
Seat: TypeAlias = Annotated[int, Range(0), "A seat, counted from 0."]
Count: TypeAlias = Annotated[int, Range(0)]
PositiveCount: TypeAlias = Annotated[int, Range(1)]
Digest: TypeAlias = Annotated[str, Pattern("[0-9a-f]{64}"), "32 bytes in lowercase hex."]
KeyId: TypeAlias = Annotated[
    str, Pattern("[0-9a-f]{16}"), "The first 16 digits of the SHA-256 of the public key."
]
PublicKey: TypeAlias = Annotated[
    str, Pattern("[0-9a-f]{64}"), "An Ed25519 public key in lowercase hex."
]
Signature: TypeAlias = Annotated[
    str, Pattern("[0-9a-f]{128}"), "An Ed25519 signature in lowercase hex."
]
Bytes: TypeAlias = Annotated[str, Pattern("([0-9a-f]{2})*"), "Bytes in lowercase hex."]
Timestamp: TypeAlias = Annotated[
    str,
    Pattern(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{3}Z"),
    "UTC, RFC 3339 with milliseconds.",
]
GameId: TypeAlias = Annotated[str, Pattern(GAME_ID), "The id of a game."]
ClubId: TypeAlias = Annotated[str, Pattern(CLUB_ID), "The id of a club."]
PlayerId: TypeAlias = Annotated[str, Pattern("[A-Za-z0-9._~-]{1,100}"), "The id of a player."]
BotName: TypeAlias = Annotated[str, Pattern(BOT_NAME), "The name of a bot, such as `sensible`."]
EventType: TypeAlias = Annotated[str, Pattern("[A-Za-z]{1,100}"), "The type of an event."]
