"""The clock abandons a game that every player has left, and no other."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from freezegun import freeze_time

from domain import chance
from domain.event import Event
from domain.game import Game
from service.bootstrap import Service
from tests.support.service_games import play_until, start_game, take_action

GAMES: list[tuple[str, dict[str, Any]]] = [
    ("barony", {}),
    ("barony", {"sorcery": True}),
    ("baron", {}),
]
each_game = pytest.mark.parametrize(("rules", "options"), GAMES)


@pytest.fixture
def time() -> Iterator[Any]:
    with freeze_time("2026-11-20T09:00:00Z") as time:
        yield time


def start_play(service: Service, rules: str, options: dict[str, Any], seats: int = 3) -> Game:
    """Start a game with a clock and play its set-up."""
    game = start_game(service, seats, {"per_turn": 60}, rules, **options)
    return play_until(service, game.id, lambda game: game.round >= 1)


def pass_deadline(service: Service, game_id: str, time: Any) -> list[Event]:
    """Let the turn under way pass its deadline; return the events that the clock appends."""
    time.tick(timedelta(seconds=61))
    return service.games.commands.end_turn(game_id, service.games.queries.game(game_id).turn)


@each_game
def test_a_game_ends_when_every_seat_has_forfeited_two_turns(
    service: Service, time: Any, rules: str, options: dict[str, Any]
) -> None:
    game = start_play(service, rules, options)
    for _ in range(5):
        assert [event["type"] for event in pass_deadline(service, game.id, time)] == [
            "TurnForfeited"
        ]
    before = service.games.queries.game(game.id)
    forfeited, abandoned = pass_deadline(service, game.id, time)
    assert forfeited["type"] == "TurnForfeited"
    assert (abandoned["type"], abandoned["by"]) == ("GameAbandoned", {"system": "clock"})
    assert abandoned["seq"] == before.seq + 2
    secret = bytes.fromhex(abandoned["data"]["secret"])
    assert chance.commitment(secret) == game.commitment
    assert service.games.queries.game(game.id).status == "abandoned"
    assert pass_deadline(service, game.id, time) == []


@each_game
def test_nothing_is_left_to_do_for_an_abandoned_game(
    service: Service, time: Any, rules: str, options: dict[str, Any]
) -> None:
    game = start_play(service, rules, options, seats=2)
    while service.games.queries.game(game.id).status == "playing":
        pass_deadline(service, game.id, time)
    after = service.games.queries.game(game.id)
    assert len(after.rounds_ended) >= 2, "the last round ended with the last forfeited turn"
    forfeits = [
        event["seq"]
        for event in service.games.queries.event_page(game.id, game.seq, 100)
        if event["type"] == "TurnForfeited"
    ]
    entries = {"notify/over", *(f"notify/event/{seq}" for seq in forfeits)}
    assert service.store.outbox(game.id).keys() == entries
    assert service.games.listings.page(["abandoned"]).games == (game.id,)


@each_game
def test_an_action_keeps_the_game_going(
    service: Service, time: Any, rules: str, options: dict[str, Any]
) -> None:
    game = start_play(service, rules, options)
    for _ in range(5):
        pass_deadline(service, game.id, time)
    take_action(service, game.id)
    for _ in range(5):
        pass_deadline(service, game.id, time)
        assert service.games.queries.game(game.id).status == "playing"
    pass_deadline(service, game.id, time)
    assert service.games.queries.game(game.id).status == "abandoned"


def test_a_game_is_abandoned_when_an_administrator_removes_the_last_player_who_could_act(
    service: Service, time: Any
) -> None:
    game = start_play(service, "barony", {})
    for _ in range(5):
        pass_deadline(service, game.id, time)
    last = service.games.queries.game(game.id).to_act
    assert last is not None
    _, removed, abandoned = service.administration.remove_seat("operator", game.id, last, "a test")
    assert (removed["type"], removed["by"]) == ("PlayerRemoved", {"system": "arbiter"})
    assert (abandoned["type"], abandoned["by"]) == ("GameAbandoned", {"system": "clock"})
