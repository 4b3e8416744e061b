"""The short text of actions with casts among them: one word a spell, then what the family needs.

cast celerity tornado 0,0>1,0>2,0 take plain      cast charm 1 at 0,0 1 at 2,0      cast abundance at 0,0
"""

from domain.barony.action_text import action_text as base_action_text
from domain.barony.action_text import read_words, takes_text, until_take, way_from_text
from domain.barony.sorcery.action_json import parse_action
from domain.barony.sorcery.actions import Action, Cast
from domain.barony.sorcery.components import FAMILY
from domain.contract import Json
from domain.hex_text import hex_pair, hex_text, json_from_text, number_from_text


def action_text(action: Action) -> str:
    """The action in short form; `parse_action_text` reads it back."""
    if not isinstance(action, Cast):
        return base_action_text(action)
    if action.path:
        rest = ">".join(map(hex_text, action.path)) + takes_text(action.takes)
    elif action.recruits:
        rest = " ".join(f"{knights} at {hex_text(hex)}" for hex, knights in action.recruits)
    else:
        rest = f"at {hex_text(action.at or ())}"
    return f"cast {' '.join(action.spells)} {rest}"


def parse_action_text(text: str) -> Action:
    """The action that the short form stands for. Raises Malformed."""
    return parse_action(json_from_text(text, _read))


def _read(word: str, rest: list[str]) -> Json:
    if word != "cast":
        return read_words(word, rest)
    spells = [word for word in rest if word in FAMILY]
    words = rest[len(spells) :]
    raw: Json = {"type": "cast", "spells": spells}
    if words[0] == "at":
        (_, at) = words
        return {**raw, "at": hex_pair(at)}
    if ">" in words[0]:
        (way,), takes = until_take(words)
        return {**raw, "path": way_from_text(way), **takes}
    if set(words[1::3]) != {"at"}:
        raise ValueError(words)
    pairs = zip(words[::3], words[2::3], strict=True)
    recruits = [{"at": hex_pair(at), "knights": number_from_text(n)} for n, at in pairs]
    return {**raw, "recruits": recruits}
