"""What every game with turns states about itself."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from domain.contract import OwnOptions, Reason
from domain.messages import Term, Text
from domain.option_fields import OptionField
from domain.scene import Cell
from domain.turn_games.state import TurnState

S = TypeVar("S", bound=TurnState)


class TurnAction(Protocol):
    """An action of a game: a frozen dataclass whose fields `fields.form_of` can write.

    `type` is its name in JSON, `event` the type of the event that it becomes, and `clauses` are those that
    explain this event.
    """

    type: ClassVar[str]
    event: ClassVar[str]
    clauses: ClassVar[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class NoOutcome:
    """The outcome of an action that leads to nothing but what its own fields state."""


class Definition(ABC, Generic[S]):
    """The attributes and methods that a game has to define."""

    NAME: str
    """As in `"rules"`: a word in lower case."""
    TITLE: Term
    """What people call the game: a proper name."""
    DESCRIPTION: Text
    """One or two sentences that introduce the game."""
    SEATS: tuple[int, int]
    """The smallest and the largest number of seats."""
    CLAUSES: Mapping[str, Text]
    """Every clause by its id, as a short sentence."""
    TURN: str
    """The clause that says whose turn it is and when play is over."""
    LEAVING: str
    """The clause that says what happens when a seat leaves the game."""
    STATE: type[S]
    """The dataclass of the state. The values of its fields are replaced, and never changed."""
    MOVES: Mapping[Any, type]
    """The dataclasses of the actions (TurnAction), each with that of its outcome, such as NoOutcome.

    The data of the event that an action becomes are the fields of both.
    """
    OPTION_FIELDS: Sequence[OptionField] = ()
    """The game's own options."""

    def __init__(self) -> None:
        """Check the attributes. Raises TypeError, which names the first one that is missing or wrong."""
        game = type(self).__name__
        for name in Definition.__annotations__:
            if not hasattr(self, name):
                raise TypeError(f"{game} has no {name} (docs/adding-a-game.md)")
        if not re.fullmatch("[a-z]+(_[a-z]+)*", self.NAME):
            raise TypeError(f"{game}.NAME: {self.NAME!r} is no word in lower case")
        for action, outcome in self.MOVES.items():
            for name in ("type", "event", "clauses"):
                if not hasattr(action, name):
                    raise TypeError(f"{action.__name__}, an action of {game}, has no {name}")
            for part in (action, outcome, self.STATE):
                if not is_dataclass(part):
                    raise TypeError(f"{part.__name__} of {game} is no dataclass")
        for name in ("type", "event"):
            values = [getattr(action, name) for action in self.MOVES]
            if len(set(values)) < len(values):
                raise TypeError(f"two actions of {game} have the same {name}: {values}")

    @abstractmethod
    def start(self, seats: int, options: OwnOptions) -> S:
        """Return the state at the start, in which seat 0 is to act."""

    @abstractmethod
    def moves(self, state: S, seat: int) -> Iterable[Any]:
        """Return the actions that are possible for a seat when it is its turn."""

    @abstractmethod
    def refusal(self, state: S, seat: int, action: Any) -> Reason | None:
        """Return the clause that forbids an action of the seat to act, and why; None if none does."""

    def outcome(self, state: S, seat: int, action: Any) -> Any:
        """Return what an action that is possible leads to, in the dataclass that MOVES has for it."""
        return NoOutcome()

    @abstractmethod
    def perform(self, state: S, seat: int, action: Any, outcome: Any) -> None:
        """Write an action with its outcome into a state that the caller owns, but not whose turn is next.

        It applies recorded events too, so it asks no rule: what depends on one is part of the outcome.
        """

    @abstractmethod
    def scores(self, state: S) -> Sequence[int]:
        """Return the scores of the seats, in order."""

    @abstractmethod
    def cells(self, state: S) -> Iterable[Cell]:
        """Return the hexes of the board with what is on them."""
