"""Reference rules for casts: the clauses of BS and BY one by one, on the JSON of a position.

They share no code with `domain`, so that a difference shows that one of the two has misread a clause. They
return every clause that a cast breaks, since `decide` may name any of them.
"""

import json
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from domain.json_types import JsonObject

COST = {
    "celerity": 1, "teleportation": 1, "tornado": 2,
    "charm": 1, "illusion": 1, "portal": 2,
    "abundance": 1, "petrification": 1, "sanctuary": 2,
}  # fmt: skip
FAMILIES = (
    {"celerity", "teleportation", "tornado"},
    {"charm", "illusion", "portal"},
    {"abundance", "petrification", "sanctuary"},
)
TURN_ORDER = ("phase", "round", "to_act", "passed", "ranking")
"""The fields of a position about the turn order, which are tested elsewhere."""


class Broken(Exception):
    """The cast breaks all of these clauses."""

    def __init__(self, *clauses: str) -> None:
        super().__init__(*clauses)
        self.clauses = set(clauses)


def without_turn_order(position: Mapping[str, Any]) -> JsonObject:
    """The position without the fields about the turn order."""
    return {name: value for name, value in position.items() if name not in TURN_ORDER}


def decide_by_reference(
    position: Mapping[str, Any], seat: int, cast: Mapping[str, Any]
) -> JsonObject | set[str]:
    """The position after a cast of the seat to act, without the turn order; or the clauses that it breaks."""
    spells = set(cast["spells"])
    if not spells <= set(position["spells"]) or not any(spells <= own for own in FAMILIES):
        return {"BS-SPL-1"}
    changing = {name: position[name] for name in ("pawns", "players", "bank")}
    table = Table({**position, **json.loads(json.dumps(changing))}, seat)
    cost = sum(COST[spell] for spell in spells)
    broken = {"BS-SPL-2"} if cost > table.me["magic"] else set()
    table.me["magic"] -= cost
    try:
        if "path" in cast:
            _move(table, spells, cast["path"], list(cast.get("takes", [])))
        elif "recruits" in cast:
            _recruit(table, spells, cast["recruits"])
        else:
            _found(table, spells, cast["at"])
    except Broken as error:
        broken |= error.clauses
    return broken or without_turn_order(table.sorted_position())


class Table:
    """A position, with methods that look things up by hex."""

    def __init__(self, position: JsonObject, seat: int) -> None:
        self.position = position
        self.seat = seat
        self.me: JsonObject = position["players"][seat]
        self.board = {tuple(cell["at"]): cell["terrain"] for cell in position["board"]}

    def terrain(self, at: list[int]) -> str | None:
        """The terrain of a hex; None off the board."""
        return self.board.get((at[0], at[1]))

    def near(self, at: list[int]) -> list[list[int]]:
        """The six neighbours, on the board or off it."""
        q, r = at
        return [[q + 1, r], [q + 1, r - 1], [q, r - 1], [q - 1, r], [q - 1, r + 1], [q, r + 1]]

    def entries(self, at: list[int]) -> list[JsonObject]:
        """The pawns on a hex, one entry for each seat."""
        pawns: list[JsonObject] = self.position["pawns"]
        return [entry for entry in pawns if entry["at"] == at and _pawns(entry)]

    def others(self, at: list[int]) -> list[JsonObject]:
        """The pawns of opponents on a hex."""
        return [entry for entry in self.entries(at) if entry["seat"] != self.seat]

    def own(self, at: list[int]) -> JsonObject:
        """The pawns of the seat on a hex, a new entry if there are none; the caller may change it."""
        for entry in self.position["pawns"]:
            if entry["at"] == at and entry["seat"] == self.seat:
                return entry  # type: ignore[no-any-return]
        entry = {"at": at, "seat": self.seat, "knights": 0, "building": None}
        self.position["pawns"].append(entry)
        return entry

    def cities(self, at: list[int]) -> list[bool]:
        """For each city adjacent to the hex, whether it belongs to the seat."""
        return [
            entry["seat"] == self.seat
            for near in self.near(at)
            for entry in self.entries(near)
            if entry["building"] == "city"
        ]

    def sorted_position(self) -> JsonObject:
        """The position with its lists sorted as docs/formats.md requires."""
        pawns = [entry for entry in self.position["pawns"] if _pawns(entry)]
        self.position["pawns"] = sorted(pawns, key=lambda entry: (entry["at"], entry["seat"]))
        for player in self.position["players"]:
            player["imprints"].sort()
        return self.position


