"""Games in the archive: read in every way as before, recalled by what is written, and never lost."""

import gzip
import io
import logging
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import pytest
from flask import Response
from freezegun import freeze_time

from domain.errors import Unreadable
from ledger.record import read
from ledger.statements import OpenDispute, WithdrawDispute
from replay.audit import audit
from service import wall_clock
from service.bootstrap import Service, build
from service.connection import connect
from service.errors import Unavailable
from service.pages import session
from service.pages.app import create_web_app
from service.pages.session import COOKIE_NAME, load_key
from service.recovery.games import find_lost_events
from service.recovery.reindex import reindex
from service.settings import Settings
from service.store.archive import GRACE_SECONDS, LEASE_SECONDS, PARTS, NotMovable
from service.store.event_store import AppendRequest
from service.store.redis_event_store import game_key
from tests.support.round_trips import count_round_trips
from tests.support.service_games import play_out, start_game, take_action
from tests.support.worker_harness import WorkerHarness

PASSWORD: Final = "correct horse"
STATEMENT: Final = "My brother moved while I was in hospital"
MESSAGE: Final = "Well played, all of you"
CHANGING: Final = re.compile(rb'name="(csrf_token|key)" value="[^"]+"|urn:cartulary:request:\w+')
"""What differs from one response to the next."""
NOW: Final = "2026-11-23T10:00:00Z"


@dataclass
class Players:
    """Two players with accounts, their tokens, and a game of theirs that is over."""

    ids: list[str]
    tokens: list[str]
    game: str


@pytest.fixture
def at_noon() -> Iterator[None]:
    """A clock that stands still, so that two pages can be compared."""
    with freeze_time(NOW):
        yield


@pytest.fixture
def harness(service: Service) -> Iterator[WorkerHarness]:
    """The parts of a scheduler and of a worker."""
    harness = WorkerHarness(service)
    yield harness
    harness.close()


@pytest.fixture
def over(at_noon: None, service: Service, harness: WorkerHarness) -> Players:
    """A game that was played to its end, with a dispute, messages and marks of what was read."""
    accounts = [service.accounts.players.register(name, PASSWORD) for name in ("anna", "ben")]
    ids = [player.id for player, _ in accounts]
    game = start_game(service, players=ids, round_limit=1).id
    take_action(service, game)
    seq = service.games.queries.game(game).seq
    disputed = service.games.statements.state(game, ids[0], OpenDispute(seq, STATEMENT)).events[0][
        "seq"
    ]
    service.games.statements.state(game, ids[0], WithdrawDispute(disputed))
    play_out(service, game)
    service.chat.post(game, ids[0], MESSAGE)
    service.chat.post(game, ids[1], "Thank you")
    service.chat.marks.read(game, ids[0], 2)
    service.chat.marks.dismiss(game, ids[0], "rematch-1")
    service.games.commands.score(game)
    harness.sweep_and_work(game)
    assert service.games.queries.game(game).status == "finished"
    return Players(ids, [token for _, token in accounts], game)


def cold(service: Service) -> Service:
    """Return the parts of the service as another process builds them, with empty caches."""
    return build(service.settings)


def everything(service: Service, players: Players) -> dict[str, tuple[int, bytes]]:
    """Return what every address responds that shows a game, to a player and to a visitor."""
    app = create_web_app(service)
    load_key(app)
    login = Response()
    with app.test_request_context("/") as context:
        session.log_in(players.tokens[0])
        assert context.session is not None
        app.session_interface.save_session(app, context.session, login)
    cookie = login.headers["Set-Cookie"].split(";")[0].removeprefix(f"{COOKIE_NAME}=")
    addresses = [
        "/games",
        "/turns",
        "/api/v1/events",
        "/api/v1/games?status=finished",
        f"/api/v1/games?player={players.ids[0]}",
        "/api/v1/me/receipts",
        f"/api/v1/log/proofs/inclusion?game={players.game}",
        f"/api/v1/games/{players.game}/events?after=3&limit=2",
        f"/api/v1/games/{players.game}/events?type=CityPlaced",
        f"/api/v1/games/{players.game}/position?seq=4",
    ]
    for rule in app.url_map.iter_rules():
        is_page = "GET" in (rule.methods or ()) and not rule.rule.endswith(("stream", "live"))
        if is_page and "game_id" in rule.arguments and rule.arguments <= {"game_id", "seq"}:
            values = {"game_id": players.game, "seq": 6}
            adapter = app.url_map.bind("")
            addresses.append(adapter.build(rule.endpoint, {n: values[n] for n in rule.arguments}))
    responses = {}
    for name, token in (("player", players.tokens[0]), ("visitor", None)):
        for address in sorted(set(addresses)):
            with app.test_client() as browser:
                if token is not None:
                    browser.set_cookie(COOKIE_NAME, cookie)
                headers = {} if token is None else {"Authorization": f"Bearer {token}"}
                response = browser.get(address, headers=headers)
                body = CHANGING.sub(b"", response.data)
                responses[f"{name} {address}"] = (response.status_code, body)
    return responses


