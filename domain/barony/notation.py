"""The short text of hexes and actions, as people type and read it: `move 0,0>1,0 take plain`.

place 0,0                           recruit 2 at 0,0
move 0,0>1,0 1,0>2,-1 take plain    build village 0,0 stronghold 1,-1
city 0,0                            expedition 3,-1
title 2 plain 2 field               pass | resign | agree | disagree
cast celerity tornado 0,0>1,0>2,0   cast charm 1 at 0,0 1 at 2,0      cast abundance at 0,0
"""

import re
from collections.abc import Iterable

from domain.barony.actions import (
    Action,
    AgreeToEnd,
    Build,
    Cast,
    Expedition,
    Move,
    NewCity,
    NobleTitle,
    Pass,
    PlaceCity,
    Recruit,
)
from domain.barony.form import SPELLS, parse
from domain.barony.material import RESOURCES
from domain.contract import Json, Resign
from domain.errors import Malformed
from domain.hexes import Hex


def hex_text(at: Iterable[int]) -> str:
    """A hex as `q,r`."""
    return ",".join(map(str, at))


def action_text(action: Action) -> str:
    """The action in short form; `parse_action_text` reads it back."""
    match action:
        case PlaceCity(at):
            return f"place {hex_text(at)}"
        case Recruit(at, knights):
            return f"recruit {knights} at {hex_text(at)}"
        case Move(moves, takes):
            ways = " ".join(f"{hex_text(start)}>{hex_text(end)}" for start, end in moves)
            return f"move {ways}{_takes_text(takes)}"
        case Build(builds):
            return "build " + " ".join(f"{name} {hex_text(at)}" for at, name in builds)
        case NewCity(at):
            return f"city {hex_text(at)}"
        case Expedition(to):
            return f"expedition {hex_text(to)}"
        case NobleTitle(discard):
            named = zip(RESOURCES, discard, strict=True)
            return "title " + " ".join(f"{count} {name}" for name, count in named if count)
        case AgreeToEnd(agree):
            return "agree" if agree else "disagree"
        case Cast(spells, path, takes, recruits, at):
            if path:
                rest = ">".join(hex_text(hex) for hex in path) + _takes_text(takes)
            elif recruits:
                rest = " ".join(f"{knights} at {hex_text(hex)}" for hex, knights in recruits)
            else:
                rest = f"at {hex_text(at or ())}"
            return f"cast {' '.join(spells)} {rest}"
        case Pass() | Resign():
            return action.type


def _takes_text(takes: tuple[str, ...]) -> str:
    return f" take {' '.join(takes)}" if takes else ""


def parse_action_text(text: str) -> Action:
    """The action that the short form stands for. Raises Malformed."""
    word, *rest = text.split() or [""]
    try:
        raw = _read(word, rest)
    except (ValueError, IndexError):
        raise Malformed({"": f"cannot be read as an action: {text.strip()!r}"}) from None
    return parse(raw)


def _read(word: str, rest: list[str]) -> Json:
    match word, rest:
        case "place", [at]:
            return {"type": "place_city", "at": _hex(at)}
        case "recruit", [knights, "at", at]:
            return {"type": "recruit", "at": _hex(at), "knights": _number(knights)}
        case "move", _:
            ways, takes = _until_take(rest)
            return {"type": "move", "moves": [_way(way) for way in ways], **takes}
        case "build", _:
            pairs = zip(rest[::2], rest[1::2], strict=True)
            builds = [{"at": _hex(at), "building": name} for name, at in pairs]
            return {"type": "build", "builds": builds}
        case "city", [at]:
            return {"type": "new_city", "at": _hex(at)}
        case "expedition", [to]:
            return {"type": "expedition", "to": _hex(to)}
        case "title", _:
            tokens = zip(rest[::2], rest[1::2], strict=True)
            discard = [(name, _number(count)) for count, name in tokens]
            if len(dict(discard)) < len(discard):
                raise ValueError("a kind of token named twice")
            return {"type": "noble_title", "discard": dict(discard)}
        case "agree" | "disagree", []:
            return {"type": "agree_to_end", "agree": word == "agree"}
        case "pass" | "resign", []:
            return {"type": word}
        case "cast", _:
            return _read_cast(rest)
        case _:
            raise ValueError(word)


def _read_cast(rest: list[str]) -> Json:
    spells = [word for word in rest if word in SPELLS]
    words = rest[len(spells) :]
    raw: Json = {"type": "cast", "spells": spells}
    if words[0] == "at":
        (_, at) = words
        return {**raw, "at": _hex(at)}
    if ">" in words[0]:
        (way,), takes = _until_take(words)
        return {**raw, "path": _way(way), **takes}
    if set(words[1::3]) != {"at"}:
        raise ValueError(words)
    pairs = zip(words[::3], words[2::3], strict=True)
    return {**raw, "recruits": [{"at": _hex(at), "knights": _number(n)} for n, at in pairs]}


def _until_take(words: list[str]) -> tuple[list[str], Json]:
    """The words before `take`, and the field with those after it."""
    if "take" not in words:
        return words, {}
    i = words.index("take")
    return words[:i], {"takes": words[i + 1 :]}


def _way(text: str) -> list[list[int]]:
    return [_hex(at) for at in text.split(">")]


def _hex(text: str) -> list[int]:
    q, r = text.split(",")
    return [_number(q), _number(r)]


def _number(text: str) -> int:
    """Plain digits: `int` alone would read `1_0` and digits of other scripts as well."""
    if not re.fullmatch("-?[0-9]+", text):
        raise ValueError(text)
    return int(text)


def hex_from_text(text: str) -> Hex:
    """A hex from `q,r`. Raises ValueError."""
    q, r = _hex(text)
    return (q, r)
