"""Damaged values: one affects only its own game, is reported once, and stays until a person repairs it."""

import json
from collections.abc import Callable

import pytest
from freezegun import freeze_time

from service.bootstrap import Service, build
from service.http.app import create_app
from service.recovery.games import shorten_log
from service.recovery.reindex import reindex
from service.settings import Settings
from service.store.damaged_games import DAMAGED_GAMES_KEY
from service.store.redis_event_store import ACTIVE_GAMES, game_key
from tests.support.service_games import play_out, play_set_up, play_until, start_game
from tests.support.worker_harness import RecordingChannel, WorkerHarness
from workers.damage_check import SECONDS_TO_RETRY
from workers.deadline_index import DEADLINES
from workers.tasks import ANALYSES, BOTS, GAMES, NOTIFICATIONS, THINKING

NOT_UTF_8 = b"\xff\xfe"


def set_entry(service: Service, game_id: str, entry: str, payload: str | bytes) -> None:
    """Overwrite an outbox entry, as a fault outside of Cartulary would."""
    service.redis.hset(game_key(game_id, "notes"), entry, payload)


def entry_of(service: Service, game_id: str, entry: str) -> bytes | None:
    """Return the stored payload of an outbox entry."""
    payload = service.redis.hget(game_key(game_id, "notes"), entry)
    return payload.encode() if isinstance(payload, str) else payload


def remove_last_event(service: Service, game_id: str) -> None:
    """Remove the last event of a log, as `cartulary repair --game` does."""
    shorten_log(service.redis, game_id, service.store.head(game_id) - 1)


def damage_last_event(service: Service, game_id: str, line: bytes) -> None:
    """Replace the last event of a log by other bytes."""
    key, seq = game_key(game_id, "log"), service.store.head(game_id)
    remove_last_event(service, game_id)
    service.redis.xadd(key, {"e": line}, id=f"{seq}-0")


def damage(service: Service) -> dict[str, str]:
    """Return the reported damage: reasons by game and part."""
    return {
        f"{game_id} {part}": reason
        for game_id, parts in service.damaged_games.parts().items()
        for part, reason in parts.items()
    }


def gauge(service: Service) -> str:
    """Return the line of the metrics that counts damaged games."""
    page = create_app(service).test_client().get("/metrics").get_data(as_text=True)
    (line,) = [line for line in page.splitlines() if line.startswith("cartulary_damaged_games ")]
    return line


DAMAGED_ENTRIES: list[tuple[str, str | bytes, str]] = [
    ("deadline", "not JSON", "the payload is not JSON"),
    ("deadline", NOT_UTF_8, "the payload is not JSON"),
    ("deadline", "[]", "the payload is not a JSON object"),
    ("deadline", '{"turn":3}', "the payload has no timestamp 'at'"),
    ("deadline", '{"turn":3,"at":"noon"}', "the payload has no timestamp 'at'"),
    ("deadline", '{"at":"2026-11-20T09:01:00.000Z"}', "the payload has no number 'turn'"),
    ("score/1", "", "the payload is not JSON"),
    ("finish", "{}", "the payload has no number 'seq'"),
    ("notify/turn", '{"seat":true,"seq":1}', "the payload has no number 'seat'"),
    ("notify/turn", '{"seat":-1,"seq":1}', "the payload has no number 'seat'"),
    ("notify/round/1", '{"seq":"1"}', "the payload has no number 'seq'"),
    ("index", "null", "the payload is not a JSON object"),
]


def test_damaged_outbox_entries_affect_only_their_own_games(
    service: Service, workers: WorkerHarness, caplog: pytest.LogCaptureFixture
) -> None:
    with freeze_time("2026-11-20T09:00:00Z") as time:
        other = start_game(service, clock={"per_turn": 60})
        damaged = [start_game(service).id for _ in DAMAGED_ENTRIES]
        for game_id, (entry, payload, _) in zip(damaged, DAMAGED_ENTRIES, strict=True):
            set_entry(service, game_id, entry, payload)
        workers.scheduler.enqueue_tasks_of({*damaged, other.id})
        for is_first in (True, False, False):
            workers.scheduler.sweep(is_first=is_first)
            workers.work()
        time.tick(60)
        workers.scheduler.check_deadlines()
        workers.work()
    assert service.games.queries.game(other.id).seq == other.seq + 1
    for game_id, (entry, payload, reason) in zip(damaged, DAMAGED_ENTRIES, strict=True):
        stored = payload if isinstance(payload, bytes) else payload.encode()
        assert entry_of(service, game_id, entry) == stored
        assert caplog.text.count(f"game {game_id} is damaged: entry {entry}: {reason}") == 1
        assert service.damaged_games.parts()[game_id] == {f"entry {entry}": reason}
    assert gauge(service) == f"cartulary_damaged_games {len(damaged)}.0"


