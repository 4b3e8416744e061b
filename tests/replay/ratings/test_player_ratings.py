"""Ratings: which games count (docs/ratings.md), and that the same results lead to the same bytes."""

import math
import re
from copy import deepcopy
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from domain.errors import Malformed, Unreadable
from domain.event import Event
from domain.lifecycle import check_options
from ledger.record import read
from replay.bots.playout import plan, play
from replay.language.renderer import english
from replay.ratings.player_ratings import (
    UNIT,
    NotRated,
    Rating,
    RatingTable,
    Result,
    is_asked_to_count,
    rate,
    rated_result,
)

PAGE = Path(__file__).parents[3] / "docs" / "ratings.md"


@cache
def _finished(seats: int) -> list[Event]:
    options = {"rated": True, "seating": "joined"}
    game = play(plan("baron", seats, b"ratings", options, bots=("random",)))
    return read(BytesIO(game.record)).events


def finished(seats: int = 3) -> list[Event]:
    """Return the events of a rated game, which the test may change."""
    return deepcopy(_finished(seats))


def result(number: int, *places: int, system: str = "baron") -> Result:
    players = {f"p{index}": place for index, place in enumerate(places)}
    return Result(f"g{number}", f"{number:064x}", "2026-01-01T00:00:00.000Z", system, players)


def refused_clause(events: list[Event]) -> str:
    with pytest.raises(NotRated) as refused:
        rated_result(events)
    return refused.value.clause


def insert(events: list[Event], type: str, data: dict[str, Any]) -> list[Event]:
    """Return the events with one more before the last one."""
    return [*events[:-1], {**events[-2], "type": type, "data": data}, events[-1]]


def test_a_finished_rated_game_counts_with_its_final_ranking() -> None:
    events = finished()
    counted = rated_result(events)
    assert counted.system == "baron"
    assert (counted.game, counted.hash) == (events[0]["game"], events[-1]["hash"])
    (started,) = [event for event in events if event["type"] == "GameStarted"]
    ranking = events[-1]["data"]["ranking"]
    assert [*counted.places] == started["data"]["players"]
    assert counted.places == {
        started["data"]["players"][entry["seat"]]: entry["place"] for entry in ranking
    }


@pytest.mark.parametrize(
    ("clause", "changes"),
    [("RT-1", {"rated": None}), ("RT-1", {"rated": 1}), ("RT-2", {"private": True})],
)
def test_a_game_with_other_options_does_not_count(clause: str, changes: dict[str, Any]) -> None:
    events = finished()
    assert is_asked_to_count(events[0])
    events[0]["data"]["options"].update(changes)
    assert not is_asked_to_count(events[0])
    assert refused_clause(events) == clause


def test_a_game_of_other_rules_or_more_seats_does_not_count() -> None:
    settings: list[tuple[str, object]] = [("rules", "chess"), ("seats", 6), ("seats", 1)]
    for field, value in settings:
        events = finished()
        events[0]["data"][field] = value
        assert refused_clause(events) == "RT-3"
    assert rated_result(finished(5)).places.keys() == {f"bot-{n}-random" for n in range(1, 6)}


def test_a_game_with_a_bot_does_not_count() -> None:
    events = finished()
    taken = next(event for event in events if event["type"] == "SeatTaken")
    taken["data"]["bot"] = "random"
    assert refused_clause(events) == "RT-4"


def test_a_game_counts_only_when_it_is_finished() -> None:
    events = finished()
    assert refused_clause(events[:-1]) == "RT-5"
    events[-1]["type"] = "GameAbandoned"
    assert refused_clause(events) == "RT-5"
    counted = rated_result(insert(finished(), "PlayerResigned", {"seat": 1, "then": {}}))
    assert counted == rated_result(finished())
    removed = insert(finished(), "PlayerRemoved", {"seat": 1, "then": {}})
    assert rated_result(removed) == rated_result(finished())


@pytest.mark.parametrize("decision", ["remove_seat", "move_seat", "abandon"])
def test_a_game_that_an_administrator_has_settled_does_not_count(decision: str) -> None:
    data: dict[str, Any] = {"administrator": "operator", "decision": decision}
    assert refused_clause(insert(finished(), "AdministratorDecided", data)) == "RT-6"
    data = {"administrator": "operator", "decision": "extend_deadline", "seat": 0, "seconds": 60}
    assert rated_result(insert(finished(), "AdministratorDecided", data)) == rated_result(
        finished()
    )


def test_a_result_belongs_to_the_player_who_began_the_game() -> None:
    data = {"seat": 1, "player": "substitute", "replaces": "bot-2-random"}
    counted = rated_result(insert(finished(), "SubstituteSeated", data))
    assert counted == rated_result(finished())


