"""Play: positions, legal actions, and submitting actions."""

from typing import Any

import pytest

from tests.support.accounts import Accounts
from tests.support.http_contract import invalid_fields

FAR = {"type": "place_city", "at": [99, 99]}
RESIGN = {"type": "resign"}


class TestPosition:
    def test_the_position_is_returned_at_the_head_and_at_earlier_events(
        self, accounts: Accounts
    ) -> None:
        game, (ada, bea) = accounts.start_game()
        path = f"/api/v1/games/{game}/position"
        first = accounts.anonymous.get(path)
        assert first.status_code == 200
        assert (first.json()["phase"], first.json()["to_act"]) == ("setup", 0)
        etag = first.headers["etag"]
        assert etag == '"4"'
        assert accounts.anonymous.get(path, headers={"If-None-Match": etag}).status_code == 304
        assert ada.act(game).status_code == 201
        second = bea.http.get(path, headers={"If-None-Match": etag})
        assert (second.status_code, second.headers["etag"]) == (200, '"5"')
        assert second.json() != first.json()
        earlier = accounts.anonymous.get(path + "?seq=4")
        assert (earlier.json(), earlier.headers["etag"]) == (first.json(), etag)
        # A request for an earlier position is not conditional.
        again = accounts.anonymous.get(path + "?seq=4", headers={"If-None-Match": etag})
        assert again.status_code == 200

    def test_there_is_no_position_before_the_start_or_past_the_head(
        self, accounts: Accounts
    ) -> None:
        ada = accounts.register()
        assert (
            accounts.anonymous.get(f"/api/v1/games/{ada.create_game()}/position").status_code == 404
        )
        game, _ = accounts.start_game()
        for seq in (1, 3, 5, 99, 2**53 - 1):
            response = accounts.anonymous.get(f"/api/v1/games/{game}/position?seq={seq}")
            assert response.status_code == 404

    @pytest.mark.parametrize(
        "query", ["seq=abc", "seq=-1", "seq=0", "seq=", "seq=1e3", "seq=9" * 2, "at=3"]
    )
    def test_an_invalid_query_or_token_is_refused(self, accounts: Accounts, query: str) -> None:
        game, _ = accounts.start_game()
        path = f"/api/v1/games/{game}/position"
        assert accounts.anonymous.get(f"{path}?{query}").status_code == 400


class TestLegalActions:
    def test_only_the_player_to_act_has_legal_actions(self, accounts: Accounts) -> None:
        game, (ada, bea) = accounts.start_game()
        seq, actions = ada.legal_actions(game)
        assert seq == 4
        assert {action["type"] for action in actions} == {"place_city"}
        assert bea.legal_actions(game) == (4, [])
        assert all(ada.act(game, action, seq).status_code == 201 for action in actions[:1])

    def test_there_are_no_legal_actions_before_the_start(self, accounts: Accounts) -> None:
        ada = accounts.register()
        assert ada.legal_actions(ada.create_game()) == (2, [])

    def test_only_players_of_the_game_get_legal_actions(self, accounts: Accounts) -> None:
        game, _ = accounts.start_game()
        path = f"/api/v1/games/{game}/legal-actions"
        assert accounts.register().http.get(path).status_code == 403
        assert (
            accounts.register().http.get("/api/v1/games/nothing/legal-actions").status_code == 404
        )


