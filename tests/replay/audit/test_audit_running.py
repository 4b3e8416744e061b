"""Audits of games in progress: what everybody knows is enough to report these faults."""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from typing import Final

import pytest

from domain import lifecycle
from domain.json_types import JsonObject
from ledger.pending import commitment
from replay.language.renderer import english
from tests.games.records import record_of
from tests.support.events import data_of
from tests.support.records import SECRET, Table, audit_record, first_finding
from tests.support.running_games import RunningGame

Change = Callable[[list[JsonObject]], object]

BARON: Final = RunningGame.cut("Baron for three", record_of("baron-battles"), 60)
BARONY: Final = RunningGame.cut("Barony for four", record_of("duke-of-four"), 60)
SMALL_BARONY: Final = RunningGame.cut("Barony for two", record_of("duke-of-two"), 30)
SORCERY: Final = RunningGame.cut("Sorcery for two", record_of("sorcery-round-limit"), 45)
OWN_RESERVE: Final = RunningGame.cut(
    "Baron for seat 1", record_of("baron-battles"), 60, ["reserve/1"]
)


def changed(game: RunningGame, change: Change) -> bytes:
    """The record of the game after a change, with its chain, positions and signature repaired."""
    events: list[JsonObject] = [deepcopy(dict(event)) for event in game.events]
    change(events)
    return game.record(events)


def problem(game: RunningGame, change: Change) -> str:
    """The first problem in the changed game, which the check of decisions must have found."""
    return english(first_finding(changed(game, change), "decisions").problem)


def index_of(events: list[JsonObject], type: str) -> int:
    """The index of the first event of this type."""
    return next(i for i, event in enumerate(events) if event["type"] == type)


def start_of(events: list[JsonObject]) -> JsonObject:
    """The data of `GameStarted`."""
    data: JsonObject = events[index_of(events, "GameStarted")]["data"]
    return data


def insert(
    events: list[JsonObject], index: int, type: str, by: JsonObject, data: JsonObject
) -> None:
    """Put an event without an action before this index."""
    event = {**events[index - 1], "type": type, "by": by, "data": data, "action": None}
    event.pop("secrets", None)
    events.insert(index, event)


@pytest.mark.parametrize("game", [BARON, BARONY, SMALL_BARONY, SORCERY, OWN_RESERVE])
def test_a_sound_game_passes_with_every_event_decided_again(game: RunningGame) -> None:
    report = audit_record(game.record())
    assert report.findings == []
    checks = {check.name: check for check in report.checks}
    assert checks["decisions"].count == len(game.events)


# Baron: decisions that seemed to need the closed reserves and the pile


def test_an_action_of_another_seat_is_reported() -> None:
    def change(events: list[JsonObject]) -> None:
        i = index_of(events, "TileDrawn")
        events[i]["by"] = {"seat": 1}
        events[i]["data"]["seat"] = 1

    assert "BN-TRN-2" in problem(BARON, change)


def test_a_removed_action_is_reported() -> None:
    assert "BN-TRN" in problem(BARON, lambda events: events.pop(index_of(events, "TilePlaced")))


def test_a_repeated_action_is_reported() -> None:
    def change(events: list[JsonObject]) -> None:
        i = index_of(events, "TurnEnded")
        events.insert(i, deepcopy(events[i]))

    assert "BN-TRN" in problem(BARON, change)


@pytest.mark.parametrize("game", [BARON, BARONY, SORCERY])
def test_a_forfeited_turn_in_a_game_without_a_clock_is_reported(game: RunningGame) -> None:
    def change(events: list[JsonObject]) -> None:
        forfeit = lifecycle.forfeit(game.games(game.shown, 40)[-1])
        insert(events, 40, forfeit.type, {"system": "clock"}, dict(data_of(forfeit)))

    assert "the time for the turn was not over" in problem(game, change)


@pytest.mark.parametrize("game", [BARON, BARONY, SORCERY])
def test_a_player_who_joins_during_the_game_is_reported(game: RunningGame) -> None:
    def change(events: list[JsonObject]) -> None:
        insert(events, 40, "SeatTaken", {"player": "eve"}, {"player": "eve", "nonce": "00"})

    assert "the game takes no more players" in problem(game, change)


