"""A game as its log records it: created, joined, started, played, scored, ended.

`domain.fold` makes games from events, and `domain.lifecycle` decides what may happen in them. The rule system
knows what the state of its game means; this module has what is common to every game.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import Enum, auto
from operator import attrgetter
from typing import Annotated, Any, Final, Generic, Literal, NamedTuple, TypeAlias, TypeVar

from domain.chance import FIRST_SEED_VERSION, SeedVersion, check_nonce
from domain.clock.history import NO_PAUSES, Holiday, PauseRecord, TurnTime
from domain.contract import ALL_SECRETS, STATEMENT, A, DomainEvent, P, RuleSystem, S, secret_owner
from domain.disputes.events import NonceData
from domain.disputes.history import Dispute, LastPlay, SuppliedNonce
from domain.errors import NotNow, not_now
from domain.event import ZEROS, Clock, Decision, Options, RankingEntry
from domain.json_types import Timestamp
from domain.life_cycle_messages import places_taken
from domain.messages import Message, message

Status: TypeAlias = Literal["open", "playing", "finished", "abandoned"]

T = TypeVar("T")


class WhenResumed(Enum):
    """What becomes of a field of a game when play resumes from an earlier event, the origin.

    What belongs to the position is restored. What belongs to people, or to the log as a whole, is not: a
    substitute has nothing to do with the deadlines that the player before has missed, and nobody forgets what
    was requested.
    """

    KEPT = auto()
    """It belongs to the settings of the game, to its people or to the whole log, and stays as it is."""
    RESTORED = auto()
    """It belongs to the position, and gets the value that it had after the origin."""
    BEGUN_ANEW = auto()
    """It belongs to the turn in progress, which starts again."""
    PRUNED = auto()
    """It stays as it is, without what events after the origin have added: these are superseded. Nothing that
    has been removed since the origin comes back.
    """


Kept: TypeAlias = Annotated[T, WhenResumed.KEPT]
Restored: TypeAlias = Annotated[T, WhenResumed.RESTORED]
BegunAnew: TypeAlias = Annotated[T, WhenResumed.BEGUN_ANEW]
Pruned: TypeAlias = Annotated[T, WhenResumed.PRUNED]

STATUS_MESSAGES: Final[Mapping[Status, Message]] = {
    "open": message("the game has not started"),
    "playing": message("the game is in progress"),
    "finished": message("the game is finished"),
    "abandoned": message("the game was abandoned"),
}
"""What a game of each status is, as a clause."""


@dataclass(frozen=True, slots=True)
class Place:
    """A player's place in the order of joining, with the player's nonce (bytes in hex).

    `bot` is the name of the bot that the player is; None for a person.
    """

    player: str
    nonce: str
    bot: str | None = None


class Turn(NamedTuple):
    """A turn under way: its number, its seat, and the player who has the seat, None while it is vacant.

    `since` is when its time began, and `extension` how many seconds were added to it.
    """

    number: int
    seat: int
    player: str | None
    since: Timestamp
    extension: int


@dataclass(frozen=True, slots=True)
class Resumption:
    """Play resumed, with event `seq`, from the position after event `origin`.

    The events between the two are superseded: they stay in the log, and play did not continue from them.
    """

    seq: int
    origin: int
    nonces: tuple[SuppliedNonce, ...] = ()
    """Those of the dispute or takeback that led to it; with seed version 2, what was drawn again derives from
    them.
    """

    def has_superseded(self, seq: int) -> bool:
        """Whether an event is on the branch on which play did not continue."""
        return self.origin < seq < self.seq


@dataclass(frozen=True, slots=True)
class AdministratorDecision:
    """What an administrator decided with event `seq`; `seat` is None if the decision concerns no seat, and
    `player` is who gets the seat, if it is moved.
    """

    seq: int
    decision: Decision
    seat: int | None
    player: str | None = None


MissedDeadlines: TypeAlias = Mapping[int, tuple[int, ...]]
"""By seat, the seqs of the events that record deadlines it has missed in a row; a seat without any may be
left out.
"""


@dataclass(slots=True)
class GameOf(Generic[S, A, P]):
    """Everything that a log records up to `seq`, with the rule system and a state of the same.

    The code that made a game owns it and may change it; share only a game that will no longer change.
    """

    id: Kept[str]
    rules: Kept[RuleSystem[S, A, P]]
    seats: Kept[int]
    options: Kept[Options]
    clock: Kept[Clock | None]
    creator: Kept[str]
    commitment: Kept[str]
    invited: Kept[tuple[str, ...]]
    """The ids of the players who are invited, those who have joined included."""
    created_at: Kept[str]
    seed_version: Kept[SeedVersion] = FIRST_SEED_VERSION
    arbiter: Kept[str | None] = None
    """The id of the player who rules disputes, who has no place; None if the players agree on rulings."""
    declined: Kept[tuple[str, ...]] = ()
    """The ids of the players who have declined an invitation."""
    invitations: Kept[int] = 0
    """How many players have been invited, including those who have declined or whose invitation was
    revoked.
    """
    places: Kept[tuple[Place, ...]] = ()
    all_nonces: Kept[tuple[str, ...]] = ()
    """The nonces (hex) with which players ever took places, in the order of the log."""
    status: Kept[Status] = "open"
    """Play resumes only in a game that is playing."""
    players: Kept[tuple[str, ...]] = ()
    """Player ids by seat; () before the start. A substitute stays in the game when play resumes from before
    the substitution."""
    state: Restored[S | None] = None
    """The rule system's state; None before the start. What was not yet drawn is drawn again."""
    seq: Kept[int] = 0
    hash: Kept[str] = ZEROS
    state_hash: Kept[str] = ZEROS
    at: Kept[str] = ""
    """`seq`, `hash`, `state_hash` and `at` are those of the last event of the log, `PlayResumed` included."""
    turn_at: BegunAnew[str] = ""
    """When the turn in progress began: `at` of the event that began it."""
    turn_extension: BegunAnew[int] = 0
    """Seconds by which administrators and other players have extended the turn in progress."""
    turn_times: Restored[tuple[TurnTime, ...]] = ()
    """The turns that have ended on the current branch, in a game with a time bank; () in any other game. A
    time bank belongs to the seat, and its substitute takes it over."""
    holidays: Kept[tuple[Holiday, ...]] = ()
    """All announced holidays, in the order of their announcement. They belong to the players."""
    pauses: Kept[PauseRecord] = NO_PAUSES
    """The pauses by agreement. The agreements belong to the players."""
    extensions_given: Kept[Mapping[str, int]] = field(default_factory=dict)
    """By the id of a player, how often they have given others time; never changed in place."""
    decision: Kept[AdministratorDecision | None] = None
    """The last decision of an administrator, which belongs to the log."""
    start_seq: Kept[int] = 0
    """The seq of `GameStarted`, which no resumption precedes; 0 before the start."""
    play_seq: Restored[int] = 0
    """The last event of play on the current branch but for `PlayResumed`, or `GameStarted`; 0 before the
    start."""
    resumptions: Kept[tuple[Resumption, ...]] = ()
    rounds_scored: Pruned[int] = 0
    rounds_ended: Pruned[dict[int, int]] = field(default_factory=dict)
    """Rounds that ended and are not yet scored, each with the seq of the event that ended it."""
    forfeits: Pruned[MissedDeadlines] = field(default_factory=dict)
    """By seat, the turns that it has missed since a player last acted; never changed in place. They belong
    to the players: only a missed turn that is superseded is taken back."""
    missed_deadlines: Pruned[MissedDeadlines] = field(default_factory=dict)
    """By seat, the turns that it has missed since it last acted itself, or since a substitute took it; never
    changed in place. They belong to the player at the seat, like `forfeits`."""
    excuses: Kept[Mapping[int, int]] = field(default_factory=dict)
    """By seat, how many missed deadlines of its player were excused; never changed in place. The player has
    had the time, whatever happens to the position.
    """
    vacant_seats: Kept[tuple[int, ...]] = ()
    """The seats that their players have left to a substitute, in order. `players` has the former players."""
    former_players: Kept[tuple[str, ...]] = ()
    """The players whose seats substitutes have taken, or administrators have moved."""
    excluded_players: Kept[tuple[str, ...]] = ()
    """Those of `former_players` whose seats administrators have moved to other accounts. They see the game as
    strangers do."""
    disputes: Kept[tuple[Dispute, ...]] = ()
    """All disputes, in the order of their opening."""
    last_play: Restored[LastPlay | None] = None
    """The last event of play, in a game with takebacks that has started; None in any other game. A request
    for a takeback that is pending lapses when play resumes."""
    requested_takebacks: Kept[frozenset[int]] = frozenset()
    """The seqs of the actions of which a takeback was requested, on any branch: a player requests it once."""
    hinted_at: Kept[int] = 0
    """The `position_seq` for which the last hint was given; 0 without one. No later position has the same."""
    hints: Kept[int] = 0
    """How many hints were given."""
    ranking: Kept[list[RankingEntry] | None] = None
    """None until the game has ended, after which it cannot be resumed."""
    keys: Kept[Mapping[str, Mapping[str, str | None]]] = field(default_factory=dict)
    """By player and id, the public keys (hex) that players registered, None for a revoked one.

    Never changed in place.
    """

    @property
    def to_act(self) -> int | None:
        """The seat whose turn it is; None before the start and when play is over."""
        return None if self.state is None or self.status != "playing" else self.state.to_act

    @property
    def position_seq(self) -> int:
        """The event that led to the current position: the last event of play, or a later `PlayResumed`."""
        return max(self.play_seq, self.resumptions[-1].seq if self.resumptions else 0)

    @property
    def round(self) -> int:
        """The round in progress, or the last one; 0 before the start and in set-up."""
        return 0 if self.state is None else self.state.round

    @property
    def turn(self) -> int:
        """The turns that have begun, placements of the set-up included; 0 before the start."""
        return 0 if self.state is None else self.state.turn

    @property
    def turn_under_way(self) -> Turn | None:
        """The turn under way; None before the start and when play is over."""
        state = self.state
        if state is None or self.status != "playing" or state.to_act is None:
            return None
        seat = state.to_act
        player = None if seat in self.vacant_seats else self.players[seat]
        return Turn(state.turn, seat, player, self.turn_at, self.turn_extension)

    @property
    def is_played_out(self) -> bool:
        """Whether play is over and only scoring is left to do."""
        state = self.state
        return self.status == "playing" and state is not None and state.phase == "scoring"

    @property
    def open_dispute(self) -> Dispute | None:
        """The dispute that waits for a ruling; None if there is none, or the game has ended."""
        if not self.disputes or self.disputes[-1].ending is not None or self.has_ended:
            return None
        return self.disputes[-1]

    def seat_of(self, player: str) -> int | None:
        """The seat of a player, once the game has started; None for a player who has left it vacant."""
        if player not in self.players:
            return None
        seat = self.players.index(player)
        return None if seat in self.vacant_seats else seat

    def is_superseded(self, seq: int) -> bool:
        """Whether play continued from an earlier event, so that event `seq` is not on the current branch."""
        return any(resumption.has_superseded(seq) for resumption in self.resumptions)

    @property
    def participants(self) -> tuple[str, ...]:
        """The ids of the players: by seat, or in the order of joining before the start."""
        return self.players or tuple(place.player for place in self.places)

    @property
    def all_players(self) -> tuple[str, ...]:
        """The ids of `participants`, followed by those of `former_players`."""
        return (*self.participants, *self.former_players)

    def has_joined(self, player: str) -> bool:
        """Whether the player has a place in this game, or has or had a seat in it."""
        return player in (*self.players, *self.former_players) or any(
            place.player == player for place in self.places
        )

    def is_participant(self, player: str) -> bool:
        """Whether the player has a seat, or before the start a place, in this game."""
        return self.seat_of(player) is not None if self.players else self.has_joined(player)

    @property
    def seed_nonces(self) -> tuple[str, ...]:
        """The nonces (hex) from which the seed derives: with version 1 those of the places, with 2 all."""
        if self.seed_version == FIRST_SEED_VERSION:
            return tuple(place.nonce for place in self.places)
        return self.all_nonces

    @property
    def awaited(self) -> tuple[str, ...]:
        """The ids of the invited players who have neither joined nor declined; none after the start."""
        if self.status != "open":
            return ()
        return tuple(player for player in self.invited if not self.has_joined(player))

    def bot_of(self, player: str) -> str | None:
        """The name of the bot that a player of this game is; None for a person."""
        return next((place.bot for place in self.places if place.player == player), None)

    @property
    def bot_seats(self) -> tuple[int, ...]:
        """The seats of bots, once the game has started, in order."""
        # Not a set: in a forged record, a player can be any value of JSON.
        bots = [place.player for place in self.places if place.bot is not None]
        return (
            tuple(seat for seat, player in enumerate(self.players) if player in bots)
            if bots
            else ()
        )

    @property
    def waits_for_takeback(self) -> bool:
        """Whether a takeback is pending, which an action of a bot or the end of a turn would end."""
        takeback = None if self.last_play is None else self.last_play.takeback
        return takeback is not None and takeback.declined_by is None

    @property
    def is_vacant_turn(self) -> bool:
        """Whether the clock ends the current turn without delay, because its seat is vacant."""
        return self.to_act in self.vacant_seats and not self.waits_for_takeback

    def seats_of_people(self) -> tuple[int, ...]:
        """The seats still in the game that people have, once the game has started, in order.

        Neither seats of bots nor vacant ones.
        """
        if self.state is None:
            return ()
        others = (*self.bot_seats, *self.vacant_seats)
        return tuple(seat for seat in self.state.in_game() if seat not in others)

    def open_seats(self) -> tuple[int, ...]:
        """The vacant seats that a substitute can take now, in order."""
        if self.state is None or self.to_act is None:
            return ()
        return tuple(seat for seat in self.state.in_game() if seat in self.vacant_seats)

    @property
    def has_ended(self) -> bool:
        """Whether it is finished or abandoned: it has no secrets then."""
        return self.status in ("finished", "abandoned")

    def may_see(self, secret: str, viewer: int | None) -> bool:
        """Whether the seat `viewer` (None: a spectator) may now see the secret of this name."""
        if self.has_ended or secret == STATEMENT:
            return True
        return viewer is not None and viewer == secret_owner(secret)

    def add_nonce(self, data: NonceData, seat: int | None, nonce: bytes | None) -> None:
        """Add the nonce that the program of a person sent, if any, to the data of an event.

        It goes into what is drawn when play resumes. The person has this seat, or is the arbiter (None).
        There is none with seed version 1, and none from a bot. Raises Malformed for more than 64 bytes.
        """
        if nonce is None:
            return
        check_nonce(nonce)
        if self.seed_version != FIRST_SEED_VERSION and seat not in self.bot_seats:
            data["nonce"] = nonce.hex()

    def resumption_nonces(self, because: int) -> tuple[SuppliedNonce, ...]:
        """The nonces of the events of the dispute or takeback that ended with event `because`.

        They are in the order of the log; none if the event has neither ruled nor agreed to anything.
        """
        for dispute in self.disputes:
            if dispute.ending is not None and dispute.ending.seq == because:
                return dispute.nonces
        takeback = None if self.last_play is None else self.last_play.takeback
        return () if takeback is None else takeback.nonces

    def decide(self, seat: int, action: A) -> DomainEvent:
        """The event that a seat's action leads to. Raises Refused, or NotNow before the start."""
        if self.state is None:
            raise not_now(
                "the game has not started: {places}",
                places=places_taken(len(self.places), self.seats),
            )
        if self.status == "abandoned":
            raise NotNow(None, STATUS_MESSAGES["abandoned"])
        return self.rules.decide(self.state, seat, action)

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


def require_playing(game: Game) -> None:
    """Raise NotNow unless the game is in progress."""
    if game.status != "playing":
        raise NotNow(None, STATUS_MESSAGES[game.status])


def require_not_ended(game: Game) -> None:
    """Raise NotNow if the game is finished or abandoned."""
    if game.has_ended:
        raise NotNow(None, STATUS_MESSAGES[game.status])


_all_fields: Final = attrgetter(*(field.name for field in fields(GameOf)))
"""Returns the fields of a game, in the order in which `GameOf` takes them."""


def copy(game: GameOf[S, A, P]) -> GameOf[S, A, P]:
    """A game that can be changed without changing this one."""
    # copy.copy() would take five times as long, at every action.
    duplicate: GameOf[S, A, P] = GameOf(*_all_fields(game))
    duplicate.rounds_ended = dict(game.rounds_ended)
    if game.state is not None:
        duplicate.state = game.rules.copy(game.state)
    return duplicate
