"""Outages of Redis: every method raises Unavailable, nothing is half done, and service resumes by itself."""

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from domain.lifecycle import NewGame
from replay.history.event_filter import NO_FILTER
from service.bootstrap import Service, build
from service.errors import Unavailable
from service.operation.embedded_redis import EmbeddedRedis
from service.recovery.reindex import reindex
from service.settings import Settings
from tests.support.service_games import start_game, take_action


@pytest.fixture
def server(tmp_path: Path) -> Iterator[EmbeddedRedis]:
    server = EmbeddedRedis(tmp_path / "data")
    server.start()
    yield server
    server.stop()


@pytest.fixture
def service(server: EmbeddedRedis, tmp_path: Path) -> Iterator[Service]:
    service = build(Settings(tmp_path, server.url, server.url, tmp_path / "key.pem"))
    yield service
    service.redis.close()


def calls(service: Service, game_id: str, token: str) -> dict[str, Callable[[], Any]]:
    commands, queries = service.games.commands, service.games.queries
    players, listings = service.accounts.players, service.games.listings
    administration = service.administration
    return {
        "create": lambda: commands.create("ada", NewGame(rules="barony", seats=2, options={})),
        "join": lambda: commands.join(game_id, "cid"),
        "leave": lambda: commands.leave(game_id, "ada"),
        "act": lambda: commands.act(game_id, "ada", {"type": "resign"}, 5),
        "legal actions": lambda: queries.legal_actions(game_id, "ada"),
        "game": lambda: queries.game(game_id),
        "many": lambda: queries.games([game_id]),
        "visible": lambda: queries.visible_game(game_id, None),
        "game at": lambda: queries.game_at(game_id, 2),
        "events": lambda: queries.event_page(game_id, 0, 9),
        "event": lambda: service.games.events.transition(queries.game(game_id), 4),
        "filtered events": lambda: service.games.events.filtered_page(
            queries.game(game_id), 0, 9, NO_FILTER
        ),
        "deliveries": lambda: service.notifications.deliveries.about(game_id, 4),
        "record": lambda: b"".join(queries.record(game_id)),
        "waiting for": lambda: queries.games_waiting_for("ada"),
        "score": lambda: commands.score(game_id),
        "deadline": lambda: service.games.commands.end_turn(game_id, 1),
        "remove": lambda: administration.remove_seat("operator", game_id, 0, "a test"),
        "move": lambda: administration.move_seat("operator", game_id, 0, "zoe", "a test"),
        "abandon": lambda: administration.abandon("operator", game_id, "a test"),
        "search players": lambda: administration.search_players("operator"),
        "suspend": lambda: administration.suspend("operator", "ada", "a test"),
        "index": lambda: service.games.repository.update_listings(game_id),
        "register": lambda: players.register("Ada", "secret word"),
        "login": lambda: players.login("Ada", "secret word"),
        "logout": lambda: players.tokens.revoke(token),
        "token owner": lambda: players.tokens.owner(token),
        "by handle": lambda: players.by_handle("Ada"),
        "get": lambda: players.get(["ada"]),
        "page": listings.page,
        "keys": service.keyring.public_keys,
        "retire": lambda: service.keyring.retire("0"),
        "rebuild": lambda: reindex(service),
    }


def test_every_method_raises_unavailable_until_redis_is_back(
    server: EmbeddedRedis, service: Service
) -> None:
    game = start_game(service)
    take_action(service, game.id)
    _, token = service.accounts.players.register("Bea", "secret word")
    server.kill()
    for call in calls(service, game.id, token).values():
        with pytest.raises(Unavailable) as error:
            call()
        assert error.value.retry_after > 0
    server.start()
    assert service.accounts.players.tokens.owner(token) is not None
    assert service.games.queries.game(game.id).seq == 5
    take_action(service, game.id)
    assert service.store.head(game.id) == 6


def test_an_action_interrupted_by_an_outage_is_done_once_when_repeated(
    server: EmbeddedRedis, service: Service
) -> None:
    """Redis is killed several times in the middle of an action, which is repeated with the same key."""
    game = start_game(service)
    for number in range(6):
        current = service.games.queries.game(game.id)
        assert current.to_act is not None
        player = current.players[current.to_act]
        seq, actions = service.games.queries.legal_actions(game.id, player)

        def act(player: str = player, seq: int = seq, action: Any = actions[0]) -> Any:
            return service.games.commands.act(game.id, player, action, seq, f"key {seq}")

        with ThreadPoolExecutor(1) as pool:
            first_try = pool.submit(act)
            server.kill()
            server.start()
            try:
                accepted = first_try.result()
            except Unavailable:
                accepted = act()
        assert act() == accepted
        assert service.store.head(game.id) == seq + 1 == 5 + number


def test_a_process_recovers_if_its_first_action_fails_because_of_an_outage(
    server: EmbeddedRedis, service: Service
) -> None:
    game = start_game(service)
    seq, actions = service.games.queries.legal_actions(game.id, "ada")
    server.kill()
    with pytest.raises(Unavailable):
        service.games.commands.act(game.id, "ada", actions[0], seq)
    server.start()
    service.games.commands.act(game.id, "ada", actions[0], seq)
    assert len(service.keyring.public_keys()) == 1


def test_a_redis_that_hangs_is_unavailable(server: EmbeddedRedis, service: Service) -> None:
    pid = server.pid
    assert pid is not None
    hasty = build(service.settings)
    hasty.redis.connection_pool.connection_kwargs["socket_timeout"] = 0.2
    game = start_game(hasty)
    os.kill(pid, signal.SIGSTOP)
    try:
        with pytest.raises(Unavailable):
            hasty.games.queries.game(game.id)
    finally:
        os.kill(pid, signal.SIGCONT)
    assert hasty.games.queries.game(game.id).seq == 4
    hasty.redis.close()
