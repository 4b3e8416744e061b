"""Recaps of games on a service: where they begin, what they cost at most, and what they never show."""

from typing import Final

import pytest

from domain.contract import Action, evolve
from domain.game import Game
from domain.json_types import JsonObject
from service.bootstrap import Service
from service.games import recaps as recaps_module
from service.games.game_cache import GameCache
from service.games.loader import GameLoader
from service.games.recaps import MAX_EVENTS, Recaps
from tests.support.conditional import node
from tests.support.counting_store import CountingStore
from tests.support.languages import ENGLISH
from tests.support.service_games import PLAYERS, play_set_up, start_game, take_action
from tests.support.stored_games import recorded_game, store_game

ABSENT: Final = 9
"""A seat that has never acted."""


def started(service: Service, seats: int = 3) -> Game:
    game = start_game(service, seats)
    play_set_up(service, game.id)
    return service.games.queries.game(game.id)


def test_a_recap_begins_after_the_last_action_of_its_reader(service: Service) -> None:
    game = started(service)
    for _ in range(5):
        take_action(service, game.id)
    head = service.games.queries.game(game.id)
    for seat in range(3):
        recap = service.games.recaps.recap(head, seat)
        actions = [event for event in recap.events if event.is_action]
        assert recap.is_since_own_turn
        assert len(actions) == (head.to_act - seat - 1) % 3  # type: ignore[operator] # somebody is to act
        assert [event.seq for event in recap.events] == list(
            range(head.seq - len(recap.events) + 1, head.seq + 1)
        )
    # Nothing has happened since the last action of the player who acted last.
    assert service.games.recaps.sentence(head, PLAYERS[(head.to_act or 0) - 1]) is None


def test_the_first_recap_begins_with_the_start(service: Service) -> None:
    game = start_game(service, 3)
    take_action(service, game.id)
    head = service.games.queries.game(game.id)
    recap = service.games.recaps.recap(head, 1)
    assert not recap.is_since_own_turn
    assert recap.events[0].seq == head.start_seq


def test_an_action_that_was_prepared_is_news_for_its_player(service: Service) -> None:
    game = started(service, 2)
    assert game.to_act is not None
    first, second = game.to_act, 1 - game.to_act
    action = _legal(game, first)
    after = evolve(
        game.rules, game.state, [game.rules.decide(game.state, first, parsed(game, action))]
    )
    answer = dict(game.rules.action_to_json(game.rules.legal_actions(after, second)[0]))
    tree = [node(first, action, node(second, answer))]
    service.conditional_actions.put(game.id, PLAYERS[second], tree, game.seq)
    service.games.commands.act(game.id, PLAYERS[first], action, game.seq)
    service.conditional_actions.play(game.id)
    head = service.games.queries.game(game.id)
    assert head.to_act == first
    own = service.games.recaps.recap(head, second)
    assert ENGLISH(own.events[-1].message).endswith("(as prepared)")
    actions = [event.seq for event in own.events if event.is_action]
    assert actions[-2:] == [head.seq - 1, head.seq]


def _legal(game: Game, seat: int) -> JsonObject:
    return dict(game.rules.action_to_json(game.rules.legal_actions(game.state, seat)[0]))


def parsed(game: Game, action: JsonObject) -> Action:
    parsed: Action = game.rules.parse_action(action)
    return parsed


def test_a_recap_follows_its_game(service: Service) -> None:
    game = started(service)
    reader = PLAYERS[((game.to_act or 0) + 2) % 3]
    sentences = []
    for _ in range(2):
        take_action(service, game.id)
        sentence = service.games.recaps.sentence(service.games.queries.game(game.id), reader)
        assert sentence is not None
        sentences.append(ENGLISH(sentence))
    assert sentences[0] != sentences[1]


class TestBounds:
    @pytest.fixture
    def counting(self, service: Service) -> CountingStore:
        return CountingStore(service.redis)

    @pytest.fixture
    def recaps(self, counting: CountingStore) -> Recaps:
        return Recaps(GameLoader(counting, GameCache(4)))

    def test_at_most_the_latest_events_are_shown(self, service: Service, recaps: Recaps) -> None:
        record = recorded_game("baron-last-turns-run-out")
        head = service.games.queries.game(store_game(service, record))
        recap = recaps.recap(head, None)
        assert len(recap.events) == MAX_EVENTS
        assert recap.events[-1].seq == head.seq
        assert recap.omitted == head.seq - head.start_seq + 1 - MAX_EVENTS
        sentence = recap.sentence
        assert sentence is not None
        assert f"({recap.count} events)" in ENGLISH(sentence)

    def test_a_long_absence_costs_no_more_than_the_search_and_a_prefix(
        self, service: Service, counting: CountingStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(recaps_module, "MAX_SEARCHED", 60)
        recaps = Recaps(GameLoader(counting, GameCache(4, snapshot_interval=8)))
        record = recorded_game("baron-last-turns-run-out")
        head = service.games.queries.game(store_game(service, record))
        recaps.recap(head, None)
        counting.lines = 0
        recap = recaps.recap(head, ABSENT)
        assert counting.lines <= 60 + 8 + MAX_EVENTS + 1
        assert (recap.count, recap.is_since_own_turn) == (60, True)

    def test_a_recap_is_made_once(
        self, service: Service, counting: CountingStore, recaps: Recaps
    ) -> None:
        head = service.games.queries.game(store_game(service, recorded_game("baron-five"), 150))
        first = recaps.recap(head, 1)
        counting.lines = 0
        assert recaps.recap(head, 1) is first
        assert counting.lines == 0
