"""A game as its log records it: created, joined, started, played, scored, ended.

`fold` and `evolve` apply events and never check them against the rules; `domain.lifecycle` decides what may
happen. The rule system knows what the events of play mean for its state; this module has what is common to
every game.
"""

import copy as copying
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Generic, Literal, TypeAlias, cast

from domain.contract import ALL_SECRETS, A, P, RuleSystem, S, secret_owner
from domain.errors import Malformed, Unreadable
from domain.event import (
    VERSION,
    ZEROS,
    ByPlayer,
    Clock,
    Event,
    EventData,
    GameCreated,
    GameFinished,
    GameStarted,
    Options,
    RankingEntry,
    RoundScored,
    SeatLeft,
    SeatTaken,
    TurnForfeited,
)
from domain.registry import rule_system_for

Status: TypeAlias = Literal["open", "playing", "finished", "abandoned"]
Opened: TypeAlias = Mapping[str, object]
"""Secret values by name, as far as the caller may know them."""


@dataclass(frozen=True, slots=True)
class Place:
    """A player's place in the order of joining, with the player's nonce (bytes in hex)."""

    player: str
    nonce: str


@dataclass(slots=True)
class GameOf(Generic[S, A, P]):
    """Everything that a log records up to `seq`, with the rule system and a state of the same.

    The code that made a game owns it and may change it; share only a game that will not change any more.
    """

    id: str
    rules: RuleSystem[S, A, P]
    seats: int
    options: Options
    clock: Clock | None
    creator: str
    commitment: str
    invited: tuple[str, ...]
    created_at: str
    places: tuple[Place, ...] = ()
    status: Status = "open"
    players: tuple[str, ...] = ()
    """Player ids by seat; () before the start."""
    state: S | None = None
    """The rule system's state; None before the start."""
    seq: int = 0
    hash: str = ZEROS
    state_hash: str = ZEROS
    at: str = ""
    turn_at: str = ""
    """When the turn in progress began: `at` of the event that began it."""
    rounds_scored: int = 0
    rounds_ended: dict[int, int] = field(default_factory=dict)
    """Rounds that ended and are not yet scored, each with the seq of the event that ended it."""
    forfeits: Mapping[int, int] = field(default_factory=dict)
    """By seat, how many turns it has forfeited since a player last acted; never changed in place."""
    ranking: list[RankingEntry] | None = None

    @property
    def to_act(self) -> int | None:
        """The seat whose turn it is; None before the start and when play is over."""
        return None if self.state is None or self.status != "playing" else self.state.to_act

    @property
    def round(self) -> int:
        """The round in progress, or the last one; 0 before the start and in set-up."""
        return 0 if self.state is None else self.state.round

    @property
    def turn(self) -> int:
        """The turns that have begun, placements of the set-up included; 0 before the start."""
        return 0 if self.state is None else self.state.turn

    @property
    def is_played_out(self) -> bool:
        """Whether play is over and only scoring is left to do."""
        state = self.state
        return self.status == "playing" and state is not None and state.phase == "scoring"

    def seat_of(self, player: str) -> int | None:
        """The seat of a player, once the game has started."""
        return self.players.index(player) if player in self.players else None

    @property
    def participants(self) -> tuple[str, ...]:
        """The ids of the players: by seat, or in the order of joining before the start."""
        return self.players or tuple(place.player for place in self.places)

    def has_joined(self, player: str) -> bool:
        """Whether the player has a place in this game."""
        return any(place.player == player for place in self.places)

    @property
    def has_ended(self) -> bool:
        """Whether it is finished or abandoned: nothing is secret any more."""
        return self.status in ("finished", "abandoned")

    def may_see(self, secret: str, viewer: int | None) -> bool:
        """Whether the seat `viewer` (None: a spectator) may now see the secret of this name."""
        return self.has_ended or (viewer is not None and viewer == secret_owner(secret))

    def position(self, viewer: int | None, *, ended: bool = False) -> P | None:
        """The position as the viewer may now see it; None before the start.

        `ended`: the game has ended since, and this is an earlier state of it. What a viewer may see depends
        on how the game stands now, not on how it stood then.
        """
        if self.state is None:
            return None
        return self.rules.position(self.state, ALL_SECRETS if ended or self.has_ended else viewer)

    def position_while_on(self) -> P | None:
        """The position as a spectator saw it during the game; an event's `state` is its hash."""
        return None if self.state is None else self.rules.position(self.state, None)


Game: TypeAlias = GameOf[Any, Any, Any]
"""A game of any rule system; see `domain.contract.AnyRuleSystem` for `Any`."""


def fold(
    events: Iterable[Event], game: Game | None = None, opened: Opened | None = None
) -> Game | None:
    """Return the game after the events, from the beginning or on from `game`, which stays as it was.

    Raises Unreadable for anything that cannot be an event of this game: a gap in `seq`, an unknown version.
    """
    current = None if game is None else copy(game)
    secrets = opened or {}
    last: Event | None = None
    for event in events:
        current = _apply(current, event, secrets)
        last = event
    return current if current is None or last is None else _with_last(current, last)


