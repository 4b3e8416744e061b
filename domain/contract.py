"""The contract that a rule system fulfils, and the types it shares with everything above it.

A rule system is a package of `domain` whose module-level names are those of `RuleSystem`; `domain.registry`
lists them. Code outside the package asks for everything through this contract, and never which game it is.

Deciding and applying are separate. `decide`, `forfeit`, `remove` and `finish` return a `DomainEvent`, which
states what was done and everything that followed from it. `apply` writes a recorded event into a state and
never checks it against the rules, so that correcting a rule changes no game that was played before.
"""

import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import (
    Any,
    ClassVar,
    Final,
    Literal,
    NotRequired,
    Protocol,
    TypeAlias,
    TypedDict,
    TypeVar,
)

from domain.chance import Chance
from domain.choices import Choice, Preview
from domain.event import DomainEvent, Event, EventData, RankingEntry, Standing
from domain.features import FeatureModel
from domain.json_types import Count, ObjectType, Seat
from domain.lessons import Lesson
from domain.messages import Term, Text
from domain.option_fields import OptionField
from domain.playouts import PlayoutModel
from domain.scene import Scene

__all__ = [
    "ALL_SECRETS",
    "STATEMENT",
    "Action",
    "ActionJson",
    "AnyRuleSystem",
    "Bot",
    "DomainEvent",
    "Inference",
    "Opened",
    "OwnOptions",
    "Position",
    "Reason",
    "Resign",
    "ResignJson",
    "RuleSystem",
    "ScoreChange",
    "State",
    "evolve",
    "package_of",
    "secret_owner",
]

ALL_SECRETS: Final = -1
"""The viewer of a game that has ended, who sees every secret that a position can show."""


Opened: TypeAlias = Mapping[int, Mapping[str, object]]
"""Values of the secrets that the caller may know, by the seq of the event that commits to them and by name.
"""


@dataclass(frozen=True, slots=True)
class Inference:
    """What the log of a game in progress allows its secrets to be.

    `secrets` has, by the seq of the event that commits to it and by name, a value for each of them, opened or
    not, with which the game can have gone as recorded. `contradictions` has, by seq, the events for which
    there are no such values, with the reason. An event that `decide` refuses with these values need not be
    among them.
    """

    secrets: Opened
    contradictions: Mapping[int, Text] = field(default_factory=dict)


STATEMENT: Final = "statement"
"""The name of the secret that is the text a person wrote, such as the reason for a dispute.

Everybody who may see the game may see it. It is not in the event itself, so that it can be erased.
"""


def secret_owner(name: str) -> int | None:
    """The seat that may see the secret of this name during the game: that of `…/SEAT`, else None."""
    seat = name.rpartition("/")[2] if "/" in name else ""
    return int(seat) if seat.isdecimal() else None


@dataclass(frozen=True, slots=True)
class Resign:
    """Leave the game for good; any game, at any time (BY-END-6, BN-END-4)."""

    type: ClassVar[Literal["resign"]] = "resign"


class ResignJson(TypedDict):
    """Leave the game for good, whether or not it is one's turn."""

    type: Literal["resign"]


class ActionJson(TypedDict):
    """The base of every action's JSON: code that handles any action knows none of the fields."""


class OwnOptions(TypedDict):
    """The base of the options that one rule system has: code that handles any of them knows no field."""


class Position(TypedDict):
    """The fields that the position of every game has; docs/formats.md has the others."""

    round: Count
    to_act: Seat | None
    ranking: NotRequired[list[RankingEntry]]


class Action(Protocol):
    """A player's action, parsed."""

    @property
    def type(self) -> str:
        """Its `type` in JSON."""


Reason: TypeAlias = tuple[str, Text]
"""The id of a clause, and a sentence about how it applies to one board."""

ScoreChange: TypeAlias = tuple[int, Text, int]
"""A seat, what its points come from, and the points, which may be negative."""


class State(Protocol):
    """What every rule system's state says about the progress of its game.

    `turn` counts the turns that have begun, from 1, placements of the set-up included: the time for a turn
    runs for as long as it stays the same. `round` is 0 in set-up. In the phases `scoring` (play is over, and
    the ranking is still to be made) and `finished`, `to_act` is None.
    """

    @property
    def phase(self) -> str:
        """One of the rule system's own phases, `scoring` or `finished`."""

    @property
    def round(self) -> int:
        """The round in progress, from 1."""

    @property
    def turn(self) -> int:
        """The turns that have begun."""

    @property
    def to_act(self) -> int | None:
        """The seat whose turn it is."""

    def in_game(self) -> Sequence[int]:
        """The seats still in the game, in order."""


S = TypeVar("S", bound=State)
A = TypeVar("A", bound=Action)
P = TypeVar("P", bound=Position)
P_contra = TypeVar("P_contra", bound=Position, contravariant=True)


