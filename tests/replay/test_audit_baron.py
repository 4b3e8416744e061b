"""Audits of records with secrets: deal and pile drawn again, openings proven, forgeries found."""

from collections.abc import Callable
from io import BytesIO
from typing import Any

import pytest

from domain.contract import secret_owner
from domain.event import Event
from ledger import record
from ledger.record import Record
from ledger.seal import commitment
from replay.playout import plan, play
from tests.support.records import KEY, Table, audited, forged, found, read

TILES = ("village", "field", "forest", "vineyard", "quarry", "pond", "marsh", "cursed_place")


def played(seats: int) -> bytes:
    """A whole game among bots."""
    return play(plan("baron", seats, b"audited" * 4, {}, ["sensible", "random"])).record


@pytest.fixture(scope="module")
def whole() -> bytes:
    return played(3)


def reopened(data: bytes, keep: Callable[[str], bool]) -> bytes:
    """The record as somebody has it who may see only these secrets."""
    told = read(data)
    opens = {
        seq: {name: opening for name, opening in each.items() if keep(name)}
        for seq, each in told.opens.items()
    }
    return b"".join(record.write(told.header, told.lines, opens))


def dealt_otherwise(data: bytes, change: Callable[[dict[str, Any]], None]) -> bytes:
    """The record with another deal, commitments, chain and positions made to fit."""
    told = read(data)
    ((seq, opens),) = told.opens.items()
    values = {name: opening["value"] for name, opening in opens.items()}
    change(values)
    for name, value in values.items():
        opens[name]["value"] = value

    def commit(events: list[Event]) -> None:
        events[seq - 1]["secrets"] = {name: commitment(opens[name]) for name in opens}

    return forged(b"".join(record.write(told.header, told.lines, told.opens)), commit, states=True)


def started(told: Record) -> Event:
    return next(event for event in told.events if event["type"] == "GameStarted")


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_of_a_game_that_is_over_everything_is_checked(seats: int) -> None:
    data = played(seats)
    told = read(data)
    assert started(told)["secrets"].keys() == told.opened().keys()
    assert told.opened().keys() == {"pile", *(f"reserve/{seat}" for seat in range(seats))}
    report = audited(data, keys=[read(data).header["keys"][0]["public"]])
    assert report.findings == []
    checks = {check.name: check for check in report.checks}
    assert not any(check.left_out for check in report.checks)
    assert checks["secrets"].looked_at == seats + 2
    assert checks["chance"].looked_at == seats + 2
    assert checks["decisions"].looked_at == len(told.events)


def test_an_opening_left_out_of_a_game_that_is_over_is_found(whole: bytes) -> None:
    finding = found(reopened(whole, lambda name: name != "reserve/1"), "secrets")
    assert "reserve/1 is not opened" in finding.what


def test_a_value_that_was_not_committed_to_is_found(whole: bytes) -> None:
    told = read(whole)
    ((_, opens),) = told.opens.items()
    opens["reserve/0"]["value"], opens["reserve/1"]["value"] = (
        opens["reserve/1"]["value"],
        opens["reserve/0"]["value"],
    )
    data = b"".join(record.write(told.header, told.lines, told.opens))
    whats = [finding.what for finding in audited(data).findings if finding.check == "secrets"]
    assert [what.partition(" ")[0] for what in whats] == ["reserve/0", "reserve/1"]


def swapped(values: dict[str, Any]) -> None:
    values["reserve/0"], values["reserve/1"] = values["reserve/1"], values["reserve/0"]


def stacked(values: dict[str, Any]) -> None:
    pile = values["pile"]
    values["pile"] = [*pile[:-2], pile[-1], pile[-2]] if pile[-1] != pile[-2] else pile[::-1]


def gifted(values: dict[str, Any]) -> None:
    values["reserve/2"] = ["village", "village"]


@pytest.mark.parametrize(
    ("deal", "name"), [(stacked, "pile"), (gifted, "reserve/2"), (swapped, "reserve/0")]
)
def test_a_deal_that_was_chosen_is_found_however_well_it_fits(
    deal: Callable[[dict[str, Any]], None], name: str
) -> None:
    table = Table("baron", seats=3).start()
    table.act({"type": "draw", "slot": 1})
    table.abandon()
    report = audited(dealt_otherwise(table.record(), deal))
    whats = {finding.what for finding in report.findings if finding.check == "chance"}
    assert f"the secret {name} is not what the seed gives" in whats
    assert {finding.check for finding in report.findings} <= {"chance", "decisions"}


@pytest.mark.parametrize("field", ["market", "start"])
def test_what_was_laid_open_and_not_drawn_is_found(whole: bytes, field: str) -> None:
    def change(events: list[Event]) -> None:
        data = next(event["data"] for event in events if event["type"] == "GameStarted")
        data[field] = data[field][::-1] if field == "market" else "marsh"

    whats = [f.what for f in audited(forged(whole, change)).findings if f.check == "chance"]
    assert whats == [f"{field} is not what the seed gives"]


def test_a_tile_that_was_not_the_next_of_the_pile_is_found() -> None:
    table = Table("baron", seats=2).start()
    table.act({"type": "draw", "slot": 1})
    table.abandon()
    pile = read(table.record()).opened()["pile"]

    def change(events: list[Event]) -> None:
        events[4]["data"]["refill"] = next(tile for tile in TILES if tile != pile[0])

    finding = found(forged(table.record(), change, states=True), "decisions")
    assert "refill would be" in finding.what


def test_a_tile_that_the_seat_had_not_is_found() -> None:
    table = Table("baron", seats=2).start()
    table.act({"type": "draw", "slot": 1})
    assert table.game.state is not None
    reserve = table.game.state.players[0].reserve
    rules, state = table.game.rules, table.game.state
    laid = next(a for a in map(rules.action_to_json, rules.legal_actions(state, 0)) if "at" in a)
    table.act(laid)
    table.abandon()

    def change(events: list[Event]) -> None:
        tile = next(tile for tile in TILES if tile not in reserve)
        event = events[5]
        event["action"] = {**laid, "tile": tile}
        event["data"]["tile"] = tile

    report = audited(forged(table.record(), change))
    assert {finding.seq for finding in report.findings} >= {6}
    assert "decisions" in {finding.check for finding in report.findings}


@pytest.mark.parametrize("viewer", [None, 0, 1])
def test_of_a_game_that_is_on_what_the_viewer_knows_is_checked(viewer: int | None) -> None:
    table = Table("baron", seats=2).start()
    table.act({"type": "draw", "slot": 2})
    data = reopened(
        table.record(), lambda name: viewer is not None and secret_owner(name) == viewer
    )
    report = audited(data, keys=[KEY.public])
    assert report.findings == []
    checks = {check.name: check for check in report.checks}
    assert checks["secrets"].looked_at == (viewer is not None)
    closed = 3 if viewer is None else 2
    assert f"{closed} secret values are not opened here" in checks["secrets"].left_out
    assert "not yet opened" in checks["decisions"].left_out
    if viewer is None:
        return
    told = read(data)
    told.opens[4][f"reserve/{viewer}"]["value"] = ["field", "meadow"]
    lying = b"".join(record.write(told.header, told.lines, told.opens))
    assert "is not what event 4 committed to" in found(lying, "secrets").what


def test_a_record_is_the_same_bytes_however_often_it_is_written(whole: bytes) -> None:
    told = record.read(BytesIO(whole))
    assert b"".join(record.write(told.header, told.lines, told.opens)) == whole
