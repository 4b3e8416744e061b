"""Nothing is lost or done twice while processes are killed with SIGKILL again and again during play.

The default test is short. `make kill` kills 200 times and prints figures, which are in docs/running.md.
"""

import io
import os
import random
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import orjson
import pytest

from domain.event import acting_seat
from ledger.commands import CLOCK
from replay.audit import audit
from service.bootstrap import Service, build
from service.settings import Settings
from service.store.redis_event_store import game_key
from tests.support.bot_players import Acknowledgements, BotTable
from tests.support.receiver import WebhookReceiver, webhook_receiver
from tests.support.service_processes import ServiceProcesses

SECONDS_TO_FINISH = 90
"""The time limit for the tasks that are left when the bots have stopped."""
KILLS = int(os.environ.get("KILLS", "200"))
"""How many processes the long test kills; `KILLS=40 make kill` takes a minute."""


@dataclass
class Counts:
    """The contents of the logs, compared with what the server acknowledged."""

    games: int = 0
    finished: int = 0
    abandoned: int = 0
    events: int = 0
    rounds: int = 0
    rounds_scored_twice: int = 0
    forfeits: int = 0
    bot_actions: int = 0
    lost: int = 0
    duplicated: int = 0
    out_of_order: int = 0


@pytest.fixture
def processes(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[ServiceProcesses]:
    """A service; the parameter is the number of workers and of schedulers."""
    processes = ServiceProcesses(tmp_path, copies=request.param)
    processes.start()
    yield processes
    processes.stop()


@pytest.mark.parametrize("processes", [1], indirect=True)
def test_a_few_kills_lose_and_duplicate_nothing(processes: ServiceProcesses) -> None:
    play_and_kill(processes, kills=6, tables=3, seed=1)


@pytest.mark.soak
@pytest.mark.parametrize("processes", [2], indirect=True)
def test_many_kills_lose_and_duplicate_nothing(
    processes: ServiceProcesses, capsys: pytest.CaptureFixture[str]
) -> None:
    statistics = play_and_kill(processes, kills=KILLS, tables=4, seed=int(time.time()))
    with capsys.disabled():
        print("\n\n" + "\n".join(f"  {name:<40}{value}" for name, value in statistics.items()))  # noqa: T201 # these are the figures for the docs


def play_and_kill(
    processes: ServiceProcesses, kills: int, tables: int, seed: int
) -> dict[str, Any]:
    """Let bots play at some tables while processes are killed, check every log, and return statistics."""
    start = time.monotonic()
    acknowledgements = Acknowledgements()
    with webhook_receiver() as receiver:
        kill_during_play(
            processes, acknowledgements, kills, tables, seed, without_password(receiver.url)
        )
        return check_everything(processes, acknowledgements, receiver, tables, start) | {
            "seed": seed
        }


def without_password(url: str) -> str:
    """Return the URL of a receiver without the name and the password, which a webhook may not have."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname}:{parts.port}{parts.path}"


def check_everything(
    processes: ServiceProcesses,
    acknowledgements: Acknowledgements,
    receiver: WebhookReceiver,
    tables: int,
    start: float,
) -> dict[str, Any]:
    """Wait for the workers, compare what is stored with what was acknowledged, and return statistics."""
    url, key = processes.redis.url, processes.data / "signing-key.pem"
    service = build(Settings(processes.data, url, url, key))
    try:
        wait_for_workers(service)
        counts = check_logs(service, acknowledgements)
        messages = check_messages(service, acknowledgements)
        deliveries = check_deliveries(service, receiver)
    finally:
        service.redis.close()
    assert acknowledgements.contradictions == []
    assert (counts.lost, counts.duplicated, counts.out_of_order) == (0, 0, 0)
    assert counts.rounds_scored_twice == 0
    assert counts.finished + counts.abandoned >= tables
    return {
        "kills": sum(processes.kills.values()),
        **{f"  {kind}": number for kind, number in sorted(processes.kills.items())},
        "games played to their end": counts.finished,
        "games abandoned by the clock": counts.abandoned,
        "games whose creator got no response": counts.games - counts.finished - counts.abandoned,
        "events": counts.events,
        "  acknowledged to a client": acknowledgements.number_of_events,
        "  actions of bots of the service": counts.bot_actions,
        "  rounds scored": counts.rounds,
        "  turns forfeited, players removed": counts.forfeits,
        "messages of players": messages,
        "deliveries to webhooks": deliveries,
        "requests that had to be repeated": acknowledgements.repeated_requests,
        "lost, duplicated, out of order": f"{counts.lost}, {counts.duplicated}, {counts.out_of_order}",
        "rounds scored twice": counts.rounds_scored_twice,
        "seconds": round(time.monotonic() - start),
    }


def kill_during_play(
    processes: ServiceProcesses,
    acknowledgements: Acknowledgements,
    kills: int,
    tables: int,
    seed: int,
    webhook: str,
) -> None:
    """Kill processes at random and start them again, while bots play."""
    chance, stop = random.Random(seed), threading.Event()
    threads = [
        BotTable(processes.url, acknowledgements, seed * 100 + number, stop, webhook)
        for number in range(tables)
    ]
    for thread in threads:
        thread.start()
    try:
        # The first kills cover every kind of process, so that a short run does too.
        kinds = ["redis", "web", "worker", "scheduler", "sender", "redis watcher"]
        for number in range(kills):
            time.sleep(chance.uniform(0.3, 1.2))
            kind = kinds[number % 6] if number < 12 else chance.choice(kinds)
            of_kind = [name for name in processes.names if name.rstrip(" 0123456789") == kind]
            name = chance.choice(of_kind)
            processes.kill(name)
            time.sleep(chance.choice((0, 0, chance.uniform(0, 0.6))))
            processes.start_one(name)
            assert_no_errors(threads)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert_no_errors(threads)


def assert_no_errors(threads: list[BotTable]) -> None:
    """Fail with the errors of the bots, if there are any."""
    errors = [repr(thread.error) for thread in threads if thread.error is not None]
    assert not errors, "; ".join(errors)


def wait_for_workers(service: Service) -> None:
    """Wait until all outboxes are empty, and only open games are active."""
    deadline = time.monotonic() + SECONDS_TO_FINISH
    while outboxes := {
        game_id: outbox
        for game_id in service.store.game_ids()
        if (outbox := service.store.outbox(game_id))
    }:
        assert time.monotonic() < deadline, f"outboxes that are not empty: {outboxes}"
        time.sleep(0.2)
    while ended := {
        game_id
        for game_id in service.store.active_games()
        # A game without a log was marked active by a web server that died before it had created it.
        if service.store.head(game_id) and service.queries.game(game_id).status != "open"
    }:
        assert time.monotonic() < deadline, f"ended, but still active: {ended}"
        time.sleep(0.2)


def check_logs(service: Service, acknowledgements: Acknowledgements) -> Counts:
    """Compare every log with what was acknowledged, and audit it."""
    counts = Counts()
    game_ids = set(service.store.game_ids())
    counts.lost += len(set(acknowledgements.games) - game_ids)
    for game_id in game_ids:
        events = service.queries.event_page(game_id, 0, 100_000)
        counts.games += 1
        counts.events += len(events)
        acknowledged = acknowledgements.event_hashes.get(game_id, {})

        # An acknowledged event is in the log once, at its seq and with its hash.
        hashes = {event["seq"]: event["hash"] for event in events}
        counts.lost += sum(hashes.get(seq) != hash for seq, hash in acknowledged.items())
        counts.duplicated += len(events) - len({event["hash"] for event in events})
        # Players repeat a request until it is acknowledged, so no other action of theirs may be in the log.
        game = service.queries.game(game_id)
        # What the clock does for absent players, nobody acknowledges.
        actions = {
            event["seq"]: acting_seat(event["by"])
            for event in events
            if event["action"] and event["by"] != CLOCK
        }
        bot_actions = {seq for seq, seat in actions.items() if seat in game.bot_seats}
        counts.bot_actions += len(bot_actions)
        counts.duplicated += len(actions.keys() - bot_actions - acknowledged.keys())
        counts.out_of_order += [event["seq"] for event in events] != [*range(1, len(events) + 1)]

        types = [event["type"] for event in events]
        rounds = [event["data"]["round"] for event in events if event["type"] == "RoundScored"]
        counts.rounds += len(rounds)
        counts.rounds_scored_twice += len(rounds) - len(set(rounds))
        counts.out_of_order += rounds != sorted(rounds)
        counts.forfeits += types.count("TurnForfeited") + types.count("PlayerRemoved")

        if game.status == "abandoned":
            # While no web server ran, the clock forfeited two turns of every seat.
            assert events[-1]["by"] == {"system": "clock"}
            counts.abandoned += 1
        elif game_id in acknowledgements.games:
            assert game.status == "finished", f"{game_id} is {game.status}"
            assert types.count("GameFinished") == 1
            assert types[-1] == "GameFinished"
            # The rounds are scored in order and without a gap. A game that ended in the set-up had no round.
            assert rounds == list(range(1, game.rounds_scored + 1))
            assert not game.rounds_ended
            counts.finished += 1
        else:
            # The response to its creation was lost, so no bot knows of this game.
            assert types == ["GameCreated", "SeatTaken"]
        receipts = acknowledgements.receipts.get(game_id, [])
        report = audit(io.BytesIO(b"".join(service.queries.record(game_id))), receipts=receipts)
        assert not report.is_broken, report.first
    return counts


def check_messages(service: Service, acknowledgements: Acknowledgements) -> int:
    """Every acknowledged message is stored once, and no other one is; return their number."""
    count = 0
    for game_id, texts in acknowledgements.messages.items():
        stored = service.redis.hgetall(game_key(game_id, "messages"))
        written = [orjson.loads(value)["text"] for name, value in stored.items() if name.isdigit()]
        assert sorted(written) == sorted(texts)
        count += len(texts)
    return count


def check_deliveries(service: Service, receiver: WebhookReceiver) -> int:
    """What was posted is about one thing for each delivery; return the number of deliveries.

    A sender that dies between the response and recording it posts the same delivery again.
    """
    content_of: dict[str, str] = {}
    for request in list(receiver.requests):
        id, data = request.headers["webhook-id"], dict(request.body["data"])
        assert data.pop("delivery") == id
        names = ("subject", "game", "seq", "players")
        content = repr([data.get(name) for name in names])
        assert content_of.setdefault(id, content) == content
    assert len(set(content_of.values())) == len(content_of), "a notification has two deliveries"
    return len(content_of)
