"""Pages that replay a game in progress do not depend on secrets that their viewer may not know.

A game of Baron is stored twice: the logs are the same, and the secrets beside them differ in what a viewer
may not know. Not a byte of a page may differ for this viewer.
"""

import random
import re
from html import unescape
from typing import cast

import pytest
from flask import Flask
from flask.testing import FlaskClient

from domain.contract import DomainEvent
from domain.event import Event
from ledger.record import Record
from service.bootstrap import Service
from tests.support.baron_deals import indistinguishable_set_up
from tests.support.events import event_of
from tests.support.records import Table, read
from tests.support.stored_games import players_of, store_game

SEATS = 3
IDS = ("original", "mirrored")
"""The ids of the two games, which have the same length."""
CSRF_TOKEN = re.compile(r'name="csrf_token" value="[^"]*"')
HASH = re.compile(r"\b[0-9a-f]{64}\b")
"""Commitments to secrets, and so the hashes of events, differ, as they do when only salts do."""
SIGNED_HEAD = re.compile(r'data-head="[^"]*"')
"""It has the hash of an event, which contains the id of the game, and a signature."""
FORM_KEY = re.compile(r'<input type="hidden" name="key" value="[^"]*">')
"""The idempotency key of a form, which is drawn at random for each page."""
OPTION = re.compile(r'<a class="choice button" href="([^"]+)"')


@pytest.fixture(scope="module")
def played() -> tuple[Record, int]:
    """A game in which no seat lays a tile that it was dealt up to some event, and the seq of that event."""
    table = Table("baron", seats=SEATS, options={"seating": "joined"}).start()
    chance = random.Random(3)
    for _ in range(60):
        rules, seat = table.game.rules, table.game.to_act
        assert seat is not None
        position = table.game.position(seat)
        assert position is not None
        reserve = list(position["players"][seat]["reserve"])
        for tile in dealt(table)[seat]:
            reserve.remove(tile)
        actions = [
            dict(rules.action_to_json(action))
            for action in rules.legal_actions(table.game.state, seat)
        ]
        table.act(
            chance.choice(
                [action for action in actions if action.get("tile", "") in {"", *reserve}]
            )
        )
    length = table.game.seq
    return read(table.play_out().record()), length


def dealt(table: Table) -> dict[int, list[str]]:
    (openings,) = read(table.record()).opened_values().values()
    return {seat: openings[f"reserve/{seat}"] for seat in range(SEATS)}


def deal_of(record: Record) -> tuple[Event, DomainEvent]:
    start = next(event for event in record.events if event["type"] == "GameStarted")
    deal = event_of("GameStarted", start["data"])
    secrets = record.opened_values()[start["seq"]]
    return start, DomainEvent(deal.type, deal.data, secrets)


def addresses(start: int, length: int) -> list[str]:
    """Return the addresses of pages of a game, after that of the game itself."""
    seqs = [start, *range(start + 1, length, 10), length]
    return [
        *(f"?seq={seq}&explore=1" for seq in seqs),
        *(f"?seq={seq}" for seq in seqs[::3]),
        *(f"/table?seq={seq}" for seq in seqs[::4]),
        f"/compare?from={start}&to={length}",
        f"/compare?from={length - 9}&to={length}",
        "/log",
        "/log?clause=BN-LAY",
        "/scores",
    ]


def received(browser: FlaskClient, game_id: str, paths: list[str]) -> list[str]:
    """Return the pages at these addresses, and those of the choices that they offer, without id and token."""
    pages: list[str] = []
    for path in paths:
        response = browser.get(f"/games/{game_id}{path}")
        assert response.status_code == 200, path
        pages.append(response.text)
        pages.extend(
            browser.get(f"/games/{game_id}{unescape(option)}").text
            for option in OPTION.findall(response.text)[:2]
        )
    for pattern in (CSRF_TOKEN, FORM_KEY, SIGNED_HEAD, HASH):
        pages = [pattern.sub("", page) for page in pages]
    return [page.replace(game_id, "ID") for page in pages]


@pytest.mark.parametrize("viewer", [None, 1])
def test_a_viewer_receives_the_same_pages_whatever_the_secrets_of_others_are(
    app: Flask, service: Service, played: tuple[Record, int], viewer: int | None
) -> None:
    record, length = played
    start, deal = deal_of(record)
    draws = sum(event["type"] == "TileDrawn" for event in record.events[:length])
    changed = indistinguishable_set_up(deal, viewer, draws)
    assert changed.secrets != deal.secrets
    accounts = [
        service.accounts.players.register(f"player{seat}", "correct horse") for seat in range(SEATS)
    ]
    ids = [player.id for player, _ in accounts]
    names = dict(zip(players_of(record), ids, strict=True))
    for game_id, secrets in zip(IDS, (deal.secrets, changed.secrets), strict=True):
        values = cast("dict[str, object]", secrets)
        store_game(service, record, length, game_id=game_id, players=names, secrets=values)

    def pages(seat: int | None) -> list[list[str]]:
        browser = app.test_client()
        if seat is not None:
            with browser.session_transaction() as session:
                session["token"] = accounts[seat][1]
        return [received(browser, game_id, addresses(start["seq"], length)) for game_id in IDS]

    original, mirrored = pages(viewer)
    assert original == mirrored
    # Only a player whose turn it was tries the actions of a position.
    assert any(map(OPTION.search, original)) == (viewer is not None)
    # A player whose own tiles differ does receive something else.
    affected = pages(2)
    assert affected[0] != affected[1]
