"""The PettingZoo environment passes PettingZoo's own tests, and shows an agent only what its seat may see."""

from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

from cartulary.observations import NULL, position_rows, word_numbers
from cartulary.pettingzoo_env import GameEnv, env
from domain.errors import Malformed
from domain.registry import BARON, BARONY, rule_systems
from tests.games.records import course_of

GAMES: list[tuple[str, int, dict[str, Any]]] = [
    ("barony", 2, {"round_limit": 2}),
    ("sorcery", 5, {"round_limit": 1}),
    ("baron", 2, {}),
    ("baron", 5, {}),
]


@pytest.mark.parametrize(("rules", "seats", "options"), GAMES)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_environment_passes_the_conformance_test(
    rules: str, seats: int, options: dict[str, Any]
) -> None:
    api_test(env(rules, seats, options=options), num_cycles=60)


@pytest.mark.parametrize(("rules", "seats", "options"), GAMES[:3])
def test_equal_seeds_lead_to_equal_games(rules: str, seats: int, options: dict[str, Any]) -> None:
    seed_test(lambda: env(rules, seats, options=options), num_cycles=8)


def test_there_is_an_environment_for_each_rule_system() -> None:
    for name in rule_systems():
        environment = GameEnv(name)
        environment.reset(seed=1)
        assert environment.observe("seat_0")["action_mask"].any()


def play_at_random(environment: GameEnv, seed: int) -> dict[str, float]:
    """Play a game with random legal actions, and return the rewards."""
    environment.reset(seed=seed)
    chance = np.random.default_rng(seed)
    rewards = dict.fromkeys(environment.possible_agents, 0.0)
    for agent in environment.agent_iter():
        observation, reward, termination, truncation, _ = environment.last()
        rewards[agent] += reward
        if termination or truncation:
            environment.step(None)
        else:
            environment.step(int(chance.choice(np.flatnonzero(observation["action_mask"]))))
    return rewards


def test_a_game_is_rewarded_by_its_places_at_the_end() -> None:
    environment = GameEnv("barony", 3, options={"round_limit": 1})
    rewards = play_at_random(environment, 3)
    # Barony has no ties: the seats are first, second and last.
    assert sorted(rewards.values()) == [-1.0, 0.0, 1.0]
    assert environment.agents == []


def test_an_agent_observes_the_legal_actions_only_in_its_turn() -> None:
    environment = GameEnv("baron", 2)
    environment.reset(seed=5)
    first, second = (environment.observe(agent) for agent in environment.possible_agents)
    count = int(first["action_mask"].sum())
    draw = word_numbers(BARON)["draw"]
    assert [list(row[:2]) for row in first["actions"][:count]] == [
        [draw, slot] for slot in range(1, count + 1)
    ]
    assert environment.action_text(0) == "draw 1"
    assert not second["action_mask"].any()
    assert not second["actions"].any()


def test_an_observation_does_not_show_the_reserves_of_others() -> None:
    state: Any = course_of("baron-five")[20].state
    position: Any = BARON.position(state, 2)
    words = word_numbers(BARON)
    rows = position_rows(BARON, position, 2)
    players = rows[rows[:, 0] == words["players"]]
    # honour, keeps, keeps_resting, out, reserve, reserve_size, ...
    reserves = players[:, 2 + 4].tolist()
    assert reserves == [NULL, NULL, len(position["players"][2]["reserve"]), NULL, NULL]
    (own,) = rows[rows[:, 0] == words["reserve"]].tolist()
    tiles = [words[tile] for tile in position["players"][2]["reserve"]]
    assert own[: 2 + len(tiles)] == [words["reserve"], 2, *tiles]


def test_every_word_of_a_position_has_a_number() -> None:
    for rules, name in ((BARONY, "duke-of-three"), (BARON, "baron-five")):
        words = word_numbers(rules)
        state: Any = course_of(name)[-1].state
        position: Any = rules.position(state, 0)
        values = [value for player in position["players"] for value in player.values()]
        values += [value for entry in position.get("tiles", ()) for value in entry.values()]
        assert {value for value in values if isinstance(value, str)} <= words.keys()


@pytest.mark.parametrize("action", [-1, 3, 1023, None])
def test_an_illegal_action_is_refused_and_changes_nothing(action: int | None) -> None:
    environment = GameEnv("baron", 2)
    environment.reset(seed=5)
    before = environment.observe("seat_0")
    with pytest.raises(ValueError, match="not the index of a legal action"):
        environment.step(action)
    for name, value in environment.observe("seat_0").items():
        assert (value == before[name]).all()


def test_of_too_many_actions_an_even_selection_is_offered() -> None:
    environment = GameEnv("barony", 2, max_actions=5)
    environment.reset(seed=1)
    assert environment.observe("seat_0")["action_mask"].tolist() == [1] * 5
    texts = {environment.action_text(number) for number in range(5)}
    assert len(texts) == 5


def test_a_position_is_drawn_as_text_on_request() -> None:
    environment = GameEnv("baron", 2, render_mode="ansi")
    environment.reset(seed=1)
    assert "meadow" in str(environment.render())
    assert GameEnv("baron").render() is None


def test_invalid_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="barony, sorcery, baron"):
        GameEnv("chess")
    with pytest.raises(ValueError, match="render_mode"):
        GameEnv("baron", render_mode="human")
    with pytest.raises(Malformed):
        GameEnv("baron", 6)
    with pytest.raises(Malformed):
        GameEnv("baron", 2, options={"round_limit": 3})
    environment = GameEnv("baron", 2, max_rows=3)
    environment.reset(seed=1)
    with pytest.raises(ValueError, match="increase max_rows"):
        environment.observe("seat_0")
