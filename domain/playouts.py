"""How a rule system plays games out quickly, many times, so that an estimate of who wins is possible.

A playout only has to predict how games between good players end; it need not play like any bot. All values
are integers, and every random choice comes from `Chance`, so that a playout is the same on every machine.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from domain.chance import Chance

S = TypeVar("S")
A = TypeVar("A")

WHOLE: Final = 60_000
"""What the shares of the seats in a game add up to; up to six seats can share it equally."""


@dataclass(frozen=True, slots=True)
class PlayoutModel(Generic[S, A]):
    """What playouts need from a rule system beside the contract."""

    version: int
    """Raised whenever equal seeds lead to other playouts: results of different versions are not equal."""
    choose: Callable[[S, int, Chance], A]
    """Returns an action for the seat whose turn it is, quickly. Playouts need it to be legal."""
    draw_unknown: Callable[[S, int | None, Chance], None]
    """Draws again, into a state that the caller owns, everything that the seat cannot know at its turn.

    For None, draws only what nobody can know, because it has not happened yet.
    """
    horizon: Callable[[S], int] | None = None
    """Returns the number of turns after which a playout from this state ends with `shares`.

    None if playouts go on to the end.
    """
    turned_up: Callable[[S, A], Sequence[str]] | None = None
    """Returns what an action may turn up that nobody can know, in a state with all secrets: first what it
    does turn up, and each as often as it is likely. Nothing if it turns nothing up; None if no action does.
    """
    turn_up: Callable[[S, str], None] | None = None
    """Has the next action turn this up, in a state that the caller owns; needed with `turned_up`."""
    shares: Callable[[S], Sequence[int]] | None = None
    """Estimates the shares of the seats in a game that is not over: integers that add up to `WHOLE`."""