def _pawns(entry: JsonObject) -> int:
    knights: int = entry["knights"]
    return knights + (entry["building"] is not None)


# Movement


def _move(table: Table, spells: Collection[str], path: list[Any], takes: list[str]) -> None:
    start, steps = path[0], path[1:]
    if ("celerity" in spells) != (len(steps) == 2):
        raise Broken("BS-CEL-1", "BS-CEL-2")
    if table.terrain(start) is None or not table.own(start)["knights"]:
        raise Broken("BY-MOV-1")
    here, teleportations = start, 0
    for number, there in enumerate(steps):
        is_teleportation = _is_teleportation(table, there)
        broken = set(_broken_by_step(table, here, there))
        if "teleportation" in spells and is_teleportation:
            broken -= {"BY-MOV-6"}
        teleportations += is_teleportation and not broken
        if broken:
            if "teleportation" in spells and "BY-MOV-6" in broken:
                broken |= {"BS-TEL-1"}
            raise Broken(*broken)
        table.own(here)["knights"] -= 1
        if "tornado" in spells and number == 0:
            _sweep(table, start, takes)  # BS-TOR-2: after the knight has left
        table.own(there)["knights"] += 1
        own = table.own(there)
        if own["knights"] + (own["building"] == "village") >= 2:  # BY-CON-1
            for entry in table.others(there):
                _destroy(table, entry, takes)
        _explore(table, there)
        here = there
    if "tornado" in spells:
        _sweep(table, here, takes)
    broken = {"BY-CON-3"} if takes else set()
    if "teleportation" in spells and teleportations != 1:
        broken |= {"BS-TEL-2"} if len(steps) == 2 else {"BS-TEL-1", "BS-TEL-2"}
    if broken:
        raise Broken(*broken)


def _is_teleportation(table: Table, there: list[int]) -> bool:
    """BS-TEL-1, BS-SPL-5: whether the hex is a mountain with an opponent's isolated village."""
    return table.terrain(there) == "mountain" and any(
        entry["building"] == "village" and _pawns(entry) == 1 for entry in table.others(there)
    )


def _broken_by_step(table: Table, here: list[int], there: list[int]) -> Iterator[str]:
    terrain, others = table.terrain(there), table.others(there)
    if terrain is None or there not in table.near(here):
        yield "BY-MOV-1"
    if terrain == "lake":
        yield "BY-MOV-3"
    if any(entry["building"] in {"city", "stronghold"} for entry in others):
        yield "BY-MOV-4"
    if any(_pawns(entry) >= 2 for entry in others):
        yield "BY-MOV-5"
    if terrain == "mountain" and others:
        yield "BY-MOV-6"


def _sweep(table: Table, at: list[int], takes: list[str]) -> None:
    """BS-TOR-1: destroy opposing isolated villages and knights."""
    for entry in table.others(at):
        if _pawns(entry) == 1 and entry["building"] in {None, "village"}:
            _destroy(table, entry, takes)


def _destroy(table: Table, entry: JsonObject, takes: list[str]) -> None:
    """BY-CON-1, 2, 3: return pawns to their owner's reserve, and take a token for a village."""
    owner = table.position["players"][entry["seat"]]
    owner["reserve"]["knights"] += entry["knights"]
    entry["knights"] = 0
    if entry["building"] != "village":
        return
    owner["reserve"]["villages"] += 1
    entry["building"] = None
    if sum(owner["resources"].values()) == 0:
        return
    if not takes or owner["resources"][takes[0]] == 0:
        raise Broken("BY-CON-3")
    kind = takes.pop(0)
    owner["resources"][kind] -= 1
    table.me["resources"][kind] += 1


