"""The scrub: it goes round all games in the time that is set, and reports damage until it is repaired."""

import re
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest
import redis
from click.testing import CliRunner
from freezegun import freeze_time

import workers.scrub
from cartulary.cli import cartulary
from service.bootstrap import Service, build
from service.connection import to_text
from service.http.app import create_app
from service.operation.append_only_file.parts import find_parts
from service.operation.data_folder import embedded_redis_url
from service.recovery.games import find_lost_events_of, remove_lost_events
from service.settings import Settings
from service.store.damaged_games import event_part
from service.store.redis_event_store import DAMAGED, game_key
from tests.support.damage import KINDS, change_digit, damage_event, store_lines, store_lines_at
from tests.support.processes import wait_until
from tests.support.running_service import RunningService
from tests.support.service_games import play_out, start_game, take_action
from tests.support.tournaments import advance, create, organiser, register, register_accounts
from tests.support.worker_harness import WorkerHarness
from workers.scrub import KEY, LOCK_KEY, Scrub

PERIOD = 1000.0


@pytest.fixture
def scrubbed(settings: Settings) -> Iterator[Service]:
    """A service whose games are all checked within PERIOD seconds."""
    service = build(replace(settings, scrub_seconds=PERIOD))
    yield service
    service.redis.close()


def play(service: Service, count: int, length: int = 6) -> list[str]:
    """Start games, play them for so many events, and log their heads."""
    games = [start_game(service).id for _ in range(count)]
    for game in games:
        while service.store.head(game) < length:
            take_action(service, game)
    service.transparency.head_log.log(games)
    return games


def status_of(running: RunningService, path: str) -> int:
    return httpx.get(running.url + path).status_code


def go_round(service: Service) -> None:
    """Make a whole round at once."""
    service.redis.delete(KEY)
    with freeze_time() as clock:
        Scrub(service).step()
        clock.tick(PERIOD)
        Scrub(service).step()


def state(service: Service) -> dict[str, object]:
    stored: dict[str, object] = orjson.loads(service.redis.get(KEY) or b"{}")
    return stored


@pytest.mark.parametrize("kind", KINDS)
def test_damage_is_reported_until_it_is_repaired(scrubbed: Service, kind: str) -> None:
    sound, damaged = play(scrubbed, 2)
    lines = damage_event(scrubbed, damaged, 4, KINDS[kind])
    go_round(scrubbed)
    assert {game: list(parts) for game, parts in scrubbed.damaged_games.parts().items()} == {
        damaged: [event_part(4)]
    }
    # The first damaged event moves.
    store_lines(scrubbed, damaged, [*lines[:1], change_digit(lines[1]), *lines[2:]])
    Scrub(scrubbed).step()
    assert list(scrubbed.damaged_games.parts()[damaged]) == [event_part(2)]
    store_lines(scrubbed, damaged, lines)
    Scrub(scrubbed).step()
    assert scrubbed.damaged_games.parts() == {}
    assert scrubbed.damaged_games.count() == 0
    for game in (sound, damaged):
        take_action(scrubbed, game)


