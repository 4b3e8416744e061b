"""Holders of evidence: the players who may have evidence that a record lacks, from their part in the game.

Every accepted action is answered with a receipt, which fixes the whole history up to it. A player who has
acted may therefore have kept a receipt, and anybody who has read the record before may have kept a copy.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from domain.event import Event, acting_seat
from domain.messages import Message, PlayerWithId, Value, listing, message
from replay.audit.findings import Check, Topic, Unknown

_MAX_NAMED: Final = 8
"""The most players who are named."""
_BY_RECEIPT: Final[Collection[Topic]] = ("history", "later")
"""The topics of questions that a receipt, or a copy of the record, can decide."""
_BY_COPY: Final[Collection[Topic]] = ("copy", "rules")
"""The topics of questions that only a copy of the record can decide."""


def actions_of_people(events: Iterable[Event]) -> Iterator[tuple[str, Event]]:
    """Yield every action of a player other than a bot, with the id of the player."""
    bots: set[object] = set()
    players: dict[int, object] = {}
    for event in events:
        data = event["data"]
        match event["type"]:
            case "SeatTaken" if "bot" in data and isinstance(data.get("player"), str):
                bots.add(data["player"])
            case "GameStarted" if isinstance(data.get("players"), list):
                players = dict(enumerate(data["players"]))
            case "SubstituteSeated" if type(data.get("seat")) is int:
                players[data["seat"]] = data.get("player")
            case _:
                pass
        seat = acting_seat(event["by"])
        player = None if seat is None else players.get(seat)
        if event["action"] is not None and isinstance(player, str) and player not in bots:
            yield player, event


def last_receipts(events: Iterable[Event]) -> dict[str, int]:
    """Return the seq of the last action of each player other than a bot, by the id of the player."""
    return {player: event["seq"] for player, event in actions_of_people(events)}


def receipt_holders(receipts: Mapping[str, int], after: int = 0) -> tuple[Message, ...]:
    """Return sentences on the players with receipts for events after event `after`: the latest of each."""
    latest = sorted(receipts.items(), key=lambda entry: -entry[1])
    return tuple(
        may_have_receipt(PlayerWithId(player), seq)
        for player, seq in latest[:_MAX_NAMED]
        if seq > after
    )


def may_have_receipt(player: Value, seq: Value) -> Message:
    """Return the sentence that a player may have kept the receipt for an event."""
    return message("{player} may have kept a receipt for event {seq}.", player=player, seq=seq)


def may_have_copy(players: Value) -> Message:
    """Return the sentence that players may have kept a copy of the record."""
    return message("A copy of the record may have been kept by {players}.", players=players)


def name_holders(checks: Sequence[Check], events: Sequence[Event]) -> None:
    """Add the holders of the evidence that decides it to each open question."""
    receipts = last_receipts(events)
    for check in checks:
        check.unknowns = [
            replace(unknown, holders=_holders(unknown, receipts)) for unknown in check.unknowns
        ]


def _holders(unknown: Unknown, receipts: Mapping[str, int]) -> tuple[Message, ...]:
    if unknown.topic in _BY_RECEIPT and receipts:
        return receipt_holders(receipts, 0 if unknown.seq is None else unknown.seq) or (
            _copies(receipts),
        )
    if unknown.topic in _BY_COPY and receipts:
        return (_copies(receipts),)
    return ()


def _copies(receipts: Mapping[str, int]) -> Message:
    return may_have_copy(listing(PlayerWithId(player) for player in list(receipts)[:_MAX_NAMED]))