def evolve(game: Game | None, event: Event, opened: Opened | None = None) -> Game:
    """The game after one more event; the given game stays as it was."""
    return _with_last(_apply(None if game is None else copy(game), event, opened or {}), event)


def copy(game: GameOf[S, A, P]) -> GameOf[S, A, P]:
    """A game that can be changed without changing this one."""
    duplicate = copying.copy(game)
    duplicate.rounds_ended = dict(game.rounds_ended)
    if game.state is not None:
        duplicate.state = game.rules.copy(game.state)
    return duplicate


def _apply(game: Game | None, event: Event, opened: Opened) -> Game:
    """Write an event into a game that the caller owns, but for what `_with_last` writes."""
    seq, type = event["seq"], event["type"]
    if event["v"] != VERSION:
        raise Unreadable(f"event {seq} has version {event['v']}; only version {VERSION} is known")
    if game is None:
        if type != "GameCreated" or seq != 1:
            raise Unreadable(f"a log begins with GameCreated at seq 1, not {type} at {seq}")
        game = _created(event, cast("GameCreated", event["data"]))
    elif seq != game.seq + 1:
        raise Unreadable(f"event {seq} follows event {game.seq}")
    elif (has_action := event["action"] is not None) or type in _PLAY_WITHOUT_ACTION:
        _apply_play(game, event, type, has_action=has_action)
    elif type in _LIFE_CYCLE_APPLIERS:
        _LIFE_CYCLE_APPLIERS[type](game, event, event["data"], opened)
    game.seq = seq
    return game


def _with_last(game: Game, event: Event) -> Game:
    """Write the hashes and the time of a game's last event into it. Those of earlier events do not matter."""
    game.hash = event["hash"]
    game.state_hash = event["state"]
    game.at = event["at"]
    return game


def _created(event: Event, data: GameCreated) -> Game:
    try:
        rules = rule_system_for(data["rules"], data["options"])
    except Malformed as unknown:
        raise Unreadable(f"the game is unknown here: {unknown.why}") from unknown
    return Game(
        id=event["game"],
        rules=rules,
        seats=data["seats"],
        options=data["options"],
        clock=data["clock"],
        creator=cast("ByPlayer", event["by"])["player"],
        commitment=data["commitment"],
        invited=tuple(data.get("invited", ())),
        created_at=event["at"],
    )


def _apply_play(game: GameOf[S, A, P], event: Event, type: str, *, has_action: bool) -> None:
    """Let the rule system apply an event of play, and note whether a turn or a round ended with it."""
    state = game.state
    assert state is not None, "an event of play follows GameStarted"
    turn, round = state.turn, state.round
    # Without cast(), which would cost time at every event of a log; see `recorded_data`.
    game.rules.apply(state, type, event["data"])  # type: ignore[arg-type] # as above
    if state.turn != turn:
        game.turn_at = event["at"]
    if round and (state.round != round or state.phase == "scoring"):
        game.rounds_ended[round] = event["seq"]
    if not has_action:
        _count_forfeit(game, event)
    elif game.forfeits:
        game.forfeits = {}


def _count_forfeit(game: Game, event: Event) -> None:
    """Count a forfeited turn. A removal (by the clock in set-up, or by an arbiter) is none, and no action."""
    if event["type"] == "TurnForfeited":
        seat = cast("TurnForfeited", event["data"])["seat"]
        game.forfeits = {**game.forfeits, seat: game.forfeits.get(seat, 0) + 1}


def _seat_taken(game: Game, event: Event, data: SeatTaken, opened: Opened) -> None:
    game.places += (Place(data["player"], data["nonce"]),)


def _seat_left(game: Game, event: Event, data: SeatLeft, opened: Opened) -> None:
    game.places = tuple(place for place in game.places if place.player != data["player"])


def _started(game: GameOf[S, A, P], event: Event, data: GameStarted, opened: Opened) -> None:
    game.status = "playing"
    game.players = tuple(data["players"])
    game.state = game.rules.initial_state(game.seats, game.options, data, opened)
    game.turn_at = event["at"]


def _scored(game: Game, event: Event, data: RoundScored, opened: Opened) -> None:
    game.rounds_scored = data["round"]
    game.rounds_ended.pop(data["round"], None)


def _finished(game: GameOf[S, A, P], event: Event, data: GameFinished, opened: Opened) -> None:
    assert game.state is not None, "GameFinished follows GameStarted"
    game.rules.apply(game.state, event["type"], data)
    game.status = "finished"
    game.ranking = data["ranking"]


def _abandoned(game: Game, event: Event, data: EventData, opened: Opened) -> None:
    game.status = "abandoned"


_LIFE_CYCLE_APPLIERS: Final[Mapping[str, Callable[[Game, Event, Any, Opened], None]]] = {
    "SeatTaken": _seat_taken,
    "SeatLeft": _seat_left,
    "GameStarted": _started,
    "RoundScored": _scored,
    "GameFinished": _finished,
    "GameAbandoned": _abandoned,
}
"""By event type. The data is `Any` here alone: the type of an event determines the TypedDict of its data."""

_PLAY_WITHOUT_ACTION: Final = frozenset({"TurnForfeited", "PlayerRemoved"})
"""Events of play that no action causes: any other event without an action changes no position."""
