"""Importing records: a game comes back complete, and no stored or published event is contradicted."""

import random
from io import BytesIO
from pathlib import Path

import orjson
import pytest
from click.testing import CliRunner

from cartulary.cli import cartulary
from replay.audit import audit
from service.bootstrap import Service
from service.recovery.games import LostEvents, remove_lost_events
from service.recovery.record_import import Imported, ImportRefused, import_record
from service.transparency.store import TransparencyStore
from tests.support.faults import raises
from tests.support.service_games import play_set_up, start_game, take_action

GAMES = Path(__file__).parents[2] / "games"


def record_of(service: Service, game: str) -> bytes:
    return b"".join(service.games.queries.record(game))


def forget(service: Service, game: str, kept: int = 0) -> None:
    """Lose the events of a game after event `kept`, as a repair does."""
    remove_lost_events(service.redis, LostEvents(game, kept, ()))
    service.redis.delete(TransparencyStore.heads_key)


@pytest.mark.parametrize("name", ["agreement", "baron-battles", "disputes"])
def test_an_ended_game_comes_back_as_it_was(service: Service, name: str) -> None:
    data = (GAMES / f"{name}.jsonl").read_bytes()
    key = orjson.loads(data.split(b"\n")[0])["keys"][0]["public"]
    with raises(ImportRefused, match="the record is broken"):
        import_record(service, data)  # another server has signed it
    imported = import_record(service, data, [key])
    assert (imported.first, imported.last) == (1, service.store.head(imported.game))
    record = record_of(service, imported.game)
    lines = [line for line in record.split(b"\n") if b'"prev":' in line]
    assert lines == [line for line in data.split(b"\n") if b'"prev":' in line]
    assert audit(BytesIO(record)).verdict != "broken"
    assert service.store.outbox(imported.game) == {}
    assert import_record(service, data, [key]) == Imported(
        imported.game, imported.last + 1, imported.last
    )


def test_the_end_of_a_game_in_progress_comes_back_and_play_continues(service: Service) -> None:
    game = play_set_up(service, start_game(service, clock={"per_turn": 3600}).id)
    take_action(service, game.id, random.Random(3))
    data, last = record_of(service, game.id), service.store.head(game.id)
    forget(service, game.id, 5)
    assert import_record(service, data) == Imported(game.id, 6, last)
    assert "deadline" in service.store.outbox(game.id)
    take_action(service, game.id)
    assert service.store.head(game.id) == last + 1


def test_a_game_in_progress_without_its_secret_is_refused(service: Service) -> None:
    game = start_game(service)
    data = record_of(service, game.id)
    forget(service, game.id)
    with raises(ImportRefused, match="does not contain the secrets"):
        import_record(service, data)
    assert service.store.head(game.id) == 0


def test_a_record_that_contradicts_the_stored_game_is_refused(service: Service) -> None:
    game = start_game(service)
    take_action(service, game.id, random.Random(1))
    data = record_of(service, game.id)
    forget(service, game.id, game.seq)
    take_action(service, game.id, random.Random(2))
    take_action(service, game.id, random.Random(2))
    stored = service.store.read(game.id)
    with raises(ImportRefused, match="has other or more events"):
        import_record(service, data)
    assert service.store.read(game.id) == stored


def test_a_record_that_contradicts_the_transparency_log_is_refused(service: Service) -> None:
    game = start_game(service)
    data = record_of(service, game.id)
    take_action(service, game.id)
    service.transparency.head_log.log([game.id])
    remove_lost_events(service.redis, LostEvents(game.id, game.seq - 1, ()))
    with raises(ImportRefused, match="play would go on differently"):
        import_record(service, data)
    assert import_record(service, data, is_incomplete=True).last == game.seq


def test_the_command_reports_each_record(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = start_game(service)
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    good.write_bytes(record_of(service, game.id))
    bad.write_bytes(good.read_bytes().replace(b'"at":"20', b'"at":"19', 1))
    forget(service, game.id, 2)
    monkeypatch.setenv("CARTULARY_SIGNING_KEY", str(service.settings.signing_key))
    monkeypatch.setenv("CARTULARY_QUEUE_URL", service.settings.queue_url)
    arguments = ["import", str(bad), str(good), "--redis", service.settings.redis_url]
    result = CliRunner().invoke(cartulary, arguments)
    assert result.exit_code == 1
    assert result.stdout == f"{good}: game {game.id}, events 3 to {game.seq} imported\n"
    assert result.stderr.startswith(f"{bad}: the record is broken: ")
    again = CliRunner().invoke(cartulary, ["import", str(good), *arguments[3:]])
    assert (again.exit_code, again.stdout) == (
        0,
        f"{good}: game {game.id} has all events already\n",
    )


def test_a_changed_record_is_refused(service: Service) -> None:
    game = start_game(service)
    data = record_of(service, game.id)
    forget(service, game.id, 2)
    changed = data.replace(b'"at":"20', b'"at":"19', 1)
    with raises(ImportRefused, match="the record is broken"):
        import_record(service, changed)
    assert service.store.head(game.id) == 2
