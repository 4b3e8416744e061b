"""Acting: accepted actions, refusals that change nothing, idempotency keys and concurrent requests."""

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from domain.errors import Malformed, NotNow, Refused
from domain.game import Game
from domain.lifecycle import NewGame
from service.bootstrap import Service, build
from service.errors import Forbidden, IdempotencyConflict, NotFound, Stale
from service.settings import Settings
from tests.support.redis_contents import contents
from tests.support.service_games import play_out, play_set_up, play_until, start_game, take_action

RESIGN = {"type": "resign"}


def first_action(service: Service, game: Game) -> tuple[str, int, dict[str, Any]]:
    """Return the player to act, the seq of the head, and a legal action."""
    assert game.to_act is not None
    player = game.players[game.to_act]
    seq, actions = service.games.queries.legal_actions(game.id, player)
    return player, seq, actions[0]


def test_an_accepted_action_returns_its_event_and_a_receipt(service: Service) -> None:
    game = start_game(service)
    player, seq, action = first_action(service, game)
    accepted = service.games.commands.act(game.id, player, action, seq)
    (event,) = accepted.events
    assert (event["seq"], event["action"], event["by"]) == (seq + 1, action, {"seat": 0})
    assert accepted.receipt["game"] == game.id
    assert {name: accepted.receipt[name] for name in ("seq", "hash", "at")} == {
        name: event[name] for name in ("seq", "hash", "at")
    }
    (published,) = service.keyring.public_keys()
    assert accepted.receipt["key"] == published["key"]
    assert published["from"] <= event["at"]
    assert service.games.queries.event_page(game.id, seq, 10) == [event]
    after = service.games.queries.game(game.id)
    assert (after.seq, after.hash) == (event["seq"], event["hash"])


@pytest.mark.needs_redis("single", "sentinel")
def test_an_action_usually_takes_one_round_trip_to_redis(service: Service) -> None:
    game = start_game(service)
    player, seq, action = first_action(service, game)
    service.keyring.publish_key()
    service.redis.config_resetstat()
    service.games.commands.act(game.id, player, action, seq)
    calls = {name: counts["calls"] for name, counts in service.redis.info("commandstats").items()}
    # Redis also counts the commands that the script calls.
    in_script = {"get", "xlen", "xrevrange", "xadd", "hset", "exists", "time", "zadd", "publish"}
    assert calls.pop("cmdstat_config|resetstat", 1) == 1
    assert set(calls) <= {f"cmdstat_{name}" for name in {"evalsha", "config", *in_script}}
    assert calls["cmdstat_evalsha"] == 1


def assert_refused(service: Service, error: type[Exception], *arguments: Any) -> Any:
    """Act, check that the action is refused and has changed nothing, and return the refusal."""
    service.keyring.publish_key()
    before = contents(service.redis)
    with pytest.raises(error) as raised:
        service.games.commands.act(*arguments)
    assert contents(service.redis) == before
    return raised.value


@pytest.mark.parametrize("key", [None, "k"])
class TestRefusals:
    def test_a_malformed_action_is_refused(self, service: Service, key: str | None) -> None:
        game = start_game(service)
        raws: list[Any] = [
            None,
            [],
            "pass",
            {},
            {"type": "dance"},
            {"type": "pass", "x": 1},
            {"type": 1.5},
        ]
        for raw in raws:
            assert (
                assert_refused(service, Malformed, game.id, "ada", raw, game.seq, key).clause
                == "FORMAT"
            )

    def test_a_malformed_action_is_reported_before_the_turn_and_the_seq(
        self, service: Service, key: str | None
    ) -> None:
        game = start_game(service)
        assert_refused(service, Malformed, game.id, "bea", {"type": "dance"}, 99, key)

    def test_the_refusal_of_an_illegal_action_names_the_clause(
        self, service: Service, key: str | None
    ) -> None:
        game = start_game(service)
        far = {"type": "place_city", "at": [99, 99]}
        assert (
            assert_refused(service, Refused, game.id, "ada", far, game.seq, key).clause
            == "BY-SET-4"
        )

    def test_an_action_in_another_seats_turn_is_refused(
        self, service: Service, key: str | None
    ) -> None:
        game = start_game(service)
        _, seq, action = first_action(service, game)
        assert (
            assert_refused(service, Refused, game.id, "bea", action, seq, key).clause == "BY-TURN-3"
        )

    def test_an_action_by_a_player_who_is_not_in_the_game_is_forbidden(
        self, service: Service, key: str | None
    ) -> None:
        game = start_game(service)
        assert_refused(service, Forbidden, game.id, "cid", RESIGN, game.seq, key)

    def test_an_action_in_an_unknown_game_is_not_found(
        self, service: Service, key: str | None
    ) -> None:
        assert_refused(service, NotFound, "nothing", "ada", RESIGN, 1, key)

    def test_an_expected_seq_past_the_head_is_stale(
        self, service: Service, key: str | None
    ) -> None:
        game = start_game(service)
        player, seq, action = first_action(service, game)
        assert assert_refused(service, Stale, game.id, player, action, seq + 1, key).head == seq

    @pytest.mark.parametrize("back", [1, 2, 3, 99])
    def test_an_action_on_a_position_that_has_changed_is_stale(
        self, service: Service, key: str | None, back: int
    ) -> None:
        game = start_game(service)
        take_action(service, game.id)
        take_action(service, game.id)
        game = service.games.queries.game(game.id)
        player, seq, action = first_action(service, game)
        assert assert_refused(service, Stale, game.id, player, action, seq - back, key).head == seq

    def test_an_action_before_the_start_is_refused(self, service: Service, key: str | None) -> None:
        game = service.games.commands.create("ada", NewGame(rules="barony", seats=3, options={}))
        service.games.commands.join(game.id, "bea")
        # Before the start there is no position that could have changed since an earlier seq.
        for seq in (1, 2, 3):
            assert_refused(service, NotNow, game.id, "bea", RESIGN, seq, key)

    def test_an_action_after_the_end_of_play_is_refused(
        self, service: Service, key: str | None
    ) -> None:
        game = start_game(service)
        service.games.commands.act(game.id, "ada", RESIGN, game.seq)
        assert service.games.queries.game(game.id).is_played_out
        head = service.games.queries.game(game.id).seq
        assert_refused(service, NotNow, game.id, "bea", RESIGN, head, key)
        assert assert_refused(service, Stale, game.id, "bea", RESIGN, head - 1, key).head == head
        service.games.commands.score(game.id)
        head = service.games.queries.game(game.id).seq
        assert_refused(service, NotNow, game.id, "bea", RESIGN, head, key)

    def test_an_action_in_an_abandoned_game_is_refused(
        self, service: Service, key: str | None
    ) -> None:
        game = start_game(service)
        service.administration.abandon("operator", game.id, "a test")
        assert_refused(service, NotNow, game.id, "ada", RESIGN, game.seq + 1, key)


