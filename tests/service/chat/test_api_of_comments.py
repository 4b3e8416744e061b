"""Comments on games that are over, over HTTP: everybody who sees the game reads and writes them."""

from collections.abc import Iterator
from dataclasses import replace

import httpx
import pytest
import redis

from service.bootstrap import Service, build
from service.bounds import Bounds
from service.errors import TooManyChatMessages
from tests.support.accounts import Accounts, Json, PlayerClient, http_client
from tests.support.administrators import ADMIN, register_administrator
from tests.support.http_contract import invalid_fields
from tests.support.server import WebServer


@pytest.fixture
def worker(web: WebServer) -> Iterator[Service]:
    """The parts of the service with which workers of the shared web server would work."""
    service = build(web.settings)
    yield service
    service.redis.close()


def finish(
    accounts: Accounts, worker: Service, *, is_private: bool = False
) -> tuple[str, list[PlayerClient]]:
    """Finish a game with a resignation; return its id and its players."""
    players = [accounts.register(), accounts.register()]
    invited = [players[1].handle] if is_private else []
    game = players[0].create_game(rules="baron", options={"private": is_private}, invite=invited)
    players[1].join(game)
    seq = players[0].http.get(f"/api/v1/games/{game}").json()["head"]["seq"]
    assert players[0].act(game, {"type": "resign"}, seq).status_code == 201
    while worker.games.commands.score(game):
        pass
    return game, players


def address(game: str) -> str:
    return f"/api/v1/games/{game}/comments"


def texts(http: httpx.Client, game: str) -> list[str | None]:
    body: Json = http.get(address(game)).json()
    return [comment["text"] for comment in body["comments"]]


def test_everybody_who_sees_a_game_comments_on_it_when_it_is_over(
    accounts: Accounts, worker: Service
) -> None:
    running, (ada, _) = accounts.start_game()
    assert ada.http.post(address(running), json={"text": "x"}).status_code == 409
    assert texts(ada.http, running) == []
    game, (ada, bea) = finish(accounts, worker)
    spectator, anonymous = accounts.register(), accounts.anonymous
    for player, text in ((ada, "Lost!"), (spectator, "What a game."), (bea, "Again?")):
        posted = player.http.post(address(game), json={"text": text, "seq": 4})
        assert posted.status_code == 201
        assert posted.json()["player"]["handle"] == player.handle
    for http in (ada.http, spectator.http, anonymous):
        assert texts(http, game) == ["Lost!", "What a game.", "Again?"]
    page = anonymous.get(address(game), params={"limit": 1, "after": 1}).json()
    assert [comment["comment"] for comment in page["comments"]] == [2]
    assert (page["last"], page["next"]) == (3, 2)
    assert b"What a game." not in anonymous.get(f"/api/v1/games/{game}/record").content

    http = spectator.http
    for body, field in (
        ({"text": " "}, "text"),
        ({"text": "x" * 1001}, "text"),
        ({"text": "x", "seq": 9999}, "seq"),
    ):
        response = http.post(address(game), json=body)
        assert (response.status_code, invalid_fields(response)) == (400, {field})
    assert anonymous.get(f"{address(game)}?before=1").status_code == 400
    created = anonymous.post("/api/v1/guests").json()
    with http_client(accounts.url, accounts.contract, created["token"]) as guest:
        assert guest.post(address(game), json={"text": "x"}).status_code == 403
    private, players = finish(accounts, worker, is_private=True)
    assert players[0].http.post(address(private), json={"text": "Ours"}).status_code == 201
    for outsider in (spectator.http, anonymous):
        assert outsider.get(address(private)).status_code == 404
    assert spectator.http.post(address(private), json={"text": "x"}).status_code == 404


