"""All attacks by name, in the order in which the siege runs them."""

from collections.abc import Mapping
from typing import Final

from bench.siege import (
    attacks_on_connections,
    attacks_on_parsing,
    attacks_on_routes,
    attacks_on_work,
)
from bench.siege.attack import FROM_PLAYERS, Attack

_ALSO_FROM_PLAYERS: Final = (
    *("idle-connections", "slow-headers", "early-positions", "listings", "home-pages"),
    "abandoned-records",
)
"""Attacks that a siege runs a second time, from the address of the players."""

_BASE: Final = {
    attack.name: attack
    for attack in (
        *attacks_on_parsing.ATTACKS,
        *attacks_on_connections.ATTACKS,
        *attacks_on_work.ATTACKS,
        *attacks_on_routes.ATTACKS,
    )
}


def attack_by_name(name: str) -> Attack:
    """Return the attack with this name; NAME@players is the attack from the address of the players.

    Raises KeyError if there is none.
    """
    base = _BASE[name.removesuffix(FROM_PLAYERS)]
    return base.from_players_address() if name.endswith(FROM_PLAYERS) else base


def _all_attacks() -> Mapping[str, Attack]:
    # Those that need settings of their own come last, because the service is started again for them.
    ordinary = [attack for attack in _BASE.values() if not attack.environ]
    variants = [attack_by_name(f"{name}{FROM_PLAYERS}") for name in _ALSO_FROM_PLAYERS]
    special = [attack for attack in _BASE.values() if attack.environ]
    return {attack.name: attack for attack in (*ordinary, *variants, *special)}


ATTACKS: Final = _all_attacks()
