"""Disputes over HTTP: opening, answering, ruling, withdrawing and reading them."""

from dataclasses import dataclass

import pytest

from tests.support.accounts import Accounts, Json, PlayerClient
from tests.support.http_contract import invalid_fields

DISMISS = {"type": "dismiss"}
DISMISSAL = {"ruling": DISMISS}
USED = {"Idempotency-Key": "used"}


@dataclass
class DisputedGame:
    """A private game of two, and its arbiter; `url` is that of its disputes."""

    id: str
    ada: PlayerClient
    bea: PlayerClient
    zoe: PlayerClient
    outsider: PlayerClient

    @property
    def url(self) -> str:
        return f"/api/v1/games/{self.id}/disputes"

    def open(self, player: PlayerClient, seq: int = 4, statement: str = "I object.") -> int:
        """Open a dispute and return its number."""
        response = player.http.post(self.url, json={"seq": seq, "statement": statement})
        assert response.status_code == 201, response.text
        number: int = response.json()["events"][0]["seq"]
        return number

    def summary(self) -> Json:
        body: Json = self.ada.http.get(f"/api/v1/games/{self.id}").json()
        return body


@pytest.fixture
def game(accounts: Accounts) -> DisputedGame:
    ada, bea, zoe, outsider = (accounts.register() for _ in range(4))
    game_id = ada.create_game(
        2,
        options={"private": True, "takebacks": True},
        invite=[bea.handle],
        arbiter=zoe.handle,
        clock={"per_turn": 3600},
    )
    bea.join(game_id)
    return DisputedGame(game_id, ada, bea, zoe, outsider)


def test_a_dispute_from_its_opening_to_the_ruling(game: DisputedGame) -> None:
    assert game.ada.act(game.id).status_code == 201
    number = game.open(game.bea, 5, "That was not my turn.\nLook again: ⚔")
    opened = game.summary()
    assert opened["arbiter"] == {"id": game.zoe.id, "handle": game.zoe.handle}
    assert (opened["dispute"]["dispute"], opened["dispute"]["status"]) == (number, "open")
    assert opened["deadline"] > opened["dispute"]["clock_stopped_until"]
    answer = game.ada.http.post(f"{game.url}/{number}/answers", json={"statement": "It was."})
    assert answer.json()["receipt"]["seq"] == number + 1
    ruling = {"ruling": {"type": "resume", "from": 4}, "statement": "Ada plays again."}
    ruled = game.zoe.http.post(f"{game.url}/{number}/rulings", json=ruling).json()
    assert [event["type"] for event in ruled["events"]] == ["DisputeRuled", "PlayResumed"]
    closed = game.summary()
    assert closed["dispute"] is None
    assert closed["deadline"] < opened["deadline"]
    assert (closed["status"], closed["to_act"]) == ("playing", 0)
    details = game.bea.http.get(f"{game.url}/{number}").json()
    assert details["statement"] == "That was not my turn.\nLook again: ⚔"
    assert details["answers"][0]["statement"] == "It was."
    assert details["ending"]["ruling"] == ruling["ruling"]
    assert details["ending"]["statement"] == "Ada plays again."
    assert details["ending"]["arbiter"] == game.zoe.id
    listed = game.zoe.http.get(game.url).json()
    assert [dispute["dispute"] for dispute in listed["disputes"]] == [number]
    assert listed["disputes"][0]["status"] == "ruled"
    assert listed["next"] is None
    # Play goes on from the earlier position.
    assert game.ada.act(game.id).status_code == 201


def test_play_resumes_from_the_event_with_which_it_resumed_before(game: DisputedGame) -> None:
    resumed, origins = 4, []
    for _ in range(2):
        assert game.ada.act(game.id).status_code == 201
        number = game.open(game.bea, 5)
        ruling = {"ruling": {"type": "resume", "from": resumed}}
        ruled = game.zoe.http.post(f"{game.url}/{number}/rulings", json=ruling)
        assert ruled.status_code == 201
        event = ruled.json()["events"][-1]
        origins.append(event["data"]["from"])
        resumed = event["seq"]
    assert origins[0] == 4
    assert origins[1] > 5
    maker = game.ada.http
    source = {"game": game.id, "seq": resumed}
    assert maker.post("/api/v1/sandboxes", json=source).status_code == 201
    explained = maker.get(f"/api/v1/games/{game.id}/events/{resumed}").json()
    assert explained["consequences"]["superseded_by"] is None
    assert game.ada.act(game.id).status_code == 201


def test_statements_are_in_the_record_of_everybody_who_may_see_the_game(game: DisputedGame) -> None:
    number = game.open(game.ada)
    for player in (game.ada, game.bea, game.zoe):
        record = player.http.get(f"/api/v1/games/{game.id}/record").text
        assert f'"seq":{number}' in record
        assert "I object." in record
    events = game.ada.http.get(f"/api/v1/games/{game.id}/events").text
    assert "I object." not in events


