"""Everything that may happen in a game of Baron happens in one of the recorded games.

tests/test_games.py checks that all records can be folded and decided again, and that they pass an audit.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from domain.contract import ALL_SECRETS
from domain.event import Event
from domain.json_types import JsonObject
from tests.games.records import FOLDER, course_of, record_of

PLAYED_TO_THE_END = {"baron-battles", "baron-five", "baron-last-turns-run-out", "baron-ties"}
ALL = {path.stem for path in FOLDER.glob("baron-*.jsonl")}


def steps(name: str) -> Iterator[tuple[Any, Event, Any]]:
    """Iterate over the events of play, each with the states before and after it."""
    course = course_of(name)
    for event, before, after in zip(record_of(name).events[1:], course, course[1:], strict=False):
        if before.state is not None:
            yield before.state, event, after.state


def steps_of_type(name: str, type: str) -> list[tuple[Any, Event, Any]]:
    """Return the steps whose event has this type."""
    return [step for step in steps(name) if step[1]["type"] == type]


def battles(name: str, *, at_the_end: bool) -> Iterator[list[JsonObject]]:
    """Iterate over the moments with battles: lists of the knights in them."""
    for _, event, _ in steps(name):
        if (event["type"] == "GameFinished") is at_the_end:
            fighting = [b for b in event["data"].get("baronies", ()) if "battle" in b]
            if fighting:
                yield fighting


def honour_lost(event: Event) -> set[int]:
    """Return the seats whose honour fell as a result of the event."""
    return {entry["seat"] for entry in event["data"].get("honour", ()) if entry["change"] < 0}


def test_in_a_battle_of_three_knights_during_play_one_establishes_a_barony() -> None:
    """BN-SIM-2, 3: two equal knights annul each other, and then the strongest wins."""
    (moment,) = [moment for moment in battles("baron-battles", at_the_end=False) if moment[2:]]
    results = sorted((barony["result"], barony.get("why")) for barony in moment)
    assert results == [("established", None), ("returned", "carnage"), ("returned", "lost_battle")]


@pytest.mark.parametrize(("name", "knights"), [("baron-battles", 4), ("baron-ties", 2)])
def test_equal_knights_annul_each_other_at_the_end(name: str, knights: int) -> None:
    (moment,) = battles(name, at_the_end=True)
    assert len(moment) == knights
    assert [barony.get("why") for barony in moment].count("carnage") == 2


def test_a_seat_goes_out_when_its_barons_are_beaten() -> None:
    """BN-FGT-5, BN-OUB-1: after a keep, after a tile, and at the end of the game."""
    departures = [
        (event["type"], event["data"]["out"]["seats"])
        for _, event, _ in steps("baron-five")
        if "out" in event["data"] and honour_lost(event)
    ]
    assert departures == [("KeepPlaced", [4]), ("TilePlaced", [1])]
    ((before, end, after),) = steps_of_type("baron-battles", "GameFinished")
    assert end["data"]["out"]["seats"] == [1]
    assert before.players[1].honour > -5 > after.players[1].honour
    assert end["data"]["ranking"][-1]["seat"] == 1


def test_a_seat_in_the_oubliette_has_only_its_keeps_on_the_board() -> None:
    """BN-OUB-1, 2: the others play on; its keeps can still establish baronies, but gain no honour."""
    seen = set()
    for before, event, after in steps("baron-five"):
        if event["type"] == "TilePlaced" and "out" in event["data"]:
            for seat in event["data"]["out"]["seats"]:
                player = after.players[seat]
                assert (player.keeps, player.resting, player.reserve) == (0, 0, ())
                assert after.phase != "scoring"
                seen.add("out")
        for barony in event["data"].get("baronies", ()):
            if before.players[barony["seat"]].out is not None:
                assert barony["gain"] == 0
                seen.add(barony["result"])
    assert seen == {"out", "established", "returned"}


def test_keeps_return_and_are_placed_again() -> None:
    """BN-FGT-4, BN-KEP-2: returned keeps rest until the turn is over."""
    rest_count = placed_count = 0
    for _, event, after in steps("baron-ties"):
        for entry in event["data"].get("then", {}).get("rested", ()):
            assert after.players[entry["seat"]].resting == 0
            rest_count += entry["keeps"]
        placed_count += event["type"] == "KeepPlaced"
    seats = len(course_of("baron-ties")[-1].players)
    assert rest_count >= 3
    assert placed_count > 3 * seats, "more than there are"


@pytest.mark.parametrize("name", sorted(PLAYED_TO_THE_END))
def test_a_seat_loses_honour_when_its_barons_are_beaten(name: str) -> None:
    defeats = [
        (event, entry)
        for _, event, _ in steps(name)
        for barony in event["data"].get("baronies", ())
        for entry in barony["beaten"]
        if entry["loss"] > 0
    ]
    assert any(entry["seat"] in honour_lost(event) for event, entry in defeats)


def test_turns_are_forfeited_before_and_after_drawing_and_among_the_last_ones() -> None:
    """BN-TRN-4, BN-END-1."""
    forfeited = [
        (before.phase, before.turns_left, before.players[before.to_act].reserve_size)
        for before, _, _ in steps_of_type("baron-last-turns-run-out", "TurnForfeited")
    ]
    assert forfeited == [
        ("draw", None, 2),
        ("lay", None, 3),
        ("lay", (2, 2), 2),
        ("keep", (1, 0), 1),
    ]


def test_the_first_place_is_shared_and_the_next_is_the_third() -> None:
    """BN-END-3."""
    ((_, end, _),) = steps_of_type("baron-ties", "GameFinished")
    assert [entry["place"] for entry in end["data"]["ranking"]] == [1, 1, 3, 4]


def test_five_play_without_the_tiles_that_were_removed() -> None:
    """BN-SET-3, BN-END-4: one of the five resigns."""
    ((_, resigned, after),) = steps_of_type("baron-five", "PlayerResigned")
    assert len(after.removed) == 2
    assert resigned["data"]["out"]["seats"] == [3]
    assert len(after.players) == 5


def test_a_seat_that_can_lay_no_tile_discards_one_and_may_place_a_keep() -> None:
    """BN-LAY-4: the seat has three tiles of a kind, and every free place is next to that kind."""
    ((before, event, after),) = steps_of_type("baron-nothing-can-be-laid", "TileDiscarded")
    assert before.players[1].reserve == ("quarry",) * 3
    assert after.tiles == before.tiles
    assert (after.phase, after.to_act) == ("keep", 1)
    assert event["data"]["tile"] == "quarry"


def test_the_game_ends_at_once_when_only_one_seat_is_left() -> None:
    """BN-OUB-3, BN-END-2: the knights on the board stay as they are."""
    *_, (before, event, after) = steps_of_type("baron-one-left", "KeepPlaced")
    assert event["data"]["out"] == {"seats": [2], "moment": 2}
    assert honour_lost(event) == {2}
    assert before.turns_left is None
    assert (after.phase, after.to_act) == ("scoring", None)
    ((_, end, _),) = steps_of_type("baron-one-left", "GameFinished")
    assert "baronies" not in end["data"]
    assert "knight" in {side for _, side in after.keeps.values()}


def test_a_player_is_removed_and_the_game_abandoned() -> None:
    ((_, removed, after),) = steps_of_type("baron-abandoned", "PlayerRemoved")
    assert (removed["by"], removed["data"]["seat"]) == ({"system": "arbiter"}, 0)
    assert after.to_act != 0
    assert record_of("baron-abandoned").events[-1]["type"] == "GameAbandoned"


@pytest.mark.parametrize("name", sorted(ALL))
def test_all_secrets_are_revealed_at_the_end_and_not_before(name: str) -> None:
    """After the end, and only then, everybody sees every reserve at every event."""
    record, seats = record_of(name), course_of(name)[-1].seats
    start = next(event["seq"] for event in record.events if event["type"] == "GameStarted")
    assert record.openings[start].keys() == {"pile", *(f"reserve/{seat}" for seat in range(seats))}
    for game in course_of(name):
        if game.state is not None:
            hidden, shown = (
                game.rules.position(game.state, viewer)["players"] for viewer in (None, ALL_SECRETS)
            )
            assert [player["reserve"] for player in hidden] == [None] * seats
            sizes = [player["reserve_size"] for player in hidden]
            assert [len(player["reserve"]) for player in shown] == sizes


def test_every_number_of_seats_is_in_some_game() -> None:
    assert {course_of(name)[-1].seats for name in ALL} == {2, 3, 4, 5}
