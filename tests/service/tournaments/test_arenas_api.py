"""Arenas over HTTP: what is created, and breaks."""

from datetime import timedelta
from typing import Any

import httpx
import pytest

from service import wall_clock
from service.bootstrap import build
from tests.service.tournaments.test_api import PATH, organiser
from tests.support.accounts import Accounts, PlayerClient
from tests.support.arenas import ARENA
from tests.support.http_contract import invalid_fields
from tests.support.server import WebServer
from tests.support.tournaments import settings

__all__ = ["organiser"]


def create(organiser: PlayerClient, **changes: Any) -> httpx.Response:
    """Send the request for an arena that begins when two have registered."""
    closes = wall_clock.now() + timedelta(days=1)
    fields: dict[str, Any] = {"format": ARENA, "most": 2, "starts_when_full": True}
    response: httpx.Response = organiser.http.post(
        PATH, json=settings(closes, **(fields | {"round_seconds": 900} | changes))
    )
    return response


def test_players_take_breaks_and_go_on(
    accounts: Accounts, organiser: PlayerClient, web: WebServer
) -> None:
    cup = f"{PATH}/{create(organiser).json()['id']}"
    ada, bea, cid = (accounts.register() for _ in range(3))
    for player in (ada, bea):
        assert player.http.put(f"{cup}/players/me").status_code == 200
        assert player.http.put(f"{cup}/break").status_code == 409
    id = cup.rsplit("/", 1)[1]
    service = build(web.settings)
    service.tournaments.progress.advance(id)
    service.redis.close()
    shown = ada.http.get(cup).json()
    assert shown["status"] == "running"
    assert shown["arena"]["resting"] == []
    assert [len(drawn["tables"]) for drawn in shown["drawn"]] == [1]
    for method in ("put", "delete"):
        call = f"{cup}/break"
        assert getattr(accounts.anonymous, method)(call).status_code == 401
        assert getattr(cid.http, method)(call).status_code == 409
        assert getattr(ada.http, method)(f"{PATH}/t{'0' * 16}/break").status_code == 404
    assert ada.http.delete(f"{cup}/break").status_code == 409
    assert ada.http.put(f"{cup}/break").status_code == 204
    assert ada.http.put(f"{cup}/break").status_code == 409
    resting = ada.http.get(cup).json()["arena"]["resting"]
    assert [ada.http.get(cup).json()["entrants"][number] for number in resting] == [ada.id]
    assert ada.http.delete(f"{cup}/break").status_code == 204
    assert ada.http.get(cup).json()["arena"]["resting"] == []
    # All places are taken, until somebody leaves.
    assert cid.http.put(f"{cup}/players/me").status_code == 409
    assert bea.http.delete(f"{cup}/players/me").status_code == 204
    assert cid.http.put(f"{cup}/players/me").status_code == 200
    assert len(cid.http.get(cup).json()["entrants"]) == 3


def test_nobody_learns_of_a_private_arena_by_a_break(
    accounts: Accounts, organiser: PlayerClient
) -> None:
    ada = accounts.register()
    response = create(organiser, private=True)
    hidden = ada.http.put(f"{PATH}/{response.json()['id']}/break")
    assert hidden.status_code == 404
    missing = ada.http.put(f"{PATH}/t{'0' * 16}/break")
    assert hidden.json().keys() == missing.json().keys()


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"format": {**ARENA, "minutes": 9}}, "format.minutes"),
        ({"format": {**ARENA, "minutes": True}}, "format.minutes"),
        ({"format": {**ARENA, "rounds": 3}}, "format.rounds"),
        ({"format": {**ARENA, "boards": 2}}, "format.boards"),
        ({"format": {**ARENA, "table_size": 6}}, "format.table_size"),
        ({"most": 257}, "most"),
        ({"half_point_byes": 1}, "half_point_byes"),
        ({"late_rounds": 1}, "late_rounds"),
        ({"round_seconds": 59}, "round_seconds"),
    ],
)
def test_an_arena_that_cannot_be_is_refused(
    organiser: PlayerClient, changes: dict[str, Any], field: str
) -> None:
    response = create(organiser, **changes)
    assert response.status_code == 400
    assert field in invalid_fields(response)
