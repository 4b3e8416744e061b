"""What administrators do over HTTP: each operation, allowed and refused, and what the log says of it."""

from collections.abc import Iterator

import httpx
import pytest
import redis

from service.administration.log import AdministrationLog
from tests.support.accounts import PASSWORD, Accounts, Json, PlayerClient
from tests.support.http_contract import invalid_fields

WHY = {"reason": "the player asked for it"}
ADMIN = "/api/v1/admin"
OPERATIONS: tuple[tuple[str, str, Json | None], ...] = (
    ("GET", "/players", None),
    ("GET", "/players/ID", None),
    ("POST", "/players/ID/password", WHY),
    ("DELETE", "/players/ID/sessions", WHY),
    ("PUT", "/players/ID/suspension", WHY),
    ("DELETE", "/players/ID/suspension", WHY),
    ("DELETE", "/players/ID", WHY),
    ("PUT", "/players/ID/role", WHY),
    ("DELETE", "/players/ID/role", WHY),
    ("GET", "/games", None),
    ("POST", "/games/GAME/removals", {**WHY, "seat": 0}),
    ("POST", "/games/GAME/abandonment", WHY),
    ("POST", "/games/GAME/extensions", {**WHY, "seconds": 60}),
    ("GET", "/work", None),
    ("GET", "/log", None),
)
INVALID_QUERIES = (
    *("/players?limit=0", "/games?status=lost", "/games?cursor=x"),
    *("/log?after=-1", "/work?a=b"),
)
WITH_BODY = tuple(operation for operation in OPERATIONS if operation[2] is not None)


@pytest.fixture
def admin(accounts: Accounts, redis_client: redis.Redis) -> PlayerClient:
    """A player with the role of an administrator."""
    player = accounts.register()
    redis_client.hset(f"cartulary:player:{player.id}", "role", "admin")
    return player


def send(
    client: httpx.Client, operation: tuple[str, str, Json | None], player: str, game: str
) -> httpx.Response:
    method, path, body = operation
    url = ADMIN + path.replace("ID", player).replace("GAME", game)
    return client.request(method, url, json=body)


def last_entries(redis_client: redis.Redis, count: int) -> list[tuple[str, str]]:
    """Return administrator and operation of the last entries of the log."""
    entries = list(AdministrationLog(redis_client).entries())[-count:]
    return [(entry["administrator"], entry["operation"]) for entry in entries]


