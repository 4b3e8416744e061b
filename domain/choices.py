"""Choices: a player comes to an action by answering one question after the other.

A rule system defines the questions (`QUESTIONS`) and the choices that lead to each action (`choices`);
`domain.next_step` walks them. The names of the contract are in `domain.contract`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from domain.event import DomainEvent
from domain.hexes import Hex, hex_text
from domain.messages import Text, message

COMMON_QUESTIONS: Final[Mapping[str, Text]] = {"action": message("What do you do?")}
"""The first question of every game, whose answers are types of actions. Rule systems add their own."""


@dataclass(frozen=True, slots=True)
class Choice:
    """An answer to one question on the way to an action.

    `question` is a name in the rule system's `QUESTIONS`. `value` identifies the answer among those to the
    same question, as in URLs: `move`, `1,0`, `2`. `at` is the hex that it selects on the board, if it is
    one, and `symbol` the kind of terrain or piece that a card shows for it, if any.

    `addition` is None where the action needs an answer to the question. Where the action can be taken as it
    is, it is True for what can be added to it, and False for the answer that nothing is added.

    `is_default` says that it is the usual answer: a player who has chosen the hex that follows it need not
    give it, and can still give another one.
    """

    question: str
    value: str
    at: Hex | None = None
    symbol: str = ""
    addition: bool | None = None
    is_default: bool = False


@dataclass(frozen=True, slots=True)
class Preview:
    """What an action leads to, limited to what its seat may know before taking it.

    `hidden` is a sentence about what the event leaves out; None if it is complete, so that the seat can plan
    further actions before taking this one (`domain.turn_plan`). `outcomes` has, by field of the event's data,
    the values that chance or another player's secret can give it, if any.
    """

    event: DomainEvent
    hidden: Text | None = None
    outcomes: Mapping[str, Sequence[str]] = field(default_factory=dict)


@lru_cache(maxsize=1024)
def card(
    question: str,
    value: str,
    symbol: str = "",
    *,
    addition: bool | None = None,
    is_default: bool = False,
) -> Choice:
    """The choice of something that is no hex. The same object every time, for speed."""
    return Choice(question, value, symbol=symbol, addition=addition, is_default=is_default)


@lru_cache(maxsize=1 << 14)
def hex_choice(question: str, at: Hex, *, addition: bool | None = None) -> Choice:
    """The choice of a hex of the board, whose value is `q,r`. The same object every time, for speed."""
    return Choice(question, hex_text(at), at, addition=addition)


def action_choice(type: str) -> Choice:
    """The choice of a type of action, which is the first on the way to every action."""
    return card("action", type)
