"""The fields of a form for the options of a game: what each option is called, what it does, its values.

They present options to people; the `check_options` of a rule system decides which values are valid.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from domain.game_names import MAX_NAME_CHARACTERS
from domain.messages import Text, message, message_in


@dataclass(frozen=True, slots=True)
class FlagField:
    """An option that is true or false, and false by default."""

    name: str
    label: Text
    help: Text


@dataclass(frozen=True, slots=True)
class NumberField:
    """An option that is a whole number from `least` to `most`. The default None stands for no number."""

    name: str
    label: Text
    help: Text
    least: int
    most: int
    default: int | None = None


@dataclass(frozen=True, slots=True)
class SelectionField:
    """An option with one of several values, each with its label. The first one is the default."""

    name: str
    label: Text
    help: Text
    values: Mapping[str, Text]


@dataclass(frozen=True, slots=True)
class TextField:
    """An option that is one line of text with at most `most` characters. The default is no text."""

    name: str
    label: Text
    help: Text
    most: int


OptionField: TypeAlias = FlagField | NumberField | SelectionField | TextField
"""An option by its name in `options`, with its label and a sentence that explains it."""

COMMON_OPTION_FIELDS: Final[Sequence[OptionField]] = (
    TextField(
        "name",
        message_in("label", "name of the game"),
        message(
            "What the game is called in lists and notifications. Everybody who sees the game sees it."
        ),
        MAX_NAME_CHARACTERS,
    ),
    SelectionField(
        "seating",
        message_in("label", "order of seats"),
        message("The order of seats determines who begins and who plays after whom."),
        {
            "drawn": message_in("order of seats", "drawn when the game starts"),
            "joined": message_in("order of seats", "the order in which players join"),
        },
    ),
    FlagField(
        "private",
        message_in("label", "private game"),
        message(
            "Only the players, those who are invited and the arbiter can see a private game, and one can join"
            " it only by invitation."
        ),
    ),
    FlagField(
        "takebacks",
        message_in("label", "takebacks"),
        message("A player can take back the last action if all other players agree."),
    ),
    FlagField(
        "substitutes",
        message_in("label", "substitutes"),
        message("A player who cannot go on can leave the seat, and another player can take it."),
    ),
)
"""The options of every game."""
