"""Accounts: registering, logging in and out, and the games that wait for a player."""

from typing import Any

import pytest
import redis

from tests.support.accounts import PASSWORD, Accounts
from tests.support.http_contract import invalid_fields

LONG = "x" * 2000


class TestRegistering:
    def test_registering_returns_the_player_and_a_token(self, accounts: Accounts) -> None:
        body = {"handle": "Ada.1", "password": PASSWORD, "email": "ada@example.org", "locale": "fr"}
        response = accounts.anonymous.post("/api/v1/players", json=body)
        assert response.status_code == 201
        body = response.json()
        assert body["player"]["handle"] == "Ada.1"
        assert body["player"]["email"] == "ada@example.org"
        assert body["player"]["locale"] == "fr"
        assert body["token"] not in body["player"].values()
        assert response.headers["cache-control"] == "no-store"
        assert PASSWORD not in response.text

    @pytest.mark.parametrize(
        ("body", "invalid"),
        [
            ({}, {"handle", "password"}),
            ({"handle": 1, "password": True}, {"handle", "password"}),
            ({"handle": "a b", "password": "short"}, {"handle", "password"}),
            ({"handle": "", "password": LONG}, {"handle", "password"}),
            ({"handle": "x" * 33, "password": PASSWORD}, {"handle"}),
            (
                {"handle": "ok", "password": PASSWORD, "email": "no", "locale": "?"},
                {"email", "locale"},
            ),
            ({"handle": "ok", "password": PASSWORD, "admin": True}, {"admin"}),
            ([], {"body"}),
            ("ada", {"body"}),
        ],
    )
    def test_every_invalid_field_is_named(
        self, accounts: Accounts, body: Any, invalid: set[str]
    ) -> None:
        response = accounts.anonymous.post("/api/v1/players", json=body)
        assert response.status_code == 400
        assert invalid_fields(response) == invalid

    @pytest.mark.parametrize(
        ("language", "fault"),
        [
            ("en", "is too easy to guess: choose a longer one"),
            ("fr", "est trop facile à deviner"),
            ("es", "es demasiado fácil de adivinar"),
        ],
    )
    def test_a_password_that_is_easy_to_guess_is_refused(
        self, accounts: Accounts, language: str, fault: str
    ) -> None:
        body = {"handle": "Gussie", "password": "12345678"}
        response = accounts.anonymous.post(
            "/api/v1/players", json=body, headers={"Accept-Language": language}
        )
        assert response.status_code == 400
        assert invalid_fields(response) == {"password"}
        assert fault in response.text

    def test_a_handle_is_unique_regardless_of_case(self, accounts: Accounts) -> None:
        taken = accounts.register("Bea-taken").handle
        for handle in (taken, taken.upper()):
            body = {"handle": handle, "password": PASSWORD}
            assert accounts.anonymous.post("/api/v1/players", json=body).status_code == 409


class TestLoggingIn:
    def test_every_login_returns_a_new_token(self, accounts: Accounts) -> None:
        ada = accounts.register()
        body = {"handle": ada.handle.upper(), "password": PASSWORD}
        response = accounts.anonymous.post("/api/v1/tokens", json=body)
        assert response.status_code == 201
        token = response.json()["token"]
        assert token != ada.token
        for valid_token in (token, ada.token):
            me = accounts.anonymous.get(
                "/api/v1/me", headers={"Authorization": f"bearer {valid_token}"}
            )
            assert me.json()["player"]["id"] == ada.id

    def test_the_error_does_not_reveal_whether_the_handle_exists(self, accounts: Accounts) -> None:
        handle = accounts.register().handle
        details = set()
        for name, password in ((handle, "wrong word"), ("nobody-here", PASSWORD), ("?", "")):
            response = accounts.anonymous.post(
                "/api/v1/tokens", json={"handle": name, "password": password}
            )
            assert response.status_code == 401
            details.add(response.json()["detail"])
        assert len(details) == 1

    def test_an_invalid_body_is_refused(self, accounts: Accounts) -> None:
        response = accounts.anonymous.post("/api/v1/tokens", json={"handle": None, "name": "x"})
        assert invalid_fields(response) == {"handle", "password", "name"}


