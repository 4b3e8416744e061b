"""What pages and calls respond about a game with a damaged event: every route, derived from the application.

No response is a fault of the server, none contains what was changed, everything before the damage can be
read, and nothing is appended any more.
"""

import io
import re
from collections.abc import Iterator
from itertools import product

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from ledger import record
from replay.audit import audit
from service.bootstrap import Service
from service.store.damaged_games import event_part
from tests.service.pages.test_reading_as_anybody import logged_in, start_game
from tests.support.damage import KINDS, MARK, damage_event, store_lines
from tests.support.service_games import take_action

API = "/api/v1"
DAMAGED = 5
"""The damaged event."""
LENGTH = 8
"""Events of the game."""
READABLE = (
    f"{API}/games/ID/position?seq=4",
    f"{API}/games/ID/position.svg?seq=4",
    f"{API}/games/ID/events/4",
    f"{API}/games/ID/events?after=2",
    f"{API}/games/ID/events?type=CityPlaced",
    f"{API}/games/ID/record?seq=4",
    f"{API}/games/ID/notes",
    "/games/ID?seq=4",
    "/games/ID/table?seq=4",
    "/games/ID/position.svg?seq=4",
    "/games/ID/log",
    "/games/ID/compare?from=3&to=4",
)
"""Addresses of what was before the damage."""
CASES = [*product(KINDS, (False, True))]
"""Each kind of damage, before and after a process has read the game."""
SHARES = 3
"""How many shares the addresses have. Of the twelve of a route, each has each query once, at other events."""
SOME = [
    (*case, number % SHARES)
    for number, case in enumerate(case for at, case in enumerate(CASES) if at % 4 in (0, 3))
]
"""Cases of the default run, in which each kind of damage and each address occur, and their shares."""


class Table:
    """A game whose event DAMAGED is damaged, and one of its players."""

    def __init__(self, app: Flask, service: Service) -> None:
        _, self.token, self.values = start_game(service)
        self.id = self.values["game_id"]
        while service.store.head(self.id) < LENGTH:
            take_action(service, self.id)
        self.service = service
        self.browser = logged_in(app, self.token)
        self.lines: list[bytes] = []

    def damage(self, kind: str, *, is_cached: bool) -> None:
        """Damage the event. `is_cached`: this process has read the game before."""
        self.lines = damage_event(self.service, self.id, DAMAGED, KINDS[kind])
        if not is_cached:
            self.service.games.repository._cache.drop(self.id)

    def get(self, address: str) -> TestResponse:
        return request(self.browser, "GET", address.replace("ID", self.id), self.token)


@pytest.fixture
def table(app: Flask, service: Service) -> Table:
    return Table(app, service)


def request(browser: FlaskClient, method: str, address: str, token: str) -> TestResponse:
    body: dict[str, str] | None = (
        {} if method in ("POST", "PUT") and address.startswith(API) else None
    )
    headers = {"Authorization": f"Bearer {token}"}
    return browser.open(address, method=method, headers=headers, json=body)