class TestRefusals:
    @pytest.mark.http("GET /admin/players", 401, 403)
    @pytest.mark.http("GET /admin/players/ID", 401, 403)
    @pytest.mark.http("POST /admin/players/ID/password", 401, 403)
    @pytest.mark.http("DELETE /admin/players/ID/sessions", 401, 403)
    @pytest.mark.http("PUT /admin/players/ID/suspension", 401, 403)
    @pytest.mark.http("DELETE /admin/players/ID/suspension", 401, 403)
    @pytest.mark.http("DELETE /admin/players/ID", 401, 403)
    @pytest.mark.http("PUT /admin/players/ID/role", 401, 403)
    @pytest.mark.http("DELETE /admin/players/ID/role", 401, 403)
    @pytest.mark.http("GET /admin/games", 401, 403)
    @pytest.mark.http("POST /admin/games/GAME/removals", 401, 403)
    @pytest.mark.http("POST /admin/games/GAME/abandonment", 401, 403)
    @pytest.mark.http("POST /admin/games/GAME/extensions", 401, 403)
    @pytest.mark.http("GET /admin/work", 401, 403)
    @pytest.mark.http("GET /admin/log", 401, 403)
    def test_only_administrators_may_do_anything(self, accounts: Accounts) -> None:
        ada, eve = accounts.register(), accounts.register()
        game = ada.create_game(options={"private": True})
        for operation in OPERATIONS:
            assert send(accounts.anonymous, operation, ada.id, game).status_code == 401
            for target in (game, "0" * 16):
                assert send(eve.http, operation, ada.id, target).status_code == 403
            assert send(eve.http, operation, "nobody", game).status_code == 403
        assert ada.http.get("/api/v1/me").status_code == 200

    @pytest.mark.http("GET /admin/players/ID", 404)
    @pytest.mark.http("POST /admin/players/ID/password", 404)
    @pytest.mark.http("DELETE /admin/players/ID/sessions", 404)
    @pytest.mark.http("PUT /admin/players/ID/suspension", 404)
    @pytest.mark.http("DELETE /admin/players/ID/suspension", 404)
    @pytest.mark.http("DELETE /admin/players/ID", 404)
    @pytest.mark.http("PUT /admin/players/ID/role", 404)
    @pytest.mark.http("DELETE /admin/players/ID/role", 404)
    @pytest.mark.http("POST /admin/games/GAME/removals", 404)
    @pytest.mark.http("POST /admin/games/GAME/abandonment", 404)
    @pytest.mark.http("POST /admin/games/GAME/extensions", 404)
    def test_targets_must_exist_even_if_the_body_is_wrong(
        self, admin: PlayerClient, redis_client: redis.Redis
    ) -> None:
        before = len(list(AdministrationLog(redis_client).entries()))
        for method, path, body in OPERATIONS:
            if "ID" in path or "GAME" in path:
                for content in (body, {"seat": "x"}) if body else (None,):
                    response = send(admin.http, (method, path, content), "nobody", "0" * 16)
                    assert response.status_code == 404, (path, content)
        assert len(list(AdministrationLog(redis_client).entries())) == before

    @pytest.mark.http("POST /admin/players/ID/password", 400, 413, 415)
    @pytest.mark.http("DELETE /admin/players/ID/sessions", 400, 413, 415)
    @pytest.mark.http("PUT /admin/players/ID/suspension", 400, 413, 415)
    @pytest.mark.http("DELETE /admin/players/ID/suspension", 400, 413, 415)
    @pytest.mark.http("DELETE /admin/players/ID", 400, 413, 415)
    @pytest.mark.http("PUT /admin/players/ID/role", 400, 413, 415)
    @pytest.mark.http("DELETE /admin/players/ID/role", 400, 413, 415)
    @pytest.mark.http("POST /admin/games/GAME/removals", 400, 413, 415)
    @pytest.mark.http("POST /admin/games/GAME/abandonment", 400, 413, 415)
    @pytest.mark.http("POST /admin/games/GAME/extensions", 400, 413, 415)
    @pytest.mark.http("GET /admin/players", 400)
    @pytest.mark.http("GET /admin/games", 400)
    @pytest.mark.http("GET /admin/work", 400)
    @pytest.mark.http("GET /admin/log", 400)
    def test_bad_requests_change_nothing(
        self, accounts: Accounts, admin: PlayerClient, redis_client: redis.Redis
    ) -> None:
        game, (ada, _) = accounts.start_game()
        head = ada.http.get(f"/api/v1/games/{game}").json()["head"]
        before = len(list(AdministrationLog(redis_client).entries()))
        for method, path, body in WITH_BODY:
            assert body is not None
            for content in ({**body, "reason": ""}, {**body, "reason": "x" * 501}):
                response = send(admin.http, (method, path, content), ada.id, game)
                assert invalid_fields(response) == {"reason"}, path
            url = ADMIN + path.replace("ID", ada.id).replace("GAME", game)
            large = admin.http.request(method, url, content=b"x" * 70_000)
            assert large.status_code == 413
            assert admin.http.request(method, url, content=b"{}").status_code == 415
        for path in (
            "/players?limit=0",
            "/games?status=lost",
            "/games?cursor=x",
            "/log?after=-1",
            "/work?a=b",
        ):
            assert admin.http.get(ADMIN + path).status_code == 400, path
        assert len(list(AdministrationLog(redis_client).entries())) == before
        assert ada.http.get(f"/api/v1/games/{game}").json()["head"] == head