def keys_of(service: Service, game: str) -> dict[str, Any]:
    """Return the stored values of a game that are not projections."""
    values: dict[str, Any] = {part: service.redis.hgetall(game_key(game, part)) for part in PARTS}
    values["log"] = service.redis.xrange(game_key(game, "log"))
    return {part: value for part, value in values.items() if value}


def objects(service: Service) -> list[Path]:
    """Return the files of the archive."""
    return sorted(path for path in (service.settings.data / "archive").rglob("*") if path.is_file())


def archived_texts(service: Service) -> bytes:
    """Return what the archive contains, without its compression."""
    return b"\n".join(gzip.decompress(path.read_bytes()) for path in objects(service))


def test_an_archived_game_is_read_in_every_way_as_before(service: Service, over: Players) -> None:
    before = everything(cold(service), over)
    assert {status for status, _ in before.values()} <= {200, 301, 302, 401, 403, 404, 409}
    assert sum(status == 200 for status, _ in before.values()) > 40
    assert MESSAGE.encode() in before[f"player /games/{over.game}/messages"][1]
    assert STATEMENT.encode() in before[f"visitor /games/{over.game}/disputes/6"][1]
    assert over.game.encode() in before["visitor /api/v1/events"][1]
    assert service.archive.move(over.game)
    assert keys_of(service, over.game) == {}
    assert len(objects(service)) == 1
    after = everything(cold(service), over)
    assert {name for name in before if before[name] != after[name]} == set()


def test_a_recalled_game_is_the_same_byte_for_byte(service: Service, over: Players) -> None:
    before = keys_of(service, over.game)
    assert len(before) == 1 + len(PARTS)
    record = b"".join(service.games.queries.record(over.game))
    service.archive.move(over.game)
    assert service.archive.recall(over.game)
    assert keys_of(service, over.game) == before
    assert b"".join(cold(service).games.queries.record(over.game)) == record
    assert audit(io.BytesIO(record), keys=[service.keyring.current_entry()["public"]]).first is None
    assert not service.archive.recall(over.game)


def test_the_object_contains_a_record_that_an_audit_finds_sound(
    service: Service, over: Players
) -> None:
    service.archive.move(over.game)
    (path,) = objects(service)
    assert path.stat().st_mode & 0o077 == 0 or path.parent.parent.stat().st_mode & 0o077 == 0
    _, _, lines = gzip.decompress(path.read_bytes()).partition(b"\n")
    report = audit(io.BytesIO(lines), keys=[service.keyring.current_entry()["public"]])
    assert report.first is None
    assert read(io.BytesIO(lines)).names == {}, "nobody's handle is in it"


def test_a_message_recalls_the_game_and_the_schedule_archives_it_again(
    settings: Settings, over: Players
) -> None:
    service = build(replace(settings, archive_after_days=30))
    service.archive.move(over.game)
    posted = service.chat.post(over.game, over.ids[1], "Again?")
    assert posted.number == 3
    assert service.archive.stub(over.game) is None
    with freeze_time(wall_clock.now() + timedelta(seconds=2 * 3600)):
        later = WorkerHarness(service)
        try:
            later.scheduler.enqueue_archive_tasks()
            later.work()
        finally:
            later.close()
        assert service.archive.stub(over.game) is not None
        assert len(objects(service)) == 1, "the object from before is deleted"
        page = cold(service).chat.page(over.game, over.ids[0])
        assert [each.text for each in page.messages] == [MESSAGE, "Thank you", "Again?"]


def harness_with(service: Service, days: float) -> WorkerHarness:
    """Return a harness of a service that archives games so many days after their end."""
    return WorkerHarness(build(replace(service.settings, archive_after_days=days)))


def test_games_move_so_many_days_after_their_end(service: Service, over: Players) -> None:
    for days, is_archived in ((29, False), (31, True)):
        with freeze_time(wall_clock.parse(NOW) + timedelta(days=days)):
            harness = harness_with(service, 30)
            try:
                harness.scheduler.enqueue_archive_tasks()
                harness.work()
            finally:
                harness.close()
            assert (service.archive.stub(over.game) is not None) == is_archived


