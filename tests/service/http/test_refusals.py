"""A refused request changes nothing: the whole contents of Redis are the same before and after.

The requests ask for the language that marks every template, and no problem has a word outside of the marks.
"""

from dataclasses import dataclass, field
from typing import Any

import pytest
import redis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.accounts import PASSWORD, Accounts, PlayerClient
from tests.support.http_contract import Json
from tests.support.pseudo_locale import LANGUAGE as PSEUDO_LANGUAGE
from tests.support.redis_contents import digest

RESIGN = {"type": "resign"}


@dataclass
class Refused:
    """A request that must be refused with `status`; `player` is None for a client without a token."""

    status: int
    player: PlayerClient | None
    method: str
    path: str
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)


class Games:
    """Games in different states: one under way, an open one, a private one, and one that is being scored.

    `ada` and `bea` play in the game under way, `cid` in none, and `eve` in the one that is being scored.
    """

    def __init__(self, accounts: Accounts) -> None:
        self.accounts = accounts
        self.playing, (self.ada, self.bea) = accounts.start_game()
        self.cid = accounts.register()
        self.open = self.ada.create_game(3)
        self.private = self.bea.create_game(options={"private": True})
        self.scoring, (dan, self.eve) = accounts.start_game()
        assert dan.act(self.scoring, RESIGN, 4).status_code == 201
        _, self.actions_of_ada = self.ada.legal_actions(self.playing)
        key = {"Idempotency-Key": "used"}
        assert self.ada.act(self.playing, self.actions_of_ada[0], 4, **key).is_success

    def refused_requests(self) -> list[Refused]:
        """Return requests for all reasons of a refusal."""
        ada, bea, cid, eve = self.ada, self.bea, self.cid, self.eve
        playing, open_, private, scoring = (
            f"/games/{game}" for game in (self.playing, self.open, self.private, self.scoring)
        )
        act = f"{playing}/actions"
        _, (action, *_) = bea.legal_actions(self.playing)
        new_game = {"rules": "barony", "seats": 2}
        used_key, new_key = {"Idempotency-Key": "used"}, {"Idempotency-Key": "new"}
        resign, early = submission(5, RESIGN), submission(2, RESIGN)
        return [
            Refused(400, None, "POST", "/players", {"handle": "x y", "password": PASSWORD}),
            Refused(409, None, "POST", "/players", {"handle": ada.handle, "password": PASSWORD}),
            Refused(401, None, "POST", "/tokens", {"handle": ada.handle, "password": "no"}),
            Refused(401, None, "DELETE", "/tokens/current"),
            Refused(401, None, "POST", "/games", new_game),
            Refused(400, ada, "POST", "/games", {**new_game, "seats": 5}),
            Refused(400, ada, "POST", "/games", {**new_game, "seats": 5}, new_key),
            Refused(400, ada, "POST", "/games", {**new_game, "invite": ["nobody-here"]}),
            Refused(400, ada, "POST", "/games", new_game, {"Idempotency-Key": "x" * 256}),
            Refused(409, cid, "POST", f"{playing}/players", {}),
            Refused(409, ada, "POST", f"{open_}/players", {}, new_key),
            Refused(400, cid, "POST", f"{open_}/players", {"nonce": "0"}),
            Refused(404, cid, "POST", f"{private}/players", {}),
            Refused(409, ada, "DELETE", f"{playing}/players/me"),
            Refused(409, cid, "DELETE", f"{open_}/players/me"),
            Refused(401, None, "POST", act, resign),
            Refused(403, cid, "POST", act, resign),
            Refused(404, cid, "POST", f"{private}/actions", early),
            Refused(409, ada, "POST", f"{open_}/actions", early),
            Refused(409, eve, "POST", f"{scoring}/actions", resign),
            Refused(409, bea, "POST", act, submission(4, action)),
            Refused(409, bea, "POST", act, submission(6, action)),
            Refused(400, bea, "POST", act, {"action": action, "expected_seq": True}),
            Refused(400, bea, "POST", act, submission(5, {"type": "dance"}), new_key),
            Refused(422, bea, "POST", act, submission(5, FAR_CITY), new_key),
            Refused(422, ada, "POST", act, submission(5, self.actions_of_ada[0])),
            Refused(422, ada, "POST", act, resign, used_key),
            Refused(413, bea, "POST", act, submission(5, {"type": "x" * 65536})),
            Refused(405, ada, "PUT", playing, {}),
            Refused(404, ada, "POST", "/games/nothing/actions", resign),
        ]


FAR_CITY = {"type": "place_city", "at": [99, 99]}


def submission(seq: int, action: Json) -> Json:
    """Return the body that submits an action."""
    return {"action": action, "expected_seq": seq}


@pytest.fixture
def games(accounts: Accounts) -> Games:
    return Games(accounts)


def digest_without_guesses(client: redis.Redis) -> bytes:
    """Return the digest of the content of Redis, without the counts of wrong passwords."""
    for key in client.scan_iter("cartulary:password-guesses:*"):
        client.delete(key)
    return digest(client)


def test_a_refused_request_changes_nothing(games: Games, redis_client: redis.Redis) -> None:
    for request in games.refused_requests():
        client = games.accounts.anonymous if request.player is None else request.player.http
        before = digest_without_guesses(redis_client)
        response = client.request(
            request.method,
            "/api/v1" + request.path,
            json=request.body,
            headers={**request.headers, "Accept-Language": PSEUDO_LANGUAGE},
        )
        assert response.status_code == request.status, (request, response.text)
        assert digest_without_guesses(redis_client) == before, request
    not_json = games.bea.http.post(f"/api/v1/games/{games.playing}/actions", content=b"{}")
    assert not_json.status_code == 415
    # Nothing that was refused prevents a legal action.
    assert games.bea.act(games.playing).status_code == 201


def test_reading_changes_nothing(games: Games, redis_client: redis.Redis) -> None:
    # A web process publishes the key and the name of the transparency log when it starts.
    games.accounts.anonymous.get("/api/v1/keys").raise_for_status()
    before = digest(redis_client)
    for game in (games.playing, games.open, games.private, games.scoring, "nothing"):
        for path in ("", "/position", "/legal-actions", "/events", "/events/1", "/record"):
            games.bea.http.get(f"/api/v1/games/{game}{path}")
    for path in ("/games", "/me", "/keys", "/openapi.json", "/../../healthz", "/docs"):
        games.bea.http.get("/api/v1" + path)
    assert digest(redis_client) == before


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


class TestArbitraryBodies:
    @pytest.fixture
    def started_game(self, accounts: Accounts) -> tuple[str, list[PlayerClient]]:
        return accounts.start_game()

    @given(body=bodies)
    @settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_an_arbitrary_body_is_refused_and_changes_nothing(
        self, started_game: tuple[str, list[PlayerClient]], redis_client: redis.Redis, body: Any
    ) -> None:
        game, players = started_game
        for player in players:
            before = digest(redis_client)
            headers = {"Accept-Language": PSEUDO_LANGUAGE}
            response = player.http.post(f"/api/v1/games/{game}/actions", json=body, headers=headers)
            if response.status_code == 201:
                raise AssertionError(f"{body} is a legal action after all")
            assert response.status_code in {400, 409, 415, 422}
            assert digest(redis_client) == before