def test_comments_are_moderated(
    accounts: Accounts, worker: Service, redis_client: redis.Redis
) -> None:
    game, (ada, bea) = finish(accounts, worker)
    troll = accounts.register()
    for player, text in ((troll, "Rude"), (ada, "Mine"), (troll, "Rude again")):
        player.http.post(address(game), json={"text": text}).raise_for_status()
    assert bea.http.put(f"/api/v1/me/mutes/{troll.handle}").status_code == 204
    assert texts(bea.http, game) == [None, "Mine", None]
    assert texts(ada.http, game) == ["Rude", "Mine", "Rude again"]

    report = f"{address(game)}/1/report"
    for _ in range(2):
        assert ada.http.post(report, json={"reason": "insults"}).status_code == 204
    assert troll.http.post(report).status_code == 409
    assert ada.http.post(report, json={"reason": "x" * 1001}).status_code == 400
    assert ada.http.post(f"{address(game)}/9/report").status_code == 404
    admin = register_administrator(accounts, redis_client)
    (reported,) = [
        item
        for item in admin.http.get(f"{ADMIN}/reports", params={"limit": 100}).json()["reports"]
        if item["game"] == game
    ]
    assert (reported["of"], reported["number"], reported["text"]) == ("comment", 1, "Rude")

    removal = f"{ADMIN}/games/{game}/comments/1"

    def remove(player: PlayerClient, path: str = removal, body: Json | None = None) -> int:
        return player.http.request("DELETE", path, json=body or {"reason": "insults"}).status_code

    assert remove(ada) == 403
    assert remove(admin, body={"why": "x"}) == 400
    assert remove(admin, f"{ADMIN}/games/{game}/comments/9") == 404
    assert remove(admin) == remove(admin) == 204
    assert texts(ada.http, game) == [None, "Mine", "Rude again"]
    assert bea.http.post(report).status_code == 409, "it was erased"

    own = f"{address(game)}/3"
    assert ada.http.delete(own).status_code == 403
    assert troll.http.delete(f"{address(game)}/9").status_code == 404
    assert troll.http.delete(own).status_code == troll.http.delete(own).status_code == 204
    assert texts(ada.http, game) == [None, "Mine", None]


def test_the_number_of_comments_is_bounded(
    accounts: Accounts, worker: Service, redis_client: redis.Redis
) -> None:
    game, (ada, bea) = finish(accounts, worker)
    key = f"cartulary:{{{game}}}:comments"
    redis_client.hset(key, f"count/{ada.id}", Bounds().max_comments_per_player - 1)
    for status in (201, 409, 409):
        assert ada.http.post(address(game), json={"text": "x"}).status_code == status
    assert texts(bea.http, game) == ["x"]
    redis_client.hset(key, "last", Bounds().max_comments_per_game - 1)
    for status in (201, 409, 409):
        assert bea.http.post(address(game), json={"text": "y"}).status_code == status
    assert texts(ada.http, game)[-1] == "x"
    assert ada.http.get(address(game)).json()["last"] == Bounds().max_comments_per_game


def test_a_lower_bound_hides_no_comments_and_an_erasure_finds_them(
    accounts: Accounts, worker: Service, redis_client: redis.Redis
) -> None:
    game, (ada, bea) = finish(accounts, worker)
    for text in ("one", "two", "three"):
        assert ada.http.post(address(game), json={"text": text}).status_code == 201
    bounds = replace(worker.settings.bounds, max_comments_per_game=1)
    lowered = build(replace(worker.settings, bounds=bounds))
    with pytest.raises(TooManyChatMessages):
        lowered.comments.post(game, bea.id, "four")
    page = lowered.comments.page(game, bea.id)
    assert [each.text for each in page.messages] == ["one", "two", "three"]
    assert bea.http.post(address(game), json={"text": "four"}).json()["comment"] == 4
    lowered.accounts.erasure.erase_without_password(ada.id)
    assert texts(bea.http, game) == [None, None, None, "four"]
    stored = str(redis_client.hvals(f"cartulary:{{{game}}}:comments"))
    assert "three" not in stored
    assert "four" in stored
    lowered.redis.close()
