"""The hexes that can be chosen in place of one that a player has chosen already: another piece of their own,
or another place for what a preview has put on the board.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from domain.choices import Choice
from domain.game import Game
from domain.hexes import Hex
from domain.messages import Text, comma_list, message
from domain.next_step import Step, Steps


@dataclass(frozen=True, slots=True)
class Way:
    """The choices of a seat on the way to one action, and the game as it is where they begin.

    `before` are the values of the address that precede them, and `values` those of the choices, which lead to
    the `step`, one of the `steps`.
    """

    game: Game
    seat: int
    before: tuple[str, ...]
    values: tuple[str, ...]
    step: Step[Any]
    steps: Steps[Any, Any, Any]

    @property
    def hexes(self) -> Mapping[Hex, tuple[tuple[str, ...], bool]]:
        """The hexes that the player has chosen: the values of the address before each, and whether it is the
        last one.
        """
        path, hexes = self.step.path, {}
        for number, index in enumerate(self.step.manual):
            at = path[index].at
            if at is not None:
                is_last = not any(path[later].at for later in self.step.manual[number + 1 :])
                hexes[at] = ((*self.before, *self.values[:number]), is_last)
        return hexes

    @property
    def values_when_dropped(self) -> tuple[str, ...]:
        """The values of the address without what the player has in hand.

        That is what is being added to an action that is complete already, or else all choices of the way.
        """
        if self.step.extended is not None:
            for number, index in reversed([*enumerate(self.step.manual)]):
                if self.step.path[index].addition:
                    return (*self.before, *self.values[:number])
        return self.before


@dataclass(frozen=True, slots=True)
class OtherHex:
    """A hex that replaces a chosen one: the values of the address then, and what is chosen, in words.

    `is_place` says that it is another place for what a preview shows, and not another piece to begin with.
    """

    values: tuple[str, ...]
    label: Text
    is_place: bool


def other_hexes(way: Way, own: Collection[Hex], *, is_preview: bool) -> Mapping[Hex, OtherHex]:
    """Return the hexes that can replace one of the way. `own` are those with pieces of its seat.

    Of the last hex that leads to a preview, all others are possible ones; of any other, those in `own`.
    """
    step = way.step
    numbers = [
        number for number, index in enumerate(step.manual) if step.path[index].at is not None
    ]
    found: dict[Hex, OtherHex] = {}
    for number in numbers:
        chosen = step.path[step.manual[number]].at
        is_place = is_preview and number == numbers[-1]
        for choice, label in _choices_after(way, number):
            if choice.at is not None and choice.at != chosen and (is_place or choice.at in own):
                values = (*way.before, *way.values[:number], choice.value)
                found[choice.at] = OtherHex(values, label, is_place)
    return found


def _choices_after(way: Way, number: int) -> Iterator[tuple[Choice, Text]]:
    """Yield what could be chosen after so many choices of the way, each in words."""
    game, rules = way.game, way.game.rules
    step = way.steps.after(way.values[:number])
    position = game.position(way.seat)
    for choice in (*step.options, *step.alternatives):
        label: Text = (
            rules.choice_message(position, choice, step.next_contexts[choice.value])
            if step.path
            else comma_list(
                rules.LABELS.get(type, message("{type}", type=type))
                for type in step.next_types[choice.value]
            )
        )
        yield choice, message("instead: {choice}", choice=label)
