"""The statistics of players: their games, results and turns, from the logs of public games.

They are a projection (games/projections.py) with these values:

    game ID               data of a game that has not ended, to be counted later (`_GameInProgress`)
    player ID             the statistics of a player (`PlayerStatistics`)
    pair ID ID SYSTEM R   the number of games in which the first of two players was placed before the second
    (R is
                          `first`), after (`second`), or in the same place (`equal`)

Events are counted in the order of the event feed, so the last turns of a player are the same in every
rebuild. See docs/players.md.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Final, NamedTuple, cast

import orjson

from domain.event import Event, acting_seat
from domain.registry import rule_systems
from service.games.game_filter import kind_of_created
from service.projections.counted_kind import CountedKind
from service.projections.event_feed import EventFeed
from service.projections.projections import Changes, Projections, ReadValues
from service.stored_objects import decode_object, members_of

RECENT_TURNS: Final = 100
"""The number of turns of a player that count for the reliability; older turns do not."""
LEAST_TURNS: Final = 10
"""With fewer turns, the reliability is unknown."""
_TAKEN: Final = "1"
_MISSED: Final = "0"
_CLOCK: Final = {"system": "clock"}


@dataclass(slots=True)
class Reliability:
    """The record of a player's turns in games with a clock and without bots; other games do not count."""

    recent: str = ""
    """The last RECENT_TURNS turns in order, `1` for one taken in time and `0` for one that was missed."""
    taken: int = 0
    missed: int = 0
    excused: int = 0
    """The number of missed deadlines that clocks have excused."""
    seats_left: int = 0
    """The number of seats that the player has left to a substitute, or lost because of missed turns."""
    resignations: int = 0
    recent_misses: list[str] = field(default_factory=list)
    """The missed turns in `recent`, in order, as `GAME SEQ`, except the first ones if an earlier version
    counted them."""
    later_members: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def percent(self) -> int | None:
        """The percentage of the last turns that were taken in time, rounded down; None for too few turns."""
        if len(self.recent) < LEAST_TURNS:
            return None
        return 100 * self.recent.count(_TAKEN) // len(self.recent)

    def take_turn(self) -> None:
        """Count a turn that was taken in time."""
        self.taken += 1
        self._add(_TAKEN)

    def count_missed_turn(self, game_id: str, seq: int) -> None:
        """Count a turn that was missed with an event of a game."""
        self.missed += 1
        self.recent_misses.append(_miss(game_id, seq))
        self._add(_MISSED)

    def take_back_missed_turn(self, game_id: str, seq: int) -> None:
        """Uncount a missed turn before which play has resumed. It may not be among the last turns."""
        self.missed -= 1
        miss = _miss(game_id, seq)
        if miss not in self.recent_misses:
            return
        later = len(self.recent_misses) - self.recent_misses.index(miss)
        self.recent_misses.remove(miss)
        turns = self.recent.rsplit(_MISSED, later)
        self.recent = turns[0] + _MISSED.join(turns[1:])

    def _add(self, turn: str) -> None:
        self.recent = (self.recent + turn)[-RECENT_TURNS:]
        misses = self.recent.count(_MISSED)
        self.recent_misses = self.recent_misses[max(0, len(self.recent_misses) - misses) :]


@dataclass(slots=True)
class KindCounts:
    """The numbers of games of one kind of a player, and of places in finished games.

    `places` counts places, beginning with the first; players who share a place all have it.
    """

    playing: int = 0
    finished: int = 0
    abandoned: int = 0
    places: list[int] = field(default_factory=list)
    later_members: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def add_place(self, place: int) -> None:
        """Count a finished game."""
        self.finished += 1
        self.places += [0] * (place - len(self.places))
        self.places[place - 1] += 1


@dataclass(slots=True)
class PlayerStatistics:
    """The statistics of a player from public games: the games by kind, and the reliability."""

    games: dict[str, KindCounts] = field(default_factory=dict)
    reliability: Reliability = field(default_factory=Reliability)
    later_members: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def decode(cls, text: str | None) -> "PlayerStatistics":
        """Return the statistics that this text encodes; empty ones for None."""
        if text is None:
            return cls()
        stored = orjson.loads(text)
        games = {
            kind: decode_object(KindCounts, counts) for kind, counts in stored["games"].items()
        }
        reliability = decode_object(Reliability, stored["reliability"])
        return decode_object(cls, {**stored, "games": games, "reliability": reliability})

    def encode(self) -> str:
        """Return the statistics as text, for storage."""
        return orjson.dumps(members_of(self), option=orjson.OPT_SORT_KEYS).decode()

    def of_kind(self, kind: str) -> KindCounts:
        """Return the counts of a kind, which can be changed."""
        return self.games.setdefault(kind, KindCounts())

    @property
    def by_kind(self) -> dict[CountedKind, KindCounts]:
        """The counts of the kinds with games, in order."""
        counts = {CountedKind.parse(kind): counts for kind, counts in self.games.items()}
        order = list(rule_systems())
        kinds = [kind for kind in counts if kind.system in order]
        kinds.sort(key=lambda kind: (kind.has_bots, order.index(kind.system), kind.seats))
        return {kind: counts[kind] for kind in kinds}

    @property
    def finished(self) -> int:
        """The finished games among people."""
        return sum(counts.finished for kind, counts in self.by_kind.items() if not kind.has_bots)


