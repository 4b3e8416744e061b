"""Sandboxes over HTTP: made from a game, changed by their maker, visible to everybody with the link."""

from typing import Any

import httpx

from tests.support.accounts import Accounts, PlayerClient
from tests.support.http_contract import invalid_fields

PATH = "/api/v1/sandboxes"
Json = dict[str, Any]


def create(player: PlayerClient, game: str, **fields: Any) -> httpx.Response:
    return player.http.post(PATH, json={"game": game, **fields})


def created(player: PlayerClient, game: str, **fields: Any) -> Json:
    response = create(player, game, **fields)
    assert response.status_code == 201, response.text
    body: Json = response.json()
    assert response.headers["Location"] == f"{PATH}/{body['id']}"
    return body


def post(player: PlayerClient, sandbox: Json, kind: str, **body: Any) -> httpx.Response:
    return player.http.post(f"{PATH}/{sandbox['id']}/{kind}", json=body)


class TestSandboxes:
    def test_a_player_tries_actions_that_leave_no_trace_in_the_game(
        self, accounts: Accounts
    ) -> None:
        game, (ada, _) = accounts.start_game()
        before = accounts.anonymous.get(f"/api/v1/games/{game}").json()
        sandbox = created(ada, game)
        assert (sandbox["game"], sandbox["seq"], sandbox["as"]) == (game, 4, 0)
        assert sandbox["legal_actions"] == ada.legal_actions(game)[1]
        first = sandbox["legal_actions"][0]
        changed = post(ada, sandbox, "actions", action=first, after=0).json()
        assert changed["actions"][0]["action"] == first
        assert changed["to_act"] == 1
        changed = post(ada, sandbox, "actions", action=changed["legal_actions"][0], seat=1).json()
        bots = post(ada, sandbox, "bots", seats=[0, 1], bot="random", turns=2).json()
        assert [action["bot"] for action in bots["actions"]] == [None, None, "random", "random"]
        assert accounts.anonymous.get(f"{PATH}/{sandbox['id']}").json() == bots
        undone = post(ada, sandbox, "undo", count=2).json()
        assert undone["actions"] == changed["actions"]
        assert undone["position"] == changed["position"]
        assert (
            ada.http.post(f"{PATH}/{sandbox['id']}/undo").json()["actions"]
            == (changed["actions"][:1])
        )
        assert accounts.anonymous.get(f"/api/v1/games/{game}").json() == before

    def test_a_sandbox_is_made_only_by_somebody_who_may_see_the_game(
        self, accounts: Accounts
    ) -> None:
        game, (ada, _) = accounts.start_game()
        stranger = accounts.register()
        private = ada.create_game(options={"private": True})
        opened = ada.create_game()
        assert create(stranger, game).status_code == 403
        for unknown in (private, "nothing"):
            assert create(stranger, unknown).status_code == 404
        assert create(ada, game, seq=99).status_code == 404
        assert create(ada, opened).status_code == 409
        assert create(ada, game, seq=2).status_code == 409
        refused = ada.http.post(PATH, json={"seq": -1, "seed": "x", "as": 1})
        assert (refused.status_code, invalid_fields(refused)) == (
            400,
            {"game", "seq", "seed", "as"},
        )

    def test_a_sandbox_is_changed_only_by_its_maker_and_by_the_rules(
        self, accounts: Accounts
    ) -> None:
        game, (ada, bea) = accounts.start_game()
        sandbox = created(ada, game)
        path = f"{PATH}/{sandbox['id']}"
        bodies: dict[str, Json] = {
            "actions": {"action": sandbox["legal_actions"][0]},
            "bots": {"seats": [0]},
            "undo": {},
        }
        for kind, body in bodies.items():
            assert bea.http.post(f"{path}/{kind}", json={"nonsense": 1}).status_code == 403
            assert bea.http.post(f"{PATH}/unknown/{kind}", json={"x": 1}).status_code == 404
            assert ada.http.post(f"{path}/{kind}", json={**body, "x": 1}).status_code == 400
            assert ada.http.post(f"{path}/{kind}", json={**body, "after": 7}).status_code == 409
        refused = post(ada, sandbox, "actions", action={"type": "place_city", "at": [99, 99]})
        assert (refused.status_code, refused.json()["clause"][:3]) == (422, "BY-")
        malformed = post(ada, sandbox, "actions", action={"type": "place_city"})
        assert invalid_fields(malformed) == {"action.at"}
        assert invalid_fields(post(ada, sandbox, "actions", action={"type": "pass"}, seat=9)) == {
            "seat"
        }
        assert invalid_fields(post(ada, sandbox, "bots", seats=[9], bot="clever")) == {
            "seats",
            "bot",
        }
        assert invalid_fields(post(ada, sandbox, "bots", seats=[1] * 101)) == {"seats"}
        assert post(ada, sandbox, "undo", count=1).status_code == 409
        assert accounts.anonymous.get(path).json() == sandbox

    def test_a_sandbox_is_deleted_by_its_maker(self, accounts: Accounts) -> None:
        game, (ada, bea) = accounts.start_game()
        path = f"{PATH}/{created(ada, game)['id']}"
        assert bea.http.delete(path).status_code == 403
        assert accounts.anonymous.get(f"{path}?seat=1").status_code == 400
        assert ada.http.delete(path).status_code == 204
        assert accounts.anonymous.get(path).status_code == 404
        assert ada.http.delete(path).status_code == 404

    def test_equal_seeds_give_equal_sandboxes_of_a_game_with_secrets(
        self, accounts: Accounts
    ) -> None:
        game, (ada, bea) = accounts.start_game(rules="baron")
        first, second = (
            {**post(ada, created(ada, game, seed="00"), "bots", seats=[0], turns=9).json(), **same}
            for same in [{"id": "", "expires": ""}] * 2
        )
        assert first == second
        own = ada.http.get(f"/api/v1/games/{game}/position").json()["players"][0]["reserve"]
        assert created(ada, game)["position"]["players"][0]["reserve"] == own
        assert created(bea, game)["as"] == 1
