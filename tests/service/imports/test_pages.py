"""The pages of imported records: uploading one, replaying it, and what they say of a forged one."""

import gzip
import random
import re
from html import unescape
from typing import Any, cast

import orjson
import pytest
from flask.testing import FlaskClient
from freezegun import freeze_time
from werkzeug.test import TestResponse

from domain.errors import Malformed, Unreadable
from domain.event import Event
from ledger.canonical import canonical
from replay.language.renderer import renderer
from service.audits.audits import Audits
from service.bootstrap import Service
from service.bounds import Bounds
from service.errors import BodyTooLarge, NotFound
from service.games.visibility import visibility_for
from service.imports.imports import Imports
from service.imports.store import ImportStore, TooManyImports
from tests.games.records import FOLDER, record_of
from tests.service.conftest import StoreGame
from tests.support.page_forms import csrf_token, log_in, post
from tests.support.records import KEY, forge_record

NAME = "duke-of-two"
FINISHED = (FOLDER / f"{NAME}.jsonl").read_bytes()
ENGLISH = {"Accept-Language": "en"}
PAGES = ("", "/replay?seq=3", "/log", "/scores", "/compare?from=3&to=9", "/table?seq=20")


def upload(browser: FlaskClient, data: bytes, **fields: str) -> TestResponse:
    parts = {**fields, "csrf_token": csrf_token(browser, "/imports")}
    form = "".join(
        f'--x\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in parts.items()
    )
    file = '--x\r\nContent-Disposition: form-data; name="record"; filename="game.jsonl"\r\n\r\n'
    body = form.encode() + file.encode() + data + b"\r\n--x--\r\n"
    return browser.post(
        "/imports", data=body, content_type="multipart/form-data; boundary=x", headers=ENGLISH
    )


def uploaded(browser: FlaskClient, data: bytes, **fields: str) -> str:
    """Upload a record, and return the address of its page."""
    response = upload(browser, data, **fields)
    assert response.status_code == 303, response.text
    return response.headers["Location"]


def shown(browser: FlaskClient, address: str) -> str:
    response = browser.get(address, headers=ENGLISH)
    assert response.status_code == 200, (address, response.text)
    return unescape(response.text)


def named(handles: dict[str, str]) -> bytes:
    """Return the record with a header that names its players."""
    header, _, rest = forge_record(FINISHED).partition(b"\n")
    fields = orjson.loads(header)
    fields["players"] = [{"id": id, "handle": name, "keys": []} for id, name in handles.items()]
    fields["head"] = {name: fields["head"][name] for name in ("seq", "hash")}
    return canonical(KEY.sign_head(fields)) + b"\n" + rest


def players_of_record() -> tuple[str, ...]:
    started = next(e for e in record_of(NAME).events if e["type"] == "GameStarted")
    return tuple(started["data"]["players"])


def test_a_record_has_the_pages_of_a_game(browser: FlaskClient, service: Service) -> None:
    log_in(browser, service, "ada")
    address = uploaded(browser, FINISHED)
    stranger = browser.application.test_client()
    for path in PAGES:
        text = shown(stranger, address + path)
        assert "This is no game of this server, but a file that was uploaded." in text
        assert "Uploaded by ada" in text
        # No link leads to a game of this server that has the id of the record by chance.
        assert record_of(NAME).game not in "".join(re.findall(r'(?:href|action)="([^"]*)"', text))
    assert "<svg" in shown(stranger, f"{address}/replay?seq=60")
    assert stranger.get(f"{address}/record").data == FINISHED
    assert stranger.get(f"{address}/replay?seq=100000").status_code == 404
    assert stranger.get(f"/games/{address.rpartition('/')[2]}").status_code == 404
    assert stranger.get(f"/imports/{record_of(NAME).game}").status_code == 404


