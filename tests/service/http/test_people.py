"""Who of the people of a game is there, and who is ready to begin."""

from typing import Any

import pytest
import redis

from service import wall_clock
from service.accounts.presence import HERE_SECONDS, presence_key
from tests.support.accounts import Accounts, PlayerClient

PEOPLE = "/api/v1/games/{game}/people"


def people_of(game: str, viewer: PlayerClient) -> dict[str, Any]:
    """Return the people of a game by id, as one of them sees them."""
    response = viewer.http.get(f"/api/v1/games/{game}/people")
    assert response.status_code == 200, response.text
    return {person.pop("id"): person for person in response.json()["people"]}


def visit(client: redis.Redis, game: str, player: PlayerClient, seconds: float = 0) -> None:
    """Let a player have been in a game so long ago."""
    at = wall_clock.milliseconds(wall_clock.now()) - round(1000 * seconds)
    client.zadd(presence_key(player.id), {game: at})


@pytest.mark.parametrize("is_private", [True, False])
def test_only_the_people_of_a_game_see_who_is_there(
    accounts: Accounts, redis_client: redis.Redis, *, is_private: bool
) -> None:
    ada, bea, cid, dan = (accounts.register() for _ in range(4))
    game = ada.create_game(
        2, options={"private": is_private}, invite=[bea.handle], arbiter=cid.handle
    )
    path = PEOPLE.format(game=game)
    # Who is invited but has not joined is not in the game.
    assert bea.http.get(path).status_code == 403
    bea.join(game)
    visit(redis_client, game, ada)
    visit(redis_client, game, bea, HERE_SECONDS + 5)
    for viewer in (ada, bea, cid):
        people = people_of(game, viewer)
        assert list(people) == [ada.id, bea.id, cid.id]
        assert [person["here"] for person in people.values()] == [True, False, False]
        assert people[ada.id]["seen"] > people[bea.id]["seen"]
        assert people[cid.id] == {"handle": cid.handle, "here": False, "seen": None, "ready": False}
    refused = 404 if is_private else 403
    assert dan.http.get(path).status_code == refused
    assert accounts.anonymous.get(path).status_code == (404 if is_private else 401)


def test_a_player_hides_their_presence(accounts: Accounts, redis_client: redis.Redis) -> None:
    game, (ada, bea) = accounts.start_game()
    visit(redis_client, game, ada)
    assert people_of(game, bea)[ada.id]["here"]
    assert ada.http.get("/api/v1/me").json()["player"]["presence"] == "shown"
    response = ada.http.patch("/api/v1/me", json={"presence": "hidden"})
    assert response.json()["player"]["presence"] == "hidden"
    assert people_of(game, bea)[ada.id]["seen"] is None
    visit(redis_client, game, ada)
    assert people_of(game, bea)[ada.id]["seen"] is None
    assert ada.http.patch("/api/v1/me", json={"presence": "some"}).status_code == 400
    for shown in ("shown", None):
        response = ada.http.patch("/api/v1/me", json={"presence": shown})
        assert response.json()["player"]["presence"] == "shown"


def test_a_player_is_ready_until_they_leave_or_the_game_starts(accounts: Accounts) -> None:
    ada, bea, cid = (accounts.register() for _ in range(3))
    game = ada.create_game(3)
    bea.join(game)
    path = f"/api/v1/games/{game}/ready"
    assert bea.http.put(path, json={"ready": True}).status_code == 204
    assert bea.http.put(path, json={"ready": True}).status_code == 204
    assert {id: person["ready"] for id, person in people_of(game, ada).items()} == {
        ada.id: False,
        bea.id: True,
    }
    assert ada.http.put(path, json={"ready": "yes"}).status_code == 400
    assert cid.http.put(path, json={"ready": True}).status_code == 403
    assert bea.http.put(path, json={"ready": False}).status_code == 204
    assert not people_of(game, ada)[bea.id]["ready"]
    bea.http.put(path, json={"ready": True})
    bea.http.delete(f"/api/v1/games/{game}/players/me").raise_for_status()
    bea.join(game)
    assert not people_of(game, ada)[bea.id]["ready"]
    bea.http.put(path, json={"ready": True})
    cid.join(game)
    assert not people_of(game, ada)[bea.id]["ready"]
    assert bea.http.put(path, json={"ready": True}).status_code == 409
