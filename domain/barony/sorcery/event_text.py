"""`event_text` with Sorcery: what a cast did, and what arrivals on mysterious places brought."""

from collections.abc import Mapping
from typing import Any, Final

from domain.barony.event_text import (
    TEXTS,
    TOKENS,
    destruction,
    expedition_sent,
    game_started,
    knights_moved,
    round_scored,
    token_text,
    way_text,
)
from domain.barony.event_text import event_text as base_fact_text
from domain.contract import Json
from domain.hex_text import hex_text
from domain.phrases import EventText, counted, game_created_text, listing

BESIDE: Final[Mapping[str, str]] = {**TOKENS, "imprint_points": "imprints"}
"""What the final score counts beside the track (BS-MYS-5)."""


def magic_text(count: int) -> str:
    """`1 magic token`, `2 magic tokens`."""
    return counted(count, "magic token")


def _explored(data: Json) -> list[str]:
    return [f"places an imprint for {magic_text(data['magic'])}"] if "magic" in data else []


def step_text(step: Json) -> str:
    """One knight's way and all that it did, in the order in which it came about (BS-TOR-2)."""
    return " and ".join(
        [
            way_text(step),
            *destruction(f"on {hex_text(step['from'])} sweeps away", step.get("left", ())),
            *destruction("destroys", step.get("destroyed", ())),
            *_explored(step),
            *destruction(f"on {hex_text(step['to'])} sweeps away", step.get("swept", ())),
        ]
    )


def _game_created(data: Any) -> str:
    return f"{game_created_text(data)}, with Sorcery"


def _game_started(data: Json) -> str:
    return f"{game_started(data)}; {listing(data['spells'])} lie open"


def _knights_moved(data: Json) -> str:
    return knights_moved(data, step_text)


def _expedition_sent(data: Json) -> str:
    return ", and ".join([expedition_sent(data), *_explored(data)])


def _spells_cast(data: Json) -> str:
    """By the field that the family of the spells brings."""
    (field,) = _FAMILIES.keys() & data
    done = _FAMILIES[field](data)
    return f"casts {listing(data['spells'])} for {magic_text(data['cost'])}: {done}"


def _moved(data: Json) -> str:
    return f"moves a knight {', then '.join(map(step_text, data['moves']))}"


def _recruited(data: Json) -> str:
    where = listing(
        f"{counted(entry['knights'], 'knight')} at {hex_text(entry['at'])}"
        for entry in data["recruits"]
    )
    returned = data.get("returned", 0)
    back = f", bringing back {returned} removed before" if returned else ""
    return f"recruits {where}{back}"


def _founded(data: Json) -> str:
    token = f" and {token_text(data['token'])}" if "token" in data else ""
    where = f"the {data['replaced']} on {hex_text(data['at'])}"
    return f"turns {where} into a city for {data['points']} points{token}"


def _round_scored(data: Json) -> str:
    return round_scored(data, BESIDE)


_FAMILIES: Final[Mapping[str, EventText]] = {
    "moves": _moved,
    "recruits": _recruited,
    "replaced": _founded,
}
SORCERY_TEXTS: Final[Mapping[str, EventText]] = {
    **TEXTS,
    "GameCreated": _game_created,
    "GameStarted": _game_started,
    "KnightsMoved": _knights_moved,
    "ExpeditionSent": _expedition_sent,
    "SpellsCast": _spells_cast,
    "RoundScored": _round_scored,
}


def event_text(type: str, data: Any) -> str:
    """The fact in one line; of a type that is not known here its name."""
    return base_fact_text(type, data, SORCERY_TEXTS)