def test_by_default_games_stay_in_redis(
    service: Service, over: Players, harness: WorkerHarness
) -> None:
    with freeze_time(wall_clock.parse(NOW) + timedelta(days=10_000)):
        harness.scheduler.enqueue_archive_tasks()
        harness.work()
    assert service.archive.stub(over.game) is None


def test_a_game_in_progress_cannot_be_archived(service: Service) -> None:
    game = start_game(service).id
    with pytest.raises(NotMovable, match="has not ended"):
        service.archive.move(game)
    with pytest.raises(NotMovable, match="there is no game"):
        service.archive.move("missing")
    assert objects(service) == []
    take_action(service, game)


def test_an_append_recalls_the_game(service: Service, over: Players) -> None:
    seq = service.store.head(over.game)
    (line,) = service.store.read(over.game, seq - 1)
    service.archive.move(over.game)
    appended = service.store.append(over.game, seq, AppendRequest((line,)))
    assert (appended.first, appended.last) == (seq + 1, seq + 1)
    assert service.store.head(over.game) == seq + 1


def test_an_erased_player_is_erased_in_the_archive(service: Service, over: Players) -> None:
    service.archive.move(over.game)
    stored = archived_texts(service)
    assert STATEMENT.encode() in stored
    assert MESSAGE.encode() in stored
    service.accounts.erasure.erase(over.ids[0], PASSWORD)
    with freeze_time(wall_clock.now() + timedelta(seconds=GRACE_SECONDS + 1)):
        service.archive.move(over.game)
        stored = archived_texts(service)
    assert len(objects(service)) == 1
    assert STATEMENT.encode() not in stored
    assert MESSAGE.encode() not in stored
    assert b"Thank you" in stored
    record = b"".join(cold(service).games.queries.record(over.game))
    assert STATEMENT.encode() not in record
    assert audit(io.BytesIO(record), keys=[service.keyring.current_entry()["public"]]).first is None
    page = cold(service).chat.page(over.game, over.ids[1])
    assert [each.text for each in page.messages] == [None, "Thank you"]
    service.archive.recall(over.game)
    assert service.redis.hget(game_key(over.game, "messages"), f"read/{over.ids[0]}") is None


def call_after_put(
    service: Service, monkeypatch: pytest.MonkeyPatch, call: Callable[[], None]
) -> None:
    """Have a function called whenever an object has been stored, before the move goes on."""
    put = service.archive.objects.put

    def put_and_call(name: str, data: bytes) -> None:
        put(name, data)
        call()

    monkeypatch.setattr(service.archive.objects, "put", put_and_call)


def test_a_game_that_changes_while_it_is_moved_stays(
    service: Service, over: Players, monkeypatch: pytest.MonkeyPatch
) -> None:
    def change() -> None:
        cold(service).chat.post(over.game, over.ids[0], "One more thing")

    call_after_put(service, monkeypatch, change)
    assert not service.archive.move(over.game)
    assert service.archive.stub(over.game) is None
    monkeypatch.undo()
    assert service.archive.move(over.game)
    assert b"One more thing" in archived_texts(service)


def test_of_two_processes_that_move_a_game_one_does(
    service: Service, over: Players, monkeypatch: pytest.MonkeyPatch
) -> None:
    def move_elsewhere() -> None:
        assert cold(service).archive.move(over.game)

    call_after_put(service, monkeypatch, move_elsewhere)
    assert not service.archive.move(over.game)
    with freeze_time(wall_clock.now() + timedelta(seconds=GRACE_SECONDS + 1)):
        service.archive.clean(over.game)
    (path,) = objects(service)
    stub = service.archive.stub(over.game)
    assert stub is not None
    assert path.as_posix().endswith(stub.object)
    assert cold(service).games.queries.game(over.game).has_ended


def test_an_object_that_was_changed_is_not_served(service: Service, over: Players) -> None:
    service.archive.move(over.game)
    (path,) = objects(service)
    path.write_bytes(gzip.compress(b"{}"))
    with pytest.raises(Unreadable, match="was changed"):
        cold(service).games.queries.game(over.game)
    path.unlink()
    with pytest.raises(Unreadable, match="has no object"):
        cold(service).games.queries.game(over.game)


