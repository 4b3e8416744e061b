"""Kinds of forgeries: the fields of one event are changed, or the times of several."""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, Final

from tests.support.forger import Change, Forger, field_of, holder_of, inside, is_played, later


def _change_inside(forger: Forger, index: int | None, part: str, *names: str) -> int | None:
    """Another value somewhere inside a part of an event, in the fields of these names if there are any."""
    if index is None:
        return None
    event: Any = forger.events[index]
    ways = [way for way, _ in inside({part: event[part]}) if way[1:]]
    ways = [way for way in ways if not names or set(names) & set(way)]
    if not ways:
        return None
    way = forger.chance.choice(ways)
    holder = holder_of(event, way)
    holder[way[-1]] = forger.other(holder[way[-1]], field_of(way))
    return index + 1


def data_changed(forger: Forger) -> int | None:
    return _change_inside(forger, forger.any_event(), "data")


def data_of_play_changed(forger: Forger) -> int | None:
    return _change_inside(forger, forger.any_event_that(is_played), "data")


def turn_order_changed(forger: Forger) -> int | None:
    return _change_inside(forger, forger.any_event_that(is_played), "data", "then")


def standings_changed(forger: Forger) -> int | None:
    scored = forger.any_event_that(lambda event: event["type"] == "RoundScored")
    return _change_inside(forger, scored, "data", "standings")


def action_changed(forger: Forger) -> int | None:
    return _change_inside(forger, forger.any_action(), "action")


def action_and_data_changed(forger: Forger) -> int | None:
    """The same other value in a field that action and data both have."""
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


def value_left_out(forger: Forger) -> int | None:
    index = forger.any_event()
    event: Any = forger.events[index]
    ways = [way for way, _ in inside({"data": event["data"]}) if way[1:]]
    if not ways:
        return None
    way = forger.chance.choice(ways)
    del holder_of(event, way)[way[-1]]
    return index + 1


def value_added(forger: Forger) -> int | None:
    index = forger.any_event()
    data = forger.events[index]["data"]
    objects = [data, *(value for _, value in inside(data) if isinstance(value, dict))]
    field = forger.chance.choice(["bonus", "out", "honour", "token", "points", "added"])
    forger.chance.choice(objects).setdefault(field, forger.chance.choice([1, [], {}, None]))
    return index + 1


def type_changed(forger: Forger) -> int | None:
    index = forger.any_event()
    types = sorted({event["type"] for event in forger.events[1:]})
    forger.events[index]["type"] = forger.chance.choice([*types, "TeaServed"])
    return index + 1


def by_changed(forger: Forger) -> int | None:
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


def time_changed(forger: Forger) -> int | None:
    index = forger.any_event()
    seconds = forger.chance.choice([-7200, -60, -1, 1, 60, 7200])
    forger.events[index]["at"] = later(forger.events[index]["at"], seconds)
    return index + 1


def later_times_changed(forger: Forger) -> int | None:
    """All events from one on happen later, or sooner after the one before."""
    index = forger.any_event()
    seconds = forger.chance.choice([-3600, -60, -1, 1, 60, 3600])
    for event in forger.events[index:]:
        event["at"] = later(event["at"], seconds)
    return index + 1


def other_game(forger: Forger) -> int | None:
    index = forger.any_event()
    forger.events[index]["game"] = "another-game"
    return index + 1


KINDS: Final[Mapping[str, Change]] = {
    "data changed": data_changed,
    "data of play changed": data_of_play_changed,
    "turn order changed": turn_order_changed,
    "standings changed": standings_changed,
    "action changed": action_changed,
    "action and data changed": action_and_data_changed,
    "value left out": value_left_out,
    "value added": value_added,
    "type changed": type_changed,
    "by changed": by_changed,
    "time changed": time_changed,
    "later times changed": later_times_changed,
    "event of another game": other_game,
}