def _explore(table: Table, at: list[int]) -> None:
    """BS-MYS-2, 3."""
    imprints = sum(at in player["imprints"] for player in table.position["players"])
    if table.terrain(at) == "mysterious_place" and imprints < 3 and at not in table.me["imprints"]:
        table.me["imprints"].append(at)
        table.me["magic"] += {0: 3, 1: 2, 2: 1}[imprints]


# Recruitment


def _recruit(table: Table, spells: Collection[str], recruits: list[JsonObject]) -> None:
    sites, where, clauses = {
        (True, True): ({"city", "stronghold"}, "each", {"BS-ILL-2"}),
        (True, False): ({"city"}, "each", {"BS-CHA-1"}),
        (False, True): ({"stronghold"}, "one", {"BS-ILL-1"}),
        (False, False): ({"city"}, "one", {"BS-POR-1"}),
    }["charm" in spells, "illusion" in spells]
    if "portal" in spells:
        clauses |= {"BS-POR-1", "BS-POR-3"}
    broken: set[str] = set()
    if where == "one" and len(recruits) > 1:
        broken |= clauses
    for entry in recruits:
        here = table.own(entry["at"])
        if table.terrain(entry["at"]) is None or here["building"] not in sites:
            broken |= clauses
            continue
        is_by_a_lake = any(table.terrain(near) == "lake" for near in table.near(entry["at"]))
        most = 1 if where == "each" else 3 if is_by_a_lake else 2
        if entry["knights"] > most:
            broken |= clauses if where == "each" else {"BY-REC-1"}
        here["knights"] += entry["knights"]
    total = sum(entry["knights"] for entry in recruits)
    reserve = table.me["reserve"]
    back = min(total, table.me["removed_knights"]) if "portal" in spells else 0  # BS-POR-2
    table.me["removed_knights"] -= back
    reserve["knights"] -= total - back
    if reserve["knights"] < 0:
        broken |= {"BS-POR-2", "BY-REC-2"} if "portal" in spells else {"BY-REC-2"}
    if broken:
        raise Broken(*broken)


# Construction


def _found(table: Table, spells: Collection[str], at: list[int]) -> None:
    broken: set[str] = set()
    own, others, terrain = table.own(at), table.others(at), table.terrain(at)
    reserve = table.me["reserve"]
    if reserve["cities"] == 0:
        broken |= {"BY-CTY-5"}
    if "sanctuary" in spells:
        if own["knights"] == 0 or others:
            broken |= {"BS-SAN-1"}
        if any(entry["building"] for entry in [own, *others]):
            broken |= {"BS-SAN-2"}
        if terrain == "mysterious_place":
            broken |= {"BS-MYS-1"}
        own["knights"] -= 1
        reserve["knights"] += 1
    else:
        if own["building"] != "village":
            broken |= {"BY-CTY-1"}
        reserve["villages"] += 1
    if any(entry["knights"] for entry in others):
        broken |= {"BY-CTY-4"}
    cities = table.cities(at)
    if "petrification" in spells:
        if not all(cities):
            broken |= {"BY-CTY-3"}
        if terrain != "forest" and not any(cities):
            broken |= {"BS-PET-1"}
    else:
        if terrain == "forest":
            broken |= {"BY-CTY-2"}
        if cities:
            broken |= {"BY-CTY-3"}
    if broken:
        raise Broken(*broken)
    own["building"] = "city"
    reserve["cities"] -= 1
    table.me["new_cities"] += 1
    table.me["score"] += 10
    bank = table.position["bank"]
    if "abundance" in spells and bank[terrain]:
        bank[terrain] -= 1
        table.me["resources"][terrain] += 1