@pytest.mark.nightly
def test_an_imported_game_is_replayed_as_the_game_itself(
    browser: FlaskClient, service: Service, store: StoreGame
) -> None:
    game, record = store("baron-battles")
    log_in(browser, service, "ada")
    data = (FOLDER / "baron-battles.jsonl").read_bytes()
    address = uploaded(browser, data)
    for seq in (len(record.events) // 2, len(record.events)):
        pictures = [
            re.findall(
                r'<svg[^>]* class="(?:map|symbol)".*?</svg>', shown(browser, page), re.DOTALL
            )
            for page in (f"/games/{game}?seq={seq}", f"{address}/replay?seq={seq}")
        ]
        assert pictures[0]
        assert pictures[0] == pictures[1]


def test_long_names_in_a_record_do_not_make_its_pages_long(
    browser: FlaskClient, service: Service
) -> None:
    log_in(browser, service, "ada")
    first, second = players_of_record()
    address = uploaded(browser, named({first: "x" * 3_000, second: "y" * 3_000}))
    for path in PAGES:
        page = shown(browser, address + path)
        assert "x" * 41 not in page
        assert "y" * 41 not in page
    assert "x" * 40 in shown(browser, f"{address}/log")


def test_names_in_a_record_are_not_those_of_accounts(
    browser: FlaskClient, service: Service
) -> None:
    player_id = log_in(browser, service, "ada")
    first, second = players_of_record()
    assert player_id not in (first, second)
    hostile = "<script>x</script>\u202e"
    address = uploaded(browser, named({first: "ada", second: hostile}))
    for path in PAGES:
        response = browser.get(address + path, headers=ENGLISH)
        assert "<script>x" not in response.text
        assert "\u202e" not in response.text
        assert '"/players/' not in "".join(
            link for link in re.findall(r'href=("[^"]*)"', response.text) if "ada" in link
        )
    # The name of the account that has uploaded it is not taken from the record either.
    assert "Uploaded by ada" in shown(browser, uploaded(browser, named({player_id: "other"})))


def test_a_forged_record_says_so_on_every_page(browser: FlaskClient, service: Service) -> None:
    log_in(browser, service, "ada")
    forged_at = 0

    def forge(events: list[Event]) -> None:
        nonlocal forged_at
        forged_at = next(seq for seq, e in enumerate(events, 1) if e["type"] == "RoundScored")
        event = events[forged_at - 1]
        event["data"] = {**event["data"], "round": "<b>hostile</b>\u202e"}

    address = uploaded(browser, forge_record(FINISHED, forge), public="yes")
    assert f"differs at event {forged_at}" in shown(browser, "/imports")
    for path in ("", "/replay?seq=3", "/log", "/scores"):
        assert f"differs at event {forged_at}" in shown(browser, address + path)
    origin = browser.get(address, headers=ENGLISH).text
    assert "&lt;b&gt;hostile" in origin
    assert "<b>hostile" not in origin
    assert "\u202e" not in origin
    assert shown(browser, f"{address}/replay?seq={forged_at - 1}")
    assert browser.get(f"{address}/replay?seq={forged_at}").status_code == 404


def test_a_record_of_which_nothing_is_intact_has_only_its_origin(
    browser: FlaskClient, service: Service
) -> None:
    log_in(browser, service, "ada")

    def forge(events: list[Event]) -> None:
        events[0]["state"] = "1" * 64

    address = uploaded(browser, forge_record(FINISHED, forge))
    assert "differs at event 1" in shown(browser, address)
    for path in PAGES[1:]:
        assert browser.get(address + path).status_code == 404


def test_a_visitor_has_the_record_audited_again(browser: FlaskClient, service: Service) -> None:
    log_in(browser, service, "ada")
    address = uploaded(browser, FINISHED)
    stranger = browser.application.test_client()
    stranger.get(address)
    report = post(stranger, f"{address}/audit", address)
    assert report.status_code == 200
    assert "The audit, check by check" in report.text


def test_what_is_refused_is_said_beside_the_file(browser: FlaskClient, service: Service) -> None:
    log_in(browser, service, "ada")
    refused = upload(browser, b"hello\n")
    assert refused.status_code == 400
    assert "Is no game record" in unescape(refused.text)
    assert upload(browser, b"x" * (2 * 1024 * 1024 + 1)).status_code == 413
    stranger = browser.application.test_client()
    assert "/login" in upload(stranger, FINISHED).headers["Location"]
    assert service.imports.public(0, 10) == ([], None)


def test_only_its_uploader_deletes_it(browser: FlaskClient, service: Service) -> None:
    log_in(browser, service, "ada")
    address = uploaded(browser, FINISHED)
    other = browser.application.test_client()
    log_in(other, service, "bea")
    assert "Delete the record" not in shown(other, address)
    assert post(other, f"{address}/delete", "/imports").status_code == 403
    assert post(browser, f"{address}/delete", address).status_code == 303
    assert browser.get(address).status_code == 404


def register(service: Service, handle: str) -> str:
    return service.accounts.players.register(handle, "correct horse")[0].id


def imports_of(service: Service, **bounds: int) -> Imports:
    """Return the imports of a service with other bounds."""
    store = ImportStore(service.redis, service.archive.objects, Bounds(**bounds))
    return Imports(
        store,
        Audits(Bounds(**bounds)),
        service.accounts.players,
        service.keyring,
        lambda: None,
        Bounds(**bounds),
    )


@pytest.mark.nightly
def test_the_number_of_records_is_bounded(service: Service) -> None:
    ada, bea, cyd = (register(service, handle) for handle in ("ada", "bea", "cyd"))
    one_each = imports_of(service, max_imports_per_player=1)
    first = one_each.upload(ada, FINISHED, is_public=False)
    with pytest.raises(TooManyImports):
        one_each.upload(ada, FINISHED, is_public=False)
    one_each.upload(bea, FINISHED, is_public=False)
    with pytest.raises(TooManyImports):
        imports_of(service, max_imports=2).upload(cyd, FINISHED, is_public=False)
    one_each.delete(first)
    one_each.upload(ada, FINISHED, is_public=False)


def test_a_record_with_too_many_events_or_bytes_is_refused(service: Service) -> None:
    with pytest.raises(Malformed):
        imports_of(service, max_audited_events=10).upload("ada", FINISHED, is_public=False)
    with pytest.raises(BodyTooLarge):
        imports_of(service, max_import_bytes=1000).upload("ada", FINISHED, is_public=False)


def test_what_a_dead_process_has_left_is_deleted(service: Service) -> None:
    ada = register(service, "ada")
    imports = imports_of(service, max_imports_per_player=1)
    with freeze_time("2026-11-20 09:00:00") as time:
        left = imports.upload(ada, FINISHED, is_public=True)
        # It has died before the facts were written, or after they were deleted.
        service.redis.delete(f"cartulary:import:{left.id}")
        assert imports.of_player(ada) == imports.public(0, 10)[0] == []
        time.tick(61)
        kept = imports.upload(ada, FINISHED, is_public=True)
    assert service.archive.objects.get(f"imports/{left.id}.jsonl.gz") is None
    assert imports.public(0, 10)[0] == [kept]
    imports.delete_all_of(ada)
    assert not service.redis.keys("cartulary:import*")
    assert service.archive.objects.get(f"imports/{kept.id}.jsonl.gz") is None


def test_a_damaged_object_is_noticed(service: Service) -> None:
    ada = register(service, "ada")
    imports = imports_of(service)
    record = imports.upload(ada, FINISHED, is_public=False)
    name = f"imports/{record.id}.jsonl.gz"
    for data in (b"no gzip", gzip.compress(b"short"), gzip.compress(b"x" * 3_000_000)):
        service.archive.objects.put(name, data)
        with pytest.raises(Unreadable):
            imports.data(record)
    service.archive.objects.delete(name)
    with pytest.raises(NotFound):
        imports.replayed(record)


HOSTILE: tuple[object, ...] = (
    None,
    True,
    -1,
    10**15,
    "",
    "<b>\u202e" * 20,
    [],
    {},
    [[10**12, -(10**12)]],
    {"a": {"b": [1]}},
)
FORGED_GAMES = ("clock-leaves-one", "baron-disputes", "sorcery-disputes", "baron-new-draws")


@pytest.mark.nightly
def test_whatever_was_forged_what_is_intact_can_be_replayed(service: Service) -> None:
    """Fields of events are replaced by anything at all, and the chain is sealed again."""
    ada = register(service, "ada")
    chance = random.Random(5)
    imports = imports_of(service, max_imports_per_player=100)
    verdicts = []
    for number in range(12):
        name = FORGED_GAMES[number % len(FORGED_GAMES)]

        def forge(events: list[Event]) -> None:
            event: dict[str, Any] = dict(chance.choice(events[:-1]))
            field = chance.choice(["action", "data"])
            if field == "data" and event["data"]:
                changed = chance.choice(list(event["data"]))
                event["data"] = {**event["data"], changed: chance.choice(HOSTILE)}
            else:
                event["action"] = chance.choice(HOSTILE)
            events[event["seq"] - 1] = cast("Event", event)

        try:
            data = forge_record((FOLDER / f"{name}.jsonl").read_bytes(), forge)
            record = imports.upload(ada, data, is_public=False)
        except Malformed:
            continue
        verdicts.append(record.verdict)
        replayed = imports.replayed(record)
        head = replayed.head
        if head is None:
            continue
        for seq in {1, head.seq // 2 or 1, head.seq}:
            step = replayed.events.transition(head, seq)
            visibility = visibility_for(head, None)
            replayed.events.explain(head, step, None, renderer("en"), visibility)
        replayed.replays.index(head)
    assert verdicts.count("differs") >= 3
