"""A game as its log tells it: created, joined, started, played, scored, over.

`fold` and `evolve` apply events and never judge; what may happen is judged in `domain.decisions`. What the
events of play mean to the position is the rule system's; here is what every game has.
"""

import copy as copying
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from domain.contract import ALL_SECRETS, Json, RuleSystem, secret_owner
from domain.errors import Malformed, Unreadable
from domain.event import VERSION, ZEROS, Event
from domain.registry import rule_system_for

Status: TypeAlias = Literal["open", "playing", "finished", "abandoned"]
Opened: TypeAlias = Mapping[str, Any]
"""Secret values by name, as far as whoever folds may know them."""


@dataclass(frozen=True, slots=True)
class Place:
    """A player's place in the order of joining, with the nonce (bytes in hex) brought along."""

    player: str
    nonce: str


@dataclass(slots=True)
class Game:
    """Everything a log says up to `seq`. Owned by who made it: hand on only what will not change."""

    id: str
    rules: RuleSystem
    seats: int
    options: Json
    clock: Json | None
    creator: str
    commitment: str
    invited: tuple[str, ...]
    created_at: str
    places: tuple[Place, ...] = ()
    status: Status = "open"
    players: tuple[str, ...] = ()
    """Player ids by seat; () before the start."""
    state: Any = None
    """The rule system's state; None before the start."""
    seq: int = 0
    hash: str = ZEROS
    state_hash: str = ZEROS
    at: str = ""
    turn_at: str = ""
    """When the turn under way began: `at` of the event that began it."""
    rounds_scored: int = 0
    rounds_ended: dict[int, int] = field(default_factory=dict)
    """Rounds that ended and are not yet scored, each with the seq of the event that ended it."""
    ranking: list[Json] | None = None

    @property
    def to_act(self) -> int | None:
        """The seat whose turn it is; None before the start and when play is over."""
        return None if self.state is None or self.status != "playing" else self.state.to_act

    @property
    def is_played_out(self) -> bool:
        """Whether play is over and only scoring is left to do."""
        return self.status == "playing" and self.state.phase == "scoring"

    def seat_of(self, player: str) -> int | None:
        """The seat of a player, once the game has started."""
        return self.players.index(player) if player in self.players else None

    def has_joined(self, player: str) -> bool:
        """Whether the player has a place in this game."""
        return any(place.player == player for place in self.places)

    @property
    def has_ended(self) -> bool:
        """Whether it is finished or abandoned: nothing is secret any more."""
        return self.status in ("finished", "abandoned")

    def may_see(self, secret: str, viewer: int | None) -> bool:
        """Whether the seat `viewer` (None: a spectator) may see the secret of this name by now."""
        return self.has_ended or (viewer is not None and viewer == secret_owner(secret))

    def position(self, viewer: int | None, *, ended: bool = False) -> Json | None:
        """The position as the viewer may see it by now; None before the start.

        `ended`: the game has ended since, where this is an earlier state of it. What may be seen is a matter
        of how the game stands now, not of how it stood then.
        """
        if self.state is None:
            return None
        return self.rules.position(self.state, ALL_SECRETS if ended or self.has_ended else viewer)

    def position_while_on(self) -> Json | None:
        """The position as spectators saw it while the game was on, whose hash is an event's `state`."""
        return None if self.state is None else self.rules.position(self.state, None)


def fold(
    events: Iterable[Event], game: Game | None = None, opened: Opened | None = None
) -> Game | None:
    """The game after the events, from nothing or on from `game`, which stays as it was.

    Raises Unreadable for what cannot be an event of this game: a gap, another game's, an unknown version.
    """
    owned = None if game is None else copy(game)
    for event in events:
        owned = _apply(owned, event, opened or {})
    return owned


def evolve(game: Game | None, event: Event, opened: Opened | None = None) -> Game:
    """The game after one more event; the one given stays as it was."""
    return _apply(None if game is None else copy(game), event, opened or {})


def copy(game: Game) -> Game:
    """A game that may be changed without changing this one."""
    duplicate = copying.copy(game)
    duplicate.rounds_ended = dict(game.rounds_ended)
    if game.state is not None:
        duplicate.state = game.rules.copy(game.state)
    return duplicate


def _apply(game: Game | None, event: Event, opened: Opened) -> Game:
    """Write an event into a game that the caller owns."""
    seq, type = event["seq"], event["type"]
    if event["v"] != VERSION:
        raise Unreadable(f"event {seq} is of version {event['v']}, known is {VERSION}")
    if game is None:
        if type != "GameCreated" or seq != 1:
            raise Unreadable(f"a log begins with GameCreated at seq 1, not {type} at {seq}")
        game = _created(event)
    elif seq != game.seq + 1:
        raise Unreadable(f"event {seq} follows event {game.seq}")
    elif event["action"] is not None or type in _ARBITRATION:
        _played(game, event)
    elif type in _LIFE:
        _LIFE[type](game, event, opened)
    game.seq = seq
    game.hash = event["hash"]
    game.state_hash = event["state"]
    game.at = event["at"]
    return game


def _created(event: Event) -> Game:
    data = event["data"]
    try:
        rules = rule_system_for(data["rules"], data["options"])
    except Malformed as unknown:
        raise Unreadable(f"no game that is known here: {unknown.why}") from unknown
    return Game(
        id=event["game"],
        rules=rules,
        seats=data["seats"],
        options=data["options"],
        clock=data["clock"],
        creator=event["by"]["player"],
        commitment=data["commitment"],
        invited=tuple(data.get("invited", ())),
        created_at=event["at"],
    )


def _played(game: Game, event: Event) -> None:
    """An event of play: the rule system applies it; here it is seen whether a turn or a round ended."""
    state = game.state
    turn, round = state.turn, state.round
    game.rules.apply(state, event["type"], event["data"])
    if state.turn != turn:
        game.turn_at = event["at"]
    if round and (state.round != round or state.phase == "scoring"):
        game.rounds_ended[round] = event["seq"]


def _seat_taken(game: Game, event: Event, opened: Opened) -> None:
    data = event["data"]
    game.places += (Place(data["player"], data["nonce"]),)


def _seat_left(game: Game, event: Event, opened: Opened) -> None:
    player = event["data"]["player"]
    game.places = tuple(place for place in game.places if place.player != player)


def _started(game: Game, event: Event, opened: Opened) -> None:
    data = event["data"]
    game.status = "playing"
    game.players = tuple(data["players"])
    game.state = game.rules.initial_state(game.seats, game.options, data, opened)
    game.turn_at = event["at"]


def _scored(game: Game, event: Event, opened: Opened) -> None:
    round = event["data"]["round"]
    game.rounds_scored = round
    game.rounds_ended.pop(round, None)


def _finished(game: Game, event: Event, opened: Opened) -> None:
    game.rules.apply(game.state, event["type"], event["data"])
    game.status = "finished"
    game.ranking = event["data"]["ranking"]


def _abandoned(game: Game, event: Event, opened: Opened) -> None:
    game.status = "abandoned"


_LIFE = {
    "SeatTaken": _seat_taken,
    "SeatLeft": _seat_left,
    "GameStarted": _started,
    "RoundScored": _scored,
    "GameFinished": _finished,
    "GameAbandoned": _abandoned,
}
_ARBITRATION = frozenset({"TurnForfeited", "PlayerRemoved"})
"""Events of play that have no action: others without one change no position."""