class TestPlayers:
    @pytest.mark.http("GET /admin/players", 200)
    @pytest.mark.http("GET /admin/players/ID", 200)
    def test_players_are_listed_by_the_beginning_of_their_handles(
        self, accounts: Accounts, admin: PlayerClient
    ) -> None:
        ids = [accounts.register(f"Zoe-{letter}").id for letter in "cab"]
        first = admin.http.get(f"{ADMIN}/players?handle=ZOE-&limit=2").json()
        second = admin.http.get(
            f"{ADMIN}/players", params={"handle": "ZOE-", "limit": 2, "cursor": first["next"]}
        ).json()
        ids_listed = [player["id"] for player in (*first["players"], *second["players"])]
        assert ids_listed == [ids[1], ids[2], ids[0]]
        assert second["next"] is None
        account = admin.http.get(f"{ADMIN}/players/{ids[0]}").json()
        assert (account["handle"], account["role"], account["suspended_at"]) == (
            "Zoe-c",
            None,
            None,
        )

    def test_a_guest_is_found_by_the_whole_handle_only(
        self, accounts: Accounts, admin: PlayerClient
    ) -> None:
        guest = accounts.anonymous.post("/api/v1/guests", json={}).json()["player"]
        whole = admin.http.get(f"{ADMIN}/players", params={"handle": guest["handle"]}).json()
        assert [player["id"] for player in whole["players"]] == [guest["id"]]
        part = admin.http.get(f"{ADMIN}/players", params={"handle": guest["handle"][:-1]}).json()
        assert guest["id"] not in [player["id"] for player in part["players"]]

    @pytest.mark.http("POST /admin/players/ID/password", 201, 409)
    def test_a_password_is_reset(
        self, accounts: Accounts, admin: PlayerClient, redis_client: redis.Redis
    ) -> None:
        ada = accounts.register()
        path = f"{ADMIN}/players/{ada.id}/password"
        password = admin.http.post(path, json=WHY).json()["password"]
        assert ada.http.get("/api/v1/me").status_code == 401
        for word, status in ((PASSWORD, 401), (password, 201)):
            body = {"handle": ada.handle, "password": word}
            assert accounts.anonymous.post("/api/v1/tokens", json=body).status_code == status
        assert last_entries(redis_client, 1) == [(admin.id, "reset_password")]
        stored = list(AdministrationLog(redis_client).entries())[-1]
        assert password not in str(stored)
        guest = accounts.anonymous.post("/api/v1/guests", json={}).json()["player"]
        response = admin.http.post(f"{ADMIN}/players/{guest['id']}/password", json=WHY)
        assert response.status_code == 409

    @pytest.mark.http("DELETE /admin/players/ID/sessions", 204)
    def test_sessions_are_ended(self, accounts: Accounts, admin: PlayerClient) -> None:
        ada = accounts.register()
        response = admin.http.request("DELETE", f"{ADMIN}/players/{ada.id}/sessions", json=WHY)
        assert response.status_code == 204
        assert ada.http.get("/api/v1/me").status_code == 401

    @pytest.mark.http("PUT /admin/players/ID/suspension", 204, 409)
    @pytest.mark.http("DELETE /admin/players/ID/suspension", 204)
    @pytest.mark.http("POST /tokens", 403)
    def test_a_suspended_player_cannot_log_in_and_sees_why(
        self, accounts: Accounts, admin: PlayerClient
    ) -> None:
        ada = accounts.register()
        path = f"{ADMIN}/players/{ada.id}/suspension"
        assert admin.http.put(path, json={"reason": "insults"}).status_code == 204
        assert ada.http.get("/api/v1/me").status_code == 401
        body = {"handle": ada.handle, "password": PASSWORD}
        refused = accounts.anonymous.post("/api/v1/tokens", json=body)
        assert refused.status_code == 403
        assert "insults" in refused.json()["detail"]
        wrong = accounts.anonymous.post("/api/v1/tokens", json={**body, "password": "wrong"})
        assert wrong.status_code == 401
        account = admin.http.get(f"{ADMIN}/players/{ada.id}").json()
        assert account["suspension_reason"] == "insults"
        assert admin.http.request("DELETE", path, json=WHY).status_code == 204
        assert accounts.anonymous.post("/api/v1/tokens", json=body).status_code == 201
        own = admin.http.put(f"{ADMIN}/players/{admin.id}/suspension", json=WHY)
        assert own.status_code == 409

    @pytest.mark.http("DELETE /admin/players/ID", 204, 409)
    def test_a_player_is_erased(self, accounts: Accounts, admin: PlayerClient) -> None:
        game, (ada, bea) = accounts.start_game()
        response = admin.http.request("DELETE", f"{ADMIN}/players/{ada.id}", json=WHY)
        assert response.status_code == 204
        players = bea.http.get(f"/api/v1/games/{game}").json()["players"]
        assert [player["handle"] for player in players] == [None, bea.handle]
        own = admin.http.request("DELETE", f"{ADMIN}/players/{admin.id}", json=WHY)
        assert own.status_code == 409

    @pytest.mark.http("PUT /admin/players/ID/role", 204, 409)
    @pytest.mark.http("DELETE /admin/players/ID/role", 204)
    def test_roles_are_granted_and_revoked(self, accounts: Accounts, admin: PlayerClient) -> None:
        ada = accounts.register()
        path = f"{ADMIN}/players/{ada.id}/role"
        assert ada.http.get(f"{ADMIN}/log").status_code == 403
        assert admin.http.put(path, json=WHY).status_code == 204
        assert ada.http.get(f"{ADMIN}/log").status_code == 200
        assert admin.http.request("DELETE", path, json=WHY).status_code == 204
        assert ada.http.get(f"{ADMIN}/log").status_code == 403
        guest = accounts.anonymous.post("/api/v1/guests", json={}).json()["player"]
        response = admin.http.put(f"{ADMIN}/players/{guest['id']}/role", json=WHY)
        assert response.status_code == 409


