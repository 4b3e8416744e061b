"""Acting through the door: what is accepted, what is refused, and that a refusal changes nothing."""

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from domain.errors import Malformed, NotNow, Refused
from domain.game import Game
from service.bootstrap import Service, build
from service.errors import Forbidden, IdempotencyConflict, NotFound, Stale
from service.settings import Settings
from tests.support.redis_contents import contents
from tests.support.table import move, play, played_out, set_up, started

RESIGN = {"type": "resign"}


def first(service: Service, game: Game) -> tuple[str, int, dict[str, Any]]:
    """Whose turn it is, the head, and an action that is legal there."""
    assert game.to_act is not None
    player = game.players[game.to_act]
    seq, actions = service.queries.legal_actions(game.id, player)
    return player, seq, actions[0]


def test_an_accepted_action_is_an_event_and_a_receipt(service: Service) -> None:
    game = started(service)
    player, seq, action = first(service, game)
    accepted = service.commands.act(game.id, player, action, seq)
    (event,) = accepted.events
    assert (event["seq"], event["action"], event["by"]) == (seq + 1, action, {"seat": 0})
    assert accepted.receipt["game"] == game.id
    assert {name: accepted.receipt[name] for name in ("seq", "hash", "at")} == {
        name: event[name] for name in ("seq", "hash", "at")
    }
    (published,) = service.keyring.public_keys()
    assert accepted.receipt["key"] == published["key"]
    assert published["from"] <= event["at"]
    assert service.queries.events(game.id, seq, 10) == [event]
    after = service.queries.game(game.id)
    assert (after.seq, after.hash) == (event["seq"], event["hash"])


def test_the_usual_action_is_one_exchange_with_redis(service: Service) -> None:
    game = started(service)
    player, seq, action = first(service, game)
    service.keyring.publish_key()
    service.redis.config_resetstat()
    service.commands.act(game.id, player, action, seq)
    calls = {name: told["calls"] for name, told in service.redis.info("commandstats").items()}
    # What the script itself calls is counted beside it.
    inside = {"xlen", "xrevrange", "xadd", "hset", "publish"}
    assert calls.pop("cmdstat_config|resetstat", 1) == 1
    assert set(calls) <= {f"cmdstat_{name}" for name in {"evalsha", "config", *inside}}
    assert calls["cmdstat_evalsha"] == 1


def refused(service: Service, error: type[Exception], *asked: Any) -> Any:
    """Act, see that it is refused and that nothing has changed anywhere, give the refusal."""
    service.keyring.publish_key()
    before = contents(service.redis)
    with pytest.raises(error) as refusal:
        service.commands.act(*asked)
    assert contents(service.redis) == before
    return refusal.value


@pytest.mark.parametrize("key", [None, "k"])
class TestRefusals:
    def test_not_of_the_form(self, service: Service, key: str | None) -> None:
        game = started(service)
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
                refused(service, Malformed, game.id, "ada", raw, game.seq, key).clause == "FORMAT"
            )

    def test_the_form_comes_before_the_turn_and_the_seq(
        self, service: Service, key: str | None
    ) -> None:
        game = started(service)
        refused(service, Malformed, game.id, "bea", {"type": "dance"}, 99, key)

    def test_a_clause(self, service: Service, key: str | None) -> None:
        game = started(service)
        far = {"type": "place_city", "at": [99, 99]}
        assert refused(service, Refused, game.id, "ada", far, game.seq, key).clause == "BY-SET-4"

    def test_another_seats_turn(self, service: Service, key: str | None) -> None:
        game = started(service)
        _, seq, action = first(service, game)
        assert refused(service, Refused, game.id, "bea", action, seq, key).clause == "BY-TURN-3"

    def test_no_player_of_the_game(self, service: Service, key: str | None) -> None:
        game = started(service)
        refused(service, Forbidden, game.id, "cid", RESIGN, game.seq, key)

    def test_no_such_game(self, service: Service, key: str | None) -> None:
        refused(service, NotFound, "nothing", "ada", RESIGN, 1, key)

    def test_past_the_head(self, service: Service, key: str | None) -> None:
        game = started(service)
        player, seq, action = first(service, game)
        assert refused(service, Stale, game.id, player, action, seq + 1, key).head == seq

    @pytest.mark.parametrize("back", [1, 2, 3, 99])
    def test_the_position_has_changed(self, service: Service, key: str | None, back: int) -> None:
        game = started(service)
        move(service, game.id)
        move(service, game.id)
        game = service.queries.game(game.id)
        player, seq, action = first(service, game)
        assert refused(service, Stale, game.id, player, action, seq - back, key).head == seq

    def test_not_started(self, service: Service, key: str | None) -> None:
        game = service.commands.create("ada", rules="barony", seats=3, options={})
        service.commands.join(game.id, "bea")
        # The head is 3, but there is no position yet that could have changed.
        for seq in (1, 2, 3):
            refused(service, NotNow, game.id, "bea", RESIGN, seq, key)

    def test_being_scored_and_over(self, service: Service, key: str | None) -> None:
        game = started(service)
        service.commands.act(game.id, "ada", RESIGN, game.seq)
        assert service.queries.game(game.id).is_played_out
        head = service.queries.game(game.id).seq
        refused(service, NotNow, game.id, "bea", RESIGN, head, key)
        assert refused(service, Stale, game.id, "bea", RESIGN, head - 1, key).head == head
        service.commands.score(game.id)
        head = service.queries.game(game.id).seq
        refused(service, NotNow, game.id, "bea", RESIGN, head, key)

    def test_abandoned(self, service: Service, key: str | None) -> None:
        game = started(service)
        service.commands.abandon(game.id)
        refused(service, NotNow, game.id, "ada", RESIGN, game.seq + 1, key)