def test_a_repaired_entry_is_done_and_no_longer_reported(
    service: Service, workers: WorkerHarness, caplog: pytest.LogCaptureFixture
) -> None:
    game = play_out(service, start_game(service, round_limit=1).id)
    payload = workers.tasks(game.id)["score/1"].payload
    set_entry(service, game.id, "score/1", "{")
    set_entry(service, game.id, "finish", "{")
    workers.scheduler.sweep(is_first=True)
    workers.work()
    assert service.games.queries.game(game.id).rounds_scored == 0
    set_entry(service, game.id, "score/1", payload)
    service.redis.hdel(game_key(game.id, "notes"), "finish")
    reindex(service)
    workers.sweep_and_work(game.id)
    assert service.games.queries.game(game.id).status == "finished"
    workers.scheduler.sweep(is_first=False)
    assert damage(service) == {}
    assert f"game {game.id} is no longer damaged: entry finish" in caplog.text
    assert gauge(service) == "cartulary_damaged_games 0.0"


@pytest.mark.parametrize("line", [b"not JSON", b"", NOT_UTF_8, b"{}", b"[1]", b'{"type":5}'])
def test_a_damaged_last_event_affects_only_its_own_game(
    service: Service, workers: WorkerHarness, caplog: pytest.LogCaptureFixture, line: bytes
) -> None:
    damaged, ended = (play_out(service, start_game(service, round_limit=1).id) for _ in range(2))
    service.games.commands.score(damaged.id)
    for task in workers.tasks(damaged.id).values():
        service.store.ack(damaged.id, task.entry, task.payload)
    damage_last_event(service, damaged.id, line)
    for _ in range(2):
        workers.sweep_and_work(ended.id)
        workers.scheduler.sweep(is_first=False)
    assert service.games.queries.game(ended.id).status == "finished"
    assert [*service.store.active_games()] == [damaged.id]
    message = f"game {damaged.id} is damaged: log: the last entry is damaged: it is no event"
    assert caplog.text.count(message) == 1
    assert service.store.read(damaged.id)[-1] == line


