"""Kinds of forgeries: how a game was created, who joined, the set-up, and what is secret in it."""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import replace
from typing import Any, Final

from domain.contract import Json
from domain.hexes import neighbours
from ledger.seal import commitment
from tests.support.forger import Change, Forger

TERRAINS: Final = ("mountain", "forest", "plain", "field", "lake", "mysterious_place")
SPELLS: Final = ("abundance", "celerity", "charm", "petrification", "sanctuary", "tornado", "x")
TILES: Final = ("meadow", "village", "forest", "vineyard", "quarry", "pond", "marsh", "x")


# Before the start


def creation_changed(forger: Forger) -> int | None:
    """Rules, seats, options, clock, guests or commitment."""
    created, options = forger.created, forger.created["options"]
    changes: list[Json] = [
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


def joining_changed(forger: Forger) -> int | None:
    """Somebody else joins, or brings another nonce."""
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


def joined_after_start(forger: Forger) -> int | None:
    """The last to join does so when the game has begun."""
    event = forger.events.pop(forger.start - 1)
    event["at"] = forger.events[forger.start - 1]["at"]
    forger.events.insert(forger.start, event)
    return len(forger.events)


# The start


def players_changed(forger: Forger) -> int | None:
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


def board_changed(forger: Forger) -> int | None:
    """The board of Barony: terrains, hexes, their number and their order."""
    cells = forger.started.get("board")
    if cells is None:
        return None
    chance = forger.chance
    cell, other = chance.sample(cells, 2)
    laid = {tuple(each["at"]) for each in cells}
    rim = sorted({at for q, r in laid for at in neighbours((q, r))} - laid)
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


def spells_changed(forger: Forger) -> int | None:
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


def market_changed(forger: Forger) -> int | None:
    """What lies open in Baron at the start."""
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


def commitment_changed(forger: Forger) -> int | None:
    """A commitment is another one, is left out, or is put where there is none."""
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


def other_secret(forger: Forger) -> int | None:
    """Baron with another pile or another deal, committed to from the start."""
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
    committed = forger.events[forger.start]["secrets"]
    committed[name] = commitment(opened[name])
    forger.running = replace(forger.running, openings={seq: opened})
    return forger.start + 1


KINDS: Final[Mapping[str, Change]] = {
    "creation changed": creation_changed,
    "joining changed": joining_changed,
    "joined after the start": joined_after_start,
    "players changed": players_changed,
    "board changed": board_changed,
    "spells changed": spells_changed,
    "market changed": market_changed,
    "commitment changed": commitment_changed,
    "other secret": other_secret,
}