def test_the_opener_withdraws_a_dispute(game: DisputedGame) -> None:
    number = game.open(game.ada)
    assert game.ada.http.delete(f"{game.url}/{number}").status_code == 204
    assert game.summary()["dispute"] is None
    details = game.ada.http.get(f"{game.url}/{number}").json()
    assert (details["status"], details["ending"]["ruling"]) == ("withdrawn", None)


def test_players_without_an_arbiter_agree_on_a_ruling(accounts: Accounts) -> None:
    game_id, (ada, bea) = accounts.start_game()
    url = f"/api/v1/games/{game_id}/disputes"
    opened = ada.http.post(url, json={"seq": 4, "statement": "A misunderstanding."})
    number = opened.json()["events"][0]["seq"]
    rulings = f"{url}/{number}/rulings"
    body = {"ruling": {"type": "abandon"}, "statement": "Let us begin again."}
    first = bea.http.post(rulings, json=body).json()
    assert [event["type"] for event in first["events"]] == ["RulingProposed"]
    details = accounts.anonymous.get(f"{url}/{number}").json()
    assert details["proposals"][0]["statement"] == "Let us begin again."
    second = ada.http.post(rulings, json={"ruling": {"type": "abandon"}}).json()
    types = [event["type"] for event in second["events"]]
    assert types == ["RulingProposed", "DisputeRuled", "GameAbandoned"]


def test_everything_follows_the_branch_after_a_rewind(game: DisputedGame) -> None:
    url = f"/api/v1/games/{game.id}"
    assert game.ada.act(game.id).status_code == 201
    origin, legal = game.bea.legal_actions(game.id)
    superseded = game.bea.act(game.id, legal[0], origin, **USED)
    number = game.open(game.ada)
    ruling = {"ruling": {"type": "resume", "from": origin}}
    post(game.zoe, f"{game.url}/{number}/rulings", ruling)
    before, after = (
        game.bea.http.get(f"{url}/position{query}").json() for query in (f"?seq={origin}", "")
    )
    assert after == before
    assert game.summary()["to_act"] == before["to_act"]
    assert game.bea.legal_actions(game.id)[1] == legal
    # A repeated request has the same response and no effect; a stale one is refused.
    repeated = game.bea.act(game.id, legal[0], origin, **USED)
    assert repeated.json() == superseded.json()
    assert game.bea.act(game.id, legal[1], origin + 1).status_code == 409
    assert game.bea.act(game.id, legal[1]).status_code == 201


def test_a_takeback(game: DisputedGame) -> None:
    event = game.ada.act(game.id).json()["events"][0]
    url = f"/api/v1/games/{game.id}/takebacks"
    requested = game.ada.http.post(url, json={}).json()["events"][0]
    assert requested["data"] == {"seat": 0, "from": event["seq"] - 1}
    assert game.summary()["takeback"] == {
        "takeback": requested["seq"],
        "seat": 0,
        "from": event["seq"] - 1,
        "agreed_by": [],
    }
    answered = game.bea.http.post(f"{url}/{requested['seq']}/answers", json={"agree": True}).json()
    assert [event["type"] for event in answered["events"]] == ["TakebackAnswered", "PlayResumed"]
    assert game.summary()["takeback"] is None
    assert game.ada.act(game.id, event["action"]).status_code == 201


