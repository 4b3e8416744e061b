"""Compares two JSON objects, such as positions of any game, and describes the differences in words.

Entries of lists that have a place (`at`) or a seat are matched by these, so that a pawn that was added or
removed is one change, and does not shift all entries after it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Annotated, Any, Final, get_args, get_origin, get_type_hints, is_typeddict

from domain.contract import AnyRuleSystem
from domain.hexes import Hex
from domain.json_types import JsonObject, Seat
from domain.messages import Message, Value, comma_list, hex_at, message, message_in, semicolon_list
from domain.scene import Cell, Scene
from ledger.canonical import canonical
from replay.language.renderer import Renderer
from replay.language.text_layout import columns
from replay.render.descriptions import in_words, player_label

ABSENT: Final = object()
_NONE: Final = message_in("value", "none")


def changes(before: JsonObject | None, after: JsonObject | None) -> list[JsonObject]:
    """Return the differences as `{"path", "before", "after"}` each; [] if and only if both are equal.

    The parts of a path are separated by dots: `players.1.score`, `pawns.0,-1/1.knights` (the pawns of seat 1
    on hex 0,-1). A value that only one of the two has is null in the other. If one of the two is None, there
    is one change, with the path "".
    """
    return [
        {
            "path": ".".join(path),
            "before": None if old is ABSENT else old,
            "after": None if new is ABSENT else new,
        }
        for path, old, new in _differences((), before, after)
    ]


_Difference = tuple[tuple[str, ...], Any, Any]


def _differences(path: tuple[str, ...], old: Any, new: Any) -> Iterator[_Difference]:
    if repr(old) == repr(
        new
    ):  # fast for most parts of a position; unlike `==`, it tells 1 from True
        return
    if isinstance(old, dict) and isinstance(new, dict):
        yield from _differences_by_name(path, old, new)
    elif isinstance(old, list) and isinstance(new, list):
        old_entries, new_entries = _by_key(old), _by_key(new)
        if (
            old_entries is not None
            and new_entries is not None
            and not _is_reordered(old_entries, new_entries)
        ):
            yield from _differences_by_name(path, old_entries, new_entries)
        elif canonical(old) != canonical(new):
            yield path, old, new
    elif type(old) is not type(new) or old != new:
        yield path, old, new


def _differences_by_name(
    path: tuple[str, ...], old: JsonObject, new: JsonObject
) -> Iterator[_Difference]:
    for name in _merge(list(old), list(new)):
        yield from _differences((*path, name), old.get(name, ABSENT), new.get(name, ABSENT))


def _merge(old: list[str], new: list[str]) -> list[str]:
    """Return all names in one order, with each name that only `new` has in its position in `new`."""
    old_names = set(old)
    merged: list[str] = []
    rest = iter(old)
    for name in new:
        if name in old_names:
            for other in rest:
                merged.append(other)
                if other == name:
                    break
        else:
            merged.append(name)
    return list(dict.fromkeys([*merged, *rest, *new]))


def _by_key(entries: list[Any]) -> dict[str, Any] | None:
    keyed: dict[str, Any] = {}
    for entry in entries:
        if not isinstance(entry, Mapping):
            return None
        key = _key(entry)
        if key is None or key in keyed:
            return None
        keyed[key] = entry
    return keyed


def _key(entry: Mapping[str, Any]) -> str | None:
    match entry:
        case {"at": [int(q), int(r)], "seat": int(seat)}:
            return f"{q},{r}/{seat}"
        case {"at": [int(q), int(r)]}:
            return f"{q},{r}"
        case {"seat": int(seat)}:
            return f"{seat}"
        case _:
            return None


def _is_reordered(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    return [key for key in old if key in new] != [key for key in new if key in old]


@dataclass(frozen=True, slots=True)
class ChangeSection:
    """Changes under one heading: the game, a seat, the board, or the rest.

    A row has the hex (or ""), the subject of the change (or "" if the heading says so), and the change.
    """

    heading: Value
    rows: tuple[tuple[str, str, str], ...]


def change_sections(
    changed: list[JsonObject], rules: AnyRuleSystem, renderer: Renderer
) -> list[ChangeSection]:
    """Return the changes between positions of a game as text, in sections."""
    game = message_in("heading", "game")
    headings: dict[str, Value] = {renderer(game): game}
    rows: dict[str, list[tuple[str, str, str]]] = {name: [] for name in headings}
    for change in changed:
        heading, *row = _Change(change, rules).row(game)
        place, subject, transition = map(renderer, row)
        name = renderer(heading)
        headings.setdefault(name, heading)
        rows.setdefault(name, []).append((place, subject, transition))
    return [ChangeSection(headings[name], tuple(rows[name])) for name in rows if rows[name]]


def change_lines(changed: list[JsonObject], rules: AnyRuleSystem, renderer: Renderer) -> list[str]:
    """Return the changes between positions of a game as lines of text for a terminal."""
    lines: list[str] = []
    for section in change_sections(changed, rules, renderer):
        lines.append(renderer(section.heading))
        widths = [max(columns(row[column]) for row in section.rows) for column in (0, 1)]
        lines += [
            "  "
            + "".join(
                name + " " * (width + 2 - columns(name))
                for name, width in zip(row, widths, strict=False)
                if width
            )
            + row[2]
            for row in section.rows
        ]
    return lines


def label_of(name: str, rules: AnyRuleSystem) -> Value:
    """Return the label of a field of a position, of a word in it, or of a type of action."""
    return rules.LABELS.get(name) or in_words(name)


class _Change:
    """A change with the words of its game."""

    def __init__(self, change: JsonObject, rules: AnyRuleSystem) -> None:
        self._old, self._new = change["before"], change["after"]
        self._path: list[str] = change["path"].split(".", 2)
        self._rules = rules
        self._has_seats = self._path[0] in _seat_fields(rules.POSITION)
        """Whether the numbers in the field are seats."""

    def row(self, game: Value) -> tuple[Value, Value, Value, Value]:
        """Return the section of the change, its place, its subject, and the change itself."""
        match self._path:
            case [""]:
                is_new = self._old is None
                outcome = (
                    message("there is one now") if is_new else message("there is none any more")
                )
                return game, "", message_in("label", "position"), outcome
            case [top]:
                return game, "", self._label(top), self._transition()
            case ["players", seat, rest]:
                section = player_label(int(seat)) if seat.isdecimal() else in_words(seat)
                return section, "", self._labels(rest), self._transition(counts=True)
            case [top, key, *rest] if "," in key:
                hex, _, seat = key.partition("/")
                subject = player_label(int(seat)) if seat.isdecimal() else self._label(top)
                outcome = self._transition(counts=True)
                if rest:
                    field = self._labels(rest[0])
                    outcome = message("{field} {change}", field=field, change=outcome)
                return message_in("heading", "board"), hex, subject, outcome
            case [top, *rest]:
                subject = self._labels(".".join(rest))
                return self._label(top), "", subject, self._transition(counts=True)
            case _:
                raise AssertionError("a path has one part at least")

    def _label(self, name: str) -> Value:
        return label_of(name, self._rules)

    def _labels(self, path: str) -> Value:
        return comma_list(map(self._label, path.split(".")))

    def _transition(self, *, counts: bool = False) -> Message:
        """Return the old and the new value, with their difference if they are counts."""
        old, new = self._old, self._new
        if isinstance(new, dict) and old is None:
            return message("new: {entry}", entry=self._value(new))
        if isinstance(old, dict) and new is None:
            return message("gone: {entry}", entry=self._value(old))
        if counts and type(old) is int and type(new) is int:
            return message(
                "{before} → {after} ({change:signed})", before=old, after=new, change=new - old
            )
        return message("{before} → {after}", before=self._value(old), after=self._value(new))

    def _value(self, value: Any) -> Value:
        match value:
            case None:
                return message("nobody") if self._has_seats else _NONE
            case bool():
                return message_in("value", "yes") if value else message_in("value", "no")
            case int():
                return player_label(value) if self._has_seats else value
            case dict():
                return comma_list(self._entries(value))
            case list():
                return semicolon_list(map(self._item, value)) if value else _NONE
            case _:
                return self._label(str(value))

    def _item(self, value: Any) -> Value:
        match value:
            case [int(q), int(r)]:
                return hex_at((q, r))
            case _:
                return self._value(value)

    def _entries(self, entry: JsonObject) -> list[Value]:
        """Return the fields of an entry except those by which it was matched."""
        fields = {name: value for name, value in entry.items() if name not in {"at", "seat"}}
        return [
            message("{field} {value}", field=self._label(name), value=self._value(value))
            for name, value in fields.items()
            if value
        ]


@cache
def _seat_fields(position: type) -> frozenset[str]:
    hints = get_type_hints(position, include_extras=True)
    return frozenset(name for name, hint in hints.items() if _has_seats(hint))


def _has_seats(hint: Any) -> bool:
    arguments = get_args(hint)
    if get_origin(hint) is Annotated and arguments[1:] == get_args(Seat)[1:]:
        return True
    return not is_typeddict(hint) and any(map(_has_seats, arguments))


def with_differences(scene: Scene, other: Scene) -> Scene:
    """Return the scene with the hexes marked as changed that differ in the other scene."""
    others: dict[Hex, Cell] = {cell.at: cell for cell in other.cells}
    cells = tuple(
        replace(cell, is_changed=_contents(cell) != _contents(others.get(cell.at)))
        for cell in scene.cells
    )
    return replace(scene, cells=cells)


def _contents(cell: Cell | None) -> object:
    """Return the contents of a hex, without marks of the last event; None if it is not on the board."""
    return None if cell is None else (cell.terrain, cell.pieces, cell.marks, cell.value)