def test_a_round_scored_meanwhile_changes_nothing(service: Service) -> None:
    game = play(service, started(service).id, lambda game: bool(game.rounds_ended))
    player, seq, action = first(service, game)
    assert [event["type"] for event in service.commands.score(game.id)] == ["RoundScored"]
    assert service.commands.act(game.id, player, action, seq).events[0]["seq"] == seq + 2


def test_a_position_that_has_come_back_is_the_same(service: Service) -> None:
    game = set_up(service, started(service, end_by_agreement=True).id)
    seen = game.seq
    for agree in (True, False):
        ask = {"type": "agree_to_end", "agree": agree}
        service.commands.act(game.id, "bea", ask, service.queries.game(game.id).seq)
    player, seq, action = first(service, service.queries.game(game.id))
    assert seq == seen + 2
    with pytest.raises(Stale):
        service.commands.act(game.id, player, action, seen + 1)
    assert service.commands.act(game.id, player, action, seen).events[0]["seq"] == seen + 3


class TestIdempotency:
    def test_the_same_request_gets_the_same_answer_and_acts_once(self, service: Service) -> None:
        game = set_up(service, started(service).id)
        player, seq, action = first(service, game)
        accepted = service.commands.act(game.id, player, action, seq, "k")
        assert service.commands.act(game.id, player, action, seq, "k") == accepted
        assert service.store.head(game.id) == seq + 1

    def test_also_when_the_game_has_moved_on_and_when_it_is_over(
        self, service: Service, settings: Settings
    ) -> None:
        game = set_up(service, started(service, round_limit=2).id)
        player, seq, action = first(service, game)
        accepted = service.commands.act(game.id, player, action, seq, "k")
        other = build(settings)
        other.queries.game(game.id)
        played_out(service, game.id)
        assert service.commands.act(game.id, player, action, seq, "k") == accepted
        service.commands.score(game.id)
        assert service.commands.act(game.id, player, action, seq, "k") == accepted
        # A process that has seen nothing of all that, and signs with the same key.
        assert other.commands.act(game.id, player, action, seq, "k") == accepted
        other.redis.close()

    def test_also_where_the_action_would_be_legal_again(self, service: Service) -> None:
        game = set_up(service, started(service, end_by_agreement=True).id)
        ask, take_back = ({"type": "agree_to_end", "agree": agree} for agree in (True, False))
        accepted = service.commands.act(game.id, "bea", ask, game.seq, "k")
        service.commands.act(game.id, "bea", take_back, game.seq + 1)
        assert service.commands.act(game.id, "bea", ask, game.seq, "k") == accepted
        assert service.store.head(game.id) == game.seq + 2

    def test_the_order_of_keys_in_the_body_does_not_matter(self, service: Service) -> None:
        game = started(service)
        player, seq, action = first(service, game)
        accepted = service.commands.act(game.id, player, action, seq, "k")
        turned = json.loads(json.dumps(dict(reversed(action.items()))))
        assert service.commands.act(game.id, player, turned, seq, "k") == accepted

    def test_another_request_with_the_same_key_is_refused(self, service: Service) -> None:
        game = started(service)
        player, seq, action = first(service, game)
        service.commands.act(game.id, player, action, seq, "k")
        refused(service, IdempotencyConflict, game.id, player, RESIGN, seq, "k")
        refused(service, IdempotencyConflict, game.id, player, RESIGN, seq + 1, "k")
        refused(service, IdempotencyConflict, game.id, player, action, seq + 1, "k")

    def test_keys_are_each_players_own(self, service: Service) -> None:
        game = started(service)
        player, seq, action = first(service, game)
        service.commands.act(game.id, player, action, seq, "k")
        assert (
            service.commands.act(game.id, "bea", RESIGN, seq + 1, "k").events[0]["seq"] == seq + 2
        )

    def test_a_refusal_is_not_kept(self, service: Service) -> None:
        game = started(service)
        player, seq, action = first(service, game)
        refused(service, Refused, game.id, player, {"type": "place_city", "at": [99, 99]}, seq, "k")
        assert service.commands.act(game.id, player, action, seq, "k").events[0]["seq"] == seq + 1