class TestNonces:
    """What people add to the seed of what is drawn anew if play resumes."""

    def test_the_events_of_a_takeback_have_the_nonces_that_were_sent(
        self, game: DisputedGame
    ) -> None:
        url = f"/api/v1/games/{game.id}/takebacks"
        assert game.ada.act(game.id).status_code == 201
        requested = post(game.ada, url, {"nonce": "aa01"})
        assert requested["data"]["nonce"] == "aa01"
        answer = {"agree": True, "nonce": ""}
        answered = post(game.bea, f"{url}/{requested['seq']}/answers", answer)
        assert answered["data"]["nonce"] == ""

    def test_the_events_of_a_dispute_have_the_nonces_that_were_sent(
        self, game: DisputedGame
    ) -> None:
        body = {"seq": 4, "statement": "x"}
        opened = post(game.ada, game.url, {**body, "nonce": "01"})
        url = f"{game.url}/{opened['seq']}"
        answered = post(game.bea, f"{url}/answers", {"statement": "y", "nonce": "02" * 64})
        ruled = post(game.zoe, f"{url}/rulings", {**DISMISSAL, "nonce": "03"})
        nonces = [event["data"]["nonce"] for event in (opened, answered, ruled)]
        assert nonces == ["01", "02" * 64, "03"]
        without = post(game.ada, game.url, {**body, "nonce": None})
        assert "nonce" not in without["data"]

    def test_a_proposed_ruling_has_the_nonce_that_was_sent(self, accounts: Accounts) -> None:
        public, (ada, bea) = accounts.start_game(rules="baron")
        url = f"/api/v1/games/{public}/disputes"
        number = post(ada, url, {"seq": 4, "statement": "x"})["seq"]
        proposed = [
            post(player, f"{url}/{number}/rulings", {**DISMISSAL, "nonce": nonce})
            for player, nonce in ((ada, "01"), (bea, "02"))
        ]
        assert [event["data"]["nonce"] for event in proposed] == ["01", "02"]

    def test_a_wrong_nonce_is_named(self, game: DisputedGame) -> None:
        assert game.ada.act(game.id).status_code == 201
        number = game.open(game.bea)
        takebacks = f"/api/v1/games/{game.id}/takebacks"
        requested = post(game.ada, takebacks, {})["seq"]
        requests: list[tuple[PlayerClient, str, Json]] = [
            (game.ada, game.url, {"seq": 4, "statement": "x"}),
            (game.ada, f"{game.url}/{number}/answers", {"statement": "x"}),
            (game.zoe, f"{game.url}/{number}/rulings", DISMISSAL),
            (game.ada, takebacks, {}),
            (game.bea, f"{takebacks}/{requested}/answers", {"agree": True}),
        ]
        for player, url, body in requests:
            for nonce in (1, "0", "AA", "00" * 65):
                response = player.http.post(url, json={**body, "nonce": nonce})
                assert (response.status_code, invalid_fields(response)) == (400, {"nonce"})

    def test_an_idempotency_key_covers_the_nonce(self, game: DisputedGame) -> None:
        body = {"seq": 4, "statement": "x", "nonce": "01"}
        first = post(game.ada, game.url, body, **USED)
        assert post(game.ada, game.url, body, **USED) == first
        for other in ({**body, "nonce": "02"}, {"seq": 4, "statement": "x"}):
            assert game.ada.http.post(game.url, json=other, headers=USED).status_code == 422


def test_every_refusal_in_the_order_of_the_statuses(game: DisputedGame, accounts: Accounts) -> None:
    public, (ada, bea) = accounts.start_game(options={"takebacks": True})
    outsider, base = game.outsider, f"/api/v1/games/{public}"
    closed = post(ada, f"{base}/disputes", {"seq": 4, "statement": "x"}, **USED)["seq"]
    assert ada.http.delete(f"{base}/disputes/{closed}").status_code == 204
    assert ada.act(public).status_code == 201
    lapsed = post(ada, f"{base}/takebacks", {})["seq"]
    post(bea, f"{base}/takebacks/{lapsed}/answers", {"agree": False}, **USED)
    statement, huge = {"statement": "x"}, {"statement": "x" * 70_000}
    bodies: dict[str, Json] = {
        "disputes": {"seq": 4, "statement": "x"},
        f"disputes/{closed}/answers": statement,
        f"disputes/{closed}/rulings": DISMISSAL,
        "takebacks": {},
        f"takebacks/{lapsed}/answers": {"agree": True},
    }
    for path, body in bodies.items():
        url, private = f"{base}/{path}", f"/api/v1/games/{game.id}/{path}"
        missing = url.replace(f"/{closed}/", "/1/").replace(f"/{lapsed}/", "/1/")
        assert outsider.http.post(private, json=body).status_code == 404
        assert outsider.http.post(private, content=b"{}").status_code == 404
        if missing != url:
            assert accounts.anonymous.post(missing, json=body).status_code == 404
            assert bea.http.post(missing, json={"x": 1}).status_code == 404
        assert outsider.http.post(url, json=body).status_code == 403
        assert outsider.http.post(url, json={"x": 1}).status_code == 403
        assert bea.http.post(url, json={"x": 1}).status_code == 400
        assert bea.http.post(url, json=huge).status_code == 413
        if path != "disputes":
            assert bea.http.post(url, json=body).status_code == 409
        assert bea.http.post(url, json=body, headers=USED).status_code == 422
    assert bea.http.post(f"{base}/disputes", json={"seq": 99, "statement": "x"}).status_code == 409
    dispute = f"{base}/disputes/{closed}"
    assert ada.http.delete(f"{base}/disputes/1").status_code == 404
    assert bea.http.delete(dispute, headers={"Idempotency-Key": ""}).status_code == 403
    assert ada.http.delete(dispute, headers={"Idempotency-Key": ""}).status_code == 400
    assert ada.http.delete(dispute).status_code == 409
    assert ada.http.delete(dispute, headers=USED).status_code == 422
    for url in (f"{base}/disputes", dispute):
        assert accounts.anonymous.get(url + "?seat=1").status_code == 400
    assert accounts.anonymous.get(f"{base}/disputes/1").status_code == 404
    assert accounts.anonymous.get(game.url).status_code == 404


