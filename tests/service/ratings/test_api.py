"""Rated games and the ratings of players over HTTP."""

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

import httpx
import orjson
import redis
from click.testing import CliRunner, Result

from cartulary.cli import cartulary
from ledger.canonical import canonical
from ledger.keys import check_signed
from service.bootstrap import Service
from tests.support.accounts import Accounts, Json, PlayerClient, http_client
from tests.support.administrators import register_administrator
from tests.support.http_contract import invalid_fields

RATED = {"rated": True}


def test_a_game_is_rated_if_its_creator_says_so(accounts: Accounts) -> None:
    ada = accounts.register()
    body = {"rules": "barony", "seats": 2}
    plain = ada.http.post("/api/v1/games", json=body).json()
    assert "rated" not in plain["options"]
    game = ada.http.post("/api/v1/games", json={**body, "options": RATED}).json()
    assert game["options"]["rated"] is True
    for fields in (
        {"options": {"rated": 1}},
        {"options": {"rated": True, "private": True}},
        {"options": {"rated": True, "tutorial": True}},
        {"options": RATED, "bots": ["random"]},
    ):
        response = ada.http.post("/api/v1/games", json={**body, **fields})
        assert (response.status_code, invalid_fields(response)) == (400, {"options.rated"})


def test_bots_and_guests_cannot_play_in_a_rated_game(accounts: Accounts) -> None:
    ada = accounts.register()
    game, plain = ada.create_game(3, options=RATED), ada.create_game(3)
    assert ada.http.post(f"/api/v1/games/{game}/bots").status_code == 409
    assert ada.http.post(f"/api/v1/games/{plain}/bots").status_code == 201
    created = accounts.anonymous.post("/api/v1/guests").json()
    with http_client(accounts.url, accounts.contract, created["token"]) as guest:
        body = {"rules": "barony", "seats": 2, "options": RATED}
        response = guest.post("/api/v1/games", json=body)
        assert (response.status_code, invalid_fields(response)) == (400, {"options.rated"})
        assert guest.post(f"/api/v1/games/{game}/players").status_code == 409
        assert guest.post(f"/api/v1/games/{plain}/players").status_code == 201
        named = guest.put(
            "/api/v1/me/handle",
            json={"handle": f"{ada.handle}-friend", "password": "correct horse battery"},
        )
        assert named.status_code == 200
        assert guest.post(f"/api/v1/games/{game}/players").status_code == 201


def test_a_guest_cannot_be_a_substitute_in_a_rated_game(accounts: Accounts) -> None:
    options = {"rated": True, "substitutes": True, "seating": "joined"}
    game, players = accounts.start_game(3, options=options)
    assert players[1].http.delete(f"/api/v1/games/{game}/seats/me").status_code == 200
    created = accounts.anonymous.post("/api/v1/guests").json()
    path = f"/api/v1/games/{game}/substitutes"
    with http_client(accounts.url, accounts.contract, created["token"]) as guest:
        assert guest.post(path, json={"seat": 1}).status_code == 409
    assert accounts.register().http.post(path, json={"seat": 1}).status_code == 201


def finish(accounts: Accounts, worker: Service, **options: Any) -> tuple[str, list[PlayerClient]]:
    """Finish a game of Baron, which its first player loses; return its id and its players."""
    players = [accounts.register(), accounts.register()]
    invited = [players[1].handle] if options.get("private") else []
    game = players[0].create_game(rules="baron", options=options, invite=invited)
    players[1].join(game)
    seq = players[0].http.get(f"/api/v1/games/{game}").json()["head"]["seq"]
    assert players[0].act(game, {"type": "resign"}, seq).status_code == 201
    while worker.games.commands.score(game):
        pass
    worker.transparency.head_log.log([game])
    catch_up(worker)
    return game, players


def catch_up(worker: Service) -> None:
    while not worker.games.projections.catch_up():
        pass


