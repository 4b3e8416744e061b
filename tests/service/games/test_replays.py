"""Replays of games on a service: visibility, the index of events, the chart of scores, superseded events."""

import pytest

from domain.contract import STATEMENT
from domain.errors import Malformed
from domain.lifecycle import NewGame
from replay.history.branches import superseded_events
from replay.history.event_index import EventIndex, event_index
from replay.history.event_text import scored_round_end
from replay.history.score_chart import NoScores, score_chart
from replay.history.timeline import transitions
from service.bootstrap import Service
from service.bounds import Bounds
from service.errors import Forbidden
from service.games.loader import GameLoader
from service.games.replays import Replays
from service.games.visibility import Visibility, visibility_for
from tests.support.counting_store import CountingStore
from tests.support.faults import raises
from tests.support.languages import ENGLISH
from tests.support.records import Table, read
from tests.support.service_games import start_game, take_action
from tests.support.stored_games import players_of, recorded_game, store_game

EVERYTHING = Visibility(None, sees_everything=True)
SPECTATOR = Visibility(None, sees_everything=False)


class TestVisibility:
    def test_a_player_of_a_game_in_progress_sees_what_the_seat_may_see(
        self, service: Service
    ) -> None:
        record = recorded_game("baron-ties")
        head = service.games.queries.game(store_game(service, record, 60))
        first, second, *_ = players_of(record)
        assert visibility_for(head, None) == visibility_for(head, "a stranger") == SPECTATOR
        assert visibility_for(head, first) == visibility_for(head, first, 0)
        own = visibility_for(head, second)
        assert own == Visibility(1, sees_everything=False)
        position = own.position(head)
        assert position == head.position(1)
        assert position != SPECTATOR.position(head)
        for player, seat in ((first, 1), (None, 0), ("a stranger", 0)):
            with raises(Forbidden, match="only after the end of the game"):
                visibility_for(head, player, seat)

    def test_a_finished_game_is_seen_whole_or_as_a_seat_saw_it(self, service: Service) -> None:
        head = service.games.queries.game(store_game(service, recorded_game("baron-ties")))
        earlier = service.games.queries.game_at(head.id, 60)
        assert visibility_for(head, None) == EVERYTHING
        for seat in range(head.seats):
            then = visibility_for(head, None, seat)
            assert then.position(earlier) == earlier.position(seat)
            assert then.position(earlier) != EVERYTHING.position(earlier)
            assert then.sees_as(earlier, seat)
            assert not then.sees_as(earlier, 1 - seat)
            assert EVERYTHING.sees_as(earlier, seat)
            # What the end of the game has revealed, everybody saw then.
            assert then.position(head) == EVERYTHING.position(head)
            assert then.sees_as(head, 1 - seat)

    def test_secrets_are_shown_to_those_who_may_see_them(self) -> None:
        names = ["pile", "reserve/0", "reserve/1", STATEMENT]
        shown = {
            visibility: [name for name in names if visibility.may_see(name)]
            for visibility in (EVERYTHING, SPECTATOR, Visibility(1, sees_everything=False))
        }
        assert [*shown.values()] == [names, [STATEMENT], ["reserve/1", STATEMENT]]

    @pytest.mark.parametrize("seat", [-1, 2, 10**12])
    def test_a_seat_that_the_game_does_not_have_is_refused(
        self, service: Service, seat: int
    ) -> None:
        head = service.games.queries.game(store_game(service, recorded_game("duke-of-two")))
        with raises(Malformed, match="as: must be the number of a seat"):
            visibility_for(head, None, seat)
        waiting = service.games.commands.create(
            "ada", NewGame(rules="barony", seats=2, options={}), nonce=b""
        )
        with raises(Malformed, match="must be the number of a seat"):
            visibility_for(waiting, "ada", 0)


