"""Games: creating, joining and leaving them, and hiding private ones."""

from typing import Any

import httpx
import pytest
import redis

from service.bounds import Bounds
from tests.support.accounts import Accounts, PlayerClient
from tests.support.http_contract import Json, invalid_fields

NONCE = "00ff" * 8


def summary(person: PlayerClient, game: str) -> Json:
    """Return the summary of a game that this player gets."""
    body: Json = person.http.get(f"/api/v1/games/{game}").json()
    return body


class TestCreating:
    def test_creating_returns_the_summary_with_the_creator_in_the_first_place(
        self, accounts: Accounts
    ) -> None:
        ada, bea = accounts.register(), accounts.register()
        body = {
            "rules": "barony",
            "seats": 3,
            "options": {"round_limit": 40, "seating": "joined"},
            "clock": {"per_turn": 3600},
            "invite": [bea.handle, ada.handle],
            "nonce": NONCE,
        }
        response = ada.http.post("/api/v1/games", json=body)
        assert response.status_code == 201
        body = response.json()
        assert response.headers["location"] == f"/api/v1/games/{body['id']}"
        assert body["players"] == [{"id": ada.id, "handle": ada.handle, "seat": None}]
        assert (body["status"], body["seats"], body["rules"]) == ("open", 3, "barony")
        assert body["options"]["round_limit"] == 40
        assert body["options"]["private"] is False
        assert body["clock"] == {"per_turn": 3600}
        assert (body["to_act"], body["deadline"]) == (None, None)
        assert body["head"]["seq"] == 2
        assert summary(bea, body["id"]) == body

    @pytest.mark.parametrize(
        ("body", "invalid"),
        [
            ({}, {"rules", "seats"}),
            ({"rules": "chess", "seats": 2}, {"rules"}),
            ({"rules": "barony", "seats": True}, {"seats"}),
            ({"rules": "barony", "seats": "2"}, {"seats"}),
            ({"rules": "barony", "seats": 5}, {"seats"}),
            ({"rules": "barony", "seats": 1}, {"seats"}),
            (
                {"rules": "barony", "seats": 2, "options": {"round_limit": 0}},
                {"options.round_limit"},
            ),
            (
                {
                    "rules": "barony",
                    "seats": 2,
                    "options": {"seating": "any", "x": 1, "private": 1},
                },
                {"options.seating", "options.x", "options.private"},
            ),
            ({"rules": "barony", "seats": 2, "options": []}, {"options"}),
            ({"rules": "baron", "seats": 1}, {"seats"}),
            ({"rules": "baron", "seats": 6}, {"seats"}),
            (
                {
                    "rules": "baron",
                    "seats": 6,
                    "options": {"sorcery": True, "round_limit": 9, "end_by_agreement": False},
                },
                {"seats", "options.sorcery", "options.round_limit", "options.end_by_agreement"},
            ),
            ({"rules": ["baron"], "seats": 2}, {"rules"}),
            ({"rules": "chess", "seats": 0}, {"rules", "seats"}),
            ({"rules": "chess", "seats": 6}, {"rules", "seats"}),
            ({"rules": "chess", "seats": 5}, {"rules"}),
            ({"rules": "chess", "seats": "2"}, {"rules", "seats"}),
            (
                {
                    "rules": "chess",
                    "seats": 2,
                    "options": {"seating": "any", "private": 1, "sorcery": True},
                    "clock": {"per_turn": 0},
                    "invite": ["nobody-of-this-name"],
                },
                {"rules", "options.seating", "options.private", "clock.per_turn", "invite.0"},
            ),
            (
                {
                    "rules": "chess",
                    "seats": 9,
                    "options": {"sorcery": 1, "round_limit": 0, "x": 1},
                    "nonce": "0G",
                },
                {"rules", "seats", "options.sorcery", "options.round_limit", "options.x", "nonce"},
            ),
            (
                {"rules": "barony", "seats": "2", "options": {"round_limit": 0}},
                {"seats", "options.round_limit"},
            ),
            ({"rules": "barony", "seats": 2, "clock": {"per_turn": 0}}, {"clock.per_turn"}),
            ({"rules": "barony", "seats": 2, "clock": {"x": 1}}, {"clock.x", "clock.per_turn"}),
            ({"rules": "barony", "seats": 2, "clock": 60}, {"clock"}),
            ({"rules": "barony", "seats": 2, "nonce": "0G"}, {"nonce"}),
            ({"rules": "barony", "seats": 2, "nonce": "AB"}, {"nonce"}),
            ({"rules": "barony", "seats": 2, "nonce": "00" * 65}, {"nonce"}),
            ({"rules": "barony", "seats": 2, "invite": "ada"}, {"invite"}),
            ({"rules": "barony", "seats": 2, "invite": [1, "nobody-of-this-name"]}, {"invite.0"}),
            (
                {"rules": "barony", "seats": 2, "invite": ["nobody-of-this-name"], "clock": []},
                {"invite.0", "clock"},
            ),
            (
                {
                    "seats": 9,
                    "options": {"round_limit": 0},
                    "clock": {},
                    "extra": 1,
                    "rules": "barony",
                },
                {"seats", "options.round_limit", "clock.per_turn", "extra"},
            ),
        ],
    )
    def test_every_invalid_field_is_named(
        self, accounts: Accounts, body: Json, invalid: set[str]
    ) -> None:
        response = accounts.register().http.post("/api/v1/games", json=body)
        assert response.status_code == 400
        assert invalid_fields(response) == invalid

    def test_the_number_of_invited_players_is_bounded(self, accounts: Accounts) -> None:
        ada, bea = accounts.register(), accounts.register()
        bound = Bounds().max_invitations
        unknown = [f"nobody-{number}" for number in range(bound)]

        def invite(handles: list[Any], **fields: Any) -> httpx.Response:
            body = {"rules": "barony", "seats": 2, "invite": handles, **fields}
            return ada.http.post("/api/v1/games", json=body)

        response = invite([bea.handle, *unknown], clock=[])
        assert (response.status_code, invalid_fields(response)) == (400, {"invite", "clock"})
        assert f"at most {bound} players" in response.text
        response = invite(unknown)
        assert invalid_fields(response) == {f"invite.{index}" for index in range(bound)}
        # A list of any length is refused without looking at its elements.
        assert invalid_fields(invite([1] * 1001)) == {"invite"}
        # A handle that is repeated counts once.
        response = invite([bea.handle, bea.handle.upper()] * bound)
        assert response.status_code == 201
        private = ada.create_game(3, options={"private": True}, invite=[bea.handle] * 1000)
        events = bea.http.get(f"/api/v1/games/{private}/events").json()["events"]
        assert events[0]["data"]["invited"] == [bea.id]

    def test_a_repeated_idempotency_key_creates_one_game(self, accounts: Accounts) -> None:
        ada = accounts.register()
        body = {"rules": "barony", "seats": 2, "nonce": NONCE}
        key = {"Idempotency-Key": "once"}
        first = ada.http.post("/api/v1/games", json=body, headers=key)
        again = ada.http.post("/api/v1/games", json=body, headers=key)
        assert first.status_code == again.status_code == 201
        assert first.json() == again.json()
        other = ada.http.post("/api/v1/games", json={**body, "seats": 3}, headers=key)
        assert other.status_code == 422
        assert len(ada.http.get(f"/api/v1/games?player={ada.handle}").json()["games"]) == 1