def test_scoring_a_round_does_not_change_the_position(service: Service) -> None:
    game = play_until(service, start_game(service).id, lambda game: bool(game.rounds_ended))
    player, seq, action = first_action(service, game)
    assert [event["type"] for event in service.games.commands.score(game.id)] == ["RoundScored"]
    assert service.games.commands.act(game.id, player, action, seq).events[0]["seq"] == seq + 2


def test_an_expected_seq_with_the_same_position_is_accepted(service: Service) -> None:
    game = play_set_up(service, start_game(service, end_by_agreement=True).id)
    expected_seq = game.seq
    for agree in (True, False):
        action = {"type": "agree_to_end", "agree": agree}
        service.games.commands.act(game.id, "bea", action, service.games.queries.game(game.id).seq)
    player, seq, action = first_action(service, service.games.queries.game(game.id))
    assert seq == expected_seq + 2
    with pytest.raises(Stale):
        service.games.commands.act(game.id, player, action, expected_seq + 1)
    assert (
        service.games.commands.act(game.id, player, action, expected_seq).events[0]["seq"]
        == expected_seq + 3
    )


class TestIdempotency:
    def test_a_repeated_request_gets_the_same_result_and_acts_once(self, service: Service) -> None:
        game = play_set_up(service, start_game(service).id)
        player, seq, action = first_action(service, game)
        accepted = service.games.commands.act(game.id, player, action, seq, "k")
        assert service.games.commands.act(game.id, player, action, seq, "k") == accepted
        assert service.store.head(game.id) == seq + 1

    def test_a_request_can_be_repeated_later_and_after_the_end(
        self, service: Service, settings: Settings
    ) -> None:
        game = play_set_up(service, start_game(service, round_limit=2).id)
        player, seq, action = first_action(service, game)
        accepted = service.games.commands.act(game.id, player, action, seq, "k")
        other = build(settings)
        other.games.queries.game(game.id)
        play_out(service, game.id)
        assert service.games.commands.act(game.id, player, action, seq, "k") == accepted
        service.games.commands.score(game.id)
        assert service.games.commands.act(game.id, player, action, seq, "k") == accepted
        # The other process has cached an earlier state, and signs with the same key.
        assert other.games.commands.act(game.id, player, action, seq, "k") == accepted
        other.redis.close()

    def test_a_repeated_request_is_not_accepted_again_if_it_became_legal_again(
        self, service: Service
    ) -> None:
        game = play_set_up(service, start_game(service, end_by_agreement=True).id)
        agree, disagree = ({"type": "agree_to_end", "agree": value} for value in (True, False))
        accepted = service.games.commands.act(game.id, "bea", agree, game.seq, "k")
        service.games.commands.act(game.id, "bea", disagree, game.seq + 1)
        assert service.games.commands.act(game.id, "bea", agree, game.seq, "k") == accepted
        assert service.store.head(game.id) == game.seq + 2

    def test_the_order_of_keys_in_the_body_does_not_matter(self, service: Service) -> None:
        game = start_game(service)
        player, seq, action = first_action(service, game)
        accepted = service.games.commands.act(game.id, player, action, seq, "k")
        reordered = json.loads(json.dumps(dict(reversed(action.items()))))
        assert service.games.commands.act(game.id, player, reordered, seq, "k") == accepted

    def test_another_request_with_the_same_key_is_refused(self, service: Service) -> None:
        game = start_game(service)
        player, seq, action = first_action(service, game)
        service.games.commands.act(game.id, player, action, seq, "k")
        assert_refused(service, IdempotencyConflict, game.id, player, RESIGN, seq, "k")
        assert_refused(service, IdempotencyConflict, game.id, player, RESIGN, seq + 1, "k")
        assert_refused(service, IdempotencyConflict, game.id, player, action, seq + 1, "k")

    def test_keys_of_different_players_are_independent(self, service: Service) -> None:
        game = start_game(service)
        player, seq, action = first_action(service, game)
        service.games.commands.act(game.id, player, action, seq, "k")
        assert (
            service.games.commands.act(game.id, "bea", RESIGN, seq + 1, "k").events[0]["seq"]
            == seq + 2
        )

    def test_a_refusal_leaves_no_record(self, service: Service) -> None:
        game = start_game(service)
        player, seq, action = first_action(service, game)
        assert_refused(
            service, Refused, game.id, player, {"type": "place_city", "at": [99, 99]}, seq, "k"
        )
        assert (
            service.games.commands.act(game.id, player, action, seq, "k").events[0]["seq"]
            == seq + 1
        )