def test_a_log_without_its_last_event_can_be_read_again(
    service: Service, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    game = play_until(service, start_game(service).id, lambda game: bool(game.rounds_ended))
    damage_last_event(service, game.id, b"not JSON")
    # The processes that come later have not cached the game.
    later = build(settings)
    workers = WorkerHarness(later, RecordingChannel())
    workers.scheduler.sweep(is_first=True)
    workers.work()
    assert damage(later).keys() == {
        f"{game.id} {part}" for part in ("work score/1", "work notify/turn", f"event {game.seq}")
    }
    assert caplog.text.count(f"game {game.id} is damaged: work score/1: event {game.seq} of") == 1

    remove_last_event(later, game.id)
    with freeze_time("2026-11-20T09:00:00Z") as time:
        workers.scheduler.sweep(is_first=False)
        time.tick(SECONDS_TO_RETRY)
        workers.scheduler.sweep(is_first=False)
        workers.scheduler.enqueue_scrub()
        workers.work()
        workers.scheduler.sweep(is_first=False)
    assert damage(later) == {}
    assert later.games.queries.game(game.id).seq == game.seq - 1
    workers.close()
    later.redis.close()


def test_work_that_cannot_be_done_is_tried_again_after_a_pause_only(
    service: Service, settings: Settings
) -> None:
    game = play_until(service, start_game(service).id, lambda game: bool(game.rounds_ended))
    damage_last_event(service, game.id, b"not JSON")
    later = build(settings)
    workers = WorkerHarness(later, RecordingChannel())
    with freeze_time("2026-11-20T09:00:00Z") as time:
        workers.scheduler.sweep(is_first=True)
        workers.work()
        for _ in range(3):
            workers.scheduler.sweep(is_first=False)
        assert workers.waiting() == []
        time.tick(SECONDS_TO_RETRY)
        workers.scheduler.sweep(is_first=False)
        assert workers.queues.lengths() == {
            GAMES: 1,
            BOTS: 0,
            NOTIFICATIONS: 1,
            THINKING: 0,
            ANALYSES: 0,
        }
    workers.close()
    later.redis.close()


@pytest.mark.parametrize("payload", ['{"seat":2,"seq":4}', '{"seat":9,"seq":4}'])
def test_a_notification_for_a_seat_that_does_not_exist_is_damage(
    service: Service, workers: WorkerHarness, payload: str
) -> None:
    game = start_game(service)
    set_entry(service, game.id, "notify/turn", payload)
    workers.scheduler.sweep(is_first=True)
    workers.work()
    seat = json.loads(payload)["seat"]
    assert damage(service) == {f"{game.id} work notify/turn": f"the entry names seat {seat} of 2"}


@pytest.mark.parametrize(
    ("seq", "fault"), [(1, "which is not RoundScored"), (999, "which does not exist")]
)
def test_a_notification_of_a_round_without_its_event_is_damage(
    service: Service, workers: WorkerHarness, seq: int, fault: str
) -> None:
    game = start_game(service)
    set_entry(service, game.id, "notify/round/1", f'{{"seq":{seq}}}')
    workers.scheduler.sweep(is_first=True)
    workers.work()
    reason = f"the entry names event {seq}, {fault}"
    assert damage(service) == {f"{game.id} work notify/round/1": reason}


def test_a_missing_secret_is_damage_of_its_game(service: Service, workers: WorkerHarness) -> None:
    game = play_out(service, start_game(service, round_limit=1).id)
    service.redis.hset(game_key(game.id, "secrets"), "seed", "no hex")
    workers.sweep_twice_and_work()
    workers.sweep_twice_and_work()
    (reason,) = damage(service).values()
    assert reason == f"the secret of game {game.id} is missing or damaged"


@pytest.mark.parametrize("part", ["notes", "log"])
def test_a_key_of_another_type_affects_only_its_own_game(
    service: Service, workers: WorkerHarness, part: str
) -> None:
    damaged, other = (play_out(service, start_game(service, round_limit=1).id) for _ in range(2))
    for task in workers.tasks(damaged.id).values():
        service.store.ack(damaged.id, task.entry, task.payload)
    service.redis.set(game_key(damaged.id, part), "a string")
    for _ in range(4):
        workers.scheduler.sweep(is_first=False)
        workers.work()
    assert service.games.queries.game(other.id).status == "finished"
    assert list(damage(service)) == [f"{damaged.id} {'outbox' if part == 'notes' else 'log'}"]


def test_damaged_listings_affect_only_their_own_game(
    service: Service, workers: WorkerHarness
) -> None:
    damaged, other = (start_game(service) for _ in range(2))
    service.redis.set(game_key(damaged.id, "listed"), "a string")
    service.games.listings.clear()
    service.redis.set(game_key(damaged.id, "listed"), "a string")
    for game in (damaged, other):
        service.store.add_outbox_entries_if_absent(game.id, {"index": '{"seq":4}'})
    workers.scheduler.sweep(is_first=True)
    workers.work()
    assert service.games.listings.games_in_progress("ada").games == (other.id,)
    assert list(damage(service)) == [f"{damaged.id} work index"]


def set_another_type(service: Service, game_id: str, part: str) -> None:
    """Replace a key of a game by a string."""
    service.redis.delete(game_key(game_id, part))
    service.redis.set(game_key(game_id, part), "a string")


LOG_DAMAGES: dict[str, Callable[[Service, str], object]] = {
    "no JSON": lambda service, game_id: damage_last_event(service, game_id, b"not JSON"),
    "no event": lambda service, game_id: service.redis.xadd(game_key(game_id, "log"), {"x": "y"}),
    "no stream": lambda service, game_id: set_another_type(service, game_id, "log"),
}
"""Functions that damage the log of a game, by what is wrong with it then."""


@pytest.mark.parametrize("name", LOG_DAMAGES)
def test_a_damaged_log_leaves_the_other_games_in_listings(
    service: Service, settings: Settings, name: str
) -> None:
    damaged, other = (start_game(service) for _ in range(2))
    LOG_DAMAGES[name](service, damaged.id)
    later = build(settings)
    for reader in (service, later):
        games = [game for game in reader.games.repository.load_many([damaged.id, other.id]) if game]
        assert [game.id for game in games] == [other.id]
    later.redis.close()


@pytest.mark.parametrize("name", [*LOG_DAMAGES, "no outbox"])
def test_reindexing_leaves_a_damaged_game_out(
    service: Service, settings: Settings, name: str
) -> None:
    damaged, other = (start_game(service) for _ in range(2))
    if name == "no outbox":
        set_another_type(service, damaged.id, "notes")
    else:
        LOG_DAMAGES[name](service, damaged.id)
    service.games.listings.clear()
    later = build(settings)
    assert reindex(later) == 1
    assert other.id in later.games.listings.games_in_progress("ada").games
    assert f"{damaged.id} work index" in damage(later)
    assert later.damaged_games.parts().keys() == {damaged.id}
    later.redis.close()


def test_damage_of_a_game_that_is_not_active_any_more_is_forgotten(
    service: Service, workers: WorkerHarness
) -> None:
    service.damaged_games.report("gone", "log", "the last entry is not an event")
    workers.scheduler.sweep(is_first=False)
    assert not service.redis.exists(DAMAGED_GAMES_KEY)


def test_damaged_members_of_the_deadline_index_are_removed(
    service: Service, workers: WorkerHarness
) -> None:
    with freeze_time("2026-11-20T09:00:00Z") as time:
        game = play_set_up(service, start_game(service, clock={"per_turn": 60}).id)
        workers.scheduler.enqueue_tasks_of({game.id})
        workers.work()
        service.redis.zadd(DEADLINES.former, {NOT_UTF_8: 1})
        service.redis.zadd(DEADLINES.former, {"nothing": 1.5, "no id": float("-inf")})
        time.tick(60)
        workers.scheduler.check_deadlines()
        assert workers.waiting() == [f"deadline of game {game.id}"]
        assert not service.redis.exists(*DEADLINES.all)


def test_an_active_game_whose_id_is_not_text_does_not_stop_the_sweep(
    service: Service, workers: WorkerHarness
) -> None:
    service.redis.sadd(ACTIVE_GAMES.former, NOT_UTF_8)
    game = play_out(service, start_game(service, round_limit=1).id)
    workers.scheduler.sweep(is_first=True)
    assert len(workers.waiting()) == 1
    workers.sweep_and_work(game.id)


def test_a_job_of_another_type_is_replaced(service: Service, workers: WorkerHarness) -> None:
    games = [play_out(service, start_game(service, round_limit=1).id) for _ in range(2)]
    task = workers.tasks(games[0].id)["score/1"]
    workers.client.set(f"rq:job:{task.id}", "a string")
    registry = workers.queues.queues[GAMES].scheduled_job_registry
    workers.client.zadd(registry.key, {"other": 1})
    workers.client.set("rq:job:other", "a string")
    assert workers.queues.enqueue_retries() == 0
    workers.client.lpush(workers.queues.queues[GAMES].key, task.id)
    workers.scheduler.sweep(is_first=True)
    for game in games:
        workers.sweep_and_work(game.id)
        assert service.games.queries.game(game.id).status == "finished"


def test_a_damaged_job_is_replaced(service: Service, workers: WorkerHarness) -> None:
    game = play_out(service, start_game(service, round_limit=1).id)
    notify = start_game(service)
    for game_id, entry in ((game.id, "finish"), (notify.id, "notify/turn")):
        task = workers.tasks(game_id)[entry]
        workers.queues.enqueue(task)
        workers.client.hset(f"rq:job:{task.id}", "created_at", "yesterday")
    registry = workers.queues.queues[NOTIFICATIONS].scheduled_job_registry
    workers.client.zadd(registry.key, {workers.tasks(notify.id)["notify/turn"].id: 1})
    assert workers.queues.enqueue_retries() == 0
    assert registry.count == 0
    for _ in range(3):
        workers.work()
        workers.sweep_twice_and_work()
    assert service.games.queries.game(game.id).status == "finished"
    assert workers.tasks(notify.id) == {}
    assert workers.queues.lengths() == {
        GAMES: 0,
        BOTS: 0,
        NOTIFICATIONS: 0,
        THINKING: 0,
        ANALYSES: 0,
    }
