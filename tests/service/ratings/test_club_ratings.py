"""Ratings in clubs: which games count for them, who sees them, and that nobody else learns anything."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from flask import Flask
from flask.testing import FlaskClient

from cartulary.cli import cartulary
from domain.administration import OPERATOR
from ledger.keys import check_signed
from replay.ratings.player_ratings import RatingTable, rated_result
from service.bootstrap import Service
from service.connection import to_text
from service.errors import Forbidden, NotFound, OperationNotPossible
from service.projections.event_feed import FeedCursor
from service.ratings.club_ratings import ClubRatingsProjection
from service.recovery.reindex import reindex
from service.store.redis_event_store import game_key
from tests.support.accounts import Accounts, PlayerClient
from tests.support.page_forms import PASSWORD
from tests.support.service_games import start_game

NAME = ClubRatingsProjection.name
MEMBERS = ("ada", "bea", "cid")


class Scene:
    """A club of ada with bea and cid, and a stranger."""

    def __init__(self, service: Service, *, is_private: bool = True) -> None:
        self.service, self.ratings = service, service.games.club_ratings
        register = service.accounts.players.register
        self.ids: dict[str, str] = {}
        self.tokens: dict[str, str] = {}
        for name in (*MEMBERS, "eve"):
            player, self.tokens[name] = register(name, PASSWORD)
            self.ids[name] = player.id
        self.club = self.new_club("Wednesday", is_private=is_private)

    def new_club(self, name: str, *, is_private: bool = True) -> str:
        clubs = self.service.clubs
        club = clubs.create(self.ids["ada"], name, is_private=is_private).id
        for member in MEMBERS[1:]:
            clubs.invite(club, self.ids["ada"], self.ids[member])
            clubs.join(club, self.ids[member])
        return club

    def finish(self, loser: str = "ada", winner: str = "bea", **options: Any) -> str:
        """Finish a game of Baron, a private rated one of the club by default; return its id."""
        options = {"rated": True, "private": True, "club": self.club, **options}
        given = {name: value for name, value in options.items() if value is not None}
        players = [self.ids[loser], self.ids[winner]]
        game = start_game(self.service, rules="baron", players=players, **given).id
        self.resign(game, players[0])
        self.service.transparency.head_log.log([game])
        self.catch_up()
        return game

    def resign(self, game: str, player: str) -> None:
        queries, commands = self.service.games.queries, self.service.games.commands
        commands.act(game, player, {"type": "resign"}, queries.game(game).seq)
        while queries.game(game).status != "finished":
            commands.score(game)

    def catch_up(self) -> None:
        while not self.service.games.projections.catch_up():
            pass

    def table(self, club: str | None = None, viewer: str = "ada") -> list[tuple[int, str, int]]:
        """Return the places of a table with the handles and the number of games."""
        standings = self.ratings.standings(club or self.club, self.ids[viewer], "baron")
        return [(entry.place, entry.handle, entry.current.games) for entry in standings]

    def values(self) -> dict[str, str]:
        """Return the values of the projection as they are read."""
        key = f"cartulary:{{projection:{NAME}}}"
        live = to_text(self.service.redis.hget(key, "live") or "1")
        stored = self.service.redis.hgetall(f"{key}:{live}")
        return {to_text(name): to_text(value) for name, value in stored.items()}

    def public(self) -> list[object]:
        """Return everything that is public and derived from games."""
        games, players = self.service.games, self.ids.values()
        statement = games.ratings.statement()
        return [
            [statement[name] for name in ("games", "hash", "excluded")],
            games.ratings.games(0),
            [games.ratings.leaderboard(name) for name in ("barony", "sorcery", "baron")],
            [games.ratings.of(player) for player in players],
            [games.statistics.of(player) for player in players],
            games.projections.values("game-counts"),
            [*games.event_feed.page(FeedCursor()).events],
        ]


@pytest.fixture
def scene(service: Service) -> Scene:
    return Scene(service)


def test_private_rated_games_count_for_the_club_alone(scene: Scene) -> None:
    before = scene.public()
    first = scene.finish("ada", "bea")
    second = scene.finish("cid", "bea")
    assert scene.public() == before
    assert scene.table() == [(1, "bea", 2), (2, "cid", 1), (3, "ada", 1)]
    table = RatingTable()
    lines = [
        table.add(rated_result([*scene.service.games.queries.event_page(game, 0, 100)], scene.club))
        for game in (first, second)
    ]
    assert scene.ratings.games(scene.club, scene.ids["ada"], 0) == (lines, None)
    assert scene.ratings.games(scene.club, scene.ids["ada"], 1, 1) == (lines[1:], None)
    assert scene.ratings.games(scene.club, scene.ids["ada"], 0, 1) == (lines[:1], 1)
    statement = scene.ratings.statement(scene.club, scene.ids["cid"])
    check_signed(statement, scene.service.keyring.public_keys())
    assert (statement["club"], statement["games"]) == (scene.club, 2)
    assert statement["hash"] == table.hash


def test_only_rated_games_of_the_club_count(service: Service) -> None:
    scene = Scene(service, is_private=False)
    other = scene.new_club("Thursday")
    scene.finish(rated=None)
    scene.finish(private=None, club=None)
    assert scene.table() == []
    scene.finish(club=other)
    assert (scene.table(), len(scene.table(other))) == ([], 2)
    public = scene.finish(private=None)
    assert scene.table() == [(1, "bea", 1), (2, "ada", 1)]
    # A public game of the club counts for both tables.
    assert public in {line["game"] for line in service.games.ratings.games(0)[0]}
    assert service.games.ratings.of(scene.ids["bea"])["baron"].games == 2


@pytest.mark.parametrize("is_private", [False, True])
def test_only_members_read_the_ratings_of_a_club(service: Service, is_private: bool) -> None:
    scene = Scene(service, is_private=is_private)
    scene.finish()
    scene.service.clubs.invite(scene.club, scene.ids["ada"], scene.ids["eve"])
    reads: tuple[Callable[[str], object], ...] = (
        lambda player: scene.ratings.standings(scene.club, player, "baron"),
        lambda player: scene.ratings.games(scene.club, player, 0),
        lambda player: scene.ratings.statement(scene.club, player),
    )
    for read in reads:
        with pytest.raises(Forbidden):
            read(scene.ids["eve"])
        with pytest.raises(NotFound if is_private else Forbidden):
            read("nobody")
        assert read(scene.ids["cid"])
    scene.service.clubs.leave(scene.club, scene.ids["cid"])
    for read in reads:
        with pytest.raises(NotFound if is_private else Forbidden):
            read(scene.ids["cid"])
    with pytest.raises(NotFound):
        scene.ratings.standings(scene.club, scene.ids["ada"], "chess")


def test_a_member_who_leaves_keeps_the_rating_and_comes_back_to_it(scene: Scene) -> None:
    scene.finish("ada", "bea")
    scene.finish("bea", "cid")
    shown = scene.table()
    values = scene.values()
    scene.service.clubs.leave(scene.club, scene.ids["bea"])
    assert {handle for _, handle, _ in scene.table()} == {"ada", "cid"}
    assert [place for place, _, _ in scene.table()] == [1, 2]
    assert scene.values() == values
    scene.finish("cid", "ada")
    assert len(scene.ratings.games(scene.club, scene.ids["ada"], 0)[0]) == 3
    scene.service.clubs.invite(scene.club, scene.ids["ada"], scene.ids["bea"])
    scene.service.clubs.join(scene.club, scene.ids["bea"])
    assert ("bea", 2) in {(handle, games) for _, handle, games in scene.table()}
    assert shown != scene.table()


def test_an_erased_player_is_in_no_table_and_the_history_still_holds(scene: Scene) -> None:
    scene.finish("ada", "bea")
    before = scene.ratings.statement(scene.club, scene.ids["ada"])
    scene.service.accounts.erasure.erase(scene.ids["bea"], PASSWORD)
    assert scene.table() == [(1, "ada", 1)]
    after = scene.ratings.statement(scene.club, scene.ids["ada"])
    assert after["hash"] == before["hash"]
    scene.service.games.projections.rebuild(NAME)
    assert scene.ratings.statement(scene.club, scene.ids["ada"])["hash"] == before["hash"]


def test_a_rebuild_and_an_index_made_again_change_nothing(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = scene.new_club("Thursday")
    for loser, winner, club in (("ada", "bea", scene.club), ("bea", "cid", other)):
        scene.finish(loser, winner, club=club)
        scene.finish(winner, loser, club=club)
    before = scene.values()
    monkeypatch.setattr("service.projections.event_feed.MAX_EVENTS", 1)
    scene.service.games.projections.rebuild(NAME)
    assert scene.values() == before
    reindex(scene.service)
    scene.catch_up()
    assert scene.values() == before


def test_a_game_that_a_failover_takes_back_counts_once(scene: Scene) -> None:
    players = [scene.ids["ada"], scene.ids["bea"]]
    options: dict[str, Any] = {"rated": True, "private": True, "club": scene.club}
    game = start_game(scene.service, rules="baron", players=players, **options).id
    earlier = scene.service.redis.dump(game_key(game, "log"))
    assert earlier is not None
    scene.resign(game, players[0])
    scene.service.transparency.head_log.log([game])
    scene.catch_up()
    assert scene.table()[0][1] == "bea"
    scene.service.redis.restore(game_key(game, "log"), 0, earlier, replace=True)
    scene.resign(game, players[1])
    scene.service.transparency.head_log.log([game])
    scene.catch_up()
    assert scene.table() == [(1, "ada", 1), (2, "bea", 1)]


def test_a_public_game_is_excluded_from_both_tables_and_a_private_one_from_none(
    service: Service,
) -> None:
    scene = Scene(service, is_private=False)
    private, public = scene.finish(), scene.finish(private=None)
    other = scene.new_club("Thursday", is_private=False)
    elsewhere = scene.finish(private=None, club=other)
    before = scene.values()
    rule = service.administration.exclude_rating
    with pytest.raises(OperationNotPossible, match="no private ones"):
        rule(OPERATOR, private, "collusion")
    rule(OPERATOR, public, "collusion")
    rule(OPERATOR, elsewhere, "one person")
    scene.catch_up()
    assert {games for _, _, games in scene.table()} == {1}
    assert scene.table(other) == []
    statement = scene.ratings.statement(scene.club, scene.ids["ada"])
    assert [entry["game"] for entry in statement["excluded"]] == [public]
    for game in (public, elsewhere):
        service.administration.include_rating(OPERATOR, game, "a mistake")
    scene.catch_up()
    assert scene.values() == {**before, "exclusions": "[]"}


def test_the_page_has_the_table_for_members_alone(app: Flask, service: Service) -> None:
    scene = Scene(service, is_private=False)
    browser = app.test_client()

    def enter(browser: FlaskClient, handle: str) -> None:
        with browser.session_transaction() as session:
            session["token"] = scene.tokens[handle]

    path = f"/clubs/{scene.club}/ratings"
    assert browser.get(path).status_code == 302
    enter(browser, "bea")
    empty = browser.get(path)
    assert "No rated game of the club is over yet" in empty.text
    assert "<select" not in empty.text
    game = scene.finish()
    full = browser.get(path)
    assert "Ratings in the club: Baron" in full.text
    assert full.text.index(">bea<") < full.text.index(">ada<")
    assert ">cid<" not in full.text
    assert full.text.index(">1 of 1<") < full.text.index(">0 of 1<")
    barony = browser.get(f"{path}?system=barony")
    assert "No rated game with these rules is over yet." in barony.text
    assert "Ratings in the club: Baron" in browser.get(f"{path}?system=chess").text
    assert f'href="{path}"' in browser.get(f"/clubs/{scene.club}").text
    assert "rated in the club" in browser.get(f"/games/{game}").text
    stranger = app.test_client()
    enter(stranger, "eve")
    assert stranger.get(path).status_code == 403
    assert f'href="{path}"' not in stranger.get(f"/clubs/{scene.club}").text


def play_in_club(
    worker: Service, members: list[PlayerClient], club: str, *, is_private: bool = True
) -> str:
    """Finish a rated game of a club, which its first player loses; return its id."""
    options = {"rated": True, "private": is_private, "club": club}
    game = members[0].create_game(rules="baron", options=options)
    members[1].join(game)
    seq = members[0].http.get(f"/api/v1/games/{game}").json()["head"]["seq"]
    assert members[0].act(game, {"type": "resign"}, seq).status_code == 201
    while worker.games.commands.score(game):
        pass
    worker.transparency.head_log.log([game])
    while not worker.games.projections.catch_up():
        pass
    return game


@pytest.fixture
def members(accounts: Accounts) -> tuple[str, list[PlayerClient]]:
    """A private club of two players, and a stranger."""
    ada, bea, eve = (accounts.register() for _ in range(3))
    body = {"name": "Private", "private": True}
    club = ada.http.post("/api/v1/clubs", json=body).json()["id"]
    ada.http.post(f"/api/v1/clubs/{club}/invitations", json={"handle": bea.handle})
    bea.http.put(f"/api/v1/clubs/{club}/members/me")
    return club, [ada, bea, eve]


def test_a_program_of_a_member_reads_the_ratings_of_the_club(
    accounts: Accounts, worker: Service, members: tuple[str, list[PlayerClient]]
) -> None:
    club, (ada, bea, eve) = members
    game = play_in_club(worker, [ada, bea], club)
    table = bea.http.get(f"/api/v1/clubs/{club}/leaderboards/baron").json()
    assert (table["system"], table["next"]) == ("baron", None)
    shown = [
        (entry["place"], entry["handle"], entry["games"], entry["wins"])
        for entry in table["places"]
    ]
    assert shown == [(1, bea.handle, 1, 1), (2, ada.handle, 1, 0)]
    (line,) = bea.http.get(f"/api/v1/clubs/{club}/ratings/games").json()["games"]
    assert line["game"] == game
    statement = bea.http.get(f"/api/v1/clubs/{club}/ratings/statement").json()
    check_signed(statement, accounts.anonymous.get("/api/v1/keys").json()["keys"])
    assert (statement["club"], statement["hash"]) == (club, line["hash"])
    public = ada.http.post("/api/v1/clubs", json={"name": f"Of {ada.handle}"}).json()["id"]
    for part in ("leaderboards/baron", "ratings/games", "ratings/statement"):
        assert accounts.anonymous.get(f"/api/v1/clubs/{club}/{part}").status_code == 401
        assert eve.http.get(f"/api/v1/clubs/{club}/{part}").status_code == 404
        assert eve.http.get(f"/api/v1/clubs/{public}/{part}").status_code == 403
    assert bea.http.get(f"/api/v1/clubs/{club}/leaderboards/chess").status_code == 404
    assert bea.http.get(f"/api/v1/clubs/{club}/ratings/games?after=x").status_code == 400


def run(*arguments: object, token: str | None = None) -> Result:
    env = {"CARTULARY_TOKEN": token}
    return CliRunner().invoke(cartulary, [str(word) for word in arguments], env=env)


def test_the_command_checks_the_ratings_of_a_club_with_the_token_of_a_member(
    accounts: Accounts, worker: Service, members: tuple[str, list[PlayerClient]], tmp_path: Path
) -> None:
    club, (ada, bea, eve) = members
    for players in ([ada, bea], [bea, ada]):
        play_in_club(worker, players, club)
    folder = tmp_path / "records"
    command = ("ratings", accounts.url, "--club", club)
    checked = run(*command, "--save", folder, token=bea.token)
    assert (checked.exit_code, checked.stderr) == (0, "")
    assert "The ratings hold: 2 rated games" in checked.stdout
    assert run("ratings", folder).stdout == checked.stdout
    assert run("ratings", folder, "--club", club).exit_code == 2
    assert run(*command, token=eve.token).exit_code == 1
    record = next(folder.glob("*.jsonl"))
    record.unlink()
    assert run("ratings", folder).exit_code == 3
    # The table of the server has no such game, and those games do not count for it.
    assert run("ratings", accounts.url, token=bea.token).exit_code == 0
    assert not {path.stem for path in folder.glob("*.jsonl")} & {
        line["game"] for line in accounts.anonymous.get("/api/v1/ratings/games").json()["games"]
    }