@dataclass(slots=True)
class _GameInProgress:
    """The data of a game that has not ended.

    `players` are the ids by seat once it has started. `turn_ends` has the seqs of the events, on the current
    branch, with which turns have ended, and `misses` those of missed turns with the players.
    """

    system: str
    seats: int
    has_clock: bool
    bots: list[str] = field(default_factory=list)
    players: list[str] = field(default_factory=list)
    vacant: list[int] = field(default_factory=list)
    turn_ends: list[int] = field(default_factory=list)
    misses: list[tuple[int, str]] = field(default_factory=list)
    later_members: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def kind(self) -> str:
        return CountedKind(self.system, self.seats, bool(self.bots)).encode()

    @property
    def counts_turns(self) -> bool:
        """Whether turns count for the reliability of their players."""
        return self.has_clock and not self.bots

    @property
    def turn(self) -> int:
        return 1 + len(self.turn_ends)

    def seated(self) -> Iterable[tuple[int, str]]:
        """Iterate over the seats that are not vacant, with their players."""
        return (item for item in enumerate(self.players) if item[0] not in self.vacant)


class PlayersProjection:
    """Derives the statistics of all players from the event feed."""

    name = "players"

    def handle(self, events: Sequence[Event], _: EventFeed, read: ReadValues) -> Changes:
        """See `Projection.handle`."""
        ids = dict.fromkeys(event["game"] for event in events)
        stored = read([_game(id) for id in ids])
        games: dict[str, _GameInProgress | None] = {
            id: decode_object(_GameInProgress, stored[_game(id)]) if _game(id) in stored else None
            for id in ids
        }
        players = {id for game in games.values() if game for id in game.players}
        for event in events:
            players.update(_named_players(event))
        texts = read([_player(id) for id in sorted(players)])
        counting = _Counting(
            games, {id: PlayerStatistics.decode(texts.get(_player(id))) for id in players}
        )
        for event in events:
            counting.count(event)
        values: dict[str, str | None] = {
            _game(id): None if game is None else orjson.dumps(members_of(game)).decode()
            for id, game in counting.games.items()
        }
        values |= {
            _player(id): statistics.encode()
            for id, statistics in counting.players.items()
            if statistics != PlayerStatistics()
        }
        return Changes(counting.pairs, values)


