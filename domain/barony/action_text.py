"""Actions from and to their short form, as people type and read them: `move 0,0>1,0 take plain`.

place 0,0                           recruit 2 at 0,0
move 0,0>1,0 1,0>2,-1 take plain    build village 0,0 stronghold 1,-1
city 0,0                            expedition 3,-1
title 2 plain 2 field               pass | resign | agree | disagree
cast celerity tornado 0,0>1,0>2,0 take plain
cast charm 1 at 0,0 1 at 2,0        cast abundance at 0,0

`recruit 0,0 2`, `recruit 2 0,0` and `build 0,0 village` are understood as well.
"""

from typing import assert_never

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
    parse_action,
)
from domain.barony.components import FAMILY, RESOURCES
from domain.contract import Resign
from domain.hexes import hex_pair, hex_text, json_from_text, number_from_text
from domain.json_types import JsonObject


def action_text(action: Action) -> str:
    """The action in short form; `parse_action_text` reads it back."""
    match action:
        case PlaceCity(at):
            return f"place {hex_text(at)}"
        case Recruit(at, knights):
            return f"recruit {knights} at {hex_text(at)}"
        case Move(moves, takes):
            steps = " ".join(f"{hex_text(start)}>{hex_text(end)}" for start, end in moves)
            return f"move {steps}{_takes_text(takes)}"
        case Build(builds):
            return "build " + " ".join(f"{name} {hex_text(at)}" for at, name in builds)
        case NewCity(at):
            return f"city {hex_text(at)}"
        case Expedition(to):
            return f"expedition {hex_text(to)}"
        case NobleTitle(discard):
            named = zip(RESOURCES, discard, strict=True)
            return "title " + " ".join(f"{count} {name}" for name, count in named if count)
        case Cast():
            return f"cast {' '.join(action.spells)} {_cast_text(action)}"
        case AgreeToEnd(agree):
            return "agree" if agree else "disagree"
        case Pass() | Resign():
            return action.type
        case _:
            assert_never(action)


def _cast_text(cast: Cast) -> str:
    """The field that the family of the spells needs."""
    if cast.path:
        return ">".join(map(hex_text, cast.path)) + _takes_text(cast.takes)
    if cast.recruits:
        return " ".join(f"{knights} at {hex_text(hex)}" for hex, knights in cast.recruits)
    return f"at {hex_text(cast.at or ())}"


def _takes_text(takes: tuple[str, ...]) -> str:
    """` take plain`, or an empty string."""
    return f" take {' '.join(takes)}" if takes else ""


def parse_action_text(text: str) -> Action:
    """The action that the short form stands for. Raises Malformed."""
    return parse_action(json_from_text(text, _read_words))


def _read_words(word: str, rest: list[str]) -> JsonObject:
    """The JSON of a short form in words. Raises ValueError, IndexError."""
    match word, rest:
        case "place", [at]:
            return {"type": "place_city", "at": hex_pair(at)}
        case "recruit", [at, knights] if "," in at:
            return _read_words(word, [knights, "at", at])
        case "recruit", [knights, "at", at] | [knights, at]:
            return {"type": "recruit", "at": hex_pair(at), "knights": number_from_text(knights)}
        case "move", _:
            steps, takes = _split_takes(rest)
            return {"type": "move", "moves": [_path_from_text(step) for step in steps], **takes}
        case "build", _:
            pairs = zip(rest[::2], rest[1::2], strict=True)
            ordered = [(at, name) if "," in at else (name, at) for name, at in pairs]
            builds = [{"at": hex_pair(at), "building": name} for at, name in ordered]
            return {"type": "build", "builds": builds}
        case "city", [at]:
            return {"type": "new_city", "at": hex_pair(at)}
        case "expedition", [to]:
            return {"type": "expedition", "to": hex_pair(to)}
        case "title", _:
            tokens = zip(rest[::2], rest[1::2], strict=True)
            discard = [(name, number_from_text(count)) for count, name in tokens]
            if len(dict(discard)) < len(discard):
                raise ValueError("a kind of token is named twice")
            return {"type": "noble_title", "discard": dict(discard)}
        case "cast", _:
            return _read_cast(rest)
        case "agree" | "disagree", []:
            return {"type": "agree_to_end", "agree": word == "agree"}
        case "pass" | "resign", []:
            return {"type": word}
        case _:
            raise ValueError(word)


def _read_cast(rest: list[str]) -> JsonObject:
    """The JSON of a cast. Raises ValueError, IndexError."""
    spells = [word for word in rest if word in FAMILY]
    words = rest[len(spells) :]
    raw: JsonObject = {"type": "cast", "spells": spells}
    if words[0] == "at":
        (_, at) = words
        return {**raw, "at": hex_pair(at)}
    if ">" in words[0]:
        (path,), takes = _split_takes(words)
        return {**raw, "path": _path_from_text(path), **takes}
    if set(words[1::3]) != {"at"}:
        raise ValueError(words)
    pairs = zip(words[::3], words[2::3], strict=True)
    recruits = [{"at": hex_pair(at), "knights": number_from_text(n)} for n, at in pairs]
    return {**raw, "recruits": recruits}


def _split_takes(words: list[str]) -> tuple[list[str], JsonObject]:
    """The words before `take`, and the field `takes` with the words after it."""
    if "take" not in words:
        return words, {}
    i = words.index("take")
    return words[:i], {"takes": words[i + 1 :]}


def _path_from_text(text: str) -> list[list[int]]:
    """The hexes of `q,r>q,r`. Raises ValueError."""
    return [hex_pair(at) for at in text.split(">")]
