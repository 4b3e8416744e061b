"""The keyring: every key is published before it signs, and stays published."""

from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest
from freezegun import freeze_time

from cartulary.running_service import read_live_record
from cartulary.trusted_keys import TrustedKeysFile
from ledger.keys import BadSignature, check_head, check_signed
from ledger.record import read
from replay.audit import audit
from service.bootstrap import Service, build
from service.errors import NotFound
from service.keyring import Keyring, NoKeyError
from service.settings import Settings
from tests.support.redis_contents import contents
from tests.support.service_games import start_game, take_action


def test_the_own_key_is_listed_before_it_signs_anything(service: Service) -> None:
    with freeze_time("2026-11-20T09:00:00Z"):
        (entry,) = service.keyring.public_keys()
    assert entry["from"] == "2026-11-20T09:00:00.000Z"
    assert entry["until"] is None
    with freeze_time("2026-11-20T09:15:00Z"):
        receipt = take_action(service, start_game(service).id).receipt
    assert receipt["key"] == entry["key"]
    assert service.keyring.public_keys() == [entry]
    check_signed(receipt, [entry])


def test_a_read_only_keyring_publishes_and_generates_no_key(service: Service) -> None:
    keyring = Keyring(service.redis, service.settings.signing_key, read_only=True)
    assert keyring.public_keys() == []
    with pytest.raises(NoKeyError):
        keyring.publish_key()
    assert not service.settings.signing_key.exists()
    assert contents(service.redis) == {}


def test_every_process_signs_with_the_key_of_the_file(service: Service) -> None:
    path = service.settings.signing_key
    service.keyring.publish_key()
    published = service.keyring.public_keys()
    with freeze_time("2099-01-01"):
        event = take_action(service, start_game(service).id).events[0]
        again = Keyring(service.redis, path)
        assert again.signing_key.receipt(event) == service.keyring.signing_key.receipt(event)
    assert service.keyring.public_keys() == published
    assert path.stat().st_mode & 0o777 == 0o600


def test_retired_keys_stay_listed(service: Service, tmp_path: Path) -> None:
    with freeze_time("2026-11-20T09:00:00Z"):
        receipt = take_action(service, start_game(service).id).receipt
    with freeze_time("2026-11-21T09:00:00Z"):
        successor = Keyring(service.redis, tmp_path / "next.pem")
        successor.publish_key()
        assert successor.retire(receipt["key"])["until"] == "2026-11-21T09:00:00.000Z"
    with freeze_time("2026-11-22T09:00:00Z"):
        assert successor.retire(receipt["key"])["until"] == "2026-11-21T09:00:00.000Z"
    published = successor.public_keys()
    assert [entry["until"] for entry in published] == ["2026-11-21T09:00:00.000Z", None]
    assert [entry["from"][:10] for entry in published] == ["2026-11-20", "2026-11-21"]
    check_signed(receipt, published)


def test_a_key_that_was_never_published_cannot_be_retired(service: Service) -> None:
    with pytest.raises(NotFound):
        service.keyring.retire("0" * 16)


def test_the_private_key_is_neither_in_a_repr_nor_in_redis(service: Service) -> None:
    service.keyring.publish_key()
    body = "".join(service.settings.signing_key.read_text().splitlines()[1:-1])
    assert body
    assert body not in repr(service)
    for name in service.redis.keys("*"):
        assert body.encode() not in (service.redis.dump(name) or b"")


def test_the_name_of_the_server_is_signed_in_the_header_of_records(
    service: Service, settings: Settings
) -> None:
    game = start_game(service)
    unnamed = read(BytesIO(b"".join(service.games.queries.record(game.id)))).header
    assert "origin" not in unnamed
    named = build(replace(settings, origin="games.example.org"))
    header = read(BytesIO(b"".join(named.games.queries.record(game.id)))).header
    named.redis.close()
    assert header["origin"] == "games.example.org"
    check_head(header, header["keys"])
    with pytest.raises(BadSignature):
        check_head({**header, "origin": "other.example.org"}, header["keys"])


def test_a_command_that_reads_a_live_game_trusts_the_key_of_its_service(
    service: Service, settings: Settings, tmp_path: Path
) -> None:
    game = start_game(service)
    environ = {
        "CARTULARY_DATA": str(settings.data),
        "CARTULARY_REDIS_URL": settings.redis_url,
        "CARTULARY_QUEUE_URL": settings.queue_url,
        "CARTULARY_ORIGIN": "games.example.org",
        "CARTULARY_TRUSTED_KEYS": str(tmp_path / "trusted-keys.jsonl"),
    }
    data = read_live_record(environ, game.id, None)
    (key,) = TrustedKeysFile(environ).load().keys
    assert (key.source, key.origin) == ("service", "games.example.org")
    report = audit(BytesIO(data), trusted=TrustedKeysFile(environ).load())
    assert "head" not in {unknown.check for unknown in report.unknowns}