class TestTwoProcesses:
    @pytest.fixture
    def other(self, settings: Settings) -> Any:
        other = build(settings)
        yield other
        other.redis.close()

    def test_a_process_that_is_behind_catches_up_before_it_refuses(
        self, service: Service, other: Service
    ) -> None:
        game = started(service)
        assert other.queries.game(game.id).seq == game.seq
        move(service, game.id)
        player, seq, action = first(service, service.queries.game(game.id))
        assert other.commands.act(game.id, player, action, seq).events[0]["seq"] == seq + 1

    def test_a_scorer_in_between_does_not_make_an_action_fail(
        self, service: Service, other: Service
    ) -> None:
        game = play(service, started(service).id, lambda game: bool(game.rounds_ended))
        player, seq, action = first(service, game)
        assert other.queries.game(game.id).seq == seq
        service.commands.score(game.id)
        assert other.commands.act(game.id, player, action, seq).events[0]["seq"] == seq + 2

    def test_who_comes_second_is_told_that_the_position_has_changed(
        self, service: Service, other: Service
    ) -> None:
        game = started(service)
        assert other.queries.game(game.id).seq == game.seq
        player, seq, action = first(service, game)
        service.commands.act(game.id, player, action, seq)
        with pytest.raises(Stale) as stale:
            other.commands.act(game.id, player, action, seq)
        assert stale.value.head == seq + 1

    def test_of_many_who_act_at_once_one_is_accepted(
        self, service: Service, other: Service
    ) -> None:
        game = started(service)
        for _ in range(5):
            player, seq, action = first(service, service.queries.game(game.id))

            def act(process: Service) -> bool:
                try:
                    process.commands.act(game.id, player, action, seq)  # noqa: B023
                except Stale:
                    return False
                return True

            with ThreadPoolExecutor(8) as pool:
                assert sum(pool.map(act, [service, other] * 4)) == 1
            assert service.store.head(game.id) == seq + 1

    def test_of_many_who_repeat_one_request_all_get_the_same_answer(
        self, service: Service, other: Service
    ) -> None:
        game = started(service)
        player, seq, action = first(service, game)

        def act(process: Service) -> Any:
            return process.commands.act(game.id, player, action, seq, "k")

        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(act, [service, other] * 4))
        assert answers == [answers[0]] * 8
        assert service.store.head(game.id) == seq + 1


class TestLegalActions:
    def test_of_the_seat_whose_turn_it_is_and_of_no_other(self, service: Service) -> None:
        game = started(service)
        seq, actions = service.queries.legal_actions(game.id, "ada")
        assert seq == game.seq
        assert {action["type"] for action in actions} == {"place_city"}
        assert service.queries.legal_actions(game.id, "bea") == (game.seq, [])

    def test_there_are_none_before_the_start_and_after_the_end(self, service: Service) -> None:
        game = service.commands.create("ada", rules="barony", seats=2, options={})
        assert service.queries.legal_actions(game.id, "ada") == (2, [])
        service.commands.join(game.id, "bea")
        service.commands.abandon(game.id)
        assert service.queries.legal_actions(game.id, "ada") == (5, [])

    def test_a_stranger_has_none_to_see(self, service: Service) -> None:
        with pytest.raises(Forbidden):
            service.queries.legal_actions(started(service).id, "cid")