class _Counting:
    """Counts events. `games` and `players` are the earlier values by id, which this changes."""

    def __init__(
        self, games: dict[str, _GameInProgress | None], players: dict[str, PlayerStatistics]
    ) -> None:
        self.games = games
        self.players = players
        self.pairs: Counter[str] = Counter()

    def count(self, event: Event) -> None:
        """Count an event."""
        id, data = event["game"], event["data"]
        if event["type"] == "GameCreated":
            self.games[id] = _created(data)
            return
        game = self.games[id]
        if game is None:
            return
        match event["type"]:
            case "SeatTaken" if "bot" in data:
                game.bots.append(data["player"])
            case "SeatLeft" if data["player"] in game.bots:
                game.bots.remove(data["player"])
            case "GameStarted":
                game.players = list(data["players"])
                for player in game.players:
                    self.players[player].of_kind(game.kind).playing += 1
            case "SeatVacated":
                self._leave(game, event, data["seat"])
                game.vacant.append(data["seat"])
            case "SubstituteSeated":
                self._seat(game, data["seat"], data["player"])
            case "DeadlineExcused":
                self._reliability(game, data["seat"]).excused += 1
            case "PlayerRemoved":
                self._leave(game, event, data["seat"], is_on_seat=True)
            case "PlayerResigned":
                self._reliability(game, data["seat"]).resignations += 1
            case "PlayResumed":
                self._resume(game, event)
            case "GameFinished":
                self._finish(game, data["ranking"])
                self.games[id] = None
            case "GameAbandoned":
                for counts in self._end(game):
                    counts.abandoned += 1
                self.games[id] = None
            case _:
                pass
        if "then" in data and data["then"]["turn"] != game.turn and event["type"] != "GameFinished":
            self._end_turn(game, event)

    def _end_turn(self, game: _GameInProgress, event: Event) -> None:
        """Count the turn that ends with an event of play, unless its seat leaves the game with that."""
        game.turn_ends.append(event["seq"])
        if event["type"] in ("PlayerResigned", "PlayerRemoved"):
            return
        seat = acting_seat(event["by"])
        if seat is not None:
            self._reliability(game, seat).take_turn()
        else:
            self._miss(game, event, event["data"]["seat"])

    def _miss(self, game: _GameInProgress, event: Event, seat: int) -> None:
        """Count a turn that is missed with an event, unless nobody has the seat."""
        if seat not in game.vacant and game.counts_turns:
            self._reliability(game, seat).count_missed_turn(event["game"], event["seq"])
            game.misses.append((event["seq"], game.players[seat]))

    def _leave(
        self, game: _GameInProgress, event: Event, seat: int, *, is_on_seat: bool = False
    ) -> None:
        """Count a seat that its player leaves, or loses to the clock with a missed turn.

        A removal by an arbiter or an administrator says nothing about turns. `is_on_seat` is True if the
        player stays in the game, and has a place in its ranking.
        """
        if seat in game.vacant:
            return
        if not is_on_seat:
            self._counts(game, seat).playing -= 1
        is_by_clock = event["by"] == _CLOCK
        if is_by_clock:
            self._miss(game, event, seat)
        if is_by_clock or acting_seat(event["by"]) is not None:
            self._reliability(game, seat).seats_left += 1

    def _seat(self, game: _GameInProgress, seat: int, player: str) -> None:
        """Give a seat, which is vacant or which an administrator moves, to another player."""
        if seat in game.vacant:
            game.vacant.remove(seat)
        else:
            self._counts(game, seat).playing -= 1
        game.players[seat] = player
        self._counts(game, seat).playing += 1

    def _resume(self, game: _GameInProgress, event: Event) -> None:
        """Return to the turn after an earlier event. Missed turns that are superseded no longer count."""
        origin = event["data"]["from"]
        game.turn_ends = [seq for seq in game.turn_ends if seq <= origin]
        for seq, player in game.misses:
            if seq > origin:
                self.players[player].reliability.take_back_missed_turn(event["game"], seq)
        game.misses = [miss for miss in game.misses if miss[0] <= origin]

    def _finish(self, game: _GameInProgress, ranking: Sequence[Mapping[str, int]]) -> None:
        self._end(game)
        places = {entry["seat"]: entry["place"] for entry in ranking}
        results = [(player, places[seat]) for seat, player in game.seated() if seat in places]
        for player, place in results:
            self.players[player].of_kind(game.kind).add_place(place)
        people = sorted(result for result in results if result[0] not in game.bots)
        for (first, first_place), (second, second_place) in combinations(people, 2):
            result = "first" if first_place < second_place else "second"
            result = "equal" if first_place == second_place else result
            self.pairs[_pair(first, second, game.system, result)] += 1

    def _end(self, game: _GameInProgress) -> list[KindCounts]:
        """Stop counting a game as one in progress; return the counts of the players who have a seat in it."""
        counts = [self._counts(game, seat) for seat, _ in game.seated()]
        for item in counts:
            item.playing -= 1
        return counts

    def _counts(self, game: _GameInProgress, seat: int) -> KindCounts:
        return self.players[game.players[seat]].of_kind(game.kind)

    def _reliability(self, game: _GameInProgress, seat: int) -> Reliability:
        """Return the reliability of the player of a seat; a discarded one if the game does not count."""
        return self.players[game.players[seat]].reliability if game.counts_turns else Reliability()


def _created(data: Mapping[str, Any]) -> _GameInProgress | None:
    """Return a new game; None if its rules are not installed."""
    kind = kind_of_created(data)
    return None if kind is None else _GameInProgress(*kind, has_clock=data["clock"] is not None)


def _named_players(event: Event) -> Iterable[str]:
    """Return the players who get a seat with an event."""
    if event["type"] == "GameStarted":
        return cast("list[str]", event["data"]["players"])
    if event["type"] == "SubstituteSeated":
        return (cast("str", event["data"]["player"]),)
    return ()


def _game(id: str) -> str:
    return f"game {id}"


def _miss(game_id: str, seq: int) -> str:
    return f"{game_id} {seq}"


def _player(id: str) -> str:
    return f"player {id}"


def _pair(first: str, second: str, system: str, result: str) -> str:
    return f"pair {first} {second} {system} {result}"


class HeadToHead(NamedTuple):
    """The results of two players against each other in finished games of a rule system."""

    system: str
    ahead: int
    behind: int
    equal: int


class Statistics:
    """Reads the statistics of players. Methods raise Unavailable if Redis does not respond."""

    def __init__(self, projections: Projections) -> None:
        self._projections = projections

    def of(self, players: Sequence[str]) -> dict[str, PlayerStatistics]:
        """Return the statistics of players by id, in one round trip or two."""
        stored = self._projections.read(PlayersProjection.name, [_player(id) for id in players])
        return {id: PlayerStatistics.decode(stored.get(_player(id))) for id in players}

    def head_to_head(self, player: str, other: str) -> list[HeadToHead]:
        """Return the results of a player against another one, by rule system, if they have met."""
        first, second = sorted((player, other))
        ahead, behind = ("first", "second") if first == player else ("second", "first")
        fields = {
            (system, result): _pair(first, second, system, result)
            for system in rule_systems()
            for result in ("first", "second", "equal")
        }
        stored = self._projections.read(PlayersProjection.name, list(fields.values()))
        rows = [
            HeadToHead(
                system, *(int(stored.get(fields[system, r], 0)) for r in (ahead, behind, "equal"))
            )
            for system in rule_systems()
        ]
        return [row for row in rows if any(row[1:])]
