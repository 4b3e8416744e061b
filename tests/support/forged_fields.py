"""Kinds of forgeries: the fields of one event are changed, or the times of several."""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, Final

from tests.support.forger import Change, Forger, container_of, field_of, is_played, shift_time, walk


def _change_inside(forger: Forger, index: int | None, part: str, *names: str) -> int | None:
    """Change a value inside a part of an event; if names are given, inside fields of these names."""
    if index is None:
        return None
    event: Any = forger.events[index]
    paths = [path for path, _ in walk({part: event[part]}) if path[1:]]
    paths = [path for path in paths if not names or set(names) & set(path)]
    if not paths:
        return None
    path = forger.chance.choice(paths)
    container = container_of(event, path)
    container[path[-1]] = forger.other(container[path[-1]], field_of(path))
    return index + 1


def change_data(forger: Forger) -> int | None:
    return _change_inside(forger, forger.any_event(), "data")


def change_data_of_play(forger: Forger) -> int | None:
    return _change_inside(forger, forger.any_event_that(is_played), "data")


def change_turn_order(forger: Forger) -> int | None:
    return _change_inside(forger, forger.any_event_that(is_played), "data", "then")


def change_standings(forger: Forger) -> int | None:
    scored = forger.any_event_that(lambda event: event["type"] == "RoundScored")
    return _change_inside(forger, scored, "data", "standings")


def change_action(forger: Forger) -> int | None:
    return _change_inside(forger, forger.any_action(), "action")


def change_action_and_data(forger: Forger) -> int | None:
    """Change a field that action and data both have to the same other value."""
    index = forger.any_action()
    if index is None:
        return None
    event = forger.events[index]
    action = event["action"] or {}
    fields = sorted(action.keys() & event["data"].keys())
    if not fields:
        return None
    field = forger.chance.choice(fields)
    value = forger.other(action[field], field)
    action[field], event["data"][field] = value, deepcopy(value)
    return index + 1


def leave_out_value(forger: Forger) -> int | None:
    index = forger.any_event()
    event: Any = forger.events[index]
    paths = [path for path, _ in walk({"data": event["data"]}) if path[1:]]
    if not paths:
        return None
    path = forger.chance.choice(paths)
    del container_of(event, path)[path[-1]]
    return index + 1


def add_value(forger: Forger) -> int | None:
    index = forger.any_event()
    data = forger.events[index]["data"]
    objects = [data, *(value for _, value in walk(data) if isinstance(value, dict))]
    field = forger.chance.choice(["bonus", "out", "honour", "token", "points", "added"])
    forger.chance.choice(objects).setdefault(field, forger.chance.choice([1, [], {}, None]))
    return index + 1


def change_type(forger: Forger) -> int | None:
    index = forger.any_event()
    types = sorted({event["type"] for event in forger.events[1:]})
    forger.events[index]["type"] = forger.chance.choice([*types, "TeaServed"])
    return index + 1


def change_author(forger: Forger) -> int | None:
    index = forger.chance.randrange(len(forger.events))
    seats = forger.created["seats"]
    forger.events[index]["by"] = forger.chance.choice(
        [
            *({"seat": seat} for seat in range(seats + 1)),
            *({"system": it} for it in ("clock", "arbiter", "scorer", "start", "other")),
            *({"player": it} for it in (*forger.started["players"], "stranger")),
        ]
    )
    return index + 1


def change_time(forger: Forger) -> int | None:
    index = forger.any_event()
    seconds = forger.chance.choice([-7200, -60, -1, 1, 60, 7200])
    forger.events[index]["at"] = shift_time(forger.events[index]["at"], seconds)
    return index + 1


def change_later_times(forger: Forger) -> int | None:
    """Shift the times of all events from one on."""
    index = forger.any_event()
    seconds = forger.chance.choice([-3600, -60, -1, 1, 60, 3600])
    for event in forger.events[index:]:
        event["at"] = shift_time(event["at"], seconds)
    return index + 1


def change_game(forger: Forger) -> int | None:
    index = forger.any_event()
    forger.events[index]["game"] = "another-game"
    return index + 1


KINDS: Final[Mapping[str, Change]] = {
    "data changed": change_data,
    "data of play changed": change_data_of_play,
    "turn order changed": change_turn_order,
    "standings changed": change_standings,
    "action changed": change_action,
    "action and data changed": change_action_and_data,
    "value left out": leave_out_value,
    "value added": add_value,
    "type changed": change_type,
    "by changed": change_author,
    "time changed": change_time,
    "later times changed": change_later_times,
    "event of another game": change_game,
}
