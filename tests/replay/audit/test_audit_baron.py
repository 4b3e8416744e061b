"""Audits of records with secrets: the draws are repeated, and openings compared with commitments."""

import re
from collections.abc import Callable
from io import BytesIO
from typing import Any

import pytest

from domain.contract import secret_owner
from domain.event import Event
from ledger import record
from ledger.pending import commitment
from ledger.record import Record
from replay.bots.playout import plan, play
from replay.language.renderer import english
from tests.support.records import (
    KEY,
    Table,
    audit_record,
    first_finding,
    forge_record,
    read,
    secret_values,
)

TILES = ("village", "field", "forest", "vineyard", "quarry", "pond", "marsh", "cursed_place")


def play_game(seats: int) -> bytes:
    """A whole game among bots."""
    return play(plan("baron", seats, b"audited" * 4, {}, ["sensible", "random"])).record


@pytest.fixture(scope="module")
def whole() -> bytes:
    return play_game(3)


def with_openings(data: bytes, keep: Callable[[str], bool]) -> bytes:
    """The record for a viewer who may see only these secrets."""
    original = read(data)
    opens = {
        seq: {name: opening for name, opening in each.items() if keep(name)}
        for seq, each in original.openings.items()
    }
    return b"".join(record.write(original.header, original.lines, opens))


def with_other_deal(data: bytes, change: Callable[[dict[str, Any]], None]) -> bytes:
    """The record with another deal; commitments, chain and positions are repaired."""
    original = read(data)
    ((seq, opens),) = original.openings.items()
    values = {name: opening["value"] for name, opening in opens.items()}
    change(values)
    for name, value in values.items():
        opens[name]["value"] = value

    def commit(events: list[Event]) -> None:
        events[seq - 1]["secrets"] = {name: commitment(opens[name]) for name in opens}

    return forge_record(
        b"".join(record.write(original.header, original.lines, original.openings)),
        commit,
        states=True,
    )


def start_of(whole: Record) -> Event:
    return next(event for event in whole.events if event["type"] == "GameStarted")


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_everything_in_a_finished_game_is_checked(seats: int) -> None:
    data = play_game(seats)
    original = read(data)
    assert start_of(original)["secrets"].keys() == secret_values(original).keys()
    assert secret_values(original).keys() == {"pile", *(f"reserve/{seat}" for seat in range(seats))}
    report = audit_record(data, keys=[read(data).header["keys"][0]["public"]])
    assert report.findings == []
    checks = {check.name: check for check in report.checks}
    assert report.unknowns == []
    assert checks["secrets"].count == seats + 2
    assert checks["chance"].count == seats + 2
    assert checks["decisions"].count == len(original.events)


def test_an_opening_missing_from_a_finished_game_is_reported(whole: bytes) -> None:
    finding = first_finding(with_openings(whole, lambda name: name != "reserve/1"), "secrets")
    assert "the secret “reserve of seat 1” is not opened" in english(finding.problem)


def test_a_value_that_was_not_committed_to_is_reported(whole: bytes) -> None:
    original = read(whole)
    ((_, opens),) = original.openings.items()
    opens["reserve/0"]["value"], opens["reserve/1"]["value"] = (
        opens["reserve/1"]["value"],
        opens["reserve/0"]["value"],
    )
    data = b"".join(record.write(original.header, original.lines, original.openings))
    problems = [
        english(finding.problem)
        for finding in audit_record(data).findings
        if finding.check == "secrets"
    ]
    assert [re.findall("“(.*)”", problem) for problem in problems] == [
        ["reserve of seat 0"],
        ["reserve of seat 1"],
    ]


def swap_reserves(values: dict[str, Any]) -> None:
    values["reserve/0"], values["reserve/1"] = values["reserve/1"], values["reserve/0"]


def stack_pile(values: dict[str, Any]) -> None:
    pile = values["pile"]
    values["pile"] = [*pile[:-2], pile[-1], pile[-2]] if pile[-1] != pile[-2] else pile[::-1]


def give_villages(values: dict[str, Any]) -> None:
    values["reserve/2"] = ["village", "village"]


@pytest.mark.parametrize(
    ("deal", "name"),
    [
        (stack_pile, "pile"),
        (give_villages, "reserve of seat 2"),
        (swap_reserves, "reserve of seat 0"),
    ],
)
def test_a_deal_that_was_chosen_is_reported_even_if_the_rest_fits(
    deal: Callable[[dict[str, Any]], None], name: str
) -> None:
    table = Table("baron", seats=3).start()
    table.act({"type": "draw", "slot": 1})
    table.abandon()
    report = audit_record(with_other_deal(table.record(), deal))
    problems = {
        english(finding.problem) for finding in report.findings if finding.check == "chance"
    }
    assert f"the secret “{name}” is not what the seed gives" in problems
    assert {finding.check for finding in report.findings} <= {"chance", "decisions"}


@pytest.mark.parametrize("field", ["market", "start"])
def test_a_market_or_start_tile_that_was_not_drawn_is_reported(whole: bytes, field: str) -> None:
    def change(events: list[Event]) -> None:
        data = next(event["data"] for event in events if event["type"] == "GameStarted")
        data[field] = data[field][::-1] if field == "market" else "marsh"

    problems = [
        english(f.problem)
        for f in audit_record(forge_record(whole, change)).findings
        if f.check == "chance"
    ]
    assert problems == [f"{field} is not what the seed gives"]


def test_a_refill_that_was_not_on_top_of_the_pile_is_reported() -> None:
    table = Table("baron", seats=2).start()
    table.act({"type": "draw", "slot": 1})
    table.abandon()
    pile = secret_values(read(table.record()))["pile"]

    def change(events: list[Event]) -> None:
        events[4]["data"]["refill"] = next(tile for tile in TILES if tile != pile[0])

    finding = first_finding(forge_record(table.record(), change, states=True), "decisions")
    assert "refill would be" in english(finding.problem)


def test_laying_a_tile_that_is_not_in_the_reserve_is_reported() -> None:
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

    report = audit_record(forge_record(table.record(), change))
    assert {finding.seq for finding in report.findings} >= {6}
    assert "decisions" in {finding.check for finding in report.findings}


@pytest.mark.parametrize("viewer", [None, 0, 1])
def test_a_running_game_is_checked_with_the_secrets_of_the_viewer(viewer: int | None) -> None:
    table = Table("baron", seats=2).start()
    table.act({"type": "draw", "slot": 2})
    data = with_openings(
        table.record(), lambda name: viewer is not None and secret_owner(name) == viewer
    )
    report = audit_record(data, keys=[KEY.public])
    assert report.findings == []
    checks = {check.name: check for check in report.checks}
    assert checks["secrets"].count == (viewer is not None)
    closed = 3 if viewer is None else 2
    assert f"{closed} secret values that are not opened here" in english(
        checks["secrets"].unknowns[1].problem
    )
    assert "not yet opened" in english(checks["decisions"].unknowns[0].problem)
    assert all(
        "after the game has ended" in english(unknown.evidence) for unknown in report.unknowns
    )
    if viewer is None:
        return
    original = read(data)
    original.openings[4][f"reserve/{viewer}"]["value"] = ["field", "meadow"]
    changed = b"".join(record.write(original.header, original.lines, original.openings))
    assert "is not what event 4 committed to" in english(first_finding(changed, "secrets").problem)


def test_writing_a_record_again_gives_the_same_bytes(whole: bytes) -> None:
    original = record.read(BytesIO(whole))
    assert b"".join(record.write(original.header, original.lines, original.openings)) == whole
