"""The TypedDicts that a rule system declares describe its JSON completely and exactly.

They are compared with every event, action, position and standing of the recorded games.
"""

from typing import get_args, get_type_hints, is_typeddict

import pytest

from domain.contract import ALL_SECRETS, AnyRuleSystem
from domain.event import Event
from domain.game import Game
from domain.registry import EXPANSIONS, RULES
from replay.laws.typed_json import faults
from tests.games.records import FOLDER, course_of, record_of
from tests.support.variants import nightly_except

NAMES = sorted(path.stem for path in FOLDER.glob("*.jsonl"))
SYSTEMS: dict[str, AnyRuleSystem] = {
    **RULES,
    **{f"{game} {option}": rules for (game, option), rules in EXPANSIONS.items()},
}


def events_and_games(name: str) -> list[tuple[Event, Game]]:
    return list(zip(record_of(name).events, course_of(name), strict=True))


@pytest.mark.parametrize("name", NAMES)
def test_every_recorded_event_is_as_its_types_say(name: str) -> None:
    for event, game in events_and_games(name):
        rules, action = game.rules, event["action"]
        assert not faults(event["data"], rules.EVENTS[event["type"]]), event
        assert not faults(event["by"], get_type_hints(Event, include_extras=True)["by"])
        if action is not None:
            assert not faults(action, rules.ACTIONS[action["type"]]), action
        if event["type"] == "GameCreated":
            assert not faults(event["data"]["options"], rules.OPTIONS)
        if event["type"] == "RoundScored":
            for entry in event["data"]["standings"]:
                assert not faults(entry, rules.STANDING), entry


@pytest.mark.parametrize("name", nightly_except(NAMES[::3], NAMES))
def test_every_position_of_a_recorded_game_is_as_its_type_says(name: str) -> None:
    for event, game in events_and_games(name):
        if game.state is not None:
            examined = set()
            for viewer in [None, event["seq"] % game.seats, ALL_SECRETS]:
                position = game.rules.position(game.state, viewer)
                if repr(position) not in examined:  # all are equal in a game without secrets
                    assert not faults(position, game.rules.POSITION)
                    examined.add(repr(position))


@pytest.mark.parametrize("name", SYSTEMS)
def test_everything_that_a_rule_system_declares_is_a_typed_dict(name: str) -> None:
    rules = SYSTEMS[name]
    for form in [rules.OPTIONS, rules.POSITION, rules.STANDING]:
        assert is_typeddict(form)
    for type, object_type in rules.EVENTS.items():
        forms = get_args(object_type) or (object_type,)
        assert all(map(is_typeddict, forms))
        assert len(forms) > 1 or forms[0].__name__ == type
    for type, object_type in rules.ACTIONS.items():
        for form in get_args(object_type) or (object_type,):
            assert is_typeddict(form)
            assert get_type_hints(form)["type"].__args__ == (type,)


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_legal_action_is_as_its_type_says(name: str) -> None:
    games = [game for record in NAMES for _, game in events_and_games(record)[::7]]
    for game in games:
        if game.rules is SYSTEMS[name] and game.to_act is not None:
            for action in game.rules.legal_actions(game.state, game.to_act)[::5]:
                raw = game.rules.action_to_json(action)
                assert not faults(raw, game.rules.ACTIONS[action.type])