def addresses(app: Flask, values: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Iterate over the methods and addresses of all routes, about events before the damage and later ones."""
    for rule in app.url_map.iter_rules():
        for seq in (DAMAGED - 1, DAMAGED, LENGTH):
            arguments = {**values, "seq": str(seq)}
            address = rule.rule
            for name in re.findall(r"<[^>]*>", rule.rule):
                address = address.replace(name, arguments.get(re.sub(r"<|.*:|>", "", name), "1"))
            for method in sorted((rule.methods or set()) - {"OPTIONS", "HEAD"}):
                yield method, address
                if "<game_id>" in rule.rule and method == "GET":
                    yield method, f"{address}?seq={seq}"
                    yield method, f"{address}?after={seq}"
                    yield method, f"{address}?from=1&to={seq}"
            if "<" not in rule.rule:
                break


def is_described(response: TestResponse, address: str) -> bool:
    """Return whether a response says that the game is damaged."""
    if address.startswith(API) or response.is_json:
        problem = response.get_json(force=True)
        return bool(problem["type"] == "urn:cartulary:problem:damaged")
    return "Stored data is damaged" in response.text


@pytest.mark.parametrize(
    ("kind", "is_cached", "share"),
    [*SOME, *(pytest.param(*case, None, marks=pytest.mark.nightly) for case in CASES)],
)
def test_no_route_fails_or_shows_what_was_changed(
    app: Flask, service: Service, table: Table, kind: str, is_cached: bool, share: int | None
) -> None:
    table.damage(kind, is_cached=is_cached)
    damaged = service.store.read(table.id)
    faults, described = [], 0
    chosen = [*addresses(app, table.values)]
    for method, address in chosen if share is None else chosen[share::SHARES]:
        if not address.startswith((f"/games/{table.id}", f"{API}/games/{table.id}")) and (
            method != "GET" or "logout" in address
        ):
            continue
        response = request(table.browser, method, address, table.token)
        is_bad = response.status_code >= 500 and not is_described(response, address)
        described += response.status_code == 503
        if is_bad and address not in ("/readyz", "/healthz/processes"):
            faults.append(f"{method} {address}: {response.status}")
        if response.mimetype != "image/png" and MARK.search(response.data):
            faults.append(f"{method} {address}: {MARK.search(response.data)}")
    assert faults == []
    assert described > (10 if is_cached else 200) / (1 if share is None else SHARES + 1)
    assert service.store.read(table.id) == damaged


@pytest.mark.parametrize("is_cached", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_everything_before_the_damage_can_be_read(table: Table, kind: str, is_cached: bool) -> None:
    before = {address: table.get(address) for address in READABLE}
    assert {response.status_code for response in before.values()} == {200}
    table.damage(kind, is_cached=is_cached)
    for address, sound in before.items():
        response = table.get(address)
        assert response.status_code == 200, (address, response.text)
        if re.search(r"/(position|events/|position.svg)", address):
            assert response.data == sound.data, address
    seqs: list[int] = []
    page = table.get(f"{API}/games/ID/events?limit=3")
    while page.status_code == 200:
        body = page.get_json()
        seqs += [event["seq"] for event in body["events"]]
        page = table.get(f"{API}/games/ID/events?limit=3&after={body['next']}")
    assert seqs == [1, 2, 3, 4]
    problem = page.get_json()
    assert (page.status_code, problem["type"]) == (503, "urn:cartulary:problem:damaged")
    assert (problem["game"], problem["event"]) == (table.id, DAMAGED)
    assert int(page.headers["Retry-After"]) >= 60


@pytest.mark.parametrize("kind", KINDS)
def test_the_record_up_to_the_damage_is_sound(table: Table, kind: str) -> None:
    table.damage(kind, is_cached=False)
    assert table.get(f"{API}/games/ID/record").status_code == 503
    assert table.get(f"{API}/games/ID/record?seq={DAMAGED}").status_code == 503
    data = table.get(f"{API}/games/ID/record?seq={DAMAGED - 1}").data
    assert record.read(io.BytesIO(data)).lines == table.lines[: DAMAGED - 1]
    assert audit(io.BytesIO(data)).verdict != "broken"


@pytest.mark.parametrize("kind", KINDS)
def test_the_pages_say_it_in_words_and_lead_to_what_can_be_read(table: Table, kind: str) -> None:
    table.damage(kind, is_cached=False)
    page = table.get("/games/ID")
    assert page.status_code == 503
    assert "Stored data is damaged" in page.text
    assert f"/games/{table.id}?seq={DAMAGED - 1}" in page.text
    shown = table.get(f"/games/ID?seq={DAMAGED - 1}")
    assert f"The game is damaged on the server from event {DAMAGED} on" in shown.text
    # The server does not sign that this is the last event.
    assert 'data-head="' not in shown.text
    assert table.get("/games/ID/log?after=4").status_code == 503


def test_nobody_learns_of_a_private_game_that_it_is_damaged(app: Flask, service: Service) -> None:
    _, own, values = start_game(service, private=True)
    while service.store.head(values["game_id"]) < LENGTH:
        take_action(service, values["game_id"])
    damage_event(service, values["game_id"], DAMAGED, KINDS["change_digit"])
    service.games.repository._cache.drop(values["game_id"])
    _, stranger = service.accounts.players.create_guest()
    for address in READABLE:
        path = address.replace("ID", values["game_id"])
        assert request(logged_in(app, stranger), "GET", path, stranger).status_code == 404, path
        assert request(logged_in(app, own), "GET", path, own).status_code == 200, path


@pytest.mark.parametrize("kind", KINDS)
def test_the_damage_is_reported_and_a_process_that_has_the_game_plays_no_more(
    app: Flask, service: Service, table: Table, kind: str
) -> None:
    """Another process has read the game before it was damaged."""
    table.damage(kind, is_cached=True)
    service.damaged_games.report_event(table.id, DAMAGED, "as another process has found")
    game = service.games.queries.game(table.id)
    assert game.to_act is not None
    _, actions = service.games.queries.legal_actions(table.id, game.players[game.to_act])
    assert game.players[game.to_act] == service.accounts.players.by_handle("ada").id  # type: ignore[union-attr]
    response = table.browser.post(
        f"{API}/games/{table.id}/actions",
        json={"action": actions[0], "expected_seq": game.seq},
        headers={"Authorization": f"Bearer {table.token}"},
    )
    assert response.status_code == 503
    assert is_described(response, API)
    assert service.store.last_appended(table.id) == LENGTH
    parts = service.damaged_games.parts()[table.id]
    assert list(parts) == [event_part(DAMAGED)]


def test_a_game_continues_when_it_is_repaired(service: Service, table: Table) -> None:
    table.damage("change_digit", is_cached=False)
    assert table.get(f"{API}/games/ID").status_code == 503
    store_lines(service, table.id, table.lines)
    assert table.get(f"{API}/games/ID").status_code == 200
    service.damaged_games.clear_events(table.id, [event_part(DAMAGED)])
    take_action(service, table.id)
    assert service.store.head(table.id) == LENGTH + 1
