"""What differs between two positions, as data and as text. Positions are JSON here, whichever game's.

Entries of lists that say where they are (`at`) or whose (`seat`) are compared with their like, so that a
pawn that came or went is one change and no shift of all that follow.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from domain.contract import Json
from ledger.canonical import canonical
from replay.render.text_layout import clean

ABSENT: Final = object()


def changes(before: Json | None, after: Json | None) -> list[Json]:
    """What is different in `after`: `{"path", "before", "after"}` each; empty exactly where they are equal.

    A path has dots: `players.1.score`, `pawns.0,-1/1.knights` (the pawns of seat 1 on hex 0,-1). What is
    not there in one of the two is null in it; before the start the whole position is (path "").
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
        yield from _in_parts(path, old, new)
    elif isinstance(old, list) and isinstance(new, list):
        olds, news = _by_key(old), _by_key(new)
        if olds is not None and news is not None and not _is_reordered(olds, news):
            yield from _in_parts(path, olds, news)
        elif canonical(old) != canonical(new):
            yield path, old, new
    elif type(old) is not type(new) or old != new:
        yield path, old, new


def _in_parts(path: tuple[str, ...], old: Json, new: Json) -> Iterator[_Difference]:
    for name in _merged(list(old), list(new)):
        yield from _differences((*path, name), old.get(name, ABSENT), new.get(name, ABSENT))


def _merged(old: list[str], new: list[str]) -> list[str]:
    """All names, those that came next to the ones they stand before."""
    known = set(old)
    merged: list[str] = []
    rest = iter(old)
    for name in new:
        if name in known:
            for other in rest:
                merged.append(other)
                if other == name:
                    break
        else:
            merged.append(name)
    return list(dict.fromkeys([*merged, *rest, *new]))


def _by_key(entries: list[Any]) -> dict[str, Any] | None:
    """The entries by where and whose they are; None where that does not tell them apart."""
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


def as_text(changed: list[Json]) -> list[str]:
    """Lines for people: what happened to the game, to each seat, on the board and to the rest."""
    sections: dict[str, list[tuple[str, str, str]]] = {"game": []}
    for change in changed:
        section, *told = _told(change)
        sections.setdefault(section, []).append((told[0], told[1], told[2]))
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


def _told(change: Json) -> tuple[str, str, str, str]:
    """The section that a change belongs to, where and what it is about, and what became of it."""
    old, new = change["before"], change["after"]
    parts: list[str] = change["path"].split(".", 2)
    match parts:
        case [""]:
            became = "there is one now" if old is None else "there is none any more"
            return "game", "", "position", became
        case [top]:
            return "game", "", _words(top), _arrow(old, new)
        case ["players", seat, rest]:
            return f"seat {_words(seat)}", "", _words(rest), _arrow(old, new, counts=True)
        case [top, key, *rest] if "," in key:
            hex, _, seat = key.partition("/")
            became = " ".join([*map(_words, rest), _arrow(old, new, counts=True)])
            return "board", hex, f"seat {seat}" if seat else _words(top), became
        case [top, *rest]:
            return _words(top), "", _words(" ".join(rest)), _arrow(old, new, counts=True)
        case _:
            raise AssertionError("a path has one part at least")


def _words(name: str) -> str:
    return clean(name.replace("_", " ").replace(".", " "))


def _arrow(old: Any, new: Any, *, counts: bool = False) -> str:
    """What became of it; with the difference where numbers are counts."""
    if isinstance(new, dict) and old is None:
        return f"new: {_shown(new)}"
    if isinstance(old, dict) and new is None:
        return f"gone: {_shown(old)}"
    by = f" ({new - old:+d})" if counts and type(old) is int and type(new) is int else ""
    return f"{_shown(old)} → {_shown(new)}{by}"


def _listed(value: Any) -> str:
    """An entry of a list; a hex as it is written everywhere else."""
    match value:
        case [int(q), int(r)]:
            return f"{q},{r}"
        case _:
            return _shown(value)


def _shown(value: Any) -> str:
    match value:
        case None:
            return "none"
        case bool():
            return "yes" if value else "no"
        case dict():
            rest = {name: item for name, item in value.items() if name not in {"at", "seat"}}
            said = (f"{_words(name)} {_shown(item)}" for name, item in rest.items() if item)
            return ", ".join(said) or "nothing"
        case list():
            return "[" + "; ".join(map(_listed, value)) + "]"
        case _:
            return _words(str(value))
