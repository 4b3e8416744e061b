"""Conditional actions over HTTP: prepared, shown to their player alone, refused, deleted."""

from typing import Any

import httpx

from domain.conditional import read_tree
from ledger.player_signatures import PreparedActions, sign_prepared
from tests.service.http.test_account import KEY, key_body
from tests.support.accounts import Accounts, PlayerClient
from tests.support.http_contract import invalid_fields

Json = dict[str, Any]


def address(game: str) -> str:
    return f"/api/v1/games/{game}/conditional-actions"


def put(player: PlayerClient, game: str, branches: Any, seq: int = 4) -> httpx.Response:
    body = {"branches": branches, "expected_seq": seq}
    return player.http.put(address(game), json=body)


def tree(waiting: PlayerClient, acting: PlayerClient, game: str) -> list[Json]:
    """Return branches of the second player, who resigns if the first one takes the first legal action."""
    _, actions = acting.legal_actions(game)
    own = {"seat": 1, "action": {"type": "resign"}}
    return [{"seat": 0, "action": actions[0], "then": [own]}]


def test_a_player_prepares_actions_sees_them_and_deletes_them(accounts: Accounts) -> None:
    game, (ada, bea) = accounts.start_game()
    empty = bea.http.get(address(game))
    assert empty.json() == {"seq": 4, "branches": [], "void": None}
    assert empty.headers["Cache-Control"] == "private, no-store"
    branches = tree(bea, ada, game)
    prepared = put(bea, game, branches)
    assert prepared.status_code == 200, prepared.text
    assert prepared.json() == {"seq": 4, "branches": branches, "void": None}
    assert bea.http.get(address(game)).json() == prepared.json()
    assert ada.http.get(address(game)).json()["branches"] == []
    assert bea.http.delete(address(game)).status_code == 204
    assert bea.http.get(address(game)).json() == empty.json()
    assert put(bea, game, branches).status_code == 200
    assert put(bea, game, []).json() == empty.json()


def test_their_player_learns_why_they_are_void(accounts: Accounts) -> None:
    game, (ada, bea) = accounts.start_game()
    assert put(bea, game, tree(bea, ada, game)).status_code == 200
    seq, actions = ada.legal_actions(game)
    ada.act(game, actions[-1], seq)
    void = bea.http.get(address(game)).json()["void"]
    assert (void["seq"], void["reason"], void["clause"], void["action"]) == (5, "event", None, None)
    assert void["text"].startswith("What you had prepared is void: event 5")


def test_what_cannot_be_prepared_is_refused(accounts: Accounts) -> None:
    game, (ada, bea) = accounts.start_game()
    private = ada.create_game(options={"private": True})
    stranger = accounts.register()
    branches = tree(bea, ada, game)
    for method in ("GET", "PUT", "DELETE"):
        body = {"branches": [], "expected_seq": 4} if method == "PUT" else None
        for client, about, status in (
            (accounts.anonymous, game, 401),
            (stranger.http, game, 403),
            (stranger.http, private, 404),
            (bea.http, "nothing", 404),
        ):
            assert client.request(method, address(about), json=body).status_code == status
    assert bea.http.get(address(game), params={"seat": 0}).status_code == 400
    malformed = put(bea, game, [{"seat": 0, "action": {"type": "fly"}}])
    assert (malformed.status_code, invalid_fields(malformed)) == (400, {"branches.0.action.type"})
    contradicting = put(bea, game, branches * 2)
    assert invalid_fields(contradicting) == {"branches.1"}
    assert invalid_fields(put(bea, game, {})) == {"branches"}
    own_turn = [{"seat": 1, "action": {"type": "resign"}}]
    assert put(ada, game, own_turn).status_code == 409
    assert put(bea, game, branches, seq=3).status_code == 409
    illegal = put(bea, game, [{"seat": 0, "action": {"type": "place_city", "at": [99, 0]}}])
    assert (illegal.status_code, illegal.json()["clause"]) == (422, "BY-SET-4")
    assert "branches" not in illegal.json()["detail"]
    assert bea.http.get(address(game)).json()["branches"] == []


def test_what_is_prepared_can_be_signed(accounts: Accounts) -> None:
    game, (ada, bea) = accounts.start_game()
    assert bea.http.post("/api/v1/me/keys", json=key_body(bea)).status_code == 201
    head = bea.http.get(f"/api/v1/games/{game}").json()["head"]
    branches, salt = tree(bea, ada, game), "5a" * 32
    actions = PreparedActions(read_tree(branches), 1, bytes.fromhex(salt))
    signed = sign_prepared(KEY, game, head["hash"], actions)
    right = {"key": KEY.id, "signature": signed["signature"], "salt": salt}

    def put_signed(signature: Json) -> httpx.Response:
        body = {"branches": branches, "expected_seq": head["seq"], "signature": signature}
        return bea.http.put(address(game), json=body)

    malformed = put_signed({"key": KEY.id, "salt": "5a"})
    assert malformed.status_code == 400
    assert invalid_fields(malformed) == {"signature.signature", "signature.salt"}
    assert put_signed({**right, "key": "0" * 16}).status_code == 409
    assert put_signed({**right, "signature": "0" * 128}).status_code == 422
    assert put_signed({**right, "salt": "00" * 32}).status_code == 422
    assert put_signed(right).status_code == 200