def test_a_store_that_fails_keeps_the_game_in_redis(
    service: Service, over: Players, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    (settings.data / "archive").write_text("a file in place of the folder")
    before = keys_of(service, over.game)
    with caplog.at_level(logging.WARNING), pytest.raises(Unavailable):
        service.archive.move(over.game)
    assert "the archive does not respond" in caplog.text
    assert keys_of(service, over.game) == before
    # Nobody waits for it a second time.
    with pytest.raises(Unavailable):
        service.archive.check()


def test_what_a_dead_process_left_is_deleted(service: Service, over: Players) -> None:
    name = "00/left-over.jsonl.gz"
    service.archive.objects.put(name, b"half a game")
    service.redis.hset(game_key(over.game, "objects"), name, "pending")
    service.archive.schedule.add_work(over.game, LEASE_SECONDS)
    with freeze_time(wall_clock.now() + timedelta(seconds=LEASE_SECONDS + 1)):
        assert service.archive.schedule.due(10).to_clean == (over.game,)
        service.archive.resume(over.game)
        assert service.archive.stub(over.game) is not None, "the move was begun, and is finished"
    with freeze_time(wall_clock.now() + timedelta(seconds=2 * LEASE_SECONDS)):
        assert service.archive.schedule.due(10).to_clean == (over.game,)
        service.archive.resume(over.game)
        assert service.archive.schedule.due(10).to_clean == ()
    assert len(objects(service)) == 1
    assert not service.redis.exists(game_key(over.game, "objects"))


@pytest.mark.needs_redis("single")
def test_a_game_in_redis_costs_no_more_round_trips(service: Service, over: Players) -> None:
    def trips() -> int:
        other = cold(service)
        other.redis.ping()
        with count_round_trips() as trips:
            other.games.queries.game(over.game)
        return trips.count

    # A cold load reads the log, and its last line again.
    assert trips() == 2
    service.archive.move(over.game)
    assert trips() == 4


def test_lists_of_archived_games_read_no_object(
    service: Service, over: Players, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.archive.move(over.game)
    other = cold(service)
    monkeypatch.setattr(other.archive.objects, "get", None)
    page = other.games.listings.page(["finished"])
    (summary,) = other.games.queries.summaries(page.games)
    assert summary is not None
    assert summary.id == over.game


def test_the_cache_of_archived_games_is_bounded(settings: Settings, over: Players) -> None:
    bounds = replace(settings.bounds, cached_archive_bytes=10)
    service = build(replace(settings, bounds=bounds))
    service.archive.move(over.game)
    assert service.archive.game(over.game) is not None
    assert service.archive._cache.currsize == 0
    roomy = cold(build(settings))
    game = roomy.archive.game(over.game)
    assert game is not None
    assert roomy.archive._cache.currsize == game.size


def test_reindex_and_recovery_leave_archived_games_alone(service: Service, over: Players) -> None:
    service.archive.move(over.game)
    assert find_lost_events(service.redis, service.store, [(over.game, 3)]) == []
    other = cold(service)
    assert over.game in set(other.store.game_ids())
    assert reindex(other) == 1
    assert other.games.listings.page(["finished"]).games == (over.game,)
    assert service.archive.stub(over.game) is not None
    assert other.archive.schedule.due(10).to_move == ()


def test_the_archive_is_counted(service: Service, over: Players) -> None:
    service.archive.move(over.game)
    size = objects(service)[0].stat().st_size
    service.archive.recall(over.game)
    assert service.archive.schedule.figures() == {
        "moved_games": 1,
        "moved_bytes": size,
        "recalled_games": 1,
        "recalled_bytes": size,
    }


def test_a_game_without_stub_needs_no_archive(service: Service, redis_url: str) -> None:
    with connect(redis_url) as client:
        client.set("unrelated", 1)
    with pytest.raises(Exception, match="there is no game"):
        service.games.queries.game("missing")
    assert not (service.settings.data / "archive").exists()


@pytest.mark.nightly
def test_a_game_whose_stub_is_lost_is_found_again_in_the_archive(
    service: Service, over: Players
) -> None:
    before = everything(cold(service), over)
    service.archive.move(over.game)
    (name,) = service.archive.objects.names()
    assert not service.archive.restore_stub(name)
    service.redis.delete(game_key(over.game, "archived"))
    service.redis.hset(game_key(over.game, "secrets"), "seed", "a rest of what was there before")
    assert not service.archive.restore_stub("check-0123456789abcdef")
    assert not service.archive.restore_stub(name.replace(over.game, "0123456789abcdef"))
    assert service.archive.restore_stub(name)
    assert everything(cold(service), over) == before