class Bot(Protocol[A, P_contra]):
    """Chooses among the legal actions as a player would: from what its seat may see."""

    def __call__(self, position: P_contra, actions: Sequence[A], seat: int, chance: Chance) -> A:
        """The chosen action, one of `actions` (never empty); every random choice comes from `chance`."""


class RuleSystem(Protocol[S, A, P]):
    """One rule system, with the types of its states, actions and positions.

    The attributes in capitals that hold types describe the JSON of the game exactly, as TypedDicts; the
    OpenAPI document is generated from them.
    """

    NAME: str
    """As in `"rules"`: `barony`."""

    TITLE: Term
    """What people call the game: a proper name."""

    DESCRIPTION: Text
    """One or two sentences that introduce the game to somebody who does not know it."""

    LABELS: Mapping[str, Text]
    """What people call the fields of a position, the words in it, and the types of actions and events, by
    their names in JSON.
    """

    SCORE_NAME: Text
    """What the game calls the `score` of a seat: `score`, `honour`."""

    CLAUSES: Mapping[str, Text]
    """Every clause that it can name or explain: id → one short sentence."""

    EXPLAINED_BY: Mapping[str, str]
    """The clause whose sentence explains a word to newcomers.

    Words are `score`, types of actions, kinds of terrains and pieces and what can be chosen, as in JSON, and
    the labels and headings of a scene, in English as `domain.messages.english_word` returns them.
    """

    OUT_CLAUSES: Collection[str]
    """The clauses by which a seat goes out of the game: `explain` names one of them, with the seat."""

    BOTS: Mapping[str, Bot[A, P]]
    """Bots that know the game: `sensible` at least."""

    PLAYOUTS: PlayoutModel[S, A] | None
    """How games are played out quickly to estimate who wins; None: by the bot `sensible`."""

    FEATURES: FeatureModel | None
    """What is counted of games that have ended, beside their results and lengths; None: nothing."""

    OPTIONS: type
    """The TypedDict of all options in `GameCreated`, those of every game included."""

    OPTION_FIELDS: Sequence[OptionField]
    """The game's own options as a form shows them, without one that selects an expansion."""

    POSITION: type
    """The TypedDict of a position."""

    ACTIONS: Mapping[str, ObjectType]
    """By action type, the TypedDict of an action's JSON, or a union of them."""

    EVENTS: Mapping[str, ObjectType]
    """By event type, the TypedDict of an event's data, or a union of them; every type that a log of this
    game can have.
    """

    STANDING: type
    """The TypedDict of an entry of `RoundScored.standings`."""

    LESSONS: Sequence[Lesson[A, P]]
    """Introductions to the rules for newcomers, in the order in which they matter; may be empty."""

    QUESTIONS: Mapping[str, Text]
    """The questions that a player answers on the way to an action, by name; `action` is the first."""

    def check_options(self, seats: int, options: Mapping[str, object]) -> OwnOptions:
        """The game's own options, complete, with defaults filled in (without `seating` and `private`).

        Raises Malformed, which names every wrong field (`seats`, `options.NAME`).
        """

    def set_up(self, seats: int, options: OwnOptions, chance: Chance) -> DomainEvent:
        """Draw the set-up: the event `GameStarted`, but for `players`."""

    def initial_state(
        self, seats: int, options: OwnOptions, data: EventData, opened: Mapping[str, object]
    ) -> S:
        """The state after a recorded `GameStarted`; `opened` has the known secret values by name."""

    def set_up_faults(
        self,
        seats: int,
        options: OwnOptions,
        data: Mapping[str, object],
        opened: Mapping[str, object],
    ) -> Sequence[Text]:
        """Why no set-up can give these data of `GameStarted` and these opened secrets, whatever chance gives;
        [] if one can. `players` is not considered.
        """

    def infer_secrets(
        self,
        seats: int,
        options: OwnOptions,
        start: tuple[int, Mapping[str, object]],
        played: Iterable[tuple[int, S, DomainEvent]],
        opened: Opened,
        chance: Chance | None = None,
    ) -> Inference:
        """Values for all secrets with which a game can have gone as recorded.

        `start` has the seq and the data of `GameStarted`. `played` are the events after it, each with its seq
        and the state before it, in which only the secrets `opened` are known. With `chance`, the values that
        are not opened are drawn at random among those possible; without, they are always the same ones.
        """

    def redraw(self, state: S, chance: Chance) -> Mapping[str, object]:
        """Draw again, when play resumes from an earlier state, what was not yet drawn in that state.

        Returns the values of the secrets of `PlayResumed`, by name; {} if everything is public.
        """

    def apply_redraw(self, state: S, opened: Mapping[str, object]) -> None:
        """Write what `redraw` has drawn into a state that the caller owns; `opened` has the known values."""

    def parse_action(self, raw: object) -> A:
        """The action that decoded JSON stands for. Raises Malformed."""

    def action_to_json(self, action: A) -> ActionJson:
        """The action as JSON, without empty optional fields; `parse_action(action_to_json(a)) == a`."""

    def decide(self, state: S, seat: int, action: A) -> DomainEvent:
        """What a seat's action leads to. Raises Refused with the clause, NotNow when play is over."""

    def forfeit(self, state: S) -> DomainEvent:
        """What follows when the time for the turn runs out: `TurnForfeited`, or `PlayerRemoved`."""

    def remove(self, state: S, seat: int) -> DomainEvent:
        """`PlayerRemoved`: as if the seat had resigned. Raises Refused when it is out already."""

    def finish(self, state: S) -> DomainEvent:
        """`GameFinished` but for `secret`, from a state in the phase `scoring`."""

    def copy(self, state: S) -> S:
        """A state that can be changed without changing this one. It does not write to this one."""

    def apply(self, state: S, type: str, data: EventData) -> None:
        """Write a recorded event into a state that the caller owns. It never refuses and never decides."""

    def legal_actions(self, state: S, seat: int) -> Sequence[A]:
        """Every outcome that an action of the seat could have, by at least one action that `decide`
        accepts; [] when it is not the seat's turn. `actions_at_any_time` has the others.
        """

    def actions_at_any_time(self, state: S, seat: int) -> Sequence[A]:
        """The actions that `decide` accepts now and `legal_actions` does not list: those that are possible
        whether or not it is the seat's turn, such as `resign`.
        """

    def choices(self, state: S, seat: int, action: A, path: Sequence[Choice]) -> Sequence[Choice]:
        """The choices after those of `path` that lead on to an action which can be taken now.

        `path` begins with the choice of the action's type, and has led to this action so far. There are
        several choices where parts of the action can be chosen in any order, and none once the path is
        complete. All choices after one path answer the same question. Complete paths of different actions
        differ, and none is the beginning of another: where an action could be extended, its path ends with
        an explicit choice, such as that no second knight moves.
        """

    def choice_message(self, position: P, choice: Choice, path: Sequence[Choice]) -> Text:
        """The choice after those of `path` in words, from the position as the viewer sees it."""

    def action_for_choice(
        self, state: S, seat: int, path: Sequence[Choice], value: str
    ) -> A | None:
        """The simplest action that choosing `value` after the choices of `path` amounts to, whether or not
        the rules allow it; None if it amounts to none.

        What is not chosen yet is filled in as favourably as possible, so that `decide` refuses the action for
        the last choice if for anything. After an empty path, `value` is a type of action.
        """

    def preview(self, state: S, seat: int, action: A) -> Preview:
        """What the action leads to, without anything that the seat may not know before taking it: the same
        for all values of the secrets that are closed to the seat. Raises what `decide` raises.
        """

    def position(self, state: S, viewer: int | None) -> P:
        """The whole state as docs/formats.md defines it, as the seat `viewer` may see it.

        None is a spectator while the game is in progress, ALL_SECRETS any viewer of a game that has ended.
        Positions leave the domain only through this function, so it redacts them: it returns the same for
        a state in which nothing is known but the secrets of `viewer`. `Game.position` chooses the viewer.
        """

    def standings(self, state: S) -> Sequence[Standing]:
        """The entries of `RoundScored.standings` in order of seats, from the state at a round's end."""

    def score_changes(self, state: S, type: str, data: EventData) -> Sequence[ScoreChange]:
        """What a recorded event adds to the scores of seats, and from what; `state` is the one before it.

        With the scores at the start, the changes of all events of a finished game add up to the scores of its
        ranking.
        """

    def action_text(self, action: A) -> str:
        """The action in the short form that people type and read: `move 0,0>1,0 take plain`."""

    def parse_action_text(self, text: str) -> A:
        """The action that the short form stands for. Raises Malformed."""

    def event_message(self, type: str, data: EventData) -> Text:
        """A recorded event as one readable line, without the name of the seat in front."""

    def explain(self, state: S | None, seat: int | None, event: DomainEvent) -> list[Reason]:
        """The clauses by which this event followed from this state: (id, a sentence about this board).

        There is no state (None) before `GameStarted`.
        """

    def scene(self, position: P, event: Event | None) -> Scene:
        """What there is to draw of a position; what `event`, the last one, has changed is marked."""


AnyRuleSystem: TypeAlias = RuleSystem[Any, Any, Any]
"""A rule system whose types are not known statically. Python has no existential types, so `Any` takes
their place, here and in `domain.game.Game` alone: which game a log is of is only known when it is read.
Code that takes a rule system and its states together is generic in `RuleSystem[S, A, P]` instead.
"""


def evolve(rules: RuleSystem[S, A, P], state: S, events: Iterable[DomainEvent]) -> S:
    """The state after the events; the given state stays as it was."""
    after = rules.copy(state)
    for event in events:
        rules.apply(after, event.type, event.data)
    return after


def package_of(rules: object) -> str:
    """The name of the package with the files of a rule system, such as its drawings; "" if it has none."""
    module = sys.modules[getattr(rules, "__name__", type(rules).__module__)]
    return module.__package__ or ""
