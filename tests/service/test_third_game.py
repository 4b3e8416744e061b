"""A rule system that is unknown to the service is played through the whole service, with secrets.

Only the registry knows it, by tests/support/token_game.py.
"""

import asyncio
from collections.abc import Iterator
from io import BytesIO

import pytest

from domain.json_types import JsonObject
from ledger.record import Record, read
from replay.audit import audit
from service.bootstrap import Service
from service.settings import Settings
from tests.support import token_game
from tests.support.accounts import Accounts, PlayerClient
from tests.support.records import secret_values, trusting_signer
from tests.support.server import WebServer
from tests.support.streams import open_stream
from tests.support.worker_harness import RecordingChannel, WorkerHarness

REGISTER = (
    "from tests.support import token_game\n"
    "registration = token_game.registered()\n"
    "registration.__enter__()"
)
"""Registers the game in the process of the web server."""


@pytest.fixture
def accounts(settings: Settings) -> Iterator[Accounts]:
    with (
        token_game.registered(),
        WebServer(settings, setup_code=REGISTER, is_setup_before_imports=True) as server,
    ):
        accounts = Accounts(server.url)
        yield accounts
        accounts.close()


def test_a_third_game_is_played_from_its_creation_to_its_audited_record(
    accounts: Accounts, service: Service
) -> None:
    options = {"stones": 14, "round_limit": 9}
    game, players = accounts.start_game(3, rules="stones", options=options, clock={"per_turn": 600})
    channel = RecordingChannel()
    workers = WorkerHarness(service, channel)
    start = 5
    lucky = [own_number(player, game, seat) for seat, player in enumerate(players)]
    assert numbers(accounts, game) == [None] * 3
    assert secret_values(read_record(accounts, game, None)) == {}
    assert secret_values(read_record(accounts, game, players[1])) == {"lucky/1": lucky[1]}

    action_events = []
    while (seat := summary(accounts, game)["to_act"]) is not None:
        seq, actions = players[seat].legal_actions(game)
        assert players[seat - 1].legal_actions(game) == (seq, [])
        wrong = players[seat].act(game, {"type": "take", "stones": 4}, seq)
        assert (wrong.status_code, wrong.json()["clause"]) == (422, "ST-TAKE")
        malformed = players[seat].act(game, {"type": "grab"}, seq)
        assert (malformed.status_code, malformed.json()["clause"]) == (400, "FORMAT")
        assert players[seat - 1].act(game, actions[0], seq).json()["clause"] == "ST-TURN"
        accepted = players[seat].act(game, actions[-1], seq).json()
        action_events += accepted["events"]
        assert accepted["receipt"]["hash"] == accepted["events"][0]["hash"]
        workers.scheduler.enqueue_tasks_of({game})
        workers.work()
    # Scoring the last round adds outbox entries, and so does the end of the game.
    for _ in range(2):
        workers.scheduler.enqueue_tasks_of({game})
        workers.work()
    workers.close()

    final = summary(accounts, game)
    assert (final["rules"], final["status"]) == ("stones", "finished")
    log = accounts.anonymous.get(f"/api/v1/games/{game}/events?limit=500").json()["events"]
    assert [event for event in log if event["action"]] == action_events
    assert asyncio.run(streamed(accounts.url, game)) == log
    rounds = [event["data"]["round"] for event in log if event["type"] == "RoundScored"]
    assert rounds == list(range(1, len(rounds) + 1))
    assert len(rounds) > 1
    subjects = {notification.subject for notification in channel.sent}
    assert subjects == {"game_started", "your_turn", "round_scored", "game_over"}
    assert {notification.rules for notification in channel.sent} == {"stones"}

    # After the end, every viewer sees all secrets at every event.
    assert numbers(accounts, game) == numbers(accounts, game, start) == lucky
    record = accounts.anonymous.get(f"/api/v1/games/{game}/record").content
    assert {"lucky/0", "lucky/1", "lucky/2", "values"} == secret_values(
        read(BytesIO(record))
    ).keys()
    report = audit(BytesIO(record), trusted=trusting_signer(record))
    assert report.findings == []
    assert report.unknowns == []


def test_a_third_game_checks_its_own_options(accounts: Accounts) -> None:
    body = {"rules": "stones", "seats": 2, "options": {"stones": 0, "sorcery": True}}
    response = accounts.register().http.post("/api/v1/games", json=body)
    assert response.status_code == 400
    wrong = {error["field"] for error in response.json()["errors"]}
    assert wrong == {"options.stones", "options.sorcery"}


def summary(accounts: Accounts, game: str) -> JsonObject:
    body: JsonObject = accounts.anonymous.get(f"/api/v1/games/{game}").json()
    return body


def numbers(accounts: Accounts, game: str, seq: int | None = None) -> list[int | None]:
    """Return the lucky numbers that a spectator sees, by seat."""
    query = "" if seq is None else f"?seq={seq}"
    position = accounts.anonymous.get(f"/api/v1/games/{game}/position{query}").json()
    return [player["lucky"] for player in position["players"]]


def own_number(player: PlayerClient, game: str, seat: int) -> int:
    """Return the lucky number of a player, after checking that the player sees no other."""
    entries = player.http.get(f"/api/v1/games/{game}/position").json()["players"]
    assert [entry["seat"] for entry in entries if entry["lucky"] is not None] == [seat]
    return int(entries[seat]["lucky"])


def read_record(accounts: Accounts, game: str, viewer: PlayerClient | None) -> Record:
    client = accounts.anonymous if viewer is None else viewer.http
    data = client.get(f"/api/v1/games/{game}/record").content
    assert audit(BytesIO(data)).verdict != "broken"
    return read(BytesIO(data))


async def streamed(url: str, game: str) -> list[JsonObject]:
    """Return all events in the stream of a game that has ended."""
    reader = await open_stream(url, f"/api/v1/games/{game}/stream")
    events = []
    while (received := await reader.next()) is not None:
        if received.id is not None:
            events.append(received.data)
    await reader.close()
    return events