class TestLoggingOut:
    def test_logging_out_revokes_only_the_token_of_the_request(self, accounts: Accounts) -> None:
        ada = accounts.register()
        body = {"handle": ada.handle, "password": PASSWORD}
        other = accounts.anonymous.post("/api/v1/tokens", json=body).json()["token"]
        response = ada.http.delete("/api/v1/tokens/current")
        assert response.status_code == 204
        assert response.content == b""
        assert ada.http.get("/api/v1/me").status_code == 401
        headers = {"Authorization": f"Bearer {other}"}
        assert accounts.anonymous.get("/api/v1/me", headers=headers).status_code == 200


class TestMe:
    def test_me_lists_the_games_in_which_it_is_the_players_turn(self, accounts: Accounts) -> None:
        game, (ada, bea) = accounts.start_game()
        me = ada.http.get("/api/v1/me").json()
        assert me["player"]["handle"] == ada.handle
        assert [waiting["id"] for waiting in me["games"]] == [game]
        assert me["next"] is None
        assert bea.http.get("/api/v1/me").json()["games"] == []
        ada.act(game)
        assert ada.http.get("/api/v1/me").json()["games"] == []
        assert [waiting["id"] for waiting in bea.http.get("/api/v1/me").json()["games"]] == [game]

    def test_the_games_of_me_are_returned_in_pages(self, accounts: Accounts) -> None:
        ada, bea = accounts.register(), accounts.register()
        games = []
        for _ in range(3):
            games.append(ada.create_game())
            bea.join(games[-1])
        seen: list[str] = []
        params: dict[str, Any] = {"limit": 2}
        while "cursor" not in params or params["cursor"] is not None:
            page = ada.http.get("/api/v1/me", params=params).json()
            assert page["player"]["id"] == ada.id
            assert len(page["games"]) <= 2
            seen += [game["id"] for game in page["games"]]
            params["cursor"] = page["next"]
        assert seen == games[::-1]

    @pytest.mark.parametrize(
        ("query", "invalid"),
        [("limit=0", {"limit"}), ("cursor=nonsense", {"cursor"}), ("player=ada", {"player"})],
    )
    def test_an_invalid_query_is_refused(
        self, accounts: Accounts, query: str, invalid: set[str]
    ) -> None:
        response = accounts.register().http.get(f"/api/v1/me?{query}")
        assert (response.status_code, invalid_fields(response)) == (400, invalid)


class TestDeletedAccounts:
    def test_the_games_of_a_deleted_account_are_shown_without_its_handle(
        self, accounts: Accounts, redis_client: redis.Redis
    ) -> None:
        game, (ada, bea) = accounts.start_game()
        redis_client.delete(f"cartulary:player:{bea.id}")
        expected = [
            {"id": ada.id, "handle": ada.handle, "seat": 0},
            {"id": bea.id, "handle": None, "seat": 1},
        ]
        assert ada.http.get(f"/api/v1/games/{game}").json()["players"] == expected
        (listed,) = ada.http.get("/api/v1/games", params={"player": ada.handle}).json()["games"]
        assert listed["players"] == expected
        (waiting,) = ada.http.get("/api/v1/me").json()["games"]
        assert waiting["players"] == expected
        by_handle = ada.http.get("/api/v1/games", params={"player": bea.handle})
        assert by_handle.json() == {"games": [], "next": None}
        response = ada.http.post(
            "/api/v1/games", json={"rules": "barony", "seats": 2, "invite": [bea.handle]}
        )
        assert invalid_fields(response) == {"invite.0"}
        assert bea.http.get("/api/v1/me").status_code == 401
        ada.act(game)
        assert ada.http.get("/api/v1/me").json()["games"] == []
