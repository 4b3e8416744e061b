"""Whole games with Sorcery among bots that cast spells whenever they can.

For tests that need casts of every family within a few rounds.
"""

import random
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, Final

from domain.hexes import Hex, distance
from tests.support.records import Table

ENOUGH_MAGIC: Final = 4
"""Magic tokens with which a seat stops exploring: the three spells of any family cost no more together."""


def choose_cast(position: Any, actions: Sequence[Any], seat: int, chance: random.Random) -> Any:
    """Choose one of the legal actions, in JSON: a cast, a way to explore another place, or any other."""
    casts = [action for action in actions if action["type"] == "cast"]
    unexplored = list(_unexplored_places(position, seat))
    has_enough = position["players"][seat]["magic"] >= ENOUGH_MAGIC or not unexplored
    if casts and (has_enough or not chance.randrange(3)):
        spells = chance.choice(sorted({tuple(action["spells"]) for action in casts}))
        return chance.choice([action for action in casts if tuple(action["spells"]) == spells])
    arrivals = [action for action in actions if list(_destinations(action))]
    if unexplored and arrivals and chance.randrange(3):
        return min(arrivals, key=lambda action: _distance(action, unexplored))
    type = chance.choice(sorted({action["type"] for action in actions}))
    return chance.choice([action for action in actions if action["type"] == type])


def play_game(seats: int, rounds: int, seed: int) -> Table:
    """Play a game to its end. Equal seeds give equal boards, spells and actions."""
    options = {"sorcery": True, "round_limit": rounds}
    table = Table("barony", seats, options, nonce=bytes([seed])).start()
    chance = random.Random(seed)
    while (seat := table.game.to_act) is not None:
        rules, state = table.game.rules, table.game.state
        actions = [rules.action_to_json(action) for action in rules.legal_actions(state, seat)]
        table.act(choose_cast(rules.position(state, seat), actions, seat, chance))
    return table.finish()


@cache
def game_with_casts(*fields: str, seats: int = 3, rounds: int = 10) -> Table:
    """Return a finished game whose casts have all of these fields, in their data or in one of their steps.

    Such a game is searched for, so it does not depend on the order of legal actions. The table is shared
    by all tests: do not change it.
    """
    for seed in range(256):
        table = play_game(seats, rounds, seed)
        if set(fields) <= set(_fields_of_casts(table)):
            return table
    raise AssertionError(f"no game has casts with {fields}")


def _unexplored_places(position: Any, seat: int) -> Iterator[Hex]:
    """The mysterious places where the seat has no imprint yet and another imprint is possible."""
    imprints = [at for player in position["players"] for at in player["imprints"]]
    own = position["players"][seat]["imprints"]
    for cell in position["board"]:
        at = cell["at"]
        if cell["terrain"] == "mysterious_place" and at not in own and imprints.count(at) < 3:
            yield (at[0], at[1])


def _destinations(action: Any) -> Iterator[Hex]:
    """The hexes to which an action brings knights."""
    match action:
        case {"moves": moves}:
            yield from ((q, r) for _, (q, r) in moves)
        case {"to": [q, r]}:
            yield (q, r)
        case _:
            pass


def _distance(action: Any, goals: Sequence[Hex]) -> int:
    return min(distance(end, goal) for end in _destinations(action) for goal in goals)


def _fields_of_casts(table: Table) -> Iterator[str]:
    for sealed in table.sealed:
        if sealed.event["type"] == "SpellsCast":
            data: Any = sealed.event["data"]
            yield from data
            for step in data.get("moves", ()):
                yield from step
