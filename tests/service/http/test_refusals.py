"""A refused request changes nothing, anywhere: all of Redis is compared before and after."""

from typing import Any

import pytest
import redis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.accounts import PASSWORD, Accounts, PlayerClient
from tests.support.http_contract import Json
from tests.support.redis_contents import digest

RESIGN = {"type": "resign"}


class Scene:
    """A game under way, one that is open, one that is being scored, a private one, and who is there."""

    def __init__(self, accounts: Accounts) -> None:
        self.accounts = accounts
        self.game, (self.ada, self.bea) = accounts.start_game()
        self.cid = accounts.register()
        self.open = self.ada.create_game(3)
        self.private = self.bea.create_game(options={"private": True})
        self.ending, (dan, self.eve) = accounts.start_game()
        assert dan.act(self.ending, RESIGN, 4).status_code == 201
        _, self.legal = self.ada.legal_actions(self.game)
        assert self.ada.act(self.game, self.legal[0], 4, **{"Idempotency-Key": "k"}).is_success
        # What a game's key needs once is there before anything is compared.
        accounts.anonymous.get(f"/api/v1/games/{self.game}/record")

    def refused(self) -> list[tuple[int, PlayerClient | None, str, str, Any, Json]]:
        """Requests that are refused: status, who, method, path, body, headers."""
        game = f"/games/{self.game}"
        act = f"{game}/actions"
        table = {"rules": "barony", "seats": 2}
        _, now = self.bea.legal_actions(self.game)
        key, once = {"Idempotency-Key": "k"}, {"Idempotency-Key": "new"}
        resign, early = at(5, RESIGN), at(2, RESIGN)
        here, there = f"/games/{self.open}", f"/games/{self.private}"
        ada, bea, cid = self.ada, self.bea, self.cid
        return [
            (400, None, "POST", "/players", {"handle": "x y", "password": PASSWORD}, {}),
            (409, None, "POST", "/players", {"handle": ada.handle, "password": PASSWORD}, {}),
            (401, None, "POST", "/tokens", {"handle": ada.handle, "password": "no"}, {}),
            (401, None, "DELETE", "/tokens/current", None, {}),
            (401, None, "POST", "/games", table, {}),
            (400, ada, "POST", "/games", {**table, "seats": 5}, {}),
            (400, ada, "POST", "/games", {**table, "seats": 5}, once),
            (400, ada, "POST", "/games", {**table, "invite": ["nobody-here"]}, {}),
            (400, ada, "POST", "/games", table, {"Idempotency-Key": "x" * 256}),
            (409, cid, "POST", f"{game}/players", {}, {}),
            (409, ada, "POST", f"{here}/players", {}, once),
            (400, cid, "POST", f"{here}/players", {"nonce": "0"}, {}),
            (404, cid, "POST", f"{there}/players", {}, {}),
            (409, ada, "DELETE", f"{game}/players/me", None, {}),
            (409, cid, "DELETE", f"{here}/players/me", None, {}),
            (401, None, "POST", act, resign, {}),
            (403, cid, "POST", act, resign, {}),
            (404, cid, "POST", f"{there}/actions", early, {}),
            (409, ada, "POST", f"{here}/actions", early, {}),
            (409, self.eve, "POST", f"/games/{self.ending}/actions", resign, {}),
            (409, bea, "POST", act, at(4, now[0]), {}),
            (409, bea, "POST", act, at(6, now[0]), {}),
            (400, bea, "POST", act, {"action": now[0], "expected_seq": True}, {}),
            (400, bea, "POST", act, at(5, {"type": "dance"}), once),
            (422, bea, "POST", act, at(5, {"type": "place_city", "at": [99, 99]}), once),
            (422, ada, "POST", act, at(5, self.legal[0]), {}),
            (422, ada, "POST", act, resign, key),
            (413, bea, "POST", act, at(5, {"type": "x" * 65536}), {}),
            (405, ada, "PUT", game, {}, {}),
            (404, ada, "POST", "/games/nothing/actions", resign, {}),
        ]


def at(seq: int, action: Json) -> Json:
    """The body that acts on a position."""
    return {"action": action, "expected_seq": seq}


@pytest.fixture
def scene(accounts: Accounts) -> Scene:
    """The scene of these tests."""
    return Scene(accounts)


def test_a_refused_request_changes_nothing(scene: Scene, store: redis.Redis) -> None:
    for status, who, method, path, body, headers in scene.refused():
        client = scene.accounts.anonymous if who is None else who.http
        before = digest(store)
        response = client.request(method, "/api/v1" + path, json=body, headers=headers)
        assert response.status_code == status, (method, path, body, response.text)
        assert digest(store) == before, (method, path, body)
    unlike_json = scene.bea.http.post(f"/api/v1/games/{scene.game}/actions", content=b"{}")
    assert unlike_json.status_code == 415
    # And what is legal is so still: nothing of what was refused stands in its way.
    assert scene.bea.act(scene.game).status_code == 201


def test_reading_changes_nothing(scene: Scene, store: redis.Redis) -> None:
    before = digest(store)
    for game in (scene.game, scene.open, scene.private, scene.ending, "nothing"):
        for path in ("", "/position", "/legal-actions", "/events", "/events/1", "/record"):
            scene.bea.http.get(f"/api/v1/games/{game}{path}")
    for path in ("/games", "/me", "/keys", "/openapi.json", "/../../healthz", "/docs"):
        scene.bea.http.get("/api/v1" + path)
    assert digest(store) == before


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-9, 99)
    | st.sampled_from(["place_city", "pass", "0,0", ""]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "at", "action", "expected_seq", "x"]), inner, max_size=3
        )
    ),
    max_leaves=8,
)
bodies = values | st.fixed_dictionaries({"action": values, "expected_seq": values | st.just(4)})


class TestWhateverIsSent:
    @pytest.fixture
    def seat(self, accounts: Accounts) -> tuple[str, list[PlayerClient]]:
        return accounts.start_game()

    @given(body=bodies)
    @settings(
        max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
    )
    def test_is_refused_in_good_form(
        self, seat: tuple[str, list[PlayerClient]], store: redis.Redis, body: Any
    ) -> None:
        game, (ada, bea) = seat
        for person in (ada, bea):
            before = digest(store)
            response = person.http.post(f"/api/v1/games/{game}/actions", json=body)
            if response.status_code == 201:
                raise AssertionError(f"{body} is an action after all")
            assert response.status_code in {400, 409, 415, 422}
            assert digest(store) == before
