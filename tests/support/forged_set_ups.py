"""Kinds of forgeries: how a game was created, who joined, the set-up, and what is secret in it."""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import replace
from typing import Any, Final

from domain.hexes import neighbours
from domain.json_types import JsonObject
from ledger.pending import commitment
from tests.support.forger import Change, Forger

TERRAINS: Final = ("mountain", "forest", "plain", "field", "lake", "mysterious_place")
SPELLS: Final = ("abundance", "celerity", "charm", "petrification", "sanctuary", "tornado", "x")
TILES: Final = ("meadow", "village", "forest", "vineyard", "quarry", "pond", "marsh", "x")


# Before the start


def change_creation(forger: Forger) -> int | None:
    """Change the rules, seats, options, clock, invitations or commitment."""
    created, options = forger.created, forger.created["options"]
    changes: list[JsonObject] = [
        {"seats": created["seats"] + forger.chance.choice([-1, 1])},
        {"clock": forger.chance.choice([None, {"per_turn": 60}, {"per_turn": 0}, {"per_day": 1}])},
        {"commitment": "00" * 32},
        {"invited": forger.chance.choice([["guest"], ["guest", "guest"], [5], []])},
        {"rules": forger.chance.choice(["barony", "baron", "chess"])},
        {"added": 1},
    ]
    for name, value in options.items():
        changes.append({"options": {**options, name: forger.other(value, name)}})
        changes.append({"options": {key: options[key] for key in options if key != name}})
    created.update(forger.chance.choice(changes))
    return 1


def change_joining(forger: Forger) -> int | None:
    """Let another player join, or change a nonce."""
    index = forger.any_event_that(lambda event: event["type"] == "SeatTaken")
    assert index is not None
    event = forger.events[index]
    if forger.chance.random() < 0.5:
        event["data"]["nonce"] = forger.chance.choice(["", "00", "zz", "00" * 65])
        return len(forger.events)
    event["data"]["player"] = forger.chance.choice(["stranger", *forger.started["players"]])
    if forger.chance.random() < 0.5:
        event["by"] = {"player": event["data"]["player"]}
    return len(forger.events)


def join_after_start(forger: Forger) -> int | None:
    """Let the last player join after the start."""
    event = forger.events.pop(forger.start - 1)
    event["at"] = forger.events[forger.start - 1]["at"]
    forger.events.insert(forger.start, event)
    return len(forger.events)


# The start


def change_players(forger: Forger) -> int | None:
    players = forger.started["players"]
    i = forger.chance.randrange(len(players))
    match forger.chance.randrange(4):
        case 0:
            players.insert(0, players.pop())
        case 1:
            players[i] = "stranger"
        case 2:
            players[i] = players[i - 1]
        case _:
            del players[i]
    return len(forger.events)


def change_board(forger: Forger) -> int | None:
    """Change terrains, hexes, their number or their order on a board of Barony."""
    cells = forger.started.get("board")
    if cells is None:
        return None
    chance = forger.chance
    cell, other = chance.sample(cells, 2)
    hexes = {tuple(each["at"]) for each in cells}
    rim = sorted({at for q, r in hexes for at in neighbours((q, r))} - hexes)
    match chance.randrange(8):
        case 0 | 1:
            cell["terrain"] = chance.choice(TERRAINS)
        case 2:
            cell["terrain"], other["terrain"] = other["terrain"], cell["terrain"]
        case 3:
            cell["at"] = list(chance.choice([*rim, (95, 0), (95, -40)]))
        case 4:
            cells.append({"at": list(chance.choice(rim)), "terrain": chance.choice(TERRAINS)})
        case 5:
            cells.remove(cell)
        case 6:
            cells.append(deepcopy(cell))
        case _:
            chance.choice(
                [cells.reverse, lambda: cell.update(added=1), lambda: cell.update(terrain="sea")]
            )()
    if chance.random() < 0.7:
        cells.sort(key=lambda each: each["at"])
    return len(forger.events)


def change_spells(forger: Forger) -> int | None:
    spells = forger.started.get("spells")
    if spells is None:
        return None
    spell = forger.chance.choice(SPELLS)
    match forger.chance.randrange(4):
        case 0:
            spells.append(spell)
        case 1 if spells:
            spells.remove(forger.chance.choice(spells))
        case 2 if spells:
            spells[forger.chance.randrange(len(spells))] = spell
        case _:
            spells.reverse()
    if forger.chance.random() < 0.8:
        spells.sort()
    return len(forger.events)


def change_market(forger: Forger) -> int | None:
    """Change the open tiles at the start of Baron."""
    started, chance = forger.started, forger.chance
    if "market" not in started:
        return None
    match chance.randrange(5):
        case 0:
            started["start"] = chance.choice(TILES)
        case 1:
            started["market"][chance.randrange(3)] = chance.choice(TILES)
        case 2:
            started["market"].append(chance.choice(TILES))
        case 3:
            started["removed"] = chance.choice([[], ["meadow"], ["meadow", chance.choice(TILES)]])
        case _:
            started["market"].pop()
    return len(forger.events)


# Secrets


def change_commitment(forger: Forger) -> int | None:
    """Change, remove or add a commitment."""
    index = forger.chance.choice([forger.start, forger.any_event()])
    event = forger.events[index]
    secrets = dict(event.get("secrets", {}))
    name = forger.chance.choice([*secrets, "more"])
    if forger.chance.random() < 0.4:
        secrets.pop(name, None)
    else:
        secrets[name] = "ab" * 32
    event["secrets"] = secrets
    if not secrets:
        del event["secrets"]
    return len(forger.events)


def change_secret(forger: Forger) -> int | None:
    """Change the pile or a reserve of Baron, with a commitment that fits."""
    openings: Any = deepcopy(dict(forger.running.openings))
    if not openings:
        return None
    chance = forger.chance
    ((seq, opened),) = openings.items()
    name = chance.choice(["pile", *opened])
    value = opened[name]["value"]
    if name == "pile":
        one, other = sorted(chance.sample(range(len(value)), 2))
        value[one // 3], value[other] = value[other], value[one // 3]
    else:
        value[chance.randrange(2)] = chance.choice(TILES)
        if chance.random() < 0.7:
            value.sort()
    commitments = forger.events[forger.start]["secrets"]
    commitments[name] = commitment(opened[name])
    forger.running = replace(forger.running, openings={seq: opened})
    return forger.start + 1


KINDS: Final[Mapping[str, Change]] = {
    "creation changed": change_creation,
    "joining changed": change_joining,
    "joined after the start": join_after_start,
    "players changed": change_players,
    "board changed": change_board,
    "spells changed": change_spells,
    "market changed": change_market,
    "commitment changed": change_commitment,
    "other secret": change_secret,
}
