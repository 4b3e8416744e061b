"""Everything is killed with SIGKILL, over and over, while games are played; then nothing is lost or doubled.

The default run is short. `make kill` does 200 kills and prints its figures, which stand in docs/running.md.
"""

import io
import random
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from replay.audit import audit
from service.bootstrap import Service, build
from service.settings import Settings
from tests.support.bot_players import Notebook, Table
from tests.support.service_processes import ServiceProcesses

SECONDS_TO_SETTLE = 90


@dataclass
class Count:
    """What is found in the logs, held against what was acknowledged."""

    games: int = 0
    finished: int = 0
    events: int = 0
    rounds: int = 0
    forfeits: int = 0
    lost: int = 0
    doubled: int = 0
    disordered: int = 0


@pytest.fixture
def processes(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[ServiceProcesses]:
    processes = ServiceProcesses(tmp_path, copies=request.param)
    processes.start()
    yield processes
    processes.stop()


@pytest.mark.parametrize("processes", [1], indirect=True)
def test_a_few_kills_lose_and_double_nothing(processes: ServiceProcesses) -> None:
    play_and_kill(processes, kills=8, tables=3, seed=1)


@pytest.mark.soak
@pytest.mark.parametrize("processes", [2], indirect=True)
def test_200_kills_lose_and_double_nothing(
    processes: ServiceProcesses, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = play_and_kill(processes, kills=200, tables=4, seed=int(time.time()))
    with capsys.disabled():
        print("\n\n" + "\n".join(f"  {name:<40}{value}" for name, value in figures.items()))  # noqa: T201


def play_and_kill(
    processes: ServiceProcesses, kills: int, tables: int, seed: int
) -> dict[str, Any]:
    """Play at some tables while parts are killed, see that all is as it should be; the figures."""
    began = time.monotonic()
    chance = random.Random(seed)
    notebook, late = Notebook(), threading.Event()
    playing = [
        Table(processes.url, notebook, seed * 100 + number, late) for number in range(tables)
    ]
    for table in playing:
        table.start()
    try:
        # All kinds alike, web and Redis not least, and none is left out in a short run.
        kinds = ["redis", "web", "worker", "scheduler"]
        for number in range(kills):
            time.sleep(chance.uniform(0.3, 1.2))
            kind = kinds[number % 4] if number < 8 else chance.choice(kinds)
            name = chance.choice([name for name in processes.names if name.startswith(kind)])
            processes.kill(name)
            time.sleep(chance.choice((0, 0, chance.uniform(0, 0.6))))
            processes.start_one(name)
            assert all(table.error is None for table in playing), said(playing)
    finally:
        late.set()
        for table in playing:
            table.join()
    assert all(table.error is None for table in playing), said(playing)
    service = build(
        Settings(
            processes.data,
            processes.redis.url,
            processes.redis.url,
            processes.data / "signing-key.pem",
        )
    )
    try:
        settle(service)
        count = compare(service, notebook)
    finally:
        service.redis.close()
    assert notebook.contradicted == []
    assert (count.lost, count.doubled, count.disordered) == (0, 0, 0)
    assert count.finished >= tables
    return {
        "seed": seed,
        "kills": sum(processes.kills.values()),
        **{f"  {kind}": number for kind, number in sorted(processes.kills.items())},
        "games played to their end": count.finished,
        "games whose creator got no response": count.games - count.finished,
        "events": count.events,
        "  acknowledged to a client": notebook.acknowledged,
        "  rounds scored": count.rounds,
        "  turns forfeited, players removed": count.forfeits,
        "requests that had to be repeated": notebook.repeated,
        "lost, duplicated, out of order": f"{count.lost}, {count.doubled}, {count.disordered}",
        "seconds": round(time.monotonic() - began),
    }


def settle(service: Service) -> None:
    """Wait until all that is noted is done."""
    deadline = time.monotonic() + SECONDS_TO_SETTLE
    while True:
        left = {
            game: notes
            for game in service.store.game_ids()
            if (notes := service.store.outbox(game))
        }
        if not left:
            break
        assert time.monotonic() < deadline, f"noted and not done: {left}"
        time.sleep(0.2)
    # And of the live ones only those are left that wait for players. One without a log was announced by a
    # web server that died before it had created it.
    while True:
        born = [game for game in service.store.active_games() if service.store.head(game)]
        over = {game for game in born if service.queries.game(game).status != "open"}
        if not over:
            break
        assert time.monotonic() < deadline, f"over and still live: {over}"
        time.sleep(0.2)


def compare(service: Service, notebook: Notebook) -> Count:
    """Look through every log."""
    count = Count()
    games = set(service.store.game_ids())
    count.lost += len(set(notebook.games) - games)
    for id in games:
        events = service.queries.events(id, 0, 100_000)
        count.games += 1
        count.events += len(events)
        acknowledged = notebook.events.get(id, {})

        # At its seq, with its hash, and once.
        hashes = {event["seq"]: event["hash"] for event in events}
        count.lost += sum(hashes.get(seq) != hash for seq, hash in acknowledged.items())
        count.doubled += len(events) - len({event["hash"] for event in events})
        # Every guest asked until there was an answer, so nothing else may have been done in their name.
        acted = {event["seq"] for event in events if event["action"] is not None}
        count.doubled += len(acted - acknowledged.keys())
        count.disordered += [event["seq"] for event in events] != list(range(1, len(events) + 1))

        types = [event["type"] for event in events]
        rounds = [event["data"]["round"] for event in events if event["type"] == "RoundScored"]
        count.rounds += len(rounds)
        count.doubled += len(rounds) - len(set(rounds))
        count.disordered += rounds != sorted(rounds)
        count.forfeits += types.count("TurnForfeited") + types.count("PlayerRemoved")

        game = service.queries.game(id)
        if id in notebook.games:
            assert game.status == "finished", f"{id} is {game.status}"
            assert types.count("GameFinished") == 1
            assert types[-1] == "GameFinished"
            # In order and without a gap; a game that ended in set-up had no round.
            assert rounds == list(range(1, game.rounds_scored + 1))
            assert not game.rounds_ended
            count.finished += 1
        else:
            # Created by a request whose answer was lost; nobody knows of it.
            assert types == ["GameCreated", "SeatTaken"]
        report = audit(
            io.BytesIO(service.queries.record(id)), receipts=notebook.receipts.get(id, [])
        )
        assert report.is_sound, report.first
    return count


def said(tables: list[Table]) -> str:
    """What went wrong at the tables."""
    return "; ".join(repr(table.error) for table in tables if table.error is not None)