class TestJoining:
    def test_taking_the_last_place_starts_the_game(self, accounts: Accounts) -> None:
        ada, bea, cid = accounts.register(), accounts.register(), accounts.register()
        game = ada.create_game(3)
        first = bea.http.post(f"/api/v1/games/{game}/players", json={"nonce": NONCE})
        assert (first.status_code, first.json()["status"]) == (201, "open")
        # A body may be left out.
        last = cid.http.post(f"/api/v1/games/{game}/players")
        assert (last.status_code, last.json()["status"]) == (201, "playing")
        assert [player["seat"] for player in last.json()["players"]] == [0, 1, 2]
        assert last.json()["to_act"] == 0

    def test_a_player_joins_once_and_nobody_joins_a_full_game(self, accounts: Accounts) -> None:
        ada, bea, cid = accounts.register(), accounts.register(), accounts.register()
        game = ada.create_game(2)
        twice = ada.http.post(f"/api/v1/games/{game}/players", json={})
        assert (twice.status_code, twice.json()["seq"]) == (409, 2)
        bea.join(game)
        assert cid.http.post(f"/api/v1/games/{game}/players", json={}).status_code == 409

    def test_an_invalid_request_is_refused(self, accounts: Accounts) -> None:
        ada, bea = accounts.register(), accounts.register()
        path = f"/api/v1/games/{ada.create_game()}/players"
        response = bea.http.post(path, json={"nonce": 1, "seat": 0})
        assert (response.status_code, invalid_fields(response)) == (400, {"nonce", "seat"})

    def test_a_repeated_idempotency_key_joins_once(self, accounts: Accounts) -> None:
        ada, bea = accounts.register(), accounts.register()
        path = f"/api/v1/games/{ada.create_game()}/players"
        key = {"Idempotency-Key": "in"}
        first, again = (bea.http.post(path, json={"nonce": "00"}, headers=key) for _ in range(2))
        assert first.status_code == again.status_code == 201
        assert first.json() == again.json()
        assert bea.http.post(path, json={"nonce": "01"}, headers=key).status_code == 422