def test_a_ranking_without_a_player_is_not_read() -> None:
    events = finished()
    events[-1]["data"]["ranking"].pop()
    with pytest.raises(Unreadable):
        rated_result(events)


def test_the_page_names_every_clause_that_refuses() -> None:
    source = Path(rate.__code__.co_filename).read_text(encoding="utf-8")
    refusing = set(re.findall(r'"(RT-[0-9])"', source))
    assert refusing == {f"RT-{number}" for number in range(1, 7)}
    assert (
        set(re.findall(r"^\| (RT-[0-9]) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
        > refusing
    )


def test_winners_gain_and_ties_are_ties() -> None:
    won = rate(result(1, 1, 2, 3), {})
    assert won["p0"].mu > won["p1"].mu > won["p2"].mu
    assert all(rating.sigma < Rating().sigma for rating in won.values())
    tied = rate(result(1, 1, 1), {})
    assert tied["p0"] == tied["p1"]
    assert tied["p0"].mu == Rating().mu
    shared = rate(result(1, 1, 1, 3), {})
    assert shared["p0"] == shared["p1"] != shared["p2"]


def test_ratings_are_those_of_the_published_model() -> None:
    """Algorithm 4 of Weng and Lin (2011) for one winner and one loser, who have the first rating."""
    variance = (25 / 3) ** 2 + (25 / 300) ** 2
    c = math.sqrt(2 * (variance + (25 / 6) ** 2))
    change = variance / c / 2
    deviation = math.sqrt(variance * (1 - math.sqrt(variance) / c * variance / c**2 / 4))
    won = rate(result(1, 1, 2), {})
    for player, mean in (("p0", 25 + change), ("p1", 25 - change)):
        assert abs(won[player].mu / UNIT - mean) < 1e-5
        assert abs(won[player].sigma / UNIT - deviation) < 1e-5


def test_a_new_player_has_a_thousand_points_and_is_provisional_for_some_games() -> None:
    assert Rating().points == 1000
    table = RatingTable()
    provisional = []
    for number in range(1, 21):
        table.add(result(number, 1, 2))
        provisional.append(table.ratings["baron", "p0"].is_provisional)
    assert provisional == sorted(provisional, reverse=True)
    assert provisional[0]
    assert not provisional[-1]


def test_systems_have_separate_tables() -> None:
    table = RatingTable()
    table.add(result(1, 1, 2))
    line = table.add(result(2, 1, 2, system="barony"))
    assert table.ratings["baron", "p0"] == table.ratings["barony", "p0"]
    assert (line["number"], line["system"]) == (2, "barony")


def test_each_line_of_the_history_covers_those_before_it() -> None:
    results = [result(1, 1, 2), result(2, 2, 1), result(3, 1, 1)]
    tables = [RatingTable() for _ in range(4)]
    orders = [results, results, [results[1], results[0], results[2]], results[:2]]
    for table, order in zip(tables, orders, strict=True):
        for each in order:
            table.add(each)
    assert tables[0].hash == tables[1].hash
    assert len({table.hash for table in tables}) == 3
    assert tables[0].ratings == tables[1].ratings != tables[2].ratings


@pytest.mark.parametrize(
    ("seats", "options", "fault"),
    [
        (2, {"rated": "yes"}, "must be true or false"),
        (2, {"rated": True, "private": True}, "only the private games of a club are rated"),
        (2, {"rated": True, "tutorial": True}, "tutorial games are never rated"),
        (2, {"rated": True, "tutorial": True, "club": "0" * 16}, "tutorial games are never rated"),
    ],
)
def test_options_that_exclude_each_other_are_refused(
    seats: int, options: dict[str, Any], fault: str
) -> None:
    with pytest.raises(Malformed) as refused:
        check_options("barony", seats, options)
    assert english(refused.value.fields["options.rated"]) == fault
    assert check_options("barony", 2, {"rated": True}).get("rated") is True
    assert "rated" not in check_options("barony", 2, {"rated": False})


def test_a_private_game_of_a_club_is_rated_for_the_club_alone() -> None:
    club, other = "0123456789abcdef", "0" * 16
    options = check_options("barony", 2, {"rated": True, "private": True, "club": club})
    assert (options["rated"], options["private"]) == (True, True)
    for is_private in (False, True):
        events = finished()
        events[0]["data"]["options"].update({"private": is_private, "club": club})
        assert is_asked_to_count(events[0], club)
        assert not is_asked_to_count(events[0], other)
        assert rated_result(events, club).places
        assert is_asked_to_count(events[0]) is not is_private
        with pytest.raises(NotRated) as refused:
            rated_result(events, other)
        assert refused.value.clause == "RT-10"
    with pytest.raises(NotRated):
        rated_result(finished(), club)
