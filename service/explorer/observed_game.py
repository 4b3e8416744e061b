"""What the explorer counts of a finished game, from its log."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from domain.contract import AnyRuleSystem
from domain.errors import CartularyError
from domain.event import ENDINGS, ZEROS, Event, recorded_data
from domain.features import SPANS_OF_ROUNDS, Feature, FeatureTable, PlayedEvent, span_of_rounds
from domain.messages import message
from domain.registry import registered_name, rule_system_for
from service.projections.counted_kind import CountedKind

SEAT: Final = "seat"
ROUNDS: Final = "rounds"
"""The tables that every game has: the results of each seat, and the lengths of games."""
_LEAVING: Final = frozenset({"PlayerResigned", "PlayerRemoved", "SeatVacated", "SubstituteSeated"})
"""Events after which a seat was not played by one player to the end."""


@dataclass(frozen=True, slots=True)
class ObservedGame:
    """A finished game: its kind, and by seat, the player who had it to the end (None if it changed hands).

    `features` includes those of the tables that every game has; that of its length is of no seat.
    `positions` has, by the hash of a position, the first event after which the game had it.
    """

    id: str
    kind: CountedKind
    players: Sequence[str | None]
    bots: frozenset[str]
    winners: frozenset[int]
    features: Sequence[Feature]
    positions: Mapping[str, int]


NO_SEAT: Final = -1
"""The seat of a feature that is one of the game as a whole."""


def tables_of(rules: AnyRuleSystem, seats: int) -> list[FeatureTable]:
    """Return the tables of games of a rule system with so many seats, in order."""
    return [
        FeatureTable(
            SEAT,
            message("Results by seat"),
            {str(seat): message("seat {seat}", seat=seat) for seat in range(seats)},
        ),
        FeatureTable(ROUNDS, message("Length of the games"), SPANS_OF_ROUNDS),
        *(rules.FEATURES.tables if rules.FEATURES is not None else ()),
    ]


def observed_game(log: Sequence[Event]) -> ObservedGame | None:
    """Return what a log shows up to the event that ends it.

    None if the rules of the game are not installed, or if the log is no complete one of a finished game.
    """
    if not log or log[0]["type"] != "GameCreated" or log[-1]["type"] != "GameFinished":
        return None
    settings, end = log[0]["data"], log[-1]
    try:
        rules = rule_system_for(settings["rules"], settings["options"])
    except CartularyError:
        return None
    start = next((event for event in log if event["type"] == "GameStarted"), None)
    if start is None or [event["seq"] for event in log] != [*range(1, len(log) + 1)]:
        return None
    played = _played(log[start["seq"] :])
    places = {entry["seat"]: entry["place"] for entry in end["data"]["ranking"]}
    bots = _bots(log[: start["seq"]])
    kind = CountedKind(registered_name(rules), settings["seats"], bool(bots))
    features = [
        Feature(seat, SEAT, str(seat), end["seq"]) for seat in range(kind.seats) if seat in places
    ]
    if not any(event["type"] in _LEAVING for event in log):
        length = max((event.round for event in played), default=0)
        features.append(Feature(NO_SEAT, ROUNDS, span_of_rounds(length), end["seq"]))
    if rules.FEATURES is not None:
        features += rules.FEATURES.observe(recorded_data(start), played)
    positions: dict[str, int] = {}
    current = {start["seq"], *(event.seq for event in played), end["seq"]}
    for event in log:
        if event["seq"] in current and event["state"] != ZEROS:
            positions.setdefault(event["state"], event["seq"])
    return ObservedGame(
        end["game"],
        kind,
        _players(start["data"]["players"], log),
        frozenset(bots),
        frozenset(seat for seat, place in places.items() if place == 1),
        [feature for feature in features if feature.seat == NO_SEAT or feature.seat in places],
        positions,
    )


def _played(events: Sequence[Event]) -> list[PlayedEvent]:
    """Return events that were not superseded, each with its round: the one that the event before states."""
    current: list[Event] = []
    for event in events:
        if event["type"] == "PlayResumed":
            origin = event["data"]["from"]
            current = [earlier for earlier in current if earlier["seq"] <= origin]
        current.append(event)
    round, played = 0, []
    for event in current:
        played.append(PlayedEvent(event["seq"], round, event["type"], recorded_data(event)))
        round = event["data"].get("then", {}).get("round", round)
    return [event for event in played if event.type not in ENDINGS]


def _bots(events: Sequence[Event]) -> list[str]:
    """Return the bots that had a place when the game started."""
    bots: list[str] = []
    for event in events:
        if event["type"] == "SeatTaken" and "bot" in event["data"]:
            bots.append(event["data"]["player"])
        elif event["type"] == "SeatLeft" and event["data"]["player"] in bots:
            bots.remove(event["data"]["player"])
    return bots


def _players(players: Sequence[str], events: Sequence[Event]) -> list[str | None]:
    """Return the players by seat, without those whose seat somebody else had for a time, or nobody."""
    owners: list[str | None] = [*players]
    for event in events:
        if event["type"] in ("SeatVacated", "SubstituteSeated"):
            owners[event["data"]["seat"]] = None
    return owners
