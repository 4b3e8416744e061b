"""What players manage in their account over HTTP: sessions, the password, and keys for signing actions."""

from io import BytesIO
from typing import Any

import httpx

from ledger.canonical import canonical
from ledger.keys import SigningKey
from ledger.player_signatures import key_payload, sign, sign_action, statement_payload
from replay.audit import audit
from tests.support.accounts import PASSWORD, Accounts, PlayerClient
from tests.support.http_contract import invalid_fields

KEY = SigningKey.from_seed(b"h" * 32)


def key_body(player: PlayerClient, key: SigningKey = KEY) -> dict[str, str]:
    """Return the body with which a player registers a key."""
    proof = key.signature(canonical(key_payload(player.id, key.public)))
    return {"public": key.public, "proof": proof}


def log_in(accounts: Accounts, player: PlayerClient, password: str = PASSWORD) -> httpx.Response:
    body = {"handle": player.handle, "password": password}
    return accounts.anonymous.post("/api/v1/tokens", json=body)


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


class TestSessions:
    def test_a_player_lists_and_ends_their_sessions(self, accounts: Accounts) -> None:
        ada = accounts.register()
        others = [bearer(log_in(accounts, ada).json()["token"]) for _ in range(3)]
        sessions = ada.http.get("/api/v1/me/sessions").json()["sessions"]
        assert [session["current"] for session in sessions].count(True) == 1
        assert len(sessions) == 4
        assert all(session["client"].startswith("python-httpx/") for session in sessions)
        listed = ada.http.get("/api/v1/me/sessions", headers=others[0]).json()["sessions"]
        (current,) = [session for session in listed if session["current"]]
        ended = ada.http.delete(f"/api/v1/me/sessions/{current['id']}")
        assert ended.status_code == 204
        assert ada.http.get("/api/v1/me", headers=others[0]).status_code == 401
        assert ada.http.get("/api/v1/me", headers=others[1]).status_code == 200
        assert ada.http.delete("/api/v1/me/sessions").status_code == 204
        for other in others:
            assert ada.http.get("/api/v1/me", headers=other).status_code == 401
        assert ada.http.get("/api/v1/me").status_code == 200

    def test_sessions_of_others_cannot_be_seen_or_ended(self, accounts: Accounts) -> None:
        ada, bea = accounts.register(), accounts.register()
        (session,) = ada.http.get("/api/v1/me/sessions").json()["sessions"]
        path = f"/api/v1/me/sessions/{session['id']}"
        assert bea.http.delete(path).status_code == 404
        assert ada.http.get("/api/v1/me").status_code == 200

    def test_a_player_changes_their_password(self, accounts: Accounts) -> None:
        ada = accounts.register()
        other = bearer(log_in(accounts, ada).json()["token"])
        path, body = "/api/v1/me/password", {"password": PASSWORD, "new_password": "new password"}
        assert ada.http.put(path, json={**body, "password": "wrong"}).status_code == 403
        assert invalid_fields(ada.http.put(path, json={})) == {"password", "new_password"}
        short = ada.http.put(path, json={**body, "new_password": "x"})
        assert (short.status_code, invalid_fields(short)) == (400, {"new_password"})
        assert log_in(accounts, ada).status_code == 201
        assert ada.http.put(path, json=body).status_code == 204
        assert ada.http.get("/api/v1/me").status_code == 200
        assert ada.http.get("/api/v1/me", headers=other).status_code == 401
        assert log_in(accounts, ada).status_code == 401
        assert log_in(accounts, ada, "new password").status_code == 201


