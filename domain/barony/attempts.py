"""Attempts of Barony: the action that a choice amounts to, whether or not the rules allow it."""

from collections.abc import Sequence

from domain.barony.actions import (
    Action,
    Build,
    Expedition,
    Move,
    NewCity,
    Pass,
    PlaceCity,
    Recruit,
)
from domain.barony.state import State
from domain.choices import Choice
from domain.contract import Resign
from domain.hex_text import hex_from_text, number_from_text


def attempt(state: State, seat: int, path: Sequence[Choice], value: str) -> Action | None:
    """The simplest action that choosing `value` after the choices of `path` amounts to."""
    words = [choice.value for choice in path] + [value]
    try:
        match words:
            case ["place_city", at]:
                return PlaceCity(hex_from_text(at))
            case ["recruit", at]:
                return Recruit(hex_from_text(at), 1)
            case ["recruit", at, knights]:
                return Recruit(hex_from_text(at), number_from_text(knights))
            case ["move", start, end]:
                return Move(((hex_from_text(start), hex_from_text(end)),))
            case ["build", at]:
                return Build(((hex_from_text(at), "village"),))
            case ["new_city", at]:
                return NewCity(hex_from_text(at))
            case ["expedition", to]:
                return Expedition(hex_from_text(to))
            case ["pass"]:
                return Pass()
            case ["resign"]:
                return Resign()
            case _:
                return None
    except ValueError:  # the value of a hex or of a number
        return None
