"""Scoring, forfeits, removal and abandonment: each has its effect once, however often it is requested."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from freezegun import freeze_time

from domain.contract import Opened
from domain.errors import NotNow
from domain.event import Event
from domain.fold import EarlierGames
from ledger.clock.turn_clock import deadline_timestamp
from service import wall_clock
from service.bootstrap import Service, build
from service.errors import NotFound
from service.games.game_cache import CachedGame, advance
from service.settings import Settings
from tests.support.service_games import play_out, play_set_up, play_until, start_game, take_action


def scored_rounds(service: Service, game_id: str) -> list[int]:
    events = service.games.queries.event_page(game_id, 0, 10_000)
    return [event["data"]["round"] for event in events if event["type"] == "RoundScored"]


def test_a_round_is_scored_once_after_its_end(service: Service) -> None:
    game = play_set_up(service, start_game(service).id)
    assert service.games.commands.score(game.id) == []
    game = play_until(service, game.id, lambda game: bool(game.rounds_ended))
    take_action(service, game.id)
    (event,) = service.games.commands.score(game.id)
    assert event["by"] == {"system": "scorer"}
    assert event["action"] is None
    assert event["data"]["round"] == 1
    assert service.games.commands.score(game.id) == []


def test_late_standings_are_those_at_the_end_of_the_round(service: Service) -> None:
    game = play_out(service, start_game(service, round_limit=30).id)
    ended = dict(game.rounds_ended)
    standings = []
    for event in service.games.commands.score(game.id)[:-1]:
        position = service.games.queries.game_at(game.id, ended[event["data"]["round"]]).position(
            None
        )
        assert position is not None
        players = [
            {name: player[name] for name in ("seat", "score", "resources", "rank")}
            for player in position["players"]
        ]
        assert [
            standing | player
            for standing, player in zip(event["data"]["standings"], players, strict=True)
        ] == event["data"]["standings"]
        standings.append(players)
    assert len(standings) == 30
    assert standings[0] != standings[-1]


def test_remaining_rounds_are_scored_in_order_before_the_game_is_finished(service: Service) -> None:
    game = play_out(service, start_game(service, round_limit=5).id)
    secret = service.store.secrets(game.id)["seed"]
    events = service.games.commands.score(game.id)
    assert [event["type"] for event in events] == ["RoundScored"] * 5 + ["GameFinished"]
    assert scored_rounds(service, game.id) == [1, 2, 3, 4, 5]
    assert events[-1]["data"]["secret"] == secret
    assert events[-1]["by"] == {"system": "scorer"}
    game = service.games.queries.game(game.id)
    assert game.status == "finished"
    assert game.ranking == events[-1]["data"]["ranking"]
    assert service.games.commands.score(game.id) == []


def test_scoring_every_round_of_a_game_costs_one_fold_of_its_log(
    service: Service, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = play_out(service, start_game(service, round_limit=30).id)
    folded = 0

    def advance_and_count(
        before: CachedGame | None, events: Sequence[Event], opened: Opened, earlier: EarlierGames
    ) -> CachedGame:
        nonlocal folded
        folded += len(events)
        return advance(before, events, opened, earlier)

    monkeypatch.setattr("service.games.loader.advance", advance_and_count)
    cold = build(settings)
    while cold.games.commands.score(game.id, limit=1):
        pass
    cold.redis.close()
    assert scored_rounds(service, game.id) == list(range(1, 31))
    # The head is folded once, and so are the ends of the rounds.
    assert game.seq <= folded <= 2 * game.seq + 31


def test_the_number_of_rounds_that_are_scored_together_can_be_limited(service: Service) -> None:
    game = play_out(service, start_game(service, round_limit=3).id)
    steps = [service.games.commands.score(game.id, limit=2) for _ in range(3)]
    assert [[event["type"] for event in events] for events in steps] == [
        ["RoundScored", "RoundScored"],
        ["RoundScored", "GameFinished"],
        [],
    ]


def test_a_game_that_ends_in_set_up_has_no_round_to_score(service: Service) -> None:
    game = start_game(service)
    service.games.commands.act(game.id, "ada", {"type": "resign"}, game.seq)
    assert [event["type"] for event in service.games.commands.score(game.id)] == ["GameFinished"]


def test_concurrent_scorers_score_every_round_once(service: Service, settings: Settings) -> None:
    game = play_out(service, start_game(service, round_limit=8).id)
    others = [build(settings) for _ in range(3)]
    with ThreadPoolExecutor(4) as pool:
        results = list(
            pool.map(lambda process: process.games.commands.score(game.id), [service, *others])
        )
    for other in others:
        other.redis.close()
    assert scored_rounds(service, game.id) == list(range(1, 9))
    assert sorted(event["seq"] for events in results for event in events) == list(
        range(game.seq + 1, game.seq + 10)
    )


def test_scorers_and_players_do_not_disturb_each_other(
    service: Service, settings: Settings
) -> None:
    game = play_set_up(service, start_game(service, round_limit=20).id)
    scorer = build(settings)

    def score() -> None:
        while scorer.games.queries.game(game.id).status == "playing":
            scorer.games.commands.score(game.id)

    with ThreadPoolExecutor(1) as pool:
        scoring = pool.submit(score)
        # An action that conflicted with the scorer would raise here.
        play_out(service, game.id)
        scoring.result()
    scorer.redis.close()
    assert scored_rounds(service, game.id) == list(range(1, 21))
    events = service.games.queries.event_page(game.id, 0, 10_000)
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert events[-1]["type"] == "GameFinished"


def test_an_unknown_game_cannot_be_scored(service: Service) -> None:
    with pytest.raises(NotFound):
        service.games.commands.score("nothing")


def test_a_turn_is_forfeited_once_and_not_before_its_deadline(service: Service) -> None:
    with freeze_time("2026-11-20T09:00:00Z") as time:
        game = play_set_up(service, start_game(service, clock={"per_turn": 60}).id)
        turn = game.turn
        assert deadline_timestamp(game) == "2026-11-20T09:01:00.000Z"
        time.move_to("2026-11-20T09:00:59.999Z")
        assert service.games.commands.end_turn(game.id, turn) == []
        time.move_to("2026-11-20T09:01:00Z")
        assert service.games.commands.end_turn(game.id, turn - 1) == []
        assert service.games.commands.end_turn(game.id, turn + 1) == []
        (event,) = service.games.commands.end_turn(game.id, turn)
        assert (event["type"], event["by"]) == ("TurnForfeited", {"system": "clock"})
        assert event["data"]["seat"] == game.to_act
        assert event["action"] is None
        assert service.games.commands.end_turn(game.id, turn) == []
        after = service.games.queries.game(game.id)
        assert after.turn == turn + 1
        # The next turn has its whole time from now on.
        assert deadline_timestamp(after) == "2026-11-20T09:02:00.000Z"
        assert service.games.commands.end_turn(game.id, turn + 1) == []


def test_a_player_who_acted_in_time_forfeits_nothing(service: Service) -> None:
    with freeze_time("2026-11-20T09:00:00Z") as time:
        game = play_set_up(service, start_game(service, clock={"per_turn": 60}).id)
        time.tick(timedelta(seconds=59))
        take_action(service, game.id)
        time.tick(timedelta(seconds=59))
        assert service.games.commands.end_turn(game.id, game.turn) == []


def test_an_action_after_the_deadline_counts_if_the_turn_is_not_forfeited_yet(
    service: Service,
) -> None:
    with freeze_time("2026-11-20T09:00:00Z") as time:
        game = play_set_up(service, start_game(service, clock={"per_turn": 60}).id)
        time.tick(timedelta(hours=1))
        take_action(service, game.id)
        assert service.games.commands.end_turn(game.id, game.turn) == []


def test_without_a_clock_no_turn_is_forfeited(service: Service) -> None:
    with freeze_time("2026-11-20T09:00:00Z") as time:
        game = start_game(service)
        assert deadline_timestamp(game) is None
        time.tick(timedelta(days=1000))
        assert service.games.commands.end_turn(game.id, game.turn) == []


def test_timestamps_never_decrease_within_a_log(service: Service) -> None:
    with freeze_time("2026-11-20T09:00:00Z") as time:
        game = start_game(service)
        time.move_to("2026-11-20T08:00:00Z")
        assert take_action(service, game.id).events[0]["at"] == "2026-11-20T09:00:00.000Z"
        time.move_to("2026-11-20T09:30:00Z")
        assert take_action(service, game.id).events[0]["at"] == wall_clock.format(wall_clock.now())


def test_an_administrator_removes_a_player_once(service: Service) -> None:
    game = play_set_up(service, start_game(service, seats=3).id)
    _, event = service.administration.remove_seat("operator", game.id, 1, "a test")
    assert (event["type"], event["by"]) == ("PlayerRemoved", {"system": "arbiter"})
    for seat in (1, -1, 3):
        with pytest.raises(NotNow):
            service.administration.remove_seat("operator", game.id, seat, "a test")


def test_an_administrator_abandons_a_game_once(service: Service) -> None:
    game = play_set_up(service, start_game(service).id)
    secret = service.store.secrets(game.id)["seed"]
    _, event = service.administration.abandon("operator", game.id, "a test")
    assert (event["type"], event["by"]) == ("GameAbandoned", {"system": "arbiter"})
    assert event["data"] == {"secret": secret}
    after = service.games.queries.game(game.id)
    assert after.status == "abandoned"
    assert after.position(None) == game.position(None)
    with pytest.raises(NotNow):
        service.administration.abandon("operator", game.id, "a test")
    assert service.games.commands.score(game.id) == []
