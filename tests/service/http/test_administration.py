"""What administrators do over HTTP: each operation, and what the log says of it."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
import redis

from service import wall_clock
from service.administration.log import AdministrationLog
from tests.support.accounts import PASSWORD, Accounts, PlayerClient
from tests.support.administrators import (
    ADMIN,
    WHY,
    ended_delivery,
    last_entries,
    later_delivery,
    register_administrator,
    reported_message,
)
from tests.support.processes import wait_until
from tests.support.tournaments import settings


@pytest.fixture
def admin(accounts: Accounts, redis_client: redis.Redis) -> PlayerClient:
    """A player with the role of an administrator."""
    return register_administrator(accounts, redis_client)


class TestPlayers:
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

    def test_sessions_are_ended(self, accounts: Accounts, admin: PlayerClient) -> None:
        ada = accounts.register()
        response = admin.http.request("DELETE", f"{ADMIN}/players/{ada.id}/sessions", json=WHY)
        assert response.status_code == 204
        assert ada.http.get("/api/v1/me").status_code == 401

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

    def test_a_player_is_erased(self, accounts: Accounts, admin: PlayerClient) -> None:
        game, (ada, bea) = accounts.start_game()
        response = admin.http.request("DELETE", f"{ADMIN}/players/{ada.id}", json=WHY)
        assert response.status_code == 204
        players = bea.http.get(f"/api/v1/games/{game}").json()["players"]
        assert [player["handle"] for player in players] == [None, bea.handle]
        own = admin.http.request("DELETE", f"{ADMIN}/players/{admin.id}", json=WHY)
        assert own.status_code == 409

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


class TestTournaments:
    def test_a_private_tournament_is_listed_read_and_cancelled_on_record(
        self, accounts: Accounts, admin: PlayerClient, redis_client: redis.Redis
    ) -> None:
        ada = accounts.register()
        club = ada.http.post("/api/v1/clubs", json={"name": "Hidden", "private": True}).json()["id"]
        fields = settings(
            wall_clock.now() + timedelta(days=1), options={"club": club}, private=True
        )
        id = ada.http.post("/api/v1/tournaments", json=fields).json()["id"]
        assert admin.http.get(f"/api/v1/tournaments/{id}").status_code == 404
        path = f"{ADMIN}/tournaments/{id}"
        listed = admin.http.get(f"{ADMIN}/tournaments?status=open&limit=1").json()
        assert [tournament["id"] for tournament in listed["tournaments"]] == [id]
        assert admin.http.get(path).json() == ada.http.get(f"/api/v1/tournaments/{id}").json()
        cancelled = admin.http.post(f"{path}/cancellation", json=WHY).json()
        assert cancelled["status"] == "cancelled"
        assert admin.http.post(f"{path}/cancellation", json=WHY).status_code == 409
        events = ada.http.get(f"/api/v1/tournaments/{id}/events").json()["events"]
        assert (events[-1]["type"], events[-1]["by"]) == (
            "TournamentCancelled",
            {"player": admin.id},
        )
        entries = list(AdministrationLog(redis_client).entries())[-3:]
        assert [(entry["operation"], entry["details"]) for entry in entries] == [
            ("search_tournaments", {"statuses": ["open"]}),
            ("read_tournament", {"tournament": id}),
            ("cancel_tournament", {"tournament": id, **WHY}),
        ]
        assert {entry["administrator"] for entry in entries} == {admin.id}


class TestGames:
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

    def test_a_seat_is_moved_to_another_account(
        self, accounts: Accounts, admin: PlayerClient, redis_client: redis.Redis
    ) -> None:
        game, (ada, bea) = accounts.start_game()
        new = accounts.register()
        path = f"{ADMIN}/games/{game}/seat-moves"
        for seat, player, status in (
            (0, bea.id, 409),
            (0, ada.id, 409),
            (9, new.id, 409),
            (0, "nobody", 404),
        ):
            body = {**WHY, "seat": seat, "player": player}
            assert admin.http.post(path, json=body).status_code == status
        response = admin.http.post(path, json={**WHY, "seat": 0, "player": new.id})
        assert response.status_code == 201
        decision, move = response.json()["events"]
        assert decision["data"] == {
            "administrator": admin.id,
            "decision": "move_seat",
            "seat": 0,
            "player": new.id,
        }
        assert move["data"] == {"seat": 0, "player": new.id, "replaces": ada.id}
        assert last_entries(redis_client, 1) == [(admin.id, "move_seat")]
        assert ada.http.get(f"/api/v1/games/{game}/legal-actions").status_code == 403
        assert new.act(game).status_code == 201

    def test_a_private_game_is_as_if_absent_for_the_player_whose_seat_was_moved(
        self, accounts: Accounts, admin: PlayerClient
    ) -> None:
        ada, bea, new = (accounts.register() for _ in range(3))
        game = ada.create_game(2, options={"private": True}, invite=[bea.handle])
        bea.join(game)
        body = {**WHY, "seat": 1, "player": new.id}
        assert new.http.get(f"/api/v1/games/{game}").status_code == 404
        assert admin.http.post(f"{ADMIN}/games/{game}/seat-moves", json=body).status_code == 201
        assert new.http.get(f"/api/v1/games/{game}").status_code == 200
        for call in (
            "",
            "/events",
            "/record",
            "/messages",
            "/legal-actions",
            "/conditional-actions",
        ):
            answers = [bea.http.get(f"/api/v1/games/{id}{call}") for id in (game, "0" * len(game))]
            assert [answer.status_code for answer in answers] == [404, 404], call
            of_game, of_none = (
                {
                    **answer.json(),
                    "instance": None,
                    "detail": answer.json()["detail"].replace(id, ""),
                }
                for answer, id in zip(answers, (game, "0" * len(game)), strict=True)
            )
            assert of_game == of_none
        wait_until(lambda: game in new.http.get(f"/api/v1/games?player={new.handle}").text)
        for query in ("", f"?player={bea.handle}", f"?player={ada.handle}"):
            assert game not in bea.http.get(f"/api/v1/games{query}").text

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


class TestDeliveries:
    def test_a_delivery_that_has_ended_is_sent_again(
        self, accounts: Accounts, admin: PlayerClient, redis_client: redis.Redis
    ) -> None:
        game, (ada, _) = accounts.start_game()
        delivery = ended_delivery(redis_client, ada.id, game)
        failed = admin.http.get(f"{ADMIN}/work").json()["failed_deliveries"]
        assert delivery in [entry["delivery"] for entry in failed]
        path = f"{ADMIN}/deliveries/{delivery}/attempts"
        response = admin.http.post(path, json=WHY)
        assert (response.status_code, response.json()["status"]) == (201, "pending")
        waiting = admin.http.get(f"{ADMIN}/work").json()["waiting_deliveries"]
        assert delivery in [entry["delivery"] for entry in waiting]
        assert admin.http.post(path, json=WHY).status_code == 409

    def test_a_delivery_that_waits_is_cancelled(
        self, accounts: Accounts, admin: PlayerClient, redis_client: redis.Redis
    ) -> None:
        game, (ada, _) = accounts.start_game()
        path = f"{ADMIN}/deliveries/{later_delivery(redis_client, ada.id, game)}/cancellation"
        response = admin.http.post(path, json=WHY)
        assert (response.status_code, response.json()["status"]) == (200, "cancelled")
        assert last_entries(redis_client, 1) == [(admin.id, "cancel_delivery")]
        assert admin.http.post(path, json=WHY).status_code == 409


class TestReports:
    def test_reports_of_messages_are_read_and_closed(
        self, accounts: Accounts, admin: PlayerClient, redis_client: redis.Redis
    ) -> None:
        game, (ada, bea) = accounts.start_game()
        report = reported_message(ada, bea, game, redis_client)
        listed = admin.http.get(f"{ADMIN}/reports").json()["reports"]
        (entry,) = [entry for entry in listed if entry["id"] == report]
        assert (entry["text"], entry["reason"], entry["author"]) == ("Spam.", "spam", ada.id)
        path = f"{ADMIN}/reports/{report}"
        assert admin.http.request("DELETE", path, json=WHY).status_code == 204
        assert admin.http.request("DELETE", path, json=WHY).status_code == 404
        assert last_entries(redis_client, 1) == [(admin.id, "close_report")]


class TestWork:
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
