"""What happens at a deadline, by the options of the game: in set-up and in play, in each game."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from io import BytesIO
from typing import Any, cast
from unittest.mock import patch

import pytest
from freezegun import freeze_time

from domain.errors import Malformed
from domain.event import Clock, Event
from domain.game import Game
from replay.audit import audit
from replay.bots import absent_player
from service.bootstrap import Service, build
from service.settings import Settings
from tests.support.records import trusting_signer
from tests.support.service_games import play_until, start_game, take_action
from tests.support.seven_hexes.registration import registered

GAMES: list[tuple[str, dict[str, Any]]] = [
    ("barony", {}),
    ("barony", {"sorcery": True}),
    ("baron", {}),
    ("seven_hexes", {}),
]
each_game = pytest.mark.parametrize(("rules", "options"), GAMES)


@pytest.fixture(autouse=True)
def fourth_game() -> Iterator[None]:
    with registered():
        yield


@pytest.fixture
def time() -> Iterator[Any]:
    with freeze_time("2026-11-20T09:00:00Z") as time:
        yield time


def start(
    service: Service, on_deadline: Any, rules: str = "barony", seats: int = 2, **options: Any
) -> Game:
    return start_game(
        service, seats, {"per_turn": 60, "on_deadline": on_deadline}, rules, **options
    )


def miss(service: Service, game: Game, time: Any, times: int = 1) -> list[Event]:
    """Let so many turns pass their deadlines; return the events that the clock appends."""
    events: list[Event] = []
    for _ in range(times):
        time.tick(timedelta(seconds=60))
        events += service.games.commands.end_turn(game.id, service.games.queries.game(game.id).turn)
    return events


def types(events: list[Event]) -> list[str]:
    return [event["type"] for event in events]


def assert_sound(service: Service, game: Game) -> None:
    data = b"".join(service.games.queries.record(game.id))
    report = audit(BytesIO(data), trusted=trusting_signer(data))
    assert report.verdict != "broken", report.first


@each_game
def test_a_bot_plays_the_whole_rest_of_a_missed_turn(
    service: Service, time: Any, rules: str, options: dict[str, Any]
) -> None:
    game = start(service, {"turn": "bot", "abandon_after": 3}, rules, **options)
    game = play_until(service, game.id, lambda game: game.round >= 1)
    for _ in range(4):
        before = service.games.queries.game(game.id)
        events = miss(service, game, time)
        assert all(event["by"] == {"system": "clock"} for event in events)
        assert all(event["action"] is not None for event in events)
        assert {event["data"]["seat"] for event in events} == {before.to_act}
        after = service.games.queries.game(game.id)
        assert after.turn == before.turn + 1
        seat = before.to_act or 0
        assert after.missed_deadlines[seat] == (*before.missed_deadlines.get(seat, ()), after.seq)
        assert service.games.commands.end_turn(game.id, after.turn) == []
    assert_sound(service, game)


@each_game
def test_a_game_in_which_everybody_is_silent_ends_from_the_start_on(
    service: Service, time: Any, rules: str, options: dict[str, Any]
) -> None:
    for on_deadline in ({}, {"turn": "bot"}, {"excused": 1, "remove_after": 3}):
        game = start(service, on_deadline, rules, **options)
        events: list[Event] = []
        while service.games.queries.game(game.id).to_act is not None:
            events += miss(service, game, time)
            assert len(events) < 40
        service.games.commands.score(game.id)
        ended = service.games.queries.game(game.id)
        assert ended.has_ended
        if ended.status == "abandoned":
            assert types(events)[-1] == "GameAbandoned"
            assert "secret" in events[-1]["data"]
        assert_sound(service, game)


@pytest.mark.parametrize("options", [{}, {"sorcery": True}])
def test_a_bot_places_for_a_player_who_misses_a_placement(
    service: Service, time: Any, options: dict[str, Any]
) -> None:
    game = start_game(service, 3, {"per_turn": 60}, "barony", **options)
    (event,) = miss(service, game, time)
    assert (event["type"], event["by"]) == ("CityPlaced", {"system": "clock"})
    assert event["action"] == {"type": "place_city", "at": event["data"]["at"]}
    assert event["data"]["seat"] == game.to_act
    # The two absent players and the third go on to play.
    miss(service, game, time)
    game = play_until(service, game.id, lambda game: game.round >= 1)
    assert game.state is not None
    assert len(game.state.in_game()) == 3
    assert_sound(service, game)


def test_a_missed_placement_removes_the_player_if_the_options_say_so(
    service: Service, time: Any
) -> None:
    game = start(service, {"placement": "remove"}, seats=3)
    (event,) = miss(service, game, time)
    assert (event["type"], event["by"]) == ("PlayerRemoved", {"system": "clock"})
    assert_sound(service, game)


def test_an_excused_deadline_only_restarts_the_time(service: Service, time: Any) -> None:
    game = start(service, {"excused": 2, "turn": "forfeit"})
    game = play_until(service, game.id, lambda game: game.round >= 1)
    assert types(miss(service, game, time, 2)) == ["DeadlineExcused"] * 2
    excused = service.games.queries.game(game.id)
    assert (excused.turn, excused.to_act) == (game.turn, game.to_act)
    assert excused.state_hash == game.state_hash
    assert service.games.queries.game(game.id).missed_deadlines == {}
    assert types(miss(service, game, time)) == ["TurnForfeited"]
    # Each seat has misses of its own, and a game has no more of them later.
    assert types(miss(service, game, time, 3)) == ["DeadlineExcused"] * 2 + ["TurnForfeited"]
    take_action(service, game.id)
    take_action(service, game.id)
    assert types(miss(service, game, time)) == ["TurnForfeited"]
    assert_sound(service, game)


@pytest.mark.parametrize("rules", ["barony", "baron"])
def test_a_seat_is_removed_after_so_many_misses_in_a_row(
    service: Service, time: Any, rules: str
) -> None:
    game = start(service, {"remove_after": 2, "abandon_after": 9}, rules, seats=3)
    game = play_until(service, game.id, lambda game: game.round >= 1)
    absent = game.to_act
    assert types(miss(service, game, time)) == ["TurnForfeited"]
    play_until(service, game.id, lambda game: game.to_act == absent)
    # An action in between begins the count anew.
    play_until(service, game.id, lambda game: game.to_act != absent)
    play_until(service, game.id, lambda game: game.to_act == absent)
    assert types(miss(service, game, time)) == ["TurnForfeited"]
    play_until(service, game.id, lambda game: game.to_act == absent)
    (event,) = miss(service, game, time)
    assert (event["type"], event["data"]["seat"]) == ("PlayerRemoved", absent)
    assert_sound(service, game)


def test_a_game_is_abandoned_after_as_many_misses_of_each_seat_as_its_options_say(
    service: Service, time: Any
) -> None:
    for number in (1, 3):
        game = start(service, {"abandon_after": number, "turn": "bot"})
        game = play_until(service, game.id, lambda game: game.round >= 1)
        events = types(miss(service, game, time, 2 * number))
        assert events[-1] == "GameAbandoned"
        assert len(events) == 2 * number + 1
        assert_sound(service, game)


def test_a_bot_that_fails_does_not_stop_the_clock(service: Service, time: Any) -> None:
    game = start(service, {"turn": "bot"})
    with patch.object(absent_player, "bot_action", side_effect=RuntimeError("a fault")):
        (event,) = miss(service, game, time)
    assert event["type"] == "CityPlaced"
    with patch.object(game.rules, "legal_actions", lambda *_: []):
        (event,) = miss(service, game, time)
    assert event["type"] == "PlayerRemoved"


def test_a_server_can_ask_for_a_least_time_for_each_turn(settings: Settings) -> None:
    service = build(replace(settings, bounds=replace(settings.bounds, min_seconds_per_turn=60)))
    too_short = ({"per_turn": 59}, {"bank": 3600}, {"per_turn": 20, "bank": 60, "increment": 39})
    for clock in too_short:
        with pytest.raises(Malformed) as refused:
            start_game(service, clock=cast("Clock", clock))
        assert refused.value.fields.keys() == {"clock.per_turn"}
    for allowed in (None, {"per_turn": 60}, {"per_turn": 20, "bank": 60, "increment": 40}):
        assert start_game(service, clock=cast("Clock | None", allowed)).status == "playing"
    with pytest.raises(Malformed) as refused:
        start_game(service, clock=cast("Clock", {"per_turn": "x"}))
    assert refused.value.fields.keys() == {"clock.per_turn"}
    service.redis.close()


def test_the_clock_does_nothing_before_the_deadline_and_nothing_twice(
    service: Service, time: Any
) -> None:
    game = start(service, {"turn": "bot"})
    time.tick(timedelta(seconds=59, milliseconds=999))
    assert service.games.commands.end_turn(game.id, game.turn) == []
    # A clock that is set back brings no deadline forward.
    time.tick(timedelta(days=-1))
    assert service.games.commands.end_turn(game.id, game.turn) == []
    time.tick(timedelta(days=1, milliseconds=1))
    assert len(service.games.commands.end_turn(game.id, game.turn)) == 1
    assert service.games.commands.end_turn(game.id, game.turn) == []
    after = service.games.queries.game(game.id)
    assert service.games.commands.end_turn(game.id, after.turn) == []
