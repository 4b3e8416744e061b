"""Barony's own options as a form shows them (BY-END-5)."""

from collections.abc import Sequence
from typing import Final

from domain.barony.components import MOST_ROUNDS
from domain.messages import message, message_in
from domain.option_fields import FlagField, NumberField, OptionField

OPTION_FIELDS: Final[Sequence[OptionField]] = (
    NumberField(
        "round_limit",
        message_in("label", "last round"),
        message(
            "The game ends when this round is complete; without a number, it goes on until there is a duke."
        ),
        1,
        MOST_ROUNDS,
    ),
    FlagField(
        "end_by_agreement",
        message_in("label", "end by agreement"),
        message(
            "The game ends after the current round if all players who are still in it ask for it."
        ),
    ),
)
