"""Chosen set-ups of Baron: a process whose next game starts with the set-up in a file.

Only the random draw is replaced; dealing, sealing and redacting are unchanged.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from domain import baron
from domain.chance import Chance
from domain.contract import DomainEvent, OwnOptions
from domain.registry import RULES
from tests.support.events import event_of


def install_set_up(path: str) -> None:
    """Read every set-up from the file, for the rest of this process."""

    def set_up(seats: int, options: OwnOptions, chance: Chance) -> DomainEvent:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
        opening = event_of("GameStarted", content["data"])
        return DomainEvent(opening.type, opening.data, content["secrets"])

    vars(RULES[baron.NAME])["set_up"] = set_up


def draw_set_up(seats: int, seed: bytes) -> DomainEvent:
    """The set-up that is drawn from this seed."""
    return baron.set_up(seats, {}, Chance(seed))


def write_set_up(opening: DomainEvent, path: Path) -> None:
    """Write the set-up with which the next game starts."""
    content = {"data": opening.data, "secrets": opening.secrets}
    path.write_text(json.dumps(content), encoding="utf-8")


def indistinguishable_set_up(opening: DomainEvent, viewer: int | None, draws: int) -> DomainEvent:
    """A set-up that differs in every secret which the viewer may not know after `draws` draws.

    The tiles of the other seats are exchanged; with two seats, the other seat has the third kind. The rest
    of the pile is in the opposite order.
    """
    secrets: dict[str, Any] = dict(opening.secrets)
    pile = list(secrets["pile"])
    others = [name for name in sorted(secrets) if name not in ("pile", f"reserve/{viewer}")]
    if len(others) == 1:
        (other,) = others
        dealt = set(secrets[f"reserve/{viewer}"]) | set(secrets[other])
        (third,) = {"vineyard", "quarry", "pond"} - dealt
        (kind,) = set(secrets[other]) - {"meadow"}
        last = len(pile) - 1 - pile[::-1].index(third)
        assert last >= draws, "a tile that has been drawn cannot be exchanged"
        pile[last] = kind
        secrets[other] = sorted(("meadow", third))
    else:
        exchanged = _rotated([secrets[name] for name in others])
        secrets |= dict(zip(others, exchanged, strict=True))
    secrets["pile"] = pile[:draws] + pile[draws:][::-1]
    return DomainEvent(opening.type, opening.data, secrets)


def _rotated(reserves: Iterable[list[str]]) -> list[list[str]]:
    first, *others = reserves
    return [*others, first]
