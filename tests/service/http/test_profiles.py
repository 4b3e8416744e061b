"""Profiles of players over HTTP: numbers, games, comparisons, what players show, and private games."""

from collections.abc import Iterator
from typing import Any

import pytest

from domain.game import Game
from service.bootstrap import Service, build
from tests.support.accounts import PASSWORD, Accounts, Json, PlayerClient
from tests.support.http_contract import invalid_fields
from tests.support.server import WebServer
from tests.support.service_games import play_out, start_game


class Site:
    """The players ada and bea, and another visitor."""

    def __init__(self, accounts: Accounts, service: Service) -> None:
        self.service = service
        self.accounts = accounts
        self.ada, self.bea, self.stranger = (self.accounts.register() for _ in range(3))

    def start(self, **options: Any) -> Game:
        game = start_game(self.service, players=(self.ada.id, self.bea.id), **options)
        self.service.transparency.head_log.log([game.id])
        return game

    def finish(self, **options: Any) -> Game:
        """Play a game of ada and bea to its end."""
        game = play_out(self.service, self.start(round_limit=1, **options).id)
        while self.service.games.queries.game(game.id).status != "finished":
            self.service.games.commands.score(game.id)
        self.service.transparency.head_log.log([game.id])
        return self.service.games.queries.game(game.id)

    def catch_up(self) -> None:
        assert self.service.games.projections.catch_up()

    def get(self, path: str, viewer: PlayerClient | None = None) -> Any:
        http = self.accounts.anonymous if viewer is None else viewer.http
        return http.get(f"/api/v1/players/{path}")

    def profile(self, viewer: PlayerClient | None = None) -> Json:
        response = self.get(self.ada.handle, viewer)
        assert response.status_code == 200, response.text
        body: Json = response.json()
        return body

    def games(self, query: str = "", viewer: PlayerClient | None = None) -> list[str]:
        response = self.get(f"{self.ada.handle}/games?{query}", viewer)
        assert response.status_code == 200, response.text
        return [game["id"] for game in response.json()["games"]]

    def show(self, value: str | None) -> None:
        """Change what ada shows."""
        response = self.ada.http.patch("/api/v1/me", json={"profile": value})
        assert response.json()["player"]["profile"] == (value or "everything")


@pytest.fixture
def site(web: WebServer, accounts: Accounts) -> Iterator[Site]:
    service = build(web.settings)
    yield Site(accounts, service)
    service.redis.close()


def places(games: list[Game], seat: int) -> list[int]:
    of_seat = [
        entry["place"] for game in games for entry in game.ranking or () if entry["seat"] == seat
    ]
    return [of_seat.count(place) for place in range(1, max(of_seat) + 1)]


def test_a_profile_counts_games_and_places(site: Site) -> None:
    games = [site.finish(), site.finish()]
    site.start()
    site.catch_up()
    profile = site.profile()
    assert (profile["id"], profile["handle"]) == (site.ada.id, site.ada.handle)
    assert profile["since"] == site.ada.http.get("/api/v1/me").json()["player"]["created"]
    assert profile["games"] == [
        {
            "system": "barony",
            "seats": 2,
            "bots": False,
            "playing": 1,
            "finished": 2,
            "abandoned": 0,
            "places": places(games, 0),
        }
    ]
    assert profile["reliability"] == {
        "percent": None,
        "turns": 0,
        "taken": 0,
        "missed": 0,
        "excused": 0,
        "seats_left": 0,
        "resignations": 0,
    }
    assert site.get(site.ada.handle.upper()).json() == profile
    assert site.get("nobody-of-this-name").status_code == 404
    assert site.get(f"{site.ada.handle}?viewer=0").status_code == 400


def test_bots_and_guests_are_marked(site: Site) -> None:
    guest = site.accounts.anonymous.post("/api/v1/guests", json={}).json()["player"]
    assert site.get(guest["handle"]).json()["guest"] is True
    game = site.ada.create_game(2, bots=["random"])
    players = site.ada.http.get(f"/api/v1/games/{game}").json()["players"]
    (bot,) = [player["handle"] for player in players if "bot" in player]
    assert site.get(bot).json()["bot"] == "random"
    assert "bot" not in site.profile()


def test_the_games_of_a_player_are_filtered(site: Site) -> None:
    finished, running = site.finish(), site.start()
    alone = site.ada.create_game(3)
    site.stranger.create_game(2)
    has_won = any(entry["seat"] == 0 and entry["place"] == 1 for entry in finished.ranking or ())
    assert site.games() == [alone, running.id, finished.id]
    assert site.games("status=playing,finished") == [running.id, finished.id]
    assert site.games("result=won") == ([finished.id] if has_won else [])
    assert site.games("result=lost") == ([] if has_won else [finished.id])
    assert site.games(f"opponent={site.bea.handle}") == [running.id, finished.id]
    assert site.games(f"opponent={site.stranger.handle}") == []
    assert site.games(f"opponent={site.bea.handle}&rules=baron") == []
    assert site.games("seats=3") == [alone]
    page = site.get(f"{site.ada.handle}/games?limit=1").json()
    assert [game["id"] for game in page["games"]] == [alone]
    assert site.games(f"cursor={page['next']}") == [running.id, finished.id]
    response = site.get(f"{site.ada.handle}/games?result=drawn&status=x&seats=0")
    assert (response.status_code, invalid_fields(response)) == (400, {"result", "seats"})
    assert site.get("nobody-of-this-name/games").status_code == 404
    assert site.get(f"{site.ada.handle}/games?opponent=nobody-of-this-name").status_code == 404


