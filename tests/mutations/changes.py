"""Ways to change the lines of a record: bytes, lines, and values inside lines.

A change takes the lines of a record, without line feeds, and returns other lines, or None where it finds
nothing to change. What it chooses, it chooses by the random generator that it is given. It repairs nothing:
hashes and signatures are repaired in tests/mutations/repairs.py.
"""

import random
from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any, Final, TypeAlias

import orjson

from ledger.canonical import canonical
from tests.support.forger import container_of, shift_time, walk

Lines: TypeAlias = list[bytes]
Change: TypeAlias = Callable[[Lines, random.Random], Lines | None]

LARGEST: Final = 2**53 - 1
NESTED: Final[Any] = orjson.loads("[" * 200 + "]" * 200)

ODD_VALUES: Final[tuple[Any, ...]] = (
    *(None, True, False, 0, -1, 1, 2, 7, 99, 10**9, LARGEST, -LARGEST),
    *("", "x", "0" * 64, "\x1b[31m", "\x00", "\U0001f3b2", "z" * 5000),
    *([], {}, [0, 0], [[0, 0]], [LARGEST, -LARGEST], {"a": 1}, [None], [[]] * 100, NESTED),
)
"""Values that programs often mishandle, all of which have canonical JSON."""
ODD_TEXTS: Final = (
    *(b"1.5", b"-0", b"1e400", b"9007199254740992", b"9" * 5000, b"NaN", b"tru", b'"\\ud800"'),
    *(b"[" * 300 + b"]" * 300, b"[" * 5000, b'{"a":1,"a":1}', b'"\xff"', b'"\\u0041"', b'" '),
)
"""Texts that are not canonical JSON, most of them not JSON at all."""
ODD_BYTES: Final = (b"\x00", b"\xff", b"\n", b"\r", b'"', b"\\", b"{", b"}", b"[", b",", b":", b"9")


# Bytes


def flip_byte(lines: Lines, chance: random.Random) -> Lines | None:
    data = bytearray(b"\n".join(lines))
    data[chance.randrange(len(data))] ^= chance.randrange(1, 256)
    return bytes(data).split(b"\n")


def put_odd_byte(lines: Lines, chance: random.Random) -> Lines | None:
    data = bytearray(b"\n".join(lines))
    data[chance.randrange(len(data))] = ord(chance.choice(ODD_BYTES))
    return bytes(data).split(b"\n")


def exchange_digit(lines: Lines, chance: random.Random) -> Lines | None:
    """Change a digit, so that most of these lines stay canonical JSON."""
    data = bytearray(b"\n".join(lines))
    places = [i for i, byte in enumerate(data) if byte in b"0123456789"]
    data[chance.choice(places)] = ord(chance.choice("0123456789"))
    return bytes(data).split(b"\n")


def delete_bytes(lines: Lines, chance: random.Random) -> Lines | None:
    data = b"\n".join(lines)
    at = chance.randrange(len(data))
    return (data[:at] + data[at + chance.choice([1, 2, 3, 100]) :]).split(b"\n")


def insert_bytes(lines: Lines, chance: random.Random) -> Lines | None:
    data = b"\n".join(lines)
    at = chance.randrange(len(data))
    return (data[:at] + chance.choice(ODD_BYTES) + data[at:]).split(b"\n")


def repeat_bytes(lines: Lines, chance: random.Random) -> Lines | None:
    data = b"\n".join(lines)
    start = chance.randrange(len(data))
    end = start + chance.choice([1, 5, 100, 3000])
    return (data[:end] + data[start:]).split(b"\n")


def cut_off(lines: Lines, chance: random.Random) -> Lines | None:
    data = b"\n".join(lines)
    return data[: chance.randrange(len(data))].split(b"\n")