def everything(accounts: Accounts) -> list[Json]:
    """Return all that ratings and leaderboards show to anybody, but for the times of statements."""
    statement = accounts.anonymous.get("/api/v1/ratings/statement").json()
    shown = [{name: statement[name] for name in ("games", "hash")}]
    shown.append(accounts.anonymous.get("/api/v1/ratings/games?limit=500").json())
    shown += [
        accounts.anonymous.get(f"/api/v1/leaderboards/{system}?limit=100").json()
        for system in ("barony", "sorcery", "baron")
    ]
    return shown


def test_a_rated_game_is_in_the_history_and_on_leaderboards(
    accounts: Accounts, worker: Service
) -> None:
    before = accounts.anonymous.get("/api/v1/ratings/statement").json()
    game, (loser, winner) = finish(accounts, worker, rated=True)
    statement = accounts.anonymous.get("/api/v1/ratings/statement").json()
    check_signed(statement, accounts.anonymous.get("/api/v1/keys").json()["keys"])
    assert statement["games"] == before["games"] + 1
    page = accounts.anonymous.get(f"/api/v1/ratings/games?after={before['games']}").json()
    assert page["next"] is None
    (line,) = page["games"]
    assert (line["game"], line["prev"]) == (game, before["hash"])
    assert line["hash"] == statement["hash"]
    places = {entry["player"]: entry["place"] for entry in line["players"]}
    assert places == {loser.id: 2, winner.id: 1}
    board = accounts.anonymous.get("/api/v1/leaderboards/baron?limit=100").json()
    assert board["places"][0]["place"] == 1
    shown = {entry["handle"]: entry for entry in board["places"]}
    assert shown[winner.handle]["points"] > shown[loser.handle]["points"]
    assert shown[winner.handle]["provisional"]
    month = line["at"][:7]
    recent = accounts.anonymous.get(f"/api/v1/leaderboards/baron?period={month}&limit=1").json()
    assert (recent["period"], len(recent["places"]), recent["next"]) == (month, 1, 1)


def test_a_player_whose_profile_shows_nothing_is_on_no_leaderboard(
    accounts: Accounts, worker: Service
) -> None:
    _, (loser, winner) = finish(accounts, worker, rated=True)

    def places() -> dict[str, int]:
        board = accounts.anonymous.get("/api/v1/leaderboards/baron?limit=100").json()
        return {entry["handle"]: entry["place"] for entry in board["places"]}

    before = places()
    assert {loser.handle, winner.handle} <= before.keys()
    hidden = winner.http.patch("/api/v1/me", json={"profile": "nothing"})
    assert hidden.status_code == 200
    after = places()
    assert winner.handle not in after
    assert after[loser.handle] == before[loser.handle]
    winner.http.patch("/api/v1/me", json={"profile": "results"})
    assert places() == before


def test_an_administrator_excludes_a_game_and_lets_it_count_again(
    accounts: Accounts, worker: Service, redis_client: redis.Redis, tmp_path: Path
) -> None:
    admin = register_administrator(accounts, redis_client)
    game, (loser, winner) = finish(accounts, worker, rated=True)
    unrated, _ = finish(accounts, worker)
    private, _ = finish(accounts, worker, private=True)
    before = everything(accounts)
    reason = {"reason": "one person played both seats"}

    def rule(method: str, game: str) -> int:
        url = f"/api/v1/admin/games/{game}/rating-exclusion"
        return admin.http.request(method, url, json=reason).status_code

    assert [rule("PUT", other) for other in (unrated, private)] == [409, 409]
    assert rule("DELETE", game) == 404
    assert rule("PUT", game) == 204
    assert rule("PUT", game) == 409
    catch_up(worker)
    statement = accounts.anonymous.get("/api/v1/ratings/statement").json()
    check_signed(statement, accounts.anonymous.get("/api/v1/keys").json()["keys"])
    (exclusion,) = statement["excluded"]
    assert {**reason, "game": game, "at": exclusion["at"]} == exclusion
    text = str(everything(accounts))
    assert all(word not in text for word in (game, loser.id, winner.handle))
    assert private not in str(statement)
    page = httpx.get(f"{accounts.url}/leaderboards").text
    assert "1 game does not count by a ruling of an administrator" in page
    assert f'<a href="/games/{game}">' in page
    assert reason["reason"] in page
    checked = run("ratings", accounts.url, "--save", tmp_path)
    assert (checked.exit_code, checked.stderr) == (0, "")
    assert reason["reason"] in checked.stdout
    assert rule("DELETE", game) == 204
    catch_up(worker)
    assert everything(accounts) == before
    assert accounts.anonymous.get("/api/v1/ratings/statement").json()["excluded"] == []
    assert "does not count by a ruling" not in httpx.get(f"{accounts.url}/leaderboards").text