@pytest.mark.parametrize("event", [2, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_damage_in_a_tournament_is_reported_until_it_is_repaired(
    scrubbed: Service, kind: str, event: int
) -> None:
    id = create(scrubbed, organiser(scrubbed)).id
    register(scrubbed, id, register_accounts(scrubbed, 2))
    advance(WorkerHarness(scrubbed))
    lines = scrubbed.tournaments.store.read(id)
    assert len(lines) == 3
    go_round(scrubbed)
    assert scrubbed.damaged_games.parts() == {}
    key = f"cartulary:{{tournament:{id}}}:events"
    store_lines_at(
        scrubbed,
        key,
        [KINDS[kind](line) if seq == event else line for seq, line in enumerate(lines, 1)],
    )
    go_round(scrubbed)
    damaged = {game: list(parts) for game, parts in scrubbed.damaged_games.parts().items()}
    assert damaged == {id: [event_part(event)]}
    store_lines_at(scrubbed, key, lines)
    Scrub(scrubbed).step()
    assert scrubbed.damaged_games.parts() == {}


def test_an_event_that_is_missing_at_the_end_is_found(scrubbed: Service) -> None:
    (game,) = play(scrubbed, 1)
    scrubbed.redis.xdel(game_key(game, "log"), "6-0")
    go_round(scrubbed)
    assert list(scrubbed.damaged_games.parts()[game]) == [event_part(6)]


def test_a_damaged_secret_is_found(scrubbed: Service) -> None:
    game = start_game(scrubbed, rules="baron")
    scrubbed.transparency.head_log.log([game.id])
    key = game_key(game.id, "secrets")
    names: Any = map(to_text, scrubbed.redis.hkeys(key))
    name = next(name for name in names if name.startswith(f"{game.start_seq}/"))
    stored: Any = scrubbed.redis.hget(key, name)
    opening = orjson.loads(stored)
    salt = opening["salt"]
    opening["salt"] = ("1" if salt[0] == "0" else "0") + salt[1:]
    scrubbed.redis.hset(key, name, orjson.dumps(opening))
    go_round(scrubbed)
    assert list(scrubbed.damaged_games.parts()[game.id]) == [event_part(game.start_seq)]


def test_an_archived_game_is_checked_too(scrubbed: Service) -> None:
    games = []
    for _ in range(2):
        game = play_out(scrubbed, start_game(scrubbed, round_limit=1).id)
        while scrubbed.games.commands.score(game.id):
            pass
        scrubbed.transparency.head_log.log([game.id])
        for entry, payload in scrubbed.store.outbox(game.id).items():
            scrubbed.store.ack(game.id, entry, payload)
        assert scrubbed.archive.move(game.id)
        games.append(game.id)
    go_round(scrubbed)
    assert scrubbed.damaged_games.parts() == {}
    stub = scrubbed.archive.stub(games[0])
    assert stub is not None
    assert scrubbed.settings.archive.startswith("file://")
    path = Path(scrubbed.settings.archive.removeprefix("file://")) / stub.object
    data = path.read_bytes()
    path.write_bytes(data[:100] + bytes([data[100] ^ 1]) + data[101:])
    go_round(scrubbed)
    assert list(scrubbed.damaged_games.parts()) == [games[0]]
    other = build(scrubbed.settings)
    response = create_app(other).test_client().get(f"/api/v1/games/{games[0]}/position?seq=3")
    assert response.status_code == 503
    assert response.get_json()["type"] == "urn:cartulary:problem:damaged"
    path.write_bytes(data)
    Scrub(scrubbed).step()
    assert scrubbed.damaged_games.parts() == {}
    other.redis.close()


def test_a_round_takes_the_time_that_is_set(scrubbed: Service) -> None:
    play(scrubbed, 10, length=4)
    with freeze_time() as clock:
        for tenth in range(10):
            Scrub(scrubbed).step()
            assert state(scrubbed)["checked"] in (tenth, tenth + 1)
            clock.tick(PERIOD / 10)
        assert state(scrubbed)["completed"] is None
        Scrub(scrubbed).step()
        assert state(scrubbed)["checked"] == 10
        assert state(scrubbed)["completed"] == pytest.approx(time.time())
        # The next round begins.
        Scrub(scrubbed).step()
        clock.tick(PERIOD / 2)
        Scrub(scrubbed).step()
        assert state(scrubbed)["checked"] == 5


def test_a_step_is_bounded_and_the_next_continues_where_it_was(
    scrubbed: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A long game is checked in parts."""
    monkeypatch.setattr(workers.scrub, "MAX_EVENTS", 5)
    monkeypatch.setattr(workers.scrub, "_LINES", 5)
    (game,) = play(scrubbed, 1, length=22)
    damage_event(scrubbed, game, 21, change_digit)
    with freeze_time() as clock:
        Scrub(scrubbed).step()
        clock.tick(PERIOD)
        for seq in (5, 10, 15, 20):
            Scrub(scrubbed).step()
            assert state(scrubbed)["event"] == seq
            assert scrubbed.damaged_games.parts() == {}
        Scrub(scrubbed).step()
    assert list(scrubbed.damaged_games.parts()[game]) == [event_part(21)]


def test_a_killed_worker_repeats_one_step_and_two_workers_share_steps(
    scrubbed: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(scrubbed, 4, length=4)
    with freeze_time() as clock:
        Scrub(scrubbed).step()
        clock.tick(PERIOD / 2)
        Scrub(scrubbed).step()
        assert state(scrubbed)["checked"] == 2

        class KilledError(Exception):
            pass

        def die(*_: object) -> None:
            raise KilledError

        clock.tick(PERIOD / 2)
        with monkeypatch.context() as patch:
            patch.setattr(Scrub, "_check_games", die)
            with pytest.raises(KilledError):
                Scrub(scrubbed).step()
        assert state(scrubbed)["checked"] == 2
        scrubbed.redis.set(LOCK_KEY, 1)
        Scrub(scrubbed).step()
        assert state(scrubbed)["checked"] == 2
        scrubbed.redis.delete(LOCK_KEY)
        Scrub(scrubbed).step()
        assert state(scrubbed)["checked"] == 4


def test_the_round_begins_again_when_redis_was_started_again(scrubbed: Service) -> None:
    play(scrubbed, 2, length=4)
    go_round(scrubbed)
    stored = state(scrubbed)
    scrubbed.redis.set(KEY, orjson.dumps({**stored, "server": "another run", "checked": 2}))
    with freeze_time():
        Scrub(scrubbed).step()
    assert (state(scrubbed)["checked"], state(scrubbed)["completed"]) == (0, stored["completed"])


def test_a_repaired_game_can_be_played_immediately(scrubbed: Service) -> None:
    (game,) = play(scrubbed, 1, length=8)
    damage_event(scrubbed, game, 6, change_digit)
    go_round(scrubbed)
    assert scrubbed.redis.get(game_key(game, DAMAGED)) == b"6"
    lost = find_lost_events_of(scrubbed.redis, scrubbed.store, game)
    assert lost is not None
    remove_lost_events(scrubbed.redis, lost)
    other = build(scrubbed.settings)
    take_action(other, game)
    other.redis.close()
    Scrub(scrubbed).step()
    assert scrubbed.damaged_games.parts() == {}


def test_sweeps_leave_reports_of_the_scrub_alone(service: Service, workers: WorkerHarness) -> None:
    (game,) = play(service, 1)
    damage_event(service, game, 3, change_digit)
    service.damaged_games.report_event(game, 3, "a test")
    for is_first in (True, False):
        workers.scheduler.sweep(is_first=is_first)
    assert service.damaged_games.parts()[game] == {event_part(3): "a test"}
    # The scheduler enqueues steps, and a worker makes them.
    lines = service.store.read(game)
    store_lines(service, game, [*lines[:2], lines[2].replace(b'"at":"3', b'"at":"2'), *lines[3:]])
    workers.scheduler.enqueue_scrub()
    workers.work()
    assert service.damaged_games.parts() == {}


def test_a_byte_that_is_changed_while_the_service_is_stopped_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the real processes, and the real file."""
    running = RunningService(
        tmp_path, processes=1, CARTULARY_SCRUB_SECONDS="1", CARTULARY_SWEEP_SECONDS="0.2"
    )
    running.start()
    try:
        settings = Settings(
            running.data,
            embedded_redis_url(running.data),
            embedded_redis_url(running.data),
            running.data / "signing-key.pem",
        )
        service = build(settings)
        games = [start_game(service).id for _ in range(2)]
        for game in games:
            while service.store.head(game) < 8:
                take_action(service, game)
        service.transparency.head_log.log(games)
        service.redis.close()
        running.stop()

        path = find_parts(running.data / "redis")[-1].path
        content = path.read_bytes()
        (game, _) = re.findall(rb"XADD\r\n\$\d+\r\ncartulary:\{(\w+)\}:log\r\n\$3\r\n5-0", content)
        event = content.index(b"cartulary:{%b}:log\r\n$3\r\n5-0" % game)
        digit = content.index(b'"at":"2', event) + len(b'"at":"')
        path.write_bytes(content[:digit] + b"3" + content[digit + 1 :])
        running.start()
        damaged = game.decode()

        client = redis.Redis.from_url(embedded_redis_url(running.data))
        wait_until(lambda: client.hexists("cartulary:damaged", f"{damaged} event 5"))
        assert "\ncartulary_damaged_games 1.0\n" in httpx.get(f"{running.url}/metrics").text
        monkeypatch.setenv("CARTULARY_DATA", str(running.data))
        monkeypatch.setenv("CARTULARY_PUBLIC_URL", running.url)
        output = CliRunner().invoke(cartulary, ["doctor"]).output
        assert f"game {damaged}, event 5: its hash does not match" in output
        work = CliRunner().invoke(cartulary, ["admin", "work"]).output
        assert damaged in work
        assert "event 5" in work
        (other,) = {*games} - {damaged}
        assert status_of(running, f"/api/v1/games/{damaged}/position?seq=4") == 200
        assert status_of(running, f"/api/v1/games/{damaged}") == 503
        assert status_of(running, f"/api/v1/games/{other}/record") == 200
        running.stop()
        assert CliRunner().invoke(cartulary, ["repair", "--yes"]).exit_code == 0
        running.start()
        wait_until(lambda: not client.exists("cartulary:damaged"))
        assert status_of(running, f"/api/v1/games/{damaged}") == 200
        client.close()
    finally:
        running.stop()
