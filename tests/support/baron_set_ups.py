"""Deals that a test chooses: a process whose next game of Baron begins with the set-up that lies in a file.

Only the drawing is another; dealing, sealing, redacting and all the rest are what they always are.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from domain import baron
from domain.chance import Chance
from domain.contract import DomainEvent, Json
from domain.registry import RULES


def deals_from(path: str) -> None:
    """From now on, and for as long as this process lives, set-ups are read from the file."""

    def set_up(seats: int, options: Json, chance: Chance) -> DomainEvent:
        told = json.loads(Path(path).read_text(encoding="utf-8"))
        return DomainEvent("GameStarted", told["data"], told["secrets"])

    vars(RULES[baron.NAME])["set_up"] = set_up


def a_deal(seats: int, seed: bytes) -> DomainEvent:
    """Some deal."""
    return baron.set_up(seats, {}, Chance(seed))


def write(deal: DomainEvent, path: Path) -> None:
    """Have the next game begin like this."""
    path.write_text(json.dumps({"data": deal.data, "secrets": deal.secrets}), encoding="utf-8")


def another(deal: DomainEvent, viewer: int | None, drawn: int) -> DomainEvent:
    """A deal that differs in all that the viewer may not know after `drawn` tiles came off the pile.

    The tiles of the other seats are dealt in another order, with two seats the other has the third kind; the
    rest of the pile lies the other way round.
    """
    secrets: dict[str, Any] = dict(deal.secrets)
    pile = list(secrets["pile"])
    others = [name for name in sorted(secrets) if name not in ("pile", f"reserve/{viewer}")]
    if len(others) == 1:
        (other,) = others
        own = set(secrets[f"reserve/{viewer}"]) | set(secrets[other])
        (third,) = {"vineyard", "quarry", "pond"} - own
        (kind,) = set(secrets[other]) - {"meadow"}
        last = len(pile) - 1 - pile[::-1].index(third)
        assert last >= drawn, "a tile that has been drawn is no longer anybody's to have"
        pile[last] = kind
        secrets[other] = sorted(("meadow", third))
    else:
        turned = _turned([secrets[name] for name in others])
        secrets |= dict(zip(others, turned, strict=True))
    secrets["pile"] = pile[:drawn] + pile[drawn:][::-1]
    return DomainEvent(deal.type, deal.data, secrets)


def _turned(reserves: Iterable[list[str]]) -> list[list[str]]:
    first, *others = reserves
    return [*others, first]