def test_two_players_are_compared(site: Site) -> None:
    game = site.finish()
    site.catch_up()
    ada, bea = (len(places([game], seat)) for seat in (0, 1))
    expected = {"ahead": int(ada < bea), "behind": int(ada > bea), "equal": int(ada == bea)}
    path = f"{site.ada.handle}/head-to-head/{site.bea.handle}"
    assert site.get(path).json() == {
        "player": {"id": site.ada.id, "handle": site.ada.handle},
        "other": {"id": site.bea.id, "handle": site.bea.handle},
        "results": [{"system": "barony", **expected}],
    }
    assert (
        site.get(f"{site.ada.handle}/head-to-head/{site.stranger.handle}").json()["results"] == []
    )
    assert site.get(f"{site.ada.handle}/head-to-head/nobody").status_code == 404
    assert site.get(f"{path}?rules=barony").status_code == 400


def test_players_choose_what_others_see(site: Site) -> None:
    site.finish()
    site.catch_up()
    everything, own = site.profile(), site.profile(site.ada)
    compared = f"{site.ada.handle}/head-to-head/{site.bea.handle}"
    comparison = site.get(compared).json()
    site.show("results")
    assert site.profile() == {**everything, "shows": "results"}
    assert site.get(f"{site.ada.handle}/games").status_code == 403
    assert site.get(f"{site.ada.handle}/games", site.stranger).status_code == 403
    assert len(site.games(viewer=site.ada)) == 1
    assert site.get(compared).json() == comparison
    site.show("nothing")
    hidden = {"shows": "nothing", "since": None, "games": None, "reliability": None, "clubs": None}
    for viewer in (None, site.stranger, site.bea):
        assert site.profile(viewer) == {**everything, **hidden}
        assert site.get(f"{site.ada.handle}/games", viewer).status_code == 403
    assert site.profile(site.ada) == {**own, "shows": "nothing"}
    assert site.get(compared, site.stranger).status_code == 403
    assert site.get(compared).status_code == 403
    assert site.get(f"{site.bea.handle}/head-to-head/{site.ada.handle}").status_code == 403
    for viewer in (site.ada, site.bea):
        assert site.get(compared, viewer).json() == comparison, "both know their games"
    response = site.ada.http.patch("/api/v1/me", json={"profile": "some"})
    assert (response.status_code, invalid_fields(response)) == (400, {"profile"})
    site.show(None)
    assert site.profile() == everything


def test_a_player_who_has_left_for_good_has_no_profile(site: Site) -> None:
    game = site.finish()
    site.catch_up()
    site.bea.http.request("DELETE", "/api/v1/me", json={"password": PASSWORD})
    for path in (site.bea.handle, f"{site.bea.handle}/games"):
        assert site.get(path).status_code == 404
    assert site.get(f"{site.ada.handle}/head-to-head/{site.bea.handle}").status_code == 404
    assert site.games() == [game.id]


def test_private_games_change_nothing_that_others_receive(site: Site) -> None:
    for _ in range(3):
        site.finish()
    site.start()
    site.catch_up()
    ada, bea = site.ada.handle, site.bea.handle

    def received() -> list[str]:
        """Return everything that others can read about ada and bea."""
        paths = (
            *(ada, bea, f"{ada}/head-to-head/{bea}"),
            *(f"{ada}/games?{query}" for query in ("", "limit=1", "limit=2", "status=finished")),
            *(f"{ada}/games?opponent={bea}&limit={limit}" for limit in (1, 2, 100)),
            *(f"{ada}/games?{query}&limit=2" for query in ("result=won", "result=lost", "seats=2")),
        )
        return [site.get(path, viewer).text for path in paths for viewer in (None, site.stranger)]

    before, own = received(), site.profile(site.ada)
    private = [site.finish(private=True), site.start(private=True)]
    site.catch_up()
    assert received() == before
    assert own["private"] == {"playing": 0, "finished": 0}
    assert site.profile(site.ada) == {**own, "private": {"playing": 1, "finished": 1}}
    for viewer in (site.ada, site.bea):
        assert {game.id for game in private} <= set(site.games(f"opponent={bea}", viewer))
        assert {game.id for game in private} <= set(site.games("", viewer))