@pytest.mark.parametrize("game", [BARON, BARONY, SORCERY])
def test_a_second_start_is_reported(game: RunningGame) -> None:
    def change(events: list[JsonObject]) -> None:
        start = events[index_of(events, "GameStarted")]
        events.insert(40, {**deepcopy(start), "at": events[39]["at"]})

    assert "places are taken" in problem(game, change)


@pytest.mark.parametrize("game", [BARON, BARONY, SORCERY])
def test_wrong_standings_are_reported(game: RunningGame) -> None:
    def change(events: list[JsonObject]) -> None:
        events[index_of(events, "RoundScored")]["data"]["standings"][0]["score"] += 1

    assert "standings" in problem(game, change)


@pytest.mark.parametrize("game", [BARON, BARONY, SORCERY])
def test_a_wrong_turn_order_is_reported(game: RunningGame) -> None:
    def change(events: list[JsonObject]) -> None:
        event = next(event for event in events[40:] if "then" in event["data"])
        event["data"]["then"]["turn"] += 1

    assert "then.turn would be" in problem(game, change)


def test_more_tiles_of_a_kind_than_the_game_has_are_reported() -> None:
    """BN-MAT-1: four cursed places are drawn, of three."""

    def change(events: list[JsonObject]) -> None:
        draws = [event for event in events if event["type"] == "TileDrawn"]
        for draw in draws[-4:]:
            draw["data"]["refill"] = "cursed_place"

    problems = [
        english(finding.problem) for finding in audit_record(changed(BARON, change)).findings
    ]
    assert any("no cursed place can have been left in the pile" in text for text in problems)


def test_a_laid_tile_that_the_seat_cannot_have_is_reported() -> None:
    """BN-SET-1, BN-LAY-1: it was neither drawn nor dealt, whatever was dealt."""

    def change(events: list[JsonObject]) -> None:
        event = events[index_of(events, "TilePlaced")]
        event["action"]["tile"] = event["data"]["tile"] = "marsh"

    problems = [
        english(finding.problem) for finding in audit_record(changed(BARON, change)).findings
    ]
    assert any("BN-LAY-1: seat 0 has no marsh in reserve" in text for text in problems)


def test_a_made_up_reserve_that_is_opened_is_reported() -> None:
    """BN-SET-1: a seat that opens its own reserve must have been dealt it."""
    openings = deepcopy({seq: dict(opened) for seq, opened in OWN_RESERVE.openings.items()})
    game = replace(OWN_RESERVE, openings=openings)
    opening = openings[5]["reserve/1"]
    opening["value"] = ["field", "meadow"]

    def change(events: list[JsonObject]) -> None:
        events[index_of(events, "GameStarted")]["secrets"]["reserve/1"] = commitment(opening)

    assert "reserve/1 is not a meadow and a tile of value 1" in problem(game, change)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda start: start["market"].append("pond"), "the market does not have 3 tiles"),
        (lambda start: start.update(start="marsh"), "the start tile is not one of value 0 or more"),
        (lambda start: start.update(removed=["meadow", "pond"]), "the tiles removed are not those"),
        (lambda start: start.update(pile=[]), "it has no field pile"),
    ],
)
def test_an_impossible_set_up_of_baron_is_reported(
    change: Callable[[JsonObject], object], text: str
) -> None:
    assert text in problem(BARON, lambda events: change(start_of(events)))


# Barony and Sorcery: set-ups that chance cannot give


def move_hex(start: JsonObject) -> None:
    """A hex of the board lies far away."""
    start["board"][-1]["at"] = [95, 0]


def flood(start: JsonObject) -> None:
    """A forest becomes a lake."""
    forest = next(cell for cell in start["board"] if cell["terrain"] == "forest")
    forest["terrain"] = "lake"


