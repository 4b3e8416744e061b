"""Statistics of the public games: their numbers by kind, their endings, their winners, and events."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

from domain.event import ENDINGS, Event
from service.games.game_filter import all_kinds, kind_of_created
from service.games.listings import GameKind, Listings
from service.projections.event_feed import EventFeed
from service.projections.projections import Changes, Projections, ReadValues

Ending: TypeAlias = Literal["completed", "resignation", "removal", "abandonment"]
"""What ended a game: its rules, the last player who resigned or was removed, or nothing (no ranking)."""
ENDINGS_OF_GAMES: Final[tuple[Ending, ...]] = get_args(Ending)
_LEAVING: Final[dict[str, Ending]] = {
    "PlayerResigned": "resignation",
    "PlayerRemoved": "removal",
    "AdministratorDecided": "removal",
}
"""The events by which a player leaves, which may end a game."""
_EVENTS_BEFORE_END: Final = 8
"""The number of last events among which the end of play is: only a scored round and a dispute can follow."""


class GameCounts:
    """Counts public games by their endings and by the seats that won, and events.

    Values: `events`; `SYSTEM SEATS ended ENDING`, and `SYSTEM SEATS wins SEAT`, which counts a shared first
    place for each seat. Games whose rules are not installed are left out, but for their events.
    """

    name = "game-counts"

    def handle(self, events: Sequence[Event], feed: EventFeed, _: ReadValues) -> Changes:
        """See `Projection.handle`."""
        growth: Counter[str] = Counter()
        if events:
            growth["events"] = len(events)
        ends = [event for event in events if event["type"] in ENDINGS]
        created = feed.created_events([event["game"] for event in ends])
        before_ends = feed.event_ranges(
            [(end["game"], max(1, end["seq"] - _EVENTS_BEFORE_END), end["seq"] - 1) for end in ends]
        )
        for end, before in zip(ends, before_ends, strict=True):
            first = created.get(end["game"])
            kind = None if first is None else kind_of_created(first["data"])
            if kind is None:
                continue
            growth[f"{kind.system} {kind.seats} ended {_ending(end, before)}"] += 1
            for entry in end["data"].get("ranking", ()):
                if entry["place"] == 1:
                    growth[f"{kind.system} {kind.seats} wins {entry['seat']}"] += 1
        return Changes(growth)


def _ending(end: Event, before: Sequence[Event]) -> Ending:
    """Return what ended a game, from its last event and those before it."""
    if end["type"] == "GameAbandoned":
        return "abandonment"
    for event in reversed(before):
        if event["type"] in _LEAVING:
            return _LEAVING[event["type"]]
        if event["action"] is not None:
            break
    return "completed"


@dataclass(frozen=True, slots=True)
class KindStatistics:
    """Figures about the public games of one kind; `wins` by seat."""

    kind: GameKind
    open: int
    playing: int
    ended: dict[Ending, int]
    wins: list[int]

    @property
    def finished(self) -> int:
        """The number of games that ended with a ranking."""
        return sum(self.ended.values()) - self.ended["abandonment"]

    @property
    def has_games(self) -> bool:
        """Whether there are or were any games."""
        return any((self.open, self.playing, *self.ended.values()))


@dataclass(frozen=True, slots=True)
class GameStatistics:
    """Figures about all public games. `lag` is the number of entries of the log that are not counted yet."""

    kinds: list[KindStatistics]
    events: int
    lag: int


class PublicStatistics:
    """Reads the statistics from the counts of past games and the listings of current ones. Thread-safe."""

    def __init__(self, projections: Projections, listings: Listings) -> None:
        self._projections = projections
        self._listings = listings

    def read(self) -> GameStatistics:
        """Return the statistics, in a bounded number of round trips. Raises Unavailable."""
        kinds = all_kinds()
        counts = self._projections.values(GameCounts.name)
        current = self._listings.count_public_games(("open", "playing"), kinds)
        return GameStatistics(
            [_statistics_of(kind, current[kind], counts) for kind in kinds],
            counts.get("events", 0),
            self._projections.state(GameCounts.name).lag,
        )


def _statistics_of(
    kind: GameKind, current: Sequence[int], counts: Mapping[str, int]
) -> KindStatistics:
    """Return the figures about a kind, from the numbers of its current games and the values of GameCounts."""
    name = f"{kind.system} {kind.seats}"
    open, playing = current
    return KindStatistics(
        kind,
        open,
        playing,
        ended={ending: counts.get(f"{name} ended {ending}", 0) for ending in ENDINGS_OF_GAMES},
        wins=[counts.get(f"{name} wins {seat}", 0) for seat in range(kind.seats)],
    )
