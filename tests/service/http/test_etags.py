"""The ETag of a position: `"N"`, or `"N.X"` for a response that not every viewer gets."""

import itertools
from pathlib import Path

import httpx
import pytest

from service.bootstrap import build
from tests.service.conftest import settings_for
from tests.support.accounts import Accounts
from tests.support.redis_kinds import RedisUrls


def get_position(
    client: httpx.Client, game: str, query: str = "", etag: str = ""
) -> httpx.Response:
    headers = {"If-None-Match": etag} if etag else {}
    return client.get(f"/api/v1/games/{game}/position{query}", headers=headers)


@pytest.mark.parametrize("query", ["", "?seq=4"])
def test_viewers_who_see_different_positions_get_different_etags(
    accounts: Accounts, query: str
) -> None:
    game, (ada, bea) = accounts.start_game(2, rules="baron")
    clients = [accounts.anonymous, ada.http, bea.http]
    responses = [get_position(client, game, query) for client in clients]
    etags = [response.headers["etag"] for response in responses]
    assert etags[0] == '"4"'
    assert all(etag.startswith('"4.') for etag in etags[1:])
    assert len(set(etags)) == 3
    for client, etag in itertools.product(clients, etags):
        response = get_position(client, game, query, etag)
        own = etags[clients.index(client)] == etag
        assert response.status_code == (304 if own and not query else 200)
        assert response.headers["etag"] == etags[clients.index(client)]
        assert response.content in (b"", responses[clients.index(client)].content)


def test_a_player_with_the_etag_of_a_spectator_gets_their_own_reserve(accounts: Accounts) -> None:
    game, (ada, _) = accounts.start_game(2, rules="baron")
    etag = get_position(accounts.anonymous, game).headers["etag"]
    response = get_position(ada.http, game, etag=etag)
    assert response.status_code == 200
    assert response.json()["players"][0]["reserve"] is not None


def test_viewers_who_see_the_same_position_get_the_same_etag(accounts: Accounts) -> None:
    game, (ada, bea) = accounts.start_game(2, rules="barony")
    another = accounts.register()
    for client in (accounts.anonymous, ada.http, bea.http, another.http):
        assert get_position(client, game).headers["etag"] == '"4"'
        assert get_position(client, game, etag='W/"4", "3"').status_code == 304
        assert get_position(client, game, etag='"3"').status_code == 200
    game, _ = accounts.start_game(2, rules="baron")
    for client in (accounts.anonymous, another.http):
        assert get_position(client, game).headers["etag"] == '"4"'


def test_the_end_of_a_game_changes_the_etags_of_positions_that_show_more(
    accounts: Accounts, web_redis_urls: RedisUrls, tmp_path: Path
) -> None:
    service = build(settings_for(web_redis_urls, tmp_path))
    game, players = accounts.start_game(2, rules="baron")
    open_game, _ = accounts.start_game(2, rules="barony")
    clients = [accounts.anonymous, *(player.http for player in players)]
    before = [get_position(client, game, "?seq=4") for client in clients]
    for game_id in (game, open_game):
        service.administration.abandon("operator", game_id, "a test")
    service.redis.close()
    after = [get_position(client, game, "?seq=4") for client in clients]
    assert len({response.content for response in after}) == 1
    (etag,) = {response.headers["etag"] for response in after}
    assert etag.startswith('"4.')
    assert etag not in {response.headers["etag"] for response in before}
    for client in clients:
        # At the end, nobody is shown something that others are not.
        assert get_position(client, game).headers["etag"] == '"6"'
        assert get_position(client, open_game, "?seq=4").headers["etag"] == '"4"'
