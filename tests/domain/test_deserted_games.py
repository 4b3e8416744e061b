"""When the clock abandons a game that every player has left (domain/lifecycle.py, domain/game.py)."""

import random
from typing import Any

import pytest

from domain import lifecycle
from domain.clock.deadlines import is_deserted
from domain.errors import NotNow
from domain.game import Game
from tests.support.events import data_of
from tests.support.faults import raises
from tests.support.records import SECRET, Table

GAMES: list[tuple[str, dict[str, Any]]] = [
    ("barony", {}),
    ("barony", {"sorcery": True}),
    ("baron", {}),
]
each_game = pytest.mark.parametrize(("rules", "options"), GAMES)


def started(rules: str, seats: int = 3, **options: object) -> Table:
    """A game with a clock, after its set-up."""
    table = Table(rules, seats, {"seating": "joined", **options}, clock={"per_turn": 60}).start()
    while not table.game.round:
        act(table)
    return table


def act(table: Table) -> None:
    """Let the seat to act take the first legal action."""
    game = table.game
    assert game.to_act is not None
    action = game.rules.legal_actions(game.state, game.to_act)[0]
    table.act(game.rules.action_to_json(action))


def forfeit(table: Table, turns: int) -> Game:
    for _ in range(turns):
        assert not is_deserted(table.game)
        table.forfeit()
    return table.game


@each_game
def test_a_game_is_deserted_when_every_seat_has_forfeited_two_turns(
    rules: str, options: dict[str, Any]
) -> None:
    table = started(rules, **options)
    assert is_deserted(forfeit(table, 6))
    event = lifecycle.abandon_deserted(table.game, SECRET)
    assert (event.type, data_of(event)) == ("GameAbandoned", {"secret": SECRET.hex()})
    table.add(event, {"system": "clock"})
    assert table.game.status == "abandoned"
    assert not is_deserted(table.game)


@each_game
def test_a_game_is_not_abandoned_by_the_clock_before_that(
    rules: str, options: dict[str, Any]
) -> None:
    table = started(rules, **options)
    for _ in range(6):
        with raises(NotNow, match="not deserted"):
            lifecycle.abandon_deserted(table.game, SECRET)
        table.forfeit()


@each_game
def test_an_action_starts_the_count_again(rules: str, options: dict[str, Any]) -> None:
    table = started(rules, **options)
    forfeit(table, 5)
    act(table)
    assert table.game.forfeits == {}
    assert is_deserted(forfeit(table, 6))


def test_an_action_out_of_turn_starts_the_count_again() -> None:
    table = started("barony", end_by_agreement=True)
    forfeit(table, 5)
    table.act({"type": "agree_to_end", "agree": True}, seat=0)
    forfeit(table, 1)
    assert not is_deserted(table.game)
    forfeit(table, 5)
    assert is_deserted(table.game)


@each_game
def test_a_player_who_resigns_has_acted(rules: str, options: dict[str, Any]) -> None:
    table = started(rules, **options)
    forfeit(table, 5)
    table.act({"type": "resign"}, seat=0)
    assert not is_deserted(table.game)
    forfeit(table, 4)
    assert is_deserted(table.game)


@each_game
def test_a_seat_that_an_arbiter_removes_counts_no_more_and_has_not_acted(
    rules: str, options: dict[str, Any]
) -> None:
    table = started(rules, **options)
    forfeit(table, 5)
    table.remove(2)
    assert is_deserted(table.game)


def test_a_missed_placement_removes_the_seat_and_is_no_forfeited_turn() -> None:
    table = Table("barony", 3, {"seating": "joined"}, clock={"per_turn": 60}).start()
    assert table.forfeit()["type"] == "PlayerRemoved"
    assert table.game.forfeits == {}
    assert table.forfeit()["type"] == "PlayerRemoved"
    assert table.game.is_played_out
    assert not is_deserted(table.game)


def test_a_game_that_ends_by_the_last_forfeit_is_finished_instead() -> None:
    table = started("barony", seats=2, round_limit=2)
    forfeit(table, 4)
    assert table.game.is_played_out
    assert not is_deserted(table.game)


@each_game
@pytest.mark.parametrize("seed", range(4))
def test_the_count_agrees_with_the_definition_in_games_of_chance(
    rules: str, options: dict[str, Any], seed: int
) -> None:
    """Compare with the last events read backwards, in games in which turns are forfeited at random."""
    chance = random.Random(seed)
    table = started(rules, **options)
    deserted = 0
    for _ in range(60):
        if table.game.to_act is None:
            break
        if chance.random() < 0.85:
            table.forfeit()
        elif chance.random() < 0.1:
            assert table.game.state is not None
            table.act({"type": "resign"}, seat=chance.choice(table.game.state.in_game()))
        else:
            act(table)
        assert is_deserted(table.game) == is_deserted_by_the_log(table)
        deserted += is_deserted(table.game)
    assert deserted or table.game.to_act is None


def is_deserted_by_the_log(table: Table) -> bool:
    game = table.game
    if game.to_act is None or game.state is None:
        return False
    turns: list[int] = []
    for sealed in reversed(table.sealed):
        if sealed.event["action"] is not None:
            break
        if sealed.event["type"] == "TurnForfeited":
            turns.append(sealed.event["data"]["seat"])
    return all(turns.count(seat) >= 2 for seat in game.state.in_game())