@pytest.mark.parametrize(
    ("game", "change", "text"),
    [
        (BARONY, move_hex, "95,0 is more than 7 hexes from 0,0"),
        (BARONY, flood, "no tiles of the box cover the board"),
        (BARONY, lambda start: start["board"].pop(), "the board has 107 hexes"),
        (BARONY, lambda start: start["board"].reverse(), "not sorted"),
        (BARONY, lambda start: start["spells"].append("charm"), "without Sorcery"),
        (BARONY, lambda start: start.update(weather="fair"), "it has no field weather"),
        (SORCERY, move_hex, "95,0 is more than 5 hexes from 0,0"),
        (SORCERY, lambda start: start["spells"].pop(), "5 of the 9 spells must be open"),
        (SORCERY, lambda start: start["spells"].__setitem__(4, "zeal"), "the spells are not"),
        (SORCERY, lambda start: start["spells"].reverse(), "the spells are not"),
    ],
)
def test_an_impossible_set_up_of_barony_is_reported(
    game: RunningGame, change: Callable[[JsonObject], object], text: str
) -> None:
    assert text in problem(game, lambda events: change(start_of(events)))


def test_players_who_did_not_join_are_reported() -> None:
    def change(events: list[JsonObject]) -> None:
        start_of(events)["players"][0] = "stranger"

    assert "players would be" in problem(SMALL_BARONY, change)


# Before the start, and the clock


def test_an_event_between_the_last_place_and_the_start_is_reported() -> None:
    """A full game starts at once."""

    def change(events: list[JsonObject]) -> None:
        i = index_of(events, "GameStarted")
        player = start_of(events)["players"][0]
        insert(events, i, "SeatLeft", {"player": player}, {"player": player})

    assert "GameStarted follows immediately, not SeatLeft" in problem(SMALL_BARONY, change)


@pytest.mark.parametrize("invited", [["ada", "ada"], [5], ["player-0"], "ada"])
def test_invitations_that_are_not_ids_of_other_players_are_reported(invited: object) -> None:
    def change(events: list[JsonObject]) -> None:
        creator = events[0]["by"]["player"]
        events[0]["data"]["invited"] = [creator] if invited == ["player-0"] else invited

    assert "the invited players" in problem(SMALL_BARONY, change)


def deserted(turns: int) -> Table:
    """A game of two with a clock, after so many forfeited turns in a row."""
    table = Table("baron", 2, clock={"per_turn": 60}).start()
    for _ in range(turns):
        table.wait(60)
        table.add(lifecycle.forfeit(table.game), {"system": "clock"})
    return table


def test_a_deserted_game_that_the_clock_abandons_is_sound() -> None:
    table = deserted(4)
    table.add(lifecycle.abandon(table.game, SECRET), {"system": "clock"})
    assert audit_record(table.record()).findings == []


def test_a_game_that_the_clock_abandons_too_early_is_reported() -> None:
    table = deserted(3)
    table.add(lifecycle.abandon(table.game, SECRET), {"system": "clock"})
    first = first_finding(table.record(), "decisions")
    assert (first.seq, "the game is not deserted" in english(first.problem)) == (
        table.game.seq,
        True,
    )


def test_a_game_abandoned_by_the_clock_after_an_action_is_reported() -> None:
    table = deserted(3)
    table.act({"type": "draw", "slot": 1})
    table.wait(60)
    table.add(lifecycle.forfeit(table.game), {"system": "clock"})
    table.add(lifecycle.abandon(table.game, SECRET), {"system": "clock"})
    assert "the game is not deserted" in english(first_finding(table.record(), "decisions").problem)


@pytest.mark.parametrize("by", ["player", "clock", "arbiter"])
def test_a_deserted_game_that_the_clock_does_not_abandon_is_reported(by: str) -> None:
    """A further turn is forfeited, a player acts, or an arbiter abandons it instead."""
    table = deserted(4)
    table.wait(60)
    if by == "player":
        table.act({"type": "draw", "slot": 1})
    elif by == "clock":
        table.add(lifecycle.forfeit(table.game), {"system": "clock"})
    else:
        table.abandon()
    first = first_finding(table.record(opened=by == "arbiter"), "decisions")
    assert (first.seq, first.kind) == (table.game.seq, "today")
    assert "the clock abandons a deserted game immediately" in english(first.problem)