class TestExplanation:
    def test_an_explanation_shows_only_what_its_reader_may_see(self, service: Service) -> None:
        head = service.games.queries.game(store_game(service, recorded_game("baron-ties")))
        start = service.games.replays.index(head)
        assert start is not None
        transition = service.games.events.transition(head, start.rounds[0].seq)

        def opened(visibility: Visibility) -> set[str]:
            explanation = service.games.events.explain(head, transition, None, ENGLISH, visibility)
            assert explanation["after"] == visibility.position(transition.after)
            assert (explanation["start"]["secret"] is None) != visibility.sees_everything
            return {*explanation["opened"]}

        reserves = {f"reserve/{seat}" for seat in range(head.seats)}
        assert opened(EVERYTHING) == {"pile", *reserves}
        assert opened(SPECTATOR) == set()
        assert opened(visibility_for(head, None, 1)) == {"reserve/1"}

    def test_alternatives_are_those_of_a_seat_whose_view_is_shown(self, service: Service) -> None:
        head = service.games.queries.game(store_game(service, recorded_game("baron-ties")))
        seqs = (event["seq"] for event in recorded_game("baron-ties").events if event["action"])
        transition = service.games.events.transition(head, next(seq for seq in seqs if seq > 40))
        seat = transition.event["by"].get("seat")
        assert isinstance(seat, int)
        for other in range(head.seats):
            visibility = visibility_for(head, None, other)
            explanation = service.games.events.explain(head, transition, None, ENGLISH, visibility)
            assert (explanation["legal_actions"] is None) == (other != seat)


class TestIndexAndScores:
    def test_the_index_and_the_scores_are_those_of_the_record(self, service: Service) -> None:
        for name in ("baron-disputes", "sorcery-duke-of-two"):
            record = recorded_game(name)
            head = service.games.queries.game(store_game(service, record))
            assert service.games.replays.index(head) == event_index(transitions(record))
            assert service.games.replays.scores(head) == score_chart(record)

    def test_the_index_and_the_scores_are_computed_once_for_each_head(
        self, service: Service
    ) -> None:
        store = CountingStore(service.redis)
        game = start_game(service)
        take_action(service, game.id)
        repository = service.games.repository
        replays = Replays(GameLoader(store, repository._cache), Bounds())
        heads = [service.games.queries.game(game.id)]
        take_action(service, game.id)
        heads.append(service.games.queries.game(game.id))
        for head in heads:
            assert store.lines_read_by(lambda head=head: replays.index(head)) == head.seq  # type: ignore[misc] # mypy infers no type for the default
            assert store.lines_read_by(lambda head=head: replays.index(head)) == 0  # type: ignore[misc] # as above
        before, after = (replays.index(head) for head in heads)
        assert before != after

    def test_a_game_with_more_events_than_the_bound_has_none(self, service: Service) -> None:
        game = start_game(service)
        replays = Replays(service.games.repository, Bounds(max_replayed_events=game.seq))
        assert replays.index(game) is not None
        assert replays.scores(game) is not None
        take_action(service, game.id)
        head = service.games.queries.game(game.id)
        assert replays.index(head) is None
        assert replays.scores(head) is None

    def test_a_game_that_has_not_started_has_no_scores(self, service: Service) -> None:
        game = service.games.commands.create(
            "ada", NewGame(rules="baron", seats=2, options={}), nonce=b""
        )
        with raises(NoScores, match="has not started"):
            service.games.replays.scores(game)
        index = service.games.replays.index(game)
        assert index == EventIndex()


@pytest.mark.parametrize("name", ["disputes", "baron-rulings-by-agreement"])
def test_superseded_events_are_those_of_the_record(service: Service, name: str) -> None:
    record = recorded_game(name)
    head = service.games.queries.game(store_game(service, record))
    by_seq = superseded_events(record)
    assert by_seq
    for transition in transitions(record):
        expected = by_seq.get(scored_round_end(transition) or transition.event["seq"])
        assert service.games.events.superseded_by(head, transition.event) == expected


def test_a_scored_round_belongs_to_the_branch_of_the_event_that_ended_it(service: Service) -> None:
    table = Table("barony", options={"round_limit": 22}).start()
    while not table.game.rounds_ended:
        table.act_at_random(1)
    round_end = table.game.seq
    table.act_at_random(2)
    assert table.game.rounds_ended == {1: round_end, 2: round_end + 2}
    table.score()
    table.resume(round_end)
    record = read(table.record())
    head = service.games.queries.game(store_game(service, record))
    superseded = [
        event["seq"] for event in record.events if service.games.events.superseded_by(head, event)
    ]
    scored = {
        event["data"]["round"]: event["seq"]
        for event in record.events
        if event["type"] == "RoundScored"
    }
    assert superseded == [round_end + 1, round_end + 2, scored[2]]