class TestKeys:
    def test_a_player_registers_lists_and_revokes_a_key(self, accounts: Accounts) -> None:
        ada = accounts.register()
        added = ada.http.post("/api/v1/me/keys", json=key_body(ada))
        assert added.status_code == 201
        assert ada.http.post("/api/v1/me/keys", json=key_body(ada)).json() == added.json()
        assert ada.http.get("/api/v1/me/keys").json() == {"keys": [added.json()], "next": None}
        for _ in range(2):
            assert ada.http.delete(f"/api/v1/me/keys/{KEY.id}").status_code == 204
        (revoked,) = ada.http.get("/api/v1/me/keys").json()["keys"]
        assert revoked["until"] >= revoked["from"]
        assert ada.http.post("/api/v1/me/keys", json=key_body(ada)).status_code == 409
        assert accounts.register().http.get("/api/v1/me/keys").json()["keys"] == []

    def test_a_player_names_a_key(self, accounts: Accounts) -> None:
        ada, bea = accounts.register(), accounts.register()
        body = {**key_body(ada), "name": "laptop"}
        assert ada.http.post("/api/v1/me/keys", json=body).json()["name"] == "laptop"
        assert ada.http.post("/api/v1/me/keys", json=key_body(ada)).json()["name"] == "laptop"
        path = f"/api/v1/me/keys/{KEY.id}"
        assert ada.http.patch(path, json={"name": "l'ordi"}).json()["name"] == "l'ordi"
        for name in ("x" * 61, "two\nlines", 5):
            assert invalid_fields(ada.http.patch(path, json={"name": name})) == {"name"}
        assert invalid_fields(ada.http.patch(path, json={})) == {"name"}
        (key,) = ada.http.get("/api/v1/me/keys").json()["keys"]
        assert (key["name"], key["last_used"]) == ("l'ordi", None)
        assert ada.http.patch(path, json={"name": None}).json()["name"] is None
        assert bea.http.patch(path, json={"name": "mine"}).status_code == 404

    def test_a_key_that_is_malformed_or_not_proven_is_refused(self, accounts: Accounts) -> None:
        ada, bea = accounts.register(), accounts.register()
        path, valid = "/api/v1/me/keys", key_body(ada)
        refused = ada.http.post(path, json={"public": "00", "proof": 5, "more": 1})
        assert invalid_fields(refused) == {"public", "proof", "more"}
        small = {**valid, "public": "01" + "00" * 31}
        assert invalid_fields(ada.http.post(path, json=small)) == {"public"}
        refused = bea.http.post(path, json=valid)
        assert refused.status_code == 422
        assert bea.id in refused.json()["detail"]
        assert bea.http.get(path).json()["keys"] == []

    def test_keys_need_a_token_and_only_ones_own_can_be_revoked(self, accounts: Accounts) -> None:
        ada, bea = accounts.register(), accounts.register()
        ada.http.post("/api/v1/me/keys", json=key_body(ada))
        path = f"/api/v1/me/keys/{KEY.id}"
        assert bea.http.delete(path).status_code == 404
        assert ada.http.get("/api/v1/me/keys").json()["keys"][0]["until"] is None


class TestSignedActions:
    def start(self, accounts: Accounts) -> tuple[str, PlayerClient, dict[str, Any]]:
        """Start a game of a player with a key, and return the request for their first action."""
        game, (ada, _) = accounts.start_game()
        assert ada.http.post("/api/v1/me/keys", json=key_body(ada)).status_code == 201
        head = ada.http.get(f"/api/v1/games/{game}").json()["head"]
        _, actions = ada.legal_actions(game)
        signature = sign_action(KEY, game, head["hash"], actions[0])
        return (
            game,
            ada,
            {
                "action": actions[0],
                "expected_seq": head["seq"],
                "signature": {"key": KEY.id, "signature": signature["signature"]},
            },
        )

    def test_a_signed_action_is_in_the_record(self, accounts: Accounts) -> None:
        game, ada, body = self.start(accounts)
        accepted = ada.http.post(f"/api/v1/games/{game}/actions", json=body)
        assert accepted.status_code == 201
        signature = accepted.json()["events"][0]["signature"]
        assert signature["key"] == KEY.id
        (key,) = ada.http.get("/api/v1/me/keys").json()["keys"]
        assert key["last_used"] is not None
        record = ada.http.get(f"/api/v1/games/{game}/record").content
        report = audit(BytesIO(record))
        assert report.verdict != "broken"
        (check,) = [check for check in report.checks if check.name == "signatures"]
        assert check.count == 1

    def test_a_signature_that_is_not_the_players_is_refused(self, accounts: Accounts) -> None:
        game, ada, body = self.start(accounts)
        path, signature = f"/api/v1/games/{game}/actions", body["signature"]

        def refusal(signature: Any) -> tuple[int, dict[str, Any]]:
            response = ada.http.post(path, json={**body, "signature": signature})
            return response.status_code, response.json()

        for malformed, invalid in (
            ("x", {"signature"}),
            ({}, {"signature.key", "signature.signature"}),
            ({**signature, "key": 5}, {"signature.key"}),
            ({**signature, "head": "0" * 64}, {"signature.head"}),
        ):
            response = ada.http.post(path, json={**body, "signature": malformed})
            assert (response.status_code, invalid_fields(response)) == (400, invalid)
        status, problem = refusal({**signature, "key": "0" * 16})
        assert (status, problem["detail"]) == (
            409,
            "key 0000000000000000 is not a key of this player in this game",
        )
        status, problem = refusal({**signature, "signature": "0" * 128})
        assert status == 422
        assert "what key" in problem["detail"]
        assert "clause" not in problem
        assert ada.http.get(f"/api/v1/games/{game}").json()["head"]["seq"] == body["expected_seq"]