def post(player: PlayerClient, url: str, body: Json, **headers: str) -> Json:
    """Send a request that must be accepted; return its first event."""
    response = player.http.post(url, json=body, headers=headers)
    assert response.status_code == 201, response.text
    event: Json = response.json()["events"][0]
    return event


def test_every_wrong_field_is_named(game: DisputedGame) -> None:
    long = "x" * 2001
    openings: list[tuple[Json, set[str]]] = [
        ({}, {"seq", "statement"}),
        ({"seq": 0, "statement": ""}, {"seq", "statement"}),
        ({"seq": "5", "statement": 5}, {"seq", "statement"}),
        ({"seq": 0, "statement": long}, {"seq", "statement"}),
        ({"seq": 5, "statement": " \n"}, {"statement"}),
        ({"seq": 5, "statement": long}, {"statement"}),
        ({"seq": 5, "statement": "a\u0000b"}, {"statement"}),
        ({"seq": 5, "statement": "a\u001b[2Jb"}, {"statement"}),
        ({"seq": 5, "statement": "a\u202eb"}, {"statement"}),
        ({"seq": 5, "statement": "a\u2028b"}, {"statement"}),
        ({"seq": 5, "statement": "x", "seat": 1}, {"seat"}),
    ]
    for body, fields in openings:
        response = game.ada.http.post(game.url, json=body)
        assert (response.status_code, invalid_fields(response)) == (400, fields)
    number = game.open(game.ada)
    rulings: list[tuple[Json, set[str]]] = [
        ({"statement": "x"}, {"ruling"}),
        ({"ruling": "dismiss"}, {"ruling"}),
        ({"ruling": {"type": "resume"}, "statement": long}, {"ruling.from", "statement"}),
        ({"ruling": {"type": "resume"}, "statement": 1}, {"ruling.from", "statement"}),
        ({"ruling": {"type": "result_stands"}}, {"statement"}),
    ]
    for body, fields in rulings:
        response = game.zoe.http.post(f"{game.url}/{number}/rulings", json=body)
        assert (response.status_code, invalid_fields(response)) == (400, fields)
    assert game.summary()["dispute"]["dispute"] == number


def test_a_repeated_request_takes_effect_once(game: DisputedGame) -> None:
    body = {"seq": 4, "statement": "x"}
    first = post(game.ada, game.url, body, **USED)
    rulings = f"{game.url}/{first['seq']}/rulings"
    ruled = post(game.zoe, rulings, DISMISSAL, **USED)
    assert post(game.ada, game.url, body, **USED) == first
    assert post(game.zoe, rulings, DISMISSAL, **USED) == ruled
    listed = game.ada.http.get(game.url).json()
    assert len(listed["disputes"]) == 1


class TestArbiter:
    """The arbiter is named by the creator, sees a private game, and never plays in it."""

    def test_only_the_arbiter_rules(self, game: DisputedGame) -> None:
        number = game.open(game.ada)
        rulings = f"{game.url}/{number}/rulings"
        assert game.bea.http.post(rulings, json=DISMISSAL).status_code == 403
        assert game.zoe.http.post(rulings, json=DISMISSAL).status_code == 201

    def test_the_arbiter_sees_a_private_game_as_a_spectator(self, game: DisputedGame) -> None:
        zoe, url = game.zoe.http, f"/api/v1/games/{game.id}"
        for path in ("", "/position", "/events", "/events/4", "/record", "/disputes"):
            assert zoe.get(url + path).status_code == 200
        assert zoe.get(f"{url}/legal-actions").status_code == 403
        games = zoe.get("/api/v1/games").json()["games"]
        assert game.id in [listed["id"] for listed in games]
        for path in ("disputes", "takebacks"):
            body = {"seq": 4, "statement": "x"} if path == "disputes" else {}
            assert zoe.post(f"{url}/{path}", json=body).status_code == 403

    def test_the_arbiter_is_not_a_player(self, accounts: Accounts) -> None:
        ada, zoe = accounts.register(), accounts.register()
        game_id = ada.create_game(2, arbiter=zoe.handle)
        assert zoe.http.post(f"/api/v1/games/{game_id}/players", json={}).status_code == 409
        body = {"rules": "barony", "seats": 2}
        for arbiter, invited in (
            (ada.handle, []),
            ("nobody-at-all", []),
            (zoe.handle, [zoe.handle]),
        ):
            fields = {**body, "arbiter": arbiter, "invite": invited}
            response = ada.http.post("/api/v1/games", json=fields)
            assert (response.status_code, invalid_fields(response)) == (400, {"arbiter"})