def encode_otherwise(lines: Lines, chance: random.Random) -> Lines | None:
    """Write the whole record in another encoding, or with other ends of lines."""
    data = b"\n".join(lines)
    match chance.randrange(5):
        case 0:
            data = data.decode(errors="replace").encode("utf-16")
        case 1:
            data = data.decode(errors="replace").encode("utf-32-be")
        case 2:
            data = b"\xef\xbb\xbf" + data
        case 3:
            data = data.replace(b"\n", b"\r\n")
        case _:
            data = data.replace(b"\n", b"\r")
    return data.split(b"\n")


# Lines


def delete_line(lines: Lines, chance: random.Random) -> Lines | None:
    index = chance.randrange(len(lines))
    return lines[:index] + lines[index + 1 :]


def repeat_line(lines: Lines, chance: random.Random) -> Lines | None:
    index, goal = chance.randrange(len(lines)), chance.randrange(len(lines))
    return [*lines[:goal], lines[index], *lines[goal:]]


def exchange_lines(lines: Lines, chance: random.Random) -> Lines | None:
    one = chance.randrange(len(lines) - 1)
    other = chance.choice([one + 1, chance.randrange(len(lines))])
    changed = list(lines)
    changed[one], changed[other] = changed[other], changed[one]
    return changed


def delete_last_lines(lines: Lines, chance: random.Random) -> Lines | None:
    return lines[: chance.randrange(1, len(lines))]


# Values


def _change_value(
    lines: Lines, chance: random.Random, change: Callable[[Any, Any, list[Any]], None]
) -> Lines | None:
    """Let `change(container, key, values of the record)` change something inside a line."""
    index = chance.randrange(len(lines))
    line = orjson.loads(lines[index])
    paths = [path for path, _ in walk(line)]
    if not paths:
        return None
    # A field near the top is as likely as one deep inside, although there are fewer of those.
    depth = chance.randrange(1, max(map(len, paths)) + 1)
    path = chance.choice([path for path in paths if len(path) == depth])
    other = orjson.loads(chance.choice(lines))
    change(container_of(line, path), path[-1], [value for _, value in walk(other)] or [0])
    return [*lines[:index], canonical(line), *lines[index + 1 :]]


def put_odd_value(lines: Lines, chance: random.Random) -> Lines | None:
    def change(container: Any, key: Any, values: list[Any]) -> None:
        container[key] = deepcopy(chance.choice(ODD_VALUES))

    return _change_value(lines, chance, change)


def put_other_value(lines: Lines, chance: random.Random) -> Lines | None:
    def change(container: Any, key: Any, values: list[Any]) -> None:
        container[key] = deepcopy(chance.choice(values))

    return _change_value(lines, chance, change)


def change_number(lines: Lines, chance: random.Random) -> Lines | None:
    def change(container: Any, key: Any, values: list[Any]) -> None:
        if type(container[key]) is int:
            container[key] += chance.choice([-1, 1, 2, 100])

    return _change_value(lines, chance, change)


def delete_value(lines: Lines, chance: random.Random) -> Lines | None:
    def change(container: Any, key: Any, values: list[Any]) -> None:
        del container[key]

    return _change_value(lines, chance, change)


def add_value(lines: Lines, chance: random.Random) -> Lines | None:
    def change(container: Any, key: Any, values: list[Any]) -> None:
        value = deepcopy(chance.choice([*ODD_VALUES, *values[:50]]))
        if isinstance(container, dict):
            container.setdefault(chance.choice(["added", "out", "honour", "because", "z"]), value)
        else:
            container.insert(key, value)

    return _change_value(lines, chance, change)


def put_odd_text(lines: Lines, chance: random.Random) -> Lines | None:
    """Write a text that is not canonical JSON in the place of a value."""
    marker = "a place for another text"

    def change(container: Any, key: Any, values: list[Any]) -> None:
        container[key] = marker

    changed = _change_value(lines, chance, change)
    text = chance.choice(ODD_TEXTS)
    place = b'"%b"' % marker.encode()
    return None if changed is None else [line.replace(place, text) for line in changed]


# Meanings