def test_requests_that_are_not_valid_are_refused(accounts: Accounts) -> None:
    for path, status in (
        ("ratings/statement?at=1", 400),
        ("ratings/games?after=x", 400),
        ("leaderboards/baron?period=2026-13", 400),
        ("leaderboards/baron?limit=0", 400),
        ("leaderboards/chess", 404),
    ):
        assert accounts.anonymous.get(f"/api/v1/{path}").status_code == status


def test_nothing_about_a_private_game_can_be_learned_from_ratings(
    accounts: Accounts, worker: Service
) -> None:
    finish(accounts, worker, rated=True)
    before = everything(accounts)
    game, players = finish(accounts, worker, private=True)
    after = everything(accounts)
    assert after == before
    text = str(after)
    assert game not in text
    assert all(player.id not in text and player.handle not in text for player in players)


def test_the_command_finds_that_the_ratings_of_the_server_hold(
    accounts: Accounts, worker: Service, tmp_path: Path
) -> None:
    for _ in range(2):
        finish(accounts, worker, rated=True)
    finish(accounts, worker)
    games = accounts.anonymous.get("/api/v1/ratings/statement").json()["games"]
    folder = tmp_path / "records"
    downloaded = run("ratings", accounts.url, "--save", folder)
    assert (downloaded.exit_code, downloaded.stderr) == (0, "")
    assert f"The ratings hold: {games} rated games" in downloaded.stdout
    assert run("ratings", folder).stdout == downloaded.stdout
    assert len([*folder.glob("*.jsonl")]) == games
    record = next(folder.glob("*.jsonl"))
    complete = record.read_bytes()
    record.unlink()
    assert run("ratings", folder).exit_code == 3
    assert run("ratings", accounts.url, "--save", folder).exit_code == 0
    # A record that was downloaded before the log had the end of the game is downloaded again.
    header, _, events = complete.partition(b"\n")
    early = orjson.loads(header)
    del early["inclusion"]
    record.write_bytes(canonical(early) + b"\n" + events)
    assert run("ratings", accounts.url, "--save", folder).exit_code == 0
    assert b'"inclusion"' in record.read_bytes()


def test_the_command_writes_into_its_folder_alone(
    accounts: Accounts, worker: Service, tmp_path: Path
) -> None:
    game, _ = finish(accounts, worker, rated=True)
    summary = accounts.anonymous.get(f"/api/v1/games/{game}").json()
    record = accounts.anonymous.get(f"/api/v1/games/{game}/record").content
    answers = {
        "/api/v1/ratings/statement": {"games": 0},
        "/api/v1/ratings/games": {"games": [], "next": None},
        "/api/v1/keys": {"keys": []},
        "/api/v1/games": {"games": [{**summary, "id": "../outside"}], "next": None},
    }

    class Handler(BaseHTTPRequestHandler):
        """A server that gives a game an id which is a path."""

        def do_GET(self) -> None:
            answer = answers.get(urlsplit(self.path).path)
            body = record if answer is None else canonical(answer)
            self.send_response(200)
            self.send_header("Content-Type", "application/json" if answer else "application/jsonl")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            url = f"http://127.0.0.1:{server.server_port}"
            checked = run("ratings", url, "--save", tmp_path / "records")
        finally:
            server.shutdown()
            thread.join()
    assert checked.exit_code == 1
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["ratings.json"]


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cartulary, [str(word) for word in arguments])