class TestGames:
    @pytest.mark.http("GET /admin/games", 200)
    def test_private_games_are_listed(self, accounts: Accounts, admin: PlayerClient) -> None:
        ada = accounts.register()
        private = ada.create_game(options={"private": True})
        public = ada.create_game()
        listed = admin.http.get(f"{ADMIN}/games?status=open&limit=2").json()
        assert [game["id"] for game in listed["games"]] == [public, private]
        next_page = admin.http.get(
            f"{ADMIN}/games", params={"status": "open", "limit": 1, "cursor": listed["next"]}
        )
        assert private not in str(next_page.json())
        of_ada = admin.http.get(f"{ADMIN}/games?player={ada.id}").json()["games"]
        assert {game["id"] for game in of_ada} == {public, private}

    @pytest.mark.http("POST /admin/games/GAME/removals", 201, 409)
    def test_a_seat_is_removed(
        self, accounts: Accounts, admin: PlayerClient, redis_client: redis.Redis
    ) -> None:
        game, (ada, *_) = accounts.start_game(3, options={})
        path = f"{ADMIN}/games/{game}/removals"
        response = admin.http.post(path, json={**WHY, "seat": 1})
        decision, removal = response.json()["events"]
        assert decision["data"]["administrator"] == admin.id
        assert (removal["type"], removal["data"]["seat"]) == ("PlayerRemoved", 1)
        assert last_entries(redis_client, 1) == [(admin.id, "remove_seat")]
        before = ada.http.get(f"/api/v1/games/{game}").json()["head"]
        assert admin.http.post(path, json={**WHY, "seat": 1}).status_code == 409
        assert admin.http.post(path, json={**WHY, "seat": 9}).status_code == 409
        assert ada.http.get(f"/api/v1/games/{game}").json()["head"] == before

    @pytest.mark.http("POST /admin/games/GAME/abandonment", 201, 409)
    def test_a_game_is_abandoned(self, accounts: Accounts, admin: PlayerClient) -> None:
        game, (ada, _) = accounts.start_game()
        path = f"{ADMIN}/games/{game}/abandonment"
        response = admin.http.post(path, json=WHY)
        assert [event["type"] for event in response.json()["events"]] == [
            "AdministratorDecided",
            "GameAbandoned",
        ]
        assert ada.http.get(f"/api/v1/games/{game}").json()["status"] == "abandoned"
        assert admin.http.post(path, json=WHY).status_code == 409

    @pytest.mark.http("POST /admin/games/GAME/extensions", 201, 409)
    def test_a_deadline_is_extended(self, accounts: Accounts, admin: PlayerClient) -> None:
        game, (ada, _) = accounts.start_game(clock={"per_turn": 3600})
        before = ada.http.get(f"/api/v1/games/{game}").json()["deadline"]
        path = f"{ADMIN}/games/{game}/extensions"
        assert admin.http.post(path, json={**WHY, "seconds": 7200}).status_code == 201
        after = ada.http.get(f"/api/v1/games/{game}").json()["deadline"]
        assert int(after[11:13]) == (int(before[11:13]) + 2) % 24
        without_clock, _ = accounts.start_game()
        refused = admin.http.post(
            f"{ADMIN}/games/{without_clock}/extensions", json={**WHY, "seconds": 60}
        )
        assert refused.status_code == 409


class TestWork:
    @pytest.mark.http("GET /admin/work", 200)
    def test_the_overview_shows_jobs_and_damaged_games(
        self, admin: PlayerClient, redis_client: redis.Redis
    ) -> None:
        redis_client.hset("cartulary:damaged", "some-game log", "it is damaged")
        try:
            overview = admin.http.get(f"{ADMIN}/work").json()
        finally:
            redis_client.hdel("cartulary:damaged", "some-game log")
        assert overview["damaged_games"]["some-game"] == {"log": "it is damaged"}
        assert overview["status"] == "degraded"
        assert set(overview["missing"]) == {"worker", "scheduler"}


class TestLog:
    @pytest.mark.http("GET /admin/log", 200)
    def test_every_operation_is_an_entry_and_the_chain_is_unbroken(
        self, accounts: Accounts, admin: PlayerClient, redis_client: redis.Redis
    ) -> None:
        ada = accounts.register()
        admin.http.get(f"{ADMIN}/players/{ada.id}")
        admin.http.request("DELETE", f"{ADMIN}/players/{ada.id}/sessions", json=WHY)
        log = AdministrationLog(redis_client)
        assert last_entries(redis_client, 2) == [
            (admin.id, "read_player"),
            (admin.id, "end_sessions"),
        ]
        assert log.first_fault() is None
        page = admin.http.get(f"{ADMIN}/log?limit=1").json()
        assert page["entries"][0]["seq"] == 1
        assert page["next"] == 1
        assert last_entries(redis_client, 1) == [(admin.id, "read_log")]


@pytest.fixture(autouse=True)
def _log_of_this_test(redis_client: redis.Redis) -> Iterator[None]:
    """Each test begins without a log."""
    redis_client.delete("cartulary:administration")
    yield
    redis_client.delete("cartulary:administration")
