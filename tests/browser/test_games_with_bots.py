"""A visitor plays against bots over HTTP to the end of the game, on a service of real processes.

Without a browser: it is here because the browser tests start such a service.
"""

import io
import random
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from replay.audit import audit
from tests.support.processes import HANG_SECONDS, wait_until
from tests.support.running_service import RunningService

MAX_TURNS = 300


@pytest.fixture
def guest(running_service: RunningService) -> Iterator[httpx.Client]:
    """A client of a new guest."""
    with httpx.Client(base_url=f"{running_service.url}/api/v1", timeout=HANG_SECONDS) as client:
        token = client.post("/guests").json()["token"]
        client.headers["Authorization"] = f"Bearer {token}"
        yield client


@pytest.mark.parametrize(
    ("rules", "bots", "options"),
    [
        pytest.param(
            "barony", ["sensible", "random"], {"round_limit": 2}, marks=pytest.mark.nightly
        ),
        ("barony", ["random", "sensible"], {"round_limit": 2, "sorcery": True}),
        pytest.param("baron", ["sensible"], {}, marks=pytest.mark.nightly),
    ],
)
def test_a_guest_plays_against_bots_to_the_end(
    guest: httpx.Client, rules: str, bots: list[str], options: dict[str, Any]
) -> None:
    body = {"rules": rules, "seats": len(bots) + 1, "options": options, "bots": bots}
    game = guest.post("/games", json=body).json()
    path, chance = f"/games/{game['id']}", random.Random(1)
    (seat,) = [player["seat"] for player in game["players"] if "bot" not in player]
    for _ in range(MAX_TURNS):
        wait_until(lambda: _summary(guest, path)["to_act"] in (seat, None))
        if _summary(guest, path)["to_act"] is None:
            break
        legal = guest.get(f"{path}/legal-actions").json()
        action = {"action": chance.choice(legal["actions"]), "expected_seq": legal["seq"]}
        assert guest.post(f"{path}/actions", json=action).status_code == 201
    wait_until(lambda: _summary(guest, path)["status"] == "finished")
    record = guest.get(f"{path}/record").content
    report = audit(io.BytesIO(record))
    assert report.verdict != "broken", report.first


def _summary(client: httpx.Client, path: str) -> dict[str, Any]:
    summary: dict[str, Any] = client.get(path).json()
    return summary