class TestTwoProcesses:
    @pytest.fixture
    def other(self, settings: Settings) -> Any:
        other = build(settings)
        yield other
        other.redis.close()

    def test_a_process_that_is_behind_catches_up_before_it_refuses_an_action(
        self, service: Service, other: Service
    ) -> None:
        game = start_game(service)
        assert other.games.queries.game(game.id).seq == game.seq
        take_action(service, game.id)
        player, seq, action = first_action(service, service.games.queries.game(game.id))
        assert other.games.commands.act(game.id, player, action, seq).events[0]["seq"] == seq + 1

    def test_a_round_scored_by_another_process_does_not_make_an_action_fail(
        self, service: Service, other: Service
    ) -> None:
        game = play_until(service, start_game(service).id, lambda game: bool(game.rounds_ended))
        player, seq, action = first_action(service, game)
        assert other.games.queries.game(game.id).seq == seq
        service.games.commands.score(game.id)
        assert other.games.commands.act(game.id, player, action, seq).events[0]["seq"] == seq + 2

    def test_the_second_of_two_actions_on_a_position_is_stale(
        self, service: Service, other: Service
    ) -> None:
        game = start_game(service)
        assert other.games.queries.game(game.id).seq == game.seq
        player, seq, action = first_action(service, game)
        service.games.commands.act(game.id, player, action, seq)
        with pytest.raises(Stale) as error:
            other.games.commands.act(game.id, player, action, seq)
        assert error.value.head == seq + 1

    def test_one_of_many_concurrent_actions_is_accepted(
        self, service: Service, other: Service
    ) -> None:
        game = start_game(service)
        for _ in range(5):
            player, seq, action = first_action(service, service.games.queries.game(game.id))

            def act(process: Service) -> bool:
                try:
                    process.games.commands.act(game.id, player, action, seq)  # noqa: B023 (called in this iteration)
                except Stale:
                    return False
                return True

            with ThreadPoolExecutor(8) as pool:
                assert sum(pool.map(act, [service, other] * 4)) == 1
            assert service.store.head(game.id) == seq + 1

    def test_concurrent_repeats_of_one_request_get_the_same_result(
        self, service: Service, other: Service
    ) -> None:
        game = start_game(service)
        player, seq, action = first_action(service, game)

        def act(process: Service) -> Any:
            return process.games.commands.act(game.id, player, action, seq, "k")

        with ThreadPoolExecutor(8) as pool:
            results = list(pool.map(act, [service, other] * 4))
        assert results == [results[0]] * 8
        assert service.store.head(game.id) == seq + 1


class TestLegalActions:
    def test_only_the_seat_to_act_has_legal_actions(self, service: Service) -> None:
        game = start_game(service)
        seq, actions = service.games.queries.legal_actions(game.id, "ada")
        assert seq == game.seq
        assert {action["type"] for action in actions} == {"place_city"}
        assert service.games.queries.legal_actions(game.id, "bea") == (game.seq, [])

    def test_there_are_no_legal_actions_before_the_start_and_after_the_end(
        self, service: Service
    ) -> None:
        game = service.games.commands.create("ada", NewGame(rules="barony", seats=2, options={}))
        assert service.games.queries.legal_actions(game.id, "ada") == (2, [])
        service.games.commands.join(game.id, "bea")
        service.administration.abandon("operator", game.id, "a test")
        assert service.games.queries.legal_actions(game.id, "ada") == (6, [])

    def test_a_player_who_is_not_in_the_game_may_not_see_legal_actions(
        self, service: Service
    ) -> None:
        with pytest.raises(Forbidden):
            service.games.queries.legal_actions(start_game(service).id, "cid")
