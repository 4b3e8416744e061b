"""Invitations by handle, rematches, mutes and names of games over HTTP."""

from typing import Any

import redis

from service.bounds import Bounds
from tests.support.accounts import Accounts, PlayerClient

PRIVATE = {"private": True}
JSON = {"Content-Type": "application/json"}


def games_waiting(player: PlayerClient) -> list[str]:
    """Return the ids of the games that wait for the player's answer."""
    listed = player.http.get("/api/v1/me/invitations").json()["games"]
    shown = player.http.get("/api/v1/me").json()["invitations"]
    assert listed == shown
    return [game["id"] for game in listed]


def answers(player: PlayerClient, game: str) -> dict[str, Any]:
    """Return the answers of the invited players of a game by handle."""
    summary = player.http.get(f"/api/v1/games/{game}").json()
    return {invited["handle"]: invited["answer"] for invited in summary["invited"]}


def test_players_are_invited_and_accept_decline_or_are_not_invited_any_more(
    accounts: Accounts,
) -> None:
    ada, bea, cid, dan = (accounts.register() for _ in range(4))
    game = ada.create_game(3, options={**PRIVATE, "name": "Friday"}, invite=[bea.handle])
    path = f"/api/v1/games/{game}/invitations"
    for player in (cid, dan):
        for _ in range(2):
            response = ada.http.post(
                path, json={"handle": player.handle.upper()}, headers={"Idempotency-Key": player.id}
            )
            assert (response.status_code, response.json()) == (201, {"invited": player.id})
    assert all(games_waiting(player) == [game] for player in (bea, cid, dan))
    bea.join(game)
    for _ in range(2):
        answer = cid.http.delete(f"{path}/me", headers={"Idempotency-Key": "no"})
        assert answer.status_code == 204
    assert ada.http.delete(f"{path}/players/{dan.handle}").status_code == 204
    assert not any(games_waiting(player) for player in (bea, cid, dan))
    assert answers(ada, game) == {bea.handle: "accepted", cid.handle: "declined"}
    assert dan.http.get(f"/api/v1/games/{game}").status_code == 404


def test_invitations_that_make_no_sense_are_refused(accounts: Accounts) -> None:
    ada, bea, cid, zoe = (accounts.register() for _ in range(4))
    game = ada.create_game(3, invite=[bea.handle], arbiter=zoe.handle, bots=["random"])
    path = f"/api/v1/games/{game}/invitations"
    for handle in (ada.handle, "nobody-here", "random-bot-1", "", 7, "\ud800"):
        refused = ada.http.post(path, content=_json(handle), headers=JSON)
        assert refused.status_code == 400, handle
    for handle in (bea.handle, zoe.handle):
        assert ada.http.post(path, json={"handle": handle}).status_code == 409
    assert cid.http.delete(f"{path}/me").status_code == 409
    assert ada.http.delete(f"{path}/players/{cid.handle}").status_code == 409
    bea.join(game)
    assert bea.http.delete(f"{path}/me").status_code == 409
    assert ada.http.post(path, json={"handle": cid.handle}).status_code == 409


def _json(handle: object) -> bytes:
    text = f'"{handle}"' if isinstance(handle, str) else str(handle)
    return b'{"handle": %s}' % text.encode("utf-8", "surrogatepass")


def test_bodies_are_checked(accounts: Accounts) -> None:
    game, (ada, bea) = accounts.start_game()
    open_game = ada.create_game(3)
    for path in (f"/api/v1/games/{open_game}/invitations", f"/api/v1/games/{game}/rematch"):
        assert ada.http.post(path, json={"colour": "red"}).status_code == 400
    key = {"Idempotency-Key": "one"}
    path = f"/api/v1/games/{open_game}/invitations"
    assert ada.http.post(path, json={"handle": bea.handle}, headers=key).status_code == 201
    other = accounts.register()
    assert ada.http.post(path, json={"handle": other.handle}, headers=key).status_code == 422