def event_indices(lines: Lines) -> list[int]:
    """The indices of the lines with events."""
    return [index for index, line in enumerate(lines) if b'"prev":' in line]


def shift_times(lines: Lines, chance: random.Random) -> Lines | None:
    """Shift the time of one event, or of all events from one on."""
    indices = event_indices(lines)
    first = chance.randrange(len(indices))
    last = chance.choice([first + 1, len(indices)])
    seconds = chance.choice([-3600, -60, -1, 1, 60, 3600])
    changed = list(lines)
    for index in indices[first:last]:
        event = orjson.loads(lines[index])
        changed[index] = canonical({**event, "at": shift_time(event["at"], seconds)})
    return changed


def move_event(lines: Lines, chance: random.Random) -> Lines | None:
    """Move an event to another place; the times stay where they are."""
    indices = event_indices(lines)
    events = [orjson.loads(lines[index]) for index in indices]
    times = [event["at"] for event in events]
    start = chance.randrange(len(events))
    goal = chance.choice([start + 1, start - 1, chance.randrange(len(events))]) % len(events)
    events.insert(goal, events.pop(start))
    changed = list(lines)
    for index, event, at in zip(indices, events, times, strict=True):
        changed[index] = canonical({**event, "at": at})
    return changed


def change_author(lines: Lines, chance: random.Random) -> Lines | None:
    index = chance.choice(event_indices(lines))
    event = orjson.loads(lines[index])
    other = orjson.loads(lines[chance.choice(event_indices(lines))])
    return [*lines[:index], canonical({**event, "by": other["by"]}), *lines[index + 1 :]]


def change_header(lines: Lines, chance: random.Random) -> Lines | None:
    """Change a field of the header, or add one."""
    header = orjson.loads(lines[0])
    name = chance.choice([*header, "later"])
    value = header.get(name)
    if isinstance(value, str | None):
        header[name] = chance.choice(["x", "99.0.0", "baron", "game-2"])
    else:
        entries = [path for path, _ in walk({name: value}) if len(path) > 1]
        if entries:
            path = chance.choice(entries)
            times = ["2025-01-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z"]
            container_of(header, path)[path[-1]] = chance.choice([*times, None, "x", []])
    return [canonical(header), *lines[1:]]


def change_setting(lines: Lines, chance: random.Random) -> Lines | None:
    """Change an option, the clock or another setting in the first event."""
    event = orjson.loads(lines[1])
    settings = [path for path, value in walk(event["data"]) if not isinstance(value, dict)]
    path = chance.choice(settings)
    value = chance.choice([True, False, None, 1, 2, 3, 50, 100, "joined", "drawn", ["x"]])
    container_of(event["data"], path)[path[-1]] = value
    return [lines[0], canonical(event), *lines[2:]]


BYTES: Final[Mapping[str, Change]] = {
    "byte flipped": flip_byte,
    "odd byte": put_odd_byte,
    "digit exchanged": exchange_digit,
    "bytes deleted": delete_bytes,
    "bytes inserted": insert_bytes,
    "bytes repeated": repeat_bytes,
    "cut off": cut_off,
    "encoded otherwise": encode_otherwise,
    "odd text": put_odd_text,
}
"""Changes after which most lines that they touch are not canonical JSON."""
LINES: Final[Mapping[str, Change]] = {
    "line deleted": delete_line,
    "line repeated": repeat_line,
    "lines exchanged": exchange_lines,
    "last lines deleted": delete_last_lines,
}
VALUES: Final[Mapping[str, Change]] = {
    "odd value": put_odd_value,
    "other value": put_other_value,
    "number changed": change_number,
    "value deleted": delete_value,
    "value added": add_value,
}
"""Changes after which every line is still canonical JSON."""
MEANINGS: Final[Mapping[str, Change]] = {
    "times shifted": shift_times,
    "event moved": move_event,
    "author changed": change_author,
    "header changed": change_header,
    "setting changed": change_setting,
}
"""Changes that somebody who knows the format makes."""
