"""A bot for Seven Hexes."""

from collections.abc import Mapping, Sequence
from typing import Final

from domain.chance import Chance
from domain.contract import Bot
from tests.support.seven_hexes.formats import SevenHexesPosition
from tests.support.seven_hexes.rules import VALUES, Action, Claim


def highest(
    position: SevenHexesPosition, actions: Sequence[Action], seat: int, chance: Chance
) -> Action:
    """Play the best card that is left, on the first free hex."""
    claims = [action for action in actions if isinstance(action, Claim)]
    return max(claims, key=lambda claim: VALUES[claim.card], default=actions[-1])


BOTS: Final[Mapping[str, Bot[Action, SevenHexesPosition]]] = {"sensible": highest}