def test_strangers_learn_nothing_of_a_private_game(accounts: Accounts) -> None:
    ada, bea, eve = (accounts.register() for _ in range(3))
    private = f"/api/v1/games/{ada.create_game(3, options=PRIVATE)}"
    public = f"/api/v1/games/{ada.create_game(3, invite=[bea.handle])}"
    unknown = "/api/v1/games/0123456789abcdef"
    requests = [
        ("POST", "/invitations", {"handle": bea.handle}),
        ("POST", "/invitations", {"handle": "nobody-here"}),
        ("DELETE", "/invitations/me", None),
        ("DELETE", f"/invitations/players/{bea.handle}", None),
        ("DELETE", "/invitations/players/nobody-here", None),
        ("POST", "/rematch", {}),
        ("POST", "/rematch", {"colour": "red"}),
    ]
    for method, path, body in requests:
        for sent_key in ("a", "x" * 256):
            sent = {"Idempotency-Key": sent_key}
            responses = [
                eve.http.request(method, game + path, json=body, headers=sent)
                for game in (private, unknown)
            ]
            assert [response.status_code for response in responses] == [404, 404], (path, sent_key)
    assert accounts.anonymous.post(f"{private}/rematch").status_code == 404
    assert eve.http.post(f"{public}/rematch").status_code == 403
    one = f"{public}/invitations/players/{bea.handle}"
    assert eve.http.delete(one).status_code == 403
    assert ada.http.delete(f"{public}/invitations/players/nobody-here").status_code == 404
    long = {"Idempotency-Key": "x" * 256}
    for address, client in ((one, ada), (f"{public}/invitations/me", bea)):
        assert client.http.delete(address, headers=long).status_code == 400
    key = {"Idempotency-Key": "used"}
    invited = ada.http.post(f"{public}/invitations", json={"handle": eve.handle}, headers=key)
    assert invited.status_code == 201
    assert ada.http.delete(one, headers=key).status_code == 422
    assert eve.http.delete(f"{public}/invitations/me", headers=key).status_code == 204
    assert eve.http.post(f"{public}/players", json={}, headers=key).status_code == 422
    join_key = {"Idempotency-Key": "left"}
    assert bea.http.post(f"{public}/players", json={}, headers=join_key).status_code == 201
    assert bea.http.delete(f"{public}/invitations/me", headers=join_key).status_code == 422


def test_two_players_who_ask_for_a_rematch_play_it(accounts: Accounts) -> None:
    game, (ada, bea) = accounts.start_game(options={"name": "Ada & Bea"})
    path = f"/api/v1/games/{game}/rematch"
    assert ada.http.post(path).status_code == 409
    _abandon(game, ada, bea)
    first = ada.http.post(path)
    assert first.status_code == 201
    rematch = first.json()
    assert first.headers["location"] == f"/api/v1/games/{rematch['id']}"
    assert rematch["options"]["rematch_of"] == game
    assert rematch["options"]["name"] == "Ada & Bea"
    assert games_waiting(bea) == [rematch["id"]]
    second = bea.http.post(path, json={"nonce": "00ff"}).json()
    assert (second["id"], second["status"]) == (rematch["id"], "playing")
    assert ada.http.post(path).json()["id"] == rematch["id"]


def _abandon(game: str, *players: PlayerClient) -> None:
    """End a game by the agreement of its players."""
    disputes = f"/api/v1/games/{game}/disputes"
    opened = players[0].http.post(disputes, json={"seq": 4, "statement": "Let us stop."})
    number = opened.json()["events"][0]["seq"]
    for player in players:
        ruling = {"ruling": {"type": "abandon"}}
        assert player.http.post(f"{disputes}/{number}/rulings", json=ruling).is_success


def test_a_muted_player_does_not_reach_the_player(
    accounts: Accounts, redis_client: redis.Redis
) -> None:
    ada, bea = accounts.register(), accounts.register()
    game = ada.create_game(2, invite=[bea.handle])
    path = f"/api/v1/me/mutes/{ada.handle}"
    for _ in range(2):
        assert bea.http.put(path).status_code == 204
    assert bea.http.get("/api/v1/me/mutes").json()["players"] == [
        {"id": ada.id, "handle": ada.handle}
    ]
    assert games_waiting(bea) == []
    for _ in range(2):
        assert bea.http.delete(path).status_code == 204
    assert games_waiting(bea) == [game]
    assert bea.http.put(f"/api/v1/me/mutes/{bea.handle}").status_code == 400
    for method in ("PUT", "DELETE"):
        assert bea.http.request(method, "/api/v1/me/mutes/nobody-here").status_code == 404
    assert bea.http.get("/api/v1/me/mutes?cursor=x").status_code == 400
    most = Bounds().max_mutes_per_player
    redis_client.zadd(f"cartulary:mutes:{bea.id}", {f"player-{n}": n for n in range(most)})
    assert bea.http.put(path).status_code == 409


def test_a_game_shows_its_name_and_no_other_text_than_one_line(accounts: Accounts) -> None:
    ada = accounts.register()
    game = ada.create_game(options={"name": "Ada's <b>game</b>"})
    summary = accounts.anonymous.get(f"/api/v1/games/{game}").json()
    assert summary["options"]["name"] == "Ada's <b>game</b>"
    for name in ("", "two\nlines", "\u202egnirts", "x" * 61, 7):
        body = {"rules": "baron", "seats": 2, "options": {"name": name}}
        refused = ada.http.post("/api/v1/games", json=body)
        assert [error["field"] for error in refused.json()["errors"]] == ["options.name"]
    body = {"rules": "baron", "seats": 2, "options": {"rematch_of": game}}
    refused = ada.http.post("/api/v1/games", json=body)
    assert [error["field"] for error in refused.json()["errors"]] == ["options.rematch_of"]
