"""Requests for event streams: what the view passes to the gateway, and those that are reset or refused."""

import asyncio
from dataclasses import replace
from pathlib import Path

from flask import request

from service.accounts.tokens import token_key
from service.bootstrap import Service
from service.bounds import Bounds
from service.http.app import create_app
from service.http.event_streams import STREAM_REQUEST, StreamRequest
from service.server.stream_listener import HEARTBEAT_FRAME
from service.settings import Settings
from tests.service.conftest import settings_for
from tests.support.accounts import Accounts
from tests.support.http_contract import Contract
from tests.support.redis_kinds import RedisUrls
from tests.support.server import WebServer
from tests.support.service_games import start_game
from tests.support.streams import open_stream


def test_the_view_passes_the_visitor_and_the_token_to_the_gateway(service: Service) -> None:
    game = start_game(service)
    player, token = service.accounts.players.register("ada", "correct horse")
    app = create_app(service)
    path = f"/api/v1/games/{game.id}/stream"

    def stream_request(path: str, headers: dict[str, str]) -> StreamRequest:
        remote = {"REMOTE_ADDR": "2001:db8::1"}
        with app.test_request_context(path, headers=headers, environ_base=remote):
            assert app.full_dispatch_request().status_code == 200
            requested: StreamRequest = request.environ[STREAM_REQUEST]
        return requested

    assert stream_request(path, {}) == StreamRequest(game.id, 0, visitor="2001:db8::/64")
    headers = {"Authorization": f"Bearer {token}"}
    assert stream_request(path, {**headers, "Last-Event-ID": "3"}) == StreamRequest(
        game.id, 3, visitor=player.id, player=player.id, token_key=token_key(token)
    )
    assert stream_request(path, {"Last-Event-ID": "4"}).must_reset is False
    assert stream_request(path, {"Last-Event-ID": "5"}).must_reset is True


def test_a_client_with_events_that_are_not_in_the_log_is_reset(accounts: Accounts) -> None:
    ada = accounts.register()
    game = ada.create_game()
    path = f"/api/v1/games/{game}/stream"

    def check_reset(headers: dict[str, str]) -> None:
        response = accounts.anonymous.get(path, headers=headers)
        assert response.status_code == 200
        data = b'{"game":"%b","after":0}' % game.encode()
        frame = b"id: 0\nevent: reset\ndata: %b\n\n" % data
        assert response.content == HEARTBEAT_FRAME + frame

    check_reset({"Last-Event-ID": "3"})
    ada.http.delete(f"/api/v1/games/{game}/players/me")
    head = accounts.anonymous.get(f"/api/v1/games/{game}").json()["head"]["seq"]
    check_reset({"Last-Event-ID": str(head + 1)})


def test_a_visitor_with_too_many_streams_is_refused_and_others_are_not(
    web_redis_urls: RedisUrls, contract: Contract, tmp_path: Path
) -> None:
    settings: Settings = settings_for(web_redis_urls, tmp_path)
    bounds = Bounds(max_streams=3, max_streams_per_visitor=2)
    with WebServer(replace(settings, bounds=bounds)) as server:
        accounts = Accounts(server.url, contract)
        ada = accounts.register()
        path = f"/api/v1/games/{ada.create_game()}/stream"

        async def follow() -> None:
            clients = [await open_stream(server.url, path) for _ in range(2)]
            refused = await asyncio.to_thread(accounts.anonymous.get, path)
            assert refused.status_code == 429
            assert int(refused.headers["Retry-After"]) > 0
            authorization = {"Authorization": f"Bearer {ada.token}"}
            clients.append(await open_stream(server.url, path, authorization))
            assert [client.status for client in clients] == [200] * 3
            refused = await asyncio.to_thread(ada.http.get, path)
            assert refused.status_code == 503
            assert int(refused.headers["Retry-After"]) > 0
            for client in clients:
                await client.close()

        asyncio.run(follow())
        accounts.close()
