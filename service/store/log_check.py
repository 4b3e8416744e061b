"""Checks that each stored line of a log is an event as it was appended, and continues the line before it.

The hash of an event covers its whole line, and `prev` is the hash of the event before it. The lines alone
therefore reveal a changed byte, a missing event and an event of another game.
"""

from collections.abc import Sequence
from typing import Any, Final, Literal, NamedTuple

import orjson

from domain.contract import STATEMENT, Opened
from domain.errors import Unreadable
from domain.event import ZEROS, Event
from domain.json_types import JsonObject
from domain.messages import Message, message
from ledger.canonical import unhex
from ledger.pending import commitment, hash_in
from service.errors import GameDamaged
from service.store.event_store import LogReader

_NO_EVENT: Final = message("it is no event")
_CHANGED: Final = message("its hash does not match its content")
_NOT_NEXT: Final = message("its prev is not the hash of the previous event")
MISSING: Final = message("it is missing")
BROKEN_LOG: Final = message("the game cannot go on until it is repaired")
NO_SECRET: Final = message("a secret of it is missing or damaged")


class CheckedEvents(NamedTuple):
    """The events of some lines up to the first damaged one, and the fault of that line, if there is one."""

    events: list[Event]
    fault: Message | None


def check_lines(
    id: str,
    after: int,
    lines: Sequence[bytes],
    prev: str | None = None,
    *,
    of: Literal["game", "tournament"] = "game",
) -> CheckedEvents:
    """Decode and check the lines of a log that were read from event after+1 on.

    `prev` is the hash of event `after`; None if it is not known.
    """
    events: list[Event] = []
    if not after:
        prev = ZEROS
    seq = after
    for line in lines:
        seq += 1
        try:
            event = orjson.loads(line)
            hash = event["hash"]
            if hash_in(line, hash) != hash:
                return CheckedEvents(events, _CHANGED)
            if event["seq"] != seq or event[of] != id:
                return CheckedEvents(events, MISSING if event["seq"] > seq else _NO_EVENT)
            if prev is not None and event["prev"] != prev:
                return CheckedEvents(events, _NOT_NEXT)
        except (AttributeError, LookupError, TypeError, ValueError):
            return CheckedEvents(events, _NO_EVENT)
        events.append(event)
        prev = hash
    return CheckedEvents(events, None)


def read_openings(
    log_reader: LogReader, game_id: str, events: Sequence[Event]
) -> tuple[Opened, int | None]:
    """Return the values of the secrets that events commit to, by seq and name, after checking them.

    Statements are left out: their authors may have erased them, and no position depends on them. Also returns
    the seq of the first event with a missing or damaged secret, or None; the values are then those of earlier
    events. Raises Unavailable.
    """
    secrets = [
        (event["seq"], name, value)
        for event in events
        for name, value in event.get("secrets", {}).items()
        if name != STATEMENT
    ]
    if not secrets:
        return {}, None
    stored = log_reader.secrets(game_id, {f"{seq}/{name}" for seq, name, _ in secrets})
    opened: dict[int, dict[str, object]] = {}
    for seq, name, value in secrets:
        opening = _opening(stored.get(f"{seq}/{name}"), value)
        if opening is None:
            return opened, seq
        opened.setdefault(seq, {})[name] = opening["value"]
    return opened, None


def _opening(stored: str | None, commitment_to_it: str) -> JsonObject | None:
    """Return the opening in a stored text; None if it is missing or damaged."""
    try:
        opening: JsonObject = orjson.loads(stored or "")
        return opening if commitment(opening) == commitment_to_it else None
    except (KeyError, TypeError, ValueError):
        return None


def sound_events(game_id: str, after: int, lines: Sequence[bytes]) -> list[Event]:
    """Return the events of lines that were read from event after+1 on, up to the first damaged one.

    Raises GameDamaged if that is the first line.
    """
    events, fault = check_lines(game_id, after, lines)
    if fault is not None and not events:
        raise GameDamaged(game_id, after + 1, fault)
    return events


def decode_opening(stored: str) -> JsonObject:
    """Return the opening in a stored text. Raises Unreadable if it is damaged."""
    try:
        opening: JsonObject = orjson.loads(stored)
        unhex(opening["salt"])
        opening["value"]
    except (LookupError, TypeError, ValueError):
        # The error would contain the secret.
        raise Unreadable.with_message("a stored secret is damaged") from None
    return opening


def decode_event(line: bytes) -> Event:
    """Return the event of a line, without its place in a log. Raises Unreadable if it is damaged."""
    try:
        event: Any = orjson.loads(line)
        is_sound = hash_in(line, event["hash"]) == event["hash"]
    except (AttributeError, LookupError, TypeError, ValueError):
        raise Unreadable(_NO_EVENT) from None
    if not is_sound:
        raise Unreadable(_CHANGED)
    sound: Event = event
    return sound
