"""Imported records over HTTP: what is accepted, what an audit says of it, and who may see and delete it."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import httpx
import orjson
import pytest
import redis
from freezegun import freeze_time

from domain.event import Event
from service import wall_clock
from service.accounts.erasure import SECONDS_TO_SETTLE
from service.bootstrap import Service
from service.errors import Unauthorised
from service.http.validation import MAX_BODY_BYTES
from service.imports.store import is_import_id
from tests.games.records import FOLDER, record_of
from tests.support.accounts import PASSWORD, Accounts, Json, PlayerClient, take_turn
from tests.support.administrators import ADMIN, WHY, last_entries, register_administrator
from tests.support.kills import killing_the_next
from tests.support.records import STRANGER, forge_record
from tests.support.server import WebServer

IMPORTS = "/api/v1/imports"
LINES = {"Content-Type": "application/jsonl"}
FINISHED = (FOLDER / "duke-of-two.jsonl").read_bytes()


def upload(player: PlayerClient, data: bytes, query: str = "") -> httpx.Response:
    return player.http.post(IMPORTS + query, content=data, headers=LINES)


def uploaded(player: PlayerClient, data: bytes, query: str = "") -> Json:
    response = upload(player, data, query)
    assert response.status_code == 201, response.text
    assert response.headers["location"] == f"{IMPORTS}/{response.json()['id']}"
    body: Json = response.json()
    return body


def own_record(accounts: Accounts, client: redis.Redis) -> tuple[str, bytes, PlayerClient]:
    """Play a private game of this server until it is abandoned; return its id, its record and a player."""
    ada, bea = accounts.register(), accounts.register()
    game = ada.create_game(rules="baron", options={"private": True})
    invited = ada.http.post(f"/api/v1/games/{game}/invitations", json={"handle": bea.handle})
    assert invited.status_code == 201
    bea.join(game)
    take_turn(game, [ada, bea])
    admin = register_administrator(accounts, client)
    ended = admin.http.post(f"{ADMIN}/games/{game}/abandonment", json=WHY)
    assert ended.status_code == 201, ended.text
    return game, ada.http.get(f"/api/v1/games/{game}/record").content, ada


@pytest.fixture
def ada(accounts: Accounts) -> PlayerClient:
    return accounts.register()


def test_a_record_of_another_server_is_kept_as_it_is(accounts: Accounts, ada: PlayerClient) -> None:
    record = uploaded(ada, FINISHED)
    assert is_import_id(record["id"])
    assert (record["uploader"], record["public"]) == (ada.handle, False)
    assert record["bytes"] == len(FINISHED)
    assert (
        record["events"]
        == record["intact"]
        == len(FINISHED.splitlines()) - 1 - FINISHED.count(b'{"open":')
    )
    # Nobody here knows whose key has signed it.
    assert (record["verdict"], record["differs_at"], record["own_key"]) == ("unknown", None, False)
    address = f"{IMPORTS}/{record['id']}"
    assert accounts.anonymous.get(address).json() == record
    assert accounts.anonymous.get(f"{address}/record").content == FINISHED
    assert ada.http.get("/api/v1/me/imports").json() == {"imports": [record], "next": None}
    assert accounts.register().http.get("/api/v1/me/imports").json()["imports"] == []
    for unknown in ("import-" + "0" * 32, "nonsense", record["game"]):
        assert accounts.anonymous.get(f"{IMPORTS}/{unknown}").status_code == 404
        assert accounts.anonymous.get(f"{IMPORTS}/{unknown}/record").status_code == 404


def test_a_file_in_a_form_is_accepted_as_well(ada: PlayerClient) -> None:
    response = ada.http.post(IMPORTS, files={"record": ("a.jsonl", FINISHED)})
    assert response.status_code == 201, response.text
    assert response.json()["bytes"] == len(FINISHED)


def test_only_public_records_are_listed(accounts: Accounts, ada: PlayerClient) -> None:
    hidden = uploaded(ada, FINISHED)
    first, second = (uploaded(ada, FINISHED, "?public=true") for _ in range(2))
    page = accounts.anonymous.get(f"{IMPORTS}?limit=1").json()
    assert (page["imports"], page["next"]) == ([second], 1)
    rest = accounts.anonymous.get(f"{IMPORTS}?after=1&limit=100").json()["imports"]
    assert first in rest
    assert hidden["id"] not in [record["id"] for record in rest]
    assert accounts.anonymous.get(f"{IMPORTS}?limit=1000").status_code == 400


def test_a_record_of_this_server_is_recognized_by_its_key(
    accounts: Accounts, redis_client: redis.Redis
) -> None:
    game, data, player = own_record(accounts, redis_client)
    before = player.http.get("/api/v1/games").json()
    record = uploaded(player, data)
    assert (record["game"], record["own_key"]) == (game, True)
    assert record["verdict"] in ("holds", "unknown")
    # A forger without the key of this server.
    forged = uploaded(player, forge_record(data, key=STRANGER))
    assert (forged["own_key"], forged["verdict"]) == (False, "unknown")
    assert player.http.get("/api/v1/games").json() == before
    # The game itself stays what only its players may see.
    assert accounts.anonymous.get(f"/api/v1/games/{game}").status_code == 404


def change_action(events: list[Event]) -> None:
    """Have an action of the middle of the game be the one before it again."""
    index = next(i for i in range(len(events) // 2, len(events)) if events[i]["action"])
    events[index]["action"] = {"type": "resign"}


def change_score(events: list[Event]) -> None:
    event = next(event for event in events if event["type"] == "RoundScored")
    event["data"] = {**event["data"], "round": 10**15}


@pytest.mark.parametrize("change", [change_action, change_score])
def test_a_forged_record_is_shown_as_what_it_is(
    ada: PlayerClient, change: Callable[[list[Event]], None]
) -> None:
    changed: list[int] = []

    def forge(events: list[Event]) -> None:
        before = orjson.dumps(events)
        change(events)
        pairs = zip(orjson.loads(before), events, strict=True)
        changed.extend(seq for seq, (old, new) in enumerate(pairs, 1) if old != new)

    record = uploaded(ada, forge_record(FINISHED, forge))
    assert record["verdict"] == "differs"
    assert record["differs_at"] == changed[0]
    assert record["intact"] == changed[0] - 1


def _with_header(**fields: object) -> bytes:
    header, _, rest = FINISHED.partition(b"\n")
    return (
        orjson.dumps({**orjson.loads(header), **fields}, option=orjson.OPT_SORT_KEYS) + b"\n" + rest
    )


def test_a_changed_header_is_a_fault_at_no_event(ada: PlayerClient) -> None:
    seated = next(
        event for event in record_of("duke-of-two").events if event["type"] == "GameStarted"
    )
    hostile = "<b>\u202eevil</b>" + "x" * 200
    players = [{"id": id, "handle": hostile, "keys": []} for id in seated["data"]["players"]]
    record = uploaded(ada, _with_header(players=players))
    assert (record["verdict"], record["differs_at"]) == ("differs", None)
    assert record["intact"] == record["events"]
    shown = "".join(record["players"])
    assert shown
    assert "\u202e" not in shown
    assert max(map(len, record["players"])) <= 41


NO_RECORDS = {
    "nothing": b"",
    "text": b"hello\n",
    "an archive": b"PK\x03\x04" + b"\x00" * 100,
    "gzip": b"\x1f\x8b\x08\x00" + b"\x00" * 100,
    "deep JSON": b"[" * 60_000 + b"]" * 60_000,
    "a huge number": FINISHED.replace(b'"seq":1,', b'"seq":' + b"9" * 400 + b",", 1),
    "many values": b"[" + b"{}," * 300_000 + b"{}]",
    "many values in a later line": FINISHED.splitlines(keepends=True)[0]
    + b'{"data":['
    + b"{}," * 20_000
    + b"{}]}\n",
    "a long line": b'{"a":"' + b"x" * 1_200_000 + b'"}',
    "lone surrogates": FINISHED.replace(b'"engine":"', b'"engine":"\\ud800', 1),
    "a game in progress": b"".join(FINISHED.splitlines(keepends=True)[:40]),
    "only a header": FINISHED.splitlines(keepends=True)[0],
}


@pytest.mark.parametrize("data", NO_RECORDS.values(), ids=NO_RECORDS)
def test_only_a_record_of_a_finished_game_is_accepted(ada: PlayerClient, data: bytes) -> None:
    response = upload(ada, data)
    assert response.status_code == 400, response.text
    assert [error["field"] for error in response.json()["errors"]] == ["record"]
    assert len(response.content) < 2_000
    assert ada.http.get("/api/v1/me/imports").json()["imports"] == []


def test_what_cannot_be_read_is_refused(accounts: Accounts, ada: PlayerClient) -> None:
    for type in ("application/json", "application/zip", "text/html"):
        headers = {"Content-Type": type}
        assert ada.http.post(IMPORTS, content=FINISHED, headers=headers).status_code == 415
    compressed = {**LINES, "Content-Encoding": "gzip"}
    assert ada.http.post(IMPORTS, content=FINISHED, headers=compressed).status_code == 415
    for size in (2 * 1024 * 1024 + 1, 3 * 1024 * 1024):
        refused = upload(ada, b"x" * size)
        assert refused.status_code == 413
        assert "2097152" in refused.json()["detail"].replace(",", "")
    parts = {f"part-{number}": "x" for number in range(1001)}
    refused = ada.http.post(IMPORTS, data=parts, files={"record": ("a.jsonl", FINISHED)})
    assert refused.status_code == 413
    assert "parts" in refused.json()["detail"]
    assert ada.http.post(IMPORTS, files={"other": ("a.jsonl", FINISHED)}).status_code == 400
    assert ada.http.post(IMPORTS, data={"record": "x"}, headers={}).status_code == 415
    assert upload(ada, FINISHED, "?public=maybe").status_code == 400
    # Other calls keep their bound.
    large = ada.http.post("/api/v1/games", content=b"x" * (MAX_BODY_BYTES + 1), headers=LINES)
    assert large.status_code == 413
    assert str(MAX_BODY_BYTES) in large.json()["detail"].replace(",", "")


def test_only_its_uploader_deletes_a_record(accounts: Accounts, ada: PlayerClient) -> None:
    address = f"{IMPORTS}/{uploaded(ada, FINISHED, '?public=true')['id']}"
    assert accounts.register().http.delete(address).status_code == 403
    assert ada.http.delete(address).status_code == 204
    for path in (address, f"{address}/record"):
        assert ada.http.get(path).status_code == 404
    assert ada.http.delete(address).status_code == 404
    assert ada.http.get("/api/v1/me/imports").json()["imports"] == []
    listed = ada.http.get(IMPORTS).json()["imports"]
    assert address not in [f"{IMPORTS}/{record['id']}" for record in listed]


def test_the_number_of_records_of_a_player_is_bounded(
    ada: PlayerClient, redis_client: redis.Redis
) -> None:
    others = {f"import-{number:032x}": wall_clock.now().timestamp() for number in range(50)}
    redis_client.zadd(f"cartulary:imports:of:{ada.id}", others)
    response = upload(ada, FINISHED)
    assert response.status_code == 409
    assert "50 imported records" in response.json()["detail"]


def test_an_administrator_deletes_a_record_with_a_reason(
    accounts: Accounts, ada: PlayerClient, redis_client: redis.Redis
) -> None:
    admin = register_administrator(accounts, redis_client)
    record = uploaded(ada, FINISHED)["id"]
    response = admin.http.request("DELETE", f"{ADMIN}/imports/{record}", json=WHY)
    assert response.status_code == 204
    assert last_entries(redis_client, 1) == [(admin.id, "delete_import")]
    assert ada.http.get(f"{IMPORTS}/{record}").status_code == 404


def test_records_are_erased_with_the_account(
    accounts: Accounts, ada: PlayerClient, redis_client: redis.Redis
) -> None:
    record = uploaded(ada, FINISHED, "?public=true")["id"]
    erased = ada.http.request("DELETE", "/api/v1/me", json={"password": PASSWORD})
    assert erased.status_code == 204
    assert accounts.anonymous.get(f"{IMPORTS}/{record}").status_code == 404
    assert not [key for key in redis_client.keys("*import*") if record.encode() in key]
    for key in ("cartulary:imports", "cartulary:imports:public"):
        assert redis_client.zscore(key, record) is None


def test_a_record_is_not_kept_if_the_account_is_erased_during_the_audit(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = service.accounts.players.register("ada", PASSWORD)[0].id
    audit = service.audits.audit

    def audit_until_the_erasure_is_complete(*args: Any) -> Json:
        report = audit(*args)
        service.accounts.erasure.erase_without_password(ada)
        later = wall_clock.now() + timedelta(seconds=SECONDS_TO_SETTLE + 1)
        with freeze_time(later):
            service.accounts.erasure.resume()
        return report

    monkeypatch.setattr(service.audits, "audit", audit_until_the_erasure_is_complete)
    with pytest.raises(Unauthorised):
        service.imports.upload(ada, FINISHED, is_public=True)
    assert service.imports.public(0, 10) == ([], None)
    assert service.redis.keys("cartulary:import*") == []
    assert service.archive.objects.folder is not None
    assert [*service.archive.objects.folder.glob("imports/*")] == []


def test_an_import_is_no_worse_for_an_audit_that_was_killed(
    ada: PlayerClient, web: WebServer
) -> None:
    with killing_the_next(web.pid, "service.audits.process"):
        response = upload(ada, FINISHED)
    assert response.status_code == 503
    assert int(response.headers["retry-after"]) >= 1
    assert uploaded(ada, FINISHED)["verdict"] != "differs"
