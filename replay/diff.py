"""Compares two JSON objects, such as positions of any game, and formats the differences as text.

Entries of lists that have a place (`at`) or a seat are matched by these. So a pawn that was added or removed
is one change, and does not shift all entries after it.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from domain.json_types import JsonObject
from ledger.canonical import canonical
from replay.render.text_layout import clean

ABSENT: Final = object()


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
    for name in _merged(list(old), list(new)):
        yield from _differences((*path, name), old.get(name, ABSENT), new.get(name, ABSENT))


def _merged(old: list[str], new: list[str]) -> list[str]:
    """All names in one order, in which each name that only `new` has stands where `new` has it."""
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
    """The entries by place and seat; None if these do not identify them."""
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


def change_lines(changed: list[JsonObject]) -> list[str]:
    """Return the changes as lines of text, in sections: the game, each seat, the board, and the rest."""
    sections: dict[str, list[tuple[str, str, str]]] = {"game": []}
    for change in changed:
        section, *columns = _row(change)
        sections.setdefault(section, []).append((columns[0], columns[1], columns[2]))
    lines: list[str] = []
    for section, rows in sections.items():
        if rows:
            lines.append(section)
            widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
            lines += [
                "  "
                + "".join(
                    f"{name:<{width}}  " for name, width in zip(row, widths, strict=False) if width
                )
                + row[2]
                for row in rows
            ]
    return lines


def _row(change: JsonObject) -> tuple[str, str, str, str]:
    """The section of a change, its place, its subject, and the change itself, as text."""
    old, new = change["before"], change["after"]
    parts: list[str] = change["path"].split(".", 2)
    match parts:
        case [""]:
            outcome = "there is one now" if old is None else "there is none any more"
            return "game", "", "position", outcome
        case [top]:
            return "game", "", _words(top), _transition(old, new)
        case ["players", seat, rest]:
            return f"seat {_words(seat)}", "", _words(rest), _transition(old, new, counts=True)
        case [top, key, *rest] if "," in key:
            hex, _, seat = key.partition("/")
            outcome = " ".join([*map(_words, rest), _transition(old, new, counts=True)])
            return "board", hex, f"seat {seat}" if seat else _words(top), outcome
        case [top, *rest]:
            return _words(top), "", _words(" ".join(rest)), _transition(old, new, counts=True)
        case _:
            raise AssertionError("a path has one part at least")


def _words(name: str) -> str:
    return clean(name.replace("_", " ").replace(".", " "))


def _transition(old: Any, new: Any, *, counts: bool = False) -> str:
    """The old and the new value, with their difference if they are counts."""
    if isinstance(new, dict) and old is None:
        return f"new: {_value_text(new)}"
    if isinstance(old, dict) and new is None:
        return f"gone: {_value_text(old)}"
    by = f" ({new - old:+d})" if counts and type(old) is int and type(new) is int else ""
    return f"{_value_text(old)} → {_value_text(new)}{by}"


def _entry_text(value: Any) -> str:
    """An entry of a list; a hex as `q,r`."""
    match value:
        case [int(q), int(r)]:
            return f"{q},{r}"
        case _:
            return _value_text(value)


def _value_text(value: Any) -> str:
    match value:
        case None:
            return "none"
        case bool():
            return "yes" if value else "no"
        case dict():
            rest = {name: item for name, item in value.items() if name not in {"at", "seat"}}
            texts = (f"{_words(name)} {_value_text(item)}" for name, item in rest.items() if item)
            return ", ".join(texts) or "nothing"
        case list():
            return "[" + "; ".join(map(_entry_text, value)) + "]"
        case _:
            return _words(str(value))
