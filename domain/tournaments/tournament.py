"""A tournament as its log records it: `evolve` applies events and never checks them against the rules.

`domain.tournaments.decisions` decides what may happen.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, TypeAlias

from domain.errors import Malformed, Unreadable
from domain.event import ZEROS, Clock
from domain.json_types import JsonObject
from domain.messages import Message, message
from domain.tournaments import formats
from domain.tournaments.draws import TournamentDraw, draw_seed
from domain.tournaments.events import PairingMethod, TournamentEvent
from domain.tournaments.formats import TIE_BREAKS, FormatSettings, Group, Round
from domain.tournaments.pairing import Table
from domain.tournaments.standings import Result

TournamentStatus: TypeAlias = Literal["open", "running", "finished", "cancelled"]
TOURNAMENT_STATUSES: Final[tuple[TournamentStatus, ...]] = (
    "open",
    "running",
    "finished",
    "cancelled",
)
STATUS_CLAUSES: Final[Mapping[TournamentStatus, Message]] = {
    "open": message("the tournament has not begun"),
    "running": message("the tournament is in progress"),
    "finished": message("the tournament is over"),
    "cancelled": message("the tournament was cancelled"),
}
"""What a tournament of each status is, as a clause."""


@dataclass(frozen=True, slots=True)
class DrawnRound:
    """A round. `players` are those who sit at the tables: substitutes of later rounds do not change them."""

    number: int
    tables: tuple[Table, ...]
    players: tuple[tuple[str, ...], ...]
    nonces: tuple[tuple[str, ...], ...]
    """Those of the players, in hex, at the time of the draw: later registrations do not change them."""
    games: tuple[str | None, ...]
    absent: frozenset[int]
    drawn_at: str
    ends: str
    results: tuple[Result | None, ...]
    hash: str
    """That of the event `RoundDrawn`, which the games of the round name."""
    is_closed: bool = False
    pairing: PairingMethod | None = None
    """How its tables were found; None in tournaments of version 1."""

    @property
    def open_tables(self) -> tuple[int, ...]:
        """The tables without a result, counted from 1."""
        return tuple(number for number, result in enumerate(self.results, 1) if result is None)

    def is_waiting_for(self, player: str) -> bool:
        """Return whether a player sits at a table that has no result yet."""
        return any(player in self.players[table - 1] for table in self.open_tables)

    def as_round(self) -> Round:
        """Return the round as formats take it."""
        return Round(self.tables, self.results)


@dataclass(frozen=True, slots=True)
class Replacement:
    """A substitute who took the place of another player, with its points."""

    number: int
    """That of the entrant in the draw of lots."""
    player: str
    replaces: str
    round: int
    """The first round of the substitute, counted from 1."""


@dataclass(frozen=True, slots=True)
class Tournament:
    """Everything that the log of a tournament records up to `seq`."""

    id: str
    creator: str
    name: str
    description: str
    format: FormatSettings
    rules: str
    options: JsonObject
    clock: Clock
    private: bool
    least: int
    most: int
    closes: str
    round_seconds: int
    commitment: str
    games_commitment: str
    created_at: str
    version: int
    """The version of the rules by which it is held: `v` of its events."""
    status: TournamentStatus = "open"
    invited: tuple[str, ...] = ()
    registered: tuple[str, ...] = ()
    """The players who have registered and not withdrawn before the draw, in the order of the log."""
    registrations: tuple[tuple[str, str], ...] = ()
    """All registrations ever, with their nonces in hex, in the order of the log."""
    nonces: Mapping[str, str] = field(default_factory=dict)
    """By player, the last nonce in hex."""
    entrants: tuple[str, ...] = ()
    """By number in the draw of lots, the player who plays now; () before the draw."""
    lots: tuple[str, ...] = ()
    """By number, the player who was drawn."""
    places: Mapping[str, int] = field(default_factory=dict)
    """By player, the number of the only entrant as whom they have played, even if somebody else does now."""
    withdrawn: frozenset[int] = frozenset()
    """The entrants without a player."""
    excluded: frozenset[str] = frozenset()
    """The players whom somebody else has withdrawn."""
    replacements: tuple[Replacement, ...] = ()
    """In the order of the log, without players who got their own place back."""
    volunteers: tuple[str, ...] = ()
    """The players who are ready to take the place of one who withdraws, in the order of the log."""
    volunteer_counts: Mapping[str, int] = field(default_factory=dict)
    """By player, how often they registered as a substitute."""
    members: tuple[str, ...] = ()
    """All players who ever registered or volunteered."""
    secret: str | None = None
    games_secret: str | None = None
    rounds: tuple[DrawnRound, ...] = ()
    final_standings: list[list[JsonObject]] | None = None
    cancel_reason: str | None = None
    seq: int = 0
    hash: str = ZEROS
    at: str = ""

    @property
    def club(self) -> str | None:
        """The id of the club whose members take part; None for a tournament of no club."""
        club: str | None = self.options.get("club")
        return club

    @property
    def current_round(self) -> DrawnRound | None:
        """The last round that was drawn."""
        return self.rounds[-1] if self.rounds else None

    @property
    def is_over(self) -> bool:
        """Whether no round follows."""
        return self.status in ("finished", "cancelled")

    @property
    def draw(self) -> TournamentDraw:
        """The draw of lots and tables, once the secret is published."""
        if self.secret is None:
            raise ValueError("the secret of the draw is not published yet")
        nonces = (bytes.fromhex(nonce) for _, nonce in self.registrations)
        return TournamentDraw(draw_seed(bytes.fromhex(self.secret), nonces))

    def number_of(self, player: str) -> int | None:
        """Return the number of the entrant as whom a player plays now."""
        number = self.places.get(player)
        if number is None or number in self.withdrawn or self.entrants[number] != player:
            return None
        return number

    def takes_part(self, player: str) -> bool:
        """Return whether a player has registered, or is an entrant, or a substitute who waits."""
        if self.status == "open":
            return player in self.registered
        return self.number_of(player) is not None or player in self.volunteers

    def standings(self) -> list[Group]:
        """Return the standings after the results that there are; none before the draw."""
        if not self.entrants:
            return []
        rounds = [drawn.as_round() for drawn in self.rounds]
        return formats.standings(self.format, range(len(self.entrants)), rounds)

    def numbers_in_play(self) -> frozenset[int]:
        """Return the entrants who may still have a table in a round that follows; see `formats.in_play`."""
        rounds = [drawn.as_round() for drawn in self.rounds]
        return formats.in_play(self.format, range(len(self.entrants)), rounds)

    def next_tables(self) -> tuple[Table, ...] | None:
        """Return the tables of the next round, None if there is none. All tables must have results."""
        rounds = [drawn.as_round() for drawn in self.rounds]
        numbers = range(len(self.entrants))
        return formats.next_round(
            self.format, numbers, rounds, self.withdrawn, self.draw, self.version
        )


def can_see_tournament(tournament: Tournament, player: str | None) -> bool:
    """Return whether a player (None: nobody who is logged in) may see the tournament.

    A private one is visible to its organiser, to those who are invited, and to all who ever took part. That
    of a club is also visible to its members, which the log does not know.
    """
    if not tournament.private:
        return True
    return player is not None and player in (
        tournament.creator,
        *tournament.invited,
        *tournament.members,
    )


def standings_as_json(tournament: Tournament) -> list[list[JsonObject]]:
    """Return the standings of each group, the best first.

    What decides the places in the format is in `tie_breaks`, in its order; fractions are texts such as `7/2`.
    """
    tie_breaks = TIE_BREAKS[tournament.format.format]
    return [
        [
            {
                "entrant": standing.player,
                "player": tournament.entrants[standing.player],
                "tie_breaks": {name: str(standing.value(name)) for name in tie_breaks},
                "points": str(standing.points),
                "wins": standing.wins,
                "played": standing.played,
            }
            for standing in group.standings
        ]
        for group in tournament.standings()
    ]


def fold_tournament(
    events: Sequence[TournamentEvent], tournament: Tournament | None = None
) -> Tournament:
    """Return the tournament after events, from the beginning or on from `tournament`.

    Raises Unreadable, also if there are none.
    """
    for event in events:
        tournament = evolve_tournament(tournament, event)
    if tournament is None:
        raise Unreadable.with_message("there are no events")
    return tournament


def evolve_tournament(tournament: Tournament | None, event: TournamentEvent) -> Tournament:
    """Return the tournament after one more event. Raises Unreadable for one that cannot follow."""
    type, data = event["type"], event["data"]
    try:
        if tournament is None:
            if type != "TournamentCreated" or event["seq"] != 1:
                raise Unreadable.with_message(
                    "a tournament begins with TournamentCreated as event 1"
                )
            after = _created(event, data)
        else:
            if event["seq"] != tournament.seq + 1:
                raise Unreadable.with_message(
                    "event {event} follows event {previous}",
                    event=event["seq"],
                    previous=tournament.seq,
                )
            if event["v"] != tournament.version:
                raise Unreadable.with_message(
                    "event {event} is of another version of tournaments", event=event["seq"]
                )
            apply = _APPLIERS.get(type)
            after = tournament if apply is None else apply(tournament, event, data)
    except (KeyError, TypeError, ValueError, IndexError, Malformed):
        raise Unreadable.with_message(
            "event {event} does not have the form of its type", event=event["seq"]
        ) from None
    return replace(after, seq=event["seq"], hash=event["hash"], at=event["at"])


def _created(event: TournamentEvent, data: Any) -> Tournament:
    by = event["by"]
    if "system" in by:
        raise Unreadable.with_message("a tournament must be created by a player")
    return Tournament(
        id=event["tournament"],
        creator=by["player"],
        name=data["name"],
        description=data["description"],
        format=FormatSettings.from_json(data["format"]),
        rules=data["rules"],
        options=data["options"],
        clock=data["clock"],
        private=data["private"],
        least=data["least"],
        most=data["most"],
        closes=data["closes"],
        round_seconds=data["round_seconds"],
        commitment=data["commitment"],
        games_commitment=data["games_commitment"],
        created_at=event["at"],
        version=event["v"],
        invited=tuple(data.get("invited", ())),
    )


def _member(tournament: Tournament, data: Any) -> Tournament:
    player = data["player"]
    return replace(
        tournament,
        nonces={**tournament.nonces, player: data["nonce"]},
        members=tuple(dict.fromkeys((*tournament.members, player))),
    )


def _registered(tournament: Tournament, event: TournamentEvent, data: Any) -> Tournament:
    return replace(
        _member(tournament, data),
        registered=(*tournament.registered, data["player"]),
        registrations=(*tournament.registrations, (data["player"], data["nonce"])),
    )


def _invited(tournament: Tournament, event: TournamentEvent, data: Any) -> Tournament:
    return replace(tournament, invited=(*tournament.invited, data["player"]))


def _volunteered(tournament: Tournament, event: TournamentEvent, data: Any) -> Tournament:
    player, counts = data["player"], tournament.volunteer_counts
    return replace(
        _member(tournament, data),
        volunteers=(*tournament.volunteers, player),
        volunteer_counts={**counts, player: counts.get(player, 0) + 1},
    )


def _withdrawn(tournament: Tournament, event: TournamentEvent, data: Any) -> Tournament:
    player = data["player"]
    number = tournament.number_of(player)
    is_excluded = event["by"].get("player", player) != player
    return replace(
        tournament,
        excluded=tournament.excluded | {player} if is_excluded else tournament.excluded,
        registered=_without(tournament.registered, player),
        volunteers=_without(tournament.volunteers, player),
        withdrawn=tournament.withdrawn if number is None else tournament.withdrawn | {number},
    )


def _replaced(tournament: Tournament, event: TournamentEvent, data: Any) -> Tournament:
    number, player = data["entrant"], data["player"]
    entrants = list(tournament.entrants)
    former, entrants[number] = entrants[number], player
    replacements = tournament.replacements
    if former != player:
        replacements += (Replacement(number, player, former, len(tournament.rounds) + 1),)
    return replace(
        tournament,
        replacements=replacements,
        entrants=tuple(entrants),
        places={**tournament.places, player: number},
        withdrawn=tournament.withdrawn - {number},
        volunteers=_without(tournament.volunteers, player),
    )


def _without(players: tuple[str, ...], player: str) -> tuple[str, ...]:
    return tuple(other for other in players if other != player)


def _closed(tournament: Tournament, event: TournamentEvent, data: Any) -> Tournament:
    players = tuple(data["players"])
    bytes.fromhex(data["secret"])
    return replace(
        tournament,
        status="running",
        entrants=players,
        lots=players,
        places={player: number for number, player in enumerate(players)},
        secret=data["secret"],
    )


def _drawn(tournament: Tournament, event: TournamentEvent, data: Any) -> Tournament:
    tables = tuple(map(tuple, data["tables"]))
    players = tuple(tuple(tournament.entrants[n] for n in table) for table in tables)
    drawn = DrawnRound(
        number=data["round"],
        tables=tables,
        players=players,
        nonces=tuple(
            tuple(tournament.nonces.get(player, "") for player in table) for table in players
        ),
        games=tuple(data["games"]),
        absent=frozenset(data["absent"]),
        drawn_at=event["at"],
        ends=data["ends"],
        results=tuple(Result(table, (1,)) if len(table) == 1 else None for table in tables),
        hash=event["hash"],
        pairing=data.get("pairing"),
    )
    if len(drawn.games) != len(tables):
        raise ValueError("a table without a game")
    return replace(tournament, rounds=(*tournament.rounds, drawn))


def _with_result(tournament: Tournament, event: TournamentEvent, data: Any) -> Tournament:
    drawn = tournament.rounds[data["round"] - 1]
    results = list(drawn.results)
    results[data["table"] - 1] = Result(drawn.tables[data["table"] - 1], tuple(data["places"]))
    return _with_round(tournament, replace(drawn, results=tuple(results)))


def _round_closed(tournament: Tournament, event: TournamentEvent, data: Any) -> Tournament:
    return _with_round(tournament, replace(tournament.rounds[data["round"] - 1], is_closed=True))


def _with_round(tournament: Tournament, drawn: DrawnRound) -> Tournament:
    rounds = list(tournament.rounds)
    rounds[drawn.number - 1] = drawn
    return replace(tournament, rounds=tuple(rounds))


def _finished(tournament: Tournament, event: TournamentEvent, data: Any) -> Tournament:
    return replace(tournament, status="finished", final_standings=data["standings"])


def _cancelled(tournament: Tournament, event: TournamentEvent, data: Any) -> Tournament:
    return replace(tournament, status="cancelled", cancel_reason=data["reason"])


def _secret_published(tournament: Tournament, event: TournamentEvent, data: Any) -> Tournament:
    return replace(tournament, games_secret=data["secret"])


_APPLIERS: Final[Mapping[str, Callable[[Tournament, TournamentEvent, Any], Tournament]]] = {
    "PlayerRegistered": _registered,
    "EntrantInvited": _invited,
    "SubstituteRegistered": _volunteered,
    "PlayerWithdrawn": _withdrawn,
    "EntrantReplaced": _replaced,
    "RegistrationClosed": _closed,
    "RoundDrawn": _drawn,
    "ResultRecorded": _with_result,
    "TableSettled": _with_result,
    "RoundClosed": _round_closed,
    "TournamentFinished": _finished,
    "TournamentCancelled": _cancelled,
    "GamesSecretPublished": _secret_published,
}
"""By event type. Types of later versions change nothing that this version knows."""
