"""Players with Sorcery who are keen on magic: they seek mysterious places, and cast whatever they can pay.

For tests that need casts of every family within few rounds; what is chosen is one of the legal actions.
"""

import random
from collections.abc import Iterator, Sequence
from functools import cache
from typing import cast

from domain.contract import Json
from domain.hexes import Hex, distance
from tests.support.records import Table

CONTENT = 4
"""Magic tokens with which a seat goes on to cast: as many as any family's spells cost together."""


def eager(position: Json, actions: Sequence[Json], seat: int, chance: random.Random) -> Json:
    """A cast where the seat has saved up for it, a way to a new place, or anything."""
    casts = [action for action in actions if action["type"] == "cast"]
    unexplored = list(_unexplored(position, seat))
    has_enough = position["players"][seat]["magic"] >= CONTENT or not unexplored
    if casts and (has_enough or not chance.randrange(3)):
        spells = chance.choice(sorted({tuple(action["spells"]) for action in casts}))
        return chance.choice([action for action in casts if tuple(action["spells"]) == spells])
    ways = [action for action in actions if list(_arrivals(action))]
    if unexplored and ways and chance.randrange(3):
        return min(ways, key=lambda action: _distance(action, unexplored))
    type = chance.choice(sorted({action["type"] for action in actions}))
    return chance.choice([action for action in actions if action["type"] == type])


def _unexplored(position: Json, seat: int) -> Iterator[Hex]:
    """The mysterious places where an arrival of the seat would still bring something."""
    imprints = [at for player in position["players"] for at in player["imprints"]]
    own = position["players"][seat]["imprints"]
    for cell in position["board"]:
        at = cell["at"]
        if cell["terrain"] == "mysterious_place" and at not in own and imprints.count(at) < 3:
            yield (at[0], at[1])


def _arrivals(action: Json) -> Iterator[Hex]:
    """Where an action brings knights from elsewhere."""
    match action:
        case {"moves": moves}:
            yield from ((q, r) for _, (q, r) in moves)
        case {"to": [q, r]}:
            yield (q, r)
        case _:
            pass


def _distance(action: Json, goals: Sequence[Hex]) -> int:
    return min(distance(end, goal) for end in _arrivals(action) for goal in goals)


def played(seats: int, rounds: int, seed: int) -> Table:
    """A finished game with Sorcery among such players; board, spells and play come of the seed."""
    options = {"sorcery": True, "round_limit": rounds}
    table = Table("barony", seats, options, nonce=bytes([seed])).start()
    chance = random.Random(seed)
    while (seat := table.game.to_act) is not None:
        rules, state = table.game.rules, table.game.state
        actions = [
            cast("Json", rules.action_to_json(action))
            for action in rules.legal_actions(state, seat)
        ]
        table.act(eager(rules.position(state, seat), actions, seat, chance))
    return table.finish()


@cache
def some_game(*wanted: str, seats: int = 3, rounds: int = 10) -> Table:
    """A finished game whose casts have all these fields, among those of their steps too.

    It is looked for, so that no change to the order of legal actions takes it away. Not to be added to.
    """
    for seed in range(256):
        table = played(seats, rounds, seed)
        if set(wanted) <= set(_said(table)):
            return table
    raise AssertionError(f"no game has casts with {wanted}")


def _said(table: Table) -> Iterator[str]:
    for made in table.sealed:
        data = made.event["data"]
        if made.event["type"] == "SpellsCast":
            yield from data
            for step in data.get("moves", ()):
                yield from step