class TestActing:
    def test_an_action_returns_its_events_and_a_receipt(self, accounts: Accounts) -> None:
        game, (ada, _) = accounts.start_game()
        seq, actions = ada.legal_actions(game)
        response = ada.act(game, actions[0], seq)
        assert response.status_code == 201
        accepted = response.json()
        (event,) = accepted["events"]
        assert (event["seq"], event["action"], event["by"]) == (seq + 1, actions[0], {"seat": 0})
        assert accepted["receipt"]["hash"] == event["hash"]
        page = accounts.anonymous.get(f"/api/v1/games/{game}/events?after={seq}").json()
        assert page["events"] == accepted["events"]

    @pytest.mark.parametrize(
        ("body", "invalid"),
        [
            ({}, {"action", "expected_seq"}),
            ([], {"body"}),
            ({"action": FAR, "expected_seq": True}, {"expected_seq"}),
            ({"action": FAR, "expected_seq": "4"}, {"expected_seq"}),
            ({"action": FAR, "expected_seq": -1}, {"expected_seq"}),
            ({"action": FAR, "expected_seq": None}, {"expected_seq"}),
            ({"action": FAR, "expected_seq": 4, "as": 1}, {"as"}),
            ({"action": {}, "expected_seq": 4}, {"action.type"}),
            ({"action": [], "expected_seq": 4}, {"action"}),
            ({"action": None, "expected_seq": 4}, {"action"}),
            ({"action": {"type": "dance"}, "expected_seq": 4}, {"action.type"}),
            ({"action": {"type": "pass", "x": 1}, "expected_seq": 4}, {"action.x"}),
            (
                {"action": {"type": "place_city", "at": [0]}, "expected_seq": False, "y": 1},
                {"action.at", "expected_seq", "y"},
            ),
        ],
    )
    def test_every_invalid_field_is_named(
        self, accounts: Accounts, body: Any, invalid: set[str]
    ) -> None:
        game, (ada, _) = accounts.start_game()
        response = ada.http.post(f"/api/v1/games/{game}/actions", json=body)
        assert response.status_code == 400
        assert invalid_fields(response) == invalid
        is_about_action = any(name.startswith("action") for name in invalid)
        assert response.json().get("clause") == ("FORMAT" if is_about_action else None)

    @pytest.mark.parametrize(
        "content", [b'{"action":{"type":"resign"},"expected_seq":4}', b"{}", b""]
    )
    def test_authentication_errors_precede_errors_of_the_body(
        self, accounts: Accounts, content: bytes
    ) -> None:
        game, _ = accounts.start_game()
        path = f"/api/v1/games/{game}/actions"
        cid = accounts.register()
        headers = {"Content-Type": "application/json"}
        assert cid.http.post(path, content=content, headers=headers).status_code == 403
        nothing = cid.http.post("/api/v1/games/no/actions", content=content, headers=headers)
        assert nothing.status_code == 404

    def test_an_action_on_another_position_is_a_conflict(self, accounts: Accounts) -> None:
        game, (ada, bea) = accounts.start_game()
        assert ada.act(game).status_code == 201
        _, actions = bea.legal_actions(game)
        for seq in (0, 1, 4, 6, 99):
            response = bea.act(game, actions[0], seq)
            assert (response.status_code, response.json()["seq"]) == (409, 5)
        assert bea.act(game, actions[0], 5).status_code == 201

    def test_an_action_before_the_start_or_during_scoring_is_a_conflict(
        self, accounts: Accounts
    ) -> None:
        ada = accounts.register()
        early = ada.act(ada.create_game(), RESIGN, 2)
        assert (early.status_code, early.json()["seq"]) == (409, 2)
        assert "clause" not in early.json()
        game, (bea, cid) = accounts.start_game()
        assert bea.act(game, RESIGN, 4).status_code == 201
        late = cid.act(game, RESIGN, 5)
        assert (late.status_code, late.json()["seq"]) == (409, 5)

    def test_an_action_against_the_rules_names_the_clause_and_the_reason(
        self, accounts: Accounts
    ) -> None:
        game, (ada, bea) = accounts.start_game()
        response = ada.act(game, FAR, 4)
        assert (response.status_code, response.json()["clause"]) == (422, "BY-SET-4")
        assert len(response.json()["detail"]) > 10
        _, actions = ada.legal_actions(game)
        other = bea.act(game, actions[0], 4)
        assert (other.status_code, other.json()["clause"]) == (422, "BY-TURN-3")

    def test_a_repeated_idempotency_key_acts_once(self, accounts: Accounts) -> None:
        game, (ada, bea) = accounts.start_game()
        seq, actions = ada.legal_actions(game)
        key = {"Idempotency-Key": "a key"}
        first = ada.act(game, actions[0], seq, **key)
        assert bea.act(game).status_code == 201
        again = ada.act(game, actions[0], seq, **key)
        assert first.status_code == again.status_code == 201
        assert first.json() == again.json()
        assert ada.act(game, actions[1], seq, **key).status_code == 422
        assert accounts.anonymous.get(f"/api/v1/games/{game}").json()["head"]["seq"] == seq + 2

    @pytest.mark.parametrize("key", ["", "x" * 256])
    def test_an_idempotency_key_has_1_to_255_characters(self, accounts: Accounts, key: str) -> None:
        game, (ada, _) = accounts.start_game()
        response = ada.act(game, RESIGN, 4, **{"Idempotency-Key": key})
        assert (response.status_code, invalid_fields(response)) == (400, {"Idempotency-Key"})

    def test_an_idempotency_key_that_is_not_ascii_is_refused(self, accounts: Accounts) -> None:
        game, (ada, _) = accounts.start_game()
        key = "caf\u00e9".encode("latin-1")
        response = ada.http.post(
            f"/api/v1/games/{game}/actions",
            json={"action": RESIGN, "expected_seq": 4},
            headers={b"Idempotency-Key": key},
        )
        assert response.status_code == 400
        assert accounts.anonymous.get(f"/api/v1/games/{game}").json()["head"]["seq"] == 4