class TestSignedStatements:
    def signature(self, player: PlayerClient, game: str, type: str, data: Any) -> dict[str, Any]:
        """Return the player's signature of a statement after the last event of a game."""
        head = player.http.get(f"/api/v1/games/{game}").json()["head"]
        signed = sign(KEY, statement_payload(game, head["hash"], type, data))
        return {"key": KEY.id, "expected_seq": head["seq"], "signature": signed["signature"]}

    def test_a_statement_can_be_signed(self, accounts: Accounts) -> None:
        game, (ada, _) = accounts.start_game(clock={"per_turn": 86400})
        assert ada.http.post("/api/v1/me/keys", json=key_body(ada)).status_code == 201
        path, body = f"/api/v1/games/{game}/pause", {"agree": True}
        right = self.signature(ada, game, "PauseAgreed", body)

        def status(**fields: Any) -> int:
            signature = {**right, **fields}
            return ada.http.post(path, json={**body, "signature": signature}).status_code

        response = ada.http.post(path, json={**body, "signature": {"key": KEY.id}})
        assert response.status_code == 400
        assert invalid_fields(response) == {"signature.expected_seq", "signature.signature"}
        response = ada.http.post(path, json={**body, "signature": {**right, "salt": "00" * 32}})
        assert (response.status_code, invalid_fields(response)) == (400, {"signature.salt"})
        assert status(expected_seq=1) == status(key="0" * 16) == 409
        assert status(signature="0" * 128) == 422
        accepted = ada.http.post(path, json={**body, "signature": right})
        assert accepted.status_code == 201
        assert accepted.json()["events"][0]["signature"]["key"] == KEY.id

    def test_a_request_without_any_other_content_can_be_signed(self, accounts: Accounts) -> None:
        game, (ada, _) = accounts.start_game()
        assert ada.http.post("/api/v1/me/keys", json=key_body(ada)).status_code == 201
        disputes = f"/api/v1/games/{game}/disputes"
        opened = ada.http.post(disputes, json={"seq": 2, "statement": "I object."})
        number = opened.json()["events"][0]["seq"]
        path = f"{disputes}/{number}"
        right = self.signature(ada, game, "DisputeWithdrawn", {"dispute": number})

        def status(body: Any) -> int:
            return ada.http.request("DELETE", path, json=body).status_code

        assert status({"reason": "none"}) == 400
        assert status({"signature": {**right, "expected_seq": 1}}) == 409
        assert status({"signature": {**right, "signature": "0" * 128}}) == 422
        assert status({"signature": right}) == 204
        events = ada.http.get(f"/api/v1/games/{game}/events?after={number}").json()["events"]
        assert [event.get("signature", {}).get("key") for event in events] == [KEY.id]


class TestErasure:
    def test_a_player_leaves_for_good(self, accounts: Accounts) -> None:
        game, (ada, bea) = accounts.start_game()
        path, body = "/api/v1/me", {"password": PASSWORD}
        assert ada.http.request("DELETE", path, json={"password": "wrong"}).status_code == 403
        assert invalid_fields(ada.http.request("DELETE", path, json={})) == {"password"}
        assert ada.http.get(path).status_code == 200
        assert ada.http.request("DELETE", path, json=body).status_code == 204
        assert ada.http.get(path).status_code == 401
        assert log_in(accounts, ada).status_code == 401
        again = {"handle": ada.handle, "password": PASSWORD}
        assert accounts.anonymous.post("/api/v1/players", json=again).status_code == 409
        assert bea.http.get(f"/api/v1/games/{game}").json()["players"] == [
            {"id": ada.id, "handle": None, "seat": 0},
            {"id": bea.id, "handle": bea.handle, "seat": 1},
        ]
        events = bea.http.get(f"/api/v1/games/{game}/events").json()["events"]
        assert events[4]["type"] == "PlayerResigned"
        assert f'"{ada.handle}"' not in bea.http.get(f"/api/v1/games/{game}/record").text


class TestForgottenPassword:
    def test_a_server_without_mail_refuses_for_everybody(self, accounts: Accounts) -> None:
        ada = accounts.register()
        post = accounts.anonymous.post
        path = "/api/v1/password-resets"
        refusals = {post(path, json={"handle": name}).status_code for name in (ada.handle, "-")}
        assert refusals == {409}
        assert invalid_fields(post(path, json={})) == {"handle"}

    def test_a_token_that_is_not_valid_changes_nothing(self, accounts: Accounts) -> None:
        put, path = accounts.anonymous.put, "/api/v1/password-resets"
        body = {"token": "x", "new_password": "new password"}
        assert put(path, json=body).status_code == 404
        assert invalid_fields(put(path, json={**body, "new_password": "x"})) == {"new_password"}