class TestQuota:
    def test_creating_more_games_than_the_quota_is_a_conflict(
        self, accounts: Accounts, redis_client: redis.Redis
    ) -> None:
        ada = accounts.register()
        quota = Bounds().max_games_per_player
        games = {f"2026-11-20T09:00:00.000Z~{number:016x}": 0 for number in range(quota)}
        redis_client.zadd(f"cartulary:games:open:with:{ada.id}", games)
        response = ada.http.post("/api/v1/games", json={"rules": "barony", "seats": 2})
        assert response.status_code == 409
        assert response.json()["detail"].startswith(f"a player can have a place in at most {quota}")
        invalid = ada.http.post("/api/v1/games", json={"rules": "barony", "seats": 1})
        assert (invalid.status_code, invalid_fields(invalid)) == (400, {"seats"})


class TestLeaving:
    def test_leaving_frees_the_place_and_the_last_player_to_leave_abandons_the_game(
        self, accounts: Accounts
    ) -> None:
        ada, bea = accounts.register(), accounts.register()
        game = ada.create_game(3)
        bea.join(game)
        path = f"/api/v1/games/{game}/players/me"
        assert ada.http.delete(path).status_code == 204
        assert [player["id"] for player in summary(ada, game)["players"]] == [bea.id]
        assert bea.http.delete(path).status_code == 204
        assert summary(bea, game)["status"] == "abandoned"

    def test_leaving_is_refused_without_a_place_and_after_the_start(
        self, accounts: Accounts
    ) -> None:
        ada, bea = accounts.register(), accounts.register()
        path = f"/api/v1/games/{ada.create_game()}/players/me"
        assert bea.http.delete(path).status_code == 409
        game, (cid, _) = accounts.start_game()
        assert cid.http.delete(f"/api/v1/games/{game}/players/me").status_code == 409

    def test_an_invalid_request_is_refused(self, accounts: Accounts) -> None:
        ada = accounts.register()
        path = f"/api/v1/games/{ada.create_game()}/players/me"
        too_long = ada.http.delete(path, headers={"Idempotency-Key": "x" * 256})
        assert (too_long.status_code, invalid_fields(too_long)) == (400, {"Idempotency-Key"})
        bea = accounts.register()
        join = bea.http.post(path.removesuffix("/me"), json={}, headers={"Idempotency-Key": "k"})
        assert join.status_code == 201
        game = ada.create_game(3)
        assert bea.http.post(
            f"/api/v1/games/{game}/players", json={}, headers={"Idempotency-Key": "k"}
        ).is_success
        mixed = bea.http.delete(
            f"/api/v1/games/{game}/players/me", headers={"Idempotency-Key": "k"}
        )
        assert mixed.status_code == 422


class TestPrivateGames:
    def test_a_private_game_is_not_listed_for_others(self, accounts: Accounts) -> None:
        ada, bea = accounts.register(), accounts.register()
        game = ada.create_game(options={"private": True})
        for client in (bea.http, accounts.anonymous):
            listed = client.get("/api/v1/games?limit=100").json()["games"]
            assert game not in [each["id"] for each in listed]

    def test_players_and_invited_players_see_a_private_game(self, accounts: Accounts) -> None:
        ada, bea, cid = accounts.register(), accounts.register(), accounts.register()
        game = ada.create_game(3, options={"private": True}, invite=[bea.handle])
        for person in (ada, bea):
            assert summary(person, game)["status"] == "open"
            games = person.http.get("/api/v1/games").json()["games"]
            assert game in [listed_game["id"] for listed_game in games]
        bea.join(game)
        assert cid.http.post(f"/api/v1/games/{game}/players", json={}).status_code == 404
        assert bea.http.delete(f"/api/v1/games/{game}/players/me").status_code == 204
        # An invited player may join again; the creator, who was not invited, may not.
        assert bea.http.get(f"/api/v1/games/{game}").status_code == 200
        bea.join(game)
        assert ada.http.delete(f"/api/v1/games/{game}/players/me").status_code == 204
        assert ada.http.get(f"/api/v1/games/{game}").status_code == 404

    def test_an_old_key_does_not_reveal_a_private_game_to_a_former_member(
        self, accounts: Accounts
    ) -> None:
        ada, bea = accounts.register(), accounts.register()
        game = ada.create_game(3, options={"private": True}, invite=[bea.handle])
        bea.join(game)
        path, key = f"/api/v1/games/{game}/players", {"Idempotency-Key": "old"}
        assert ada.http.delete(path + "/me", headers=key).status_code == 204
        assert ada.http.post(path, json={}, headers=key).status_code == 404
        assert ada.http.delete(path + "/me", headers=key).status_code == 204
