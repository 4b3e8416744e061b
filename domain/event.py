"""The event as it lies in the log: the envelope of docs/formats.md, decoded from its JSON.

What seals one (chain, hash, state) is `replay.seal`; here is only its shape, for those who fold it.
"""

from typing import Any, Final, NotRequired, TypedDict

from domain.contract import Json

VERSION: Final = 1
ZEROS: Final = "0" * 64
"""`prev` of a first event, and `state` as long as there is no position."""
ENDINGS: Final = frozenset({"GameFinished", "GameAbandoned"})
"""The types of the event that ends a game and opens its secrets: nothing follows it."""


class Event(TypedDict):
    """One event. `by` is {"seat"}, {"player"} or {"system"}; `at` UTC, RFC 3339 with milliseconds."""

    v: int
    game: str
    seq: int
    type: str
    at: str
    by: dict[str, Any]
    action: Json | None
    data: Json
    secrets: NotRequired[dict[str, str]]
    state: str
    prev: str
    hash: str
