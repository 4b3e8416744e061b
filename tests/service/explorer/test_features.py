"""The features of games that the explorer counts, against the positions of the same games."""

from collections.abc import Iterator
from typing import Any

import pytest

from domain.event import Event
from domain.features import SPANS_OF_ROUNDS, span_of_rounds
from domain.fold import evolve
from domain.game import Game
from domain.hexes import distance, hex_of
from domain.registry import rule_systems
from ledger.record import Record
from service.explorer.observed_game import NO_SEAT, ObservedGame, observed_game, tables_of
from tests.support.stored_games import GAMES, recorded_game

WITHOUT_BRANCHES = (
    "courtesy",
    "duke-of-two",
    "duke-of-three",
    "duke-of-four",
    "sorcery-duke-of-two",
    "sorcery-duke-of-five",
    "sorcery-construction",
    "baron-five",
    "baron-battles",
)


def observed(record: Record) -> ObservedGame:
    game = observed_game(record.events)
    assert game is not None
    return game


def positions(record: Record) -> Iterator[tuple[Event, Any, Any]]:
    """The events of play, each with the positions before and after it, from a fold by the rules."""
    game: Game | None = None
    for event in record.events:
        after = evolve(game, event)
        if game is not None and game.state is not None:
            yield event, *(each.rules.position(each.state, None) for each in (game, after))
        game = after


def test_rounds_are_counted_five_at_a_time() -> None:
    assert [span_of_rounds(round) for round in (1, 5, 6, 60, 61, 500)] == [
        *("1", "1", "6", "56", "61", "61")
    ]
    assert {span_of_rounds(round) for round in range(1, 200)} == set(SPANS_OF_ROUNDS)


@pytest.mark.parametrize("name", WITHOUT_BRANCHES)
def test_features_are_those_of_the_positions(name: str) -> None:
    record = recorded_game(name)
    game = observed(record)
    own = {
        (each.seat, each.table, each.value)
        for each in game.features
        if each.table not in ("seat", "rounds")
    }
    expected: set[tuple[int, str, str]] = set()
    keeps: dict[int, int] = {}
    for event, before, after in positions(record):
        data = event["data"]
        match event["type"]:
            case "TitleBought":
                seat = data["seat"]
                rank = after["players"][seat]["rank"]
                expected.add((seat, f"{rank}_bought", span_of_rounds(before["round"])))
            case "CityPlaced":
                cities = [
                    hex_of(pawns["at"])
                    for pawns in after["pawns"]
                    if pawns["seat"] == data["seat"] and pawns["building"] == "city"
                ]
                if len(cities) < 3:
                    continue
                closest = min(distance(a, b) for a in cities for b in cities if a != b)
                lakes = [hex_of(hex["at"]) for hex in after["board"] if hex["terrain"] == "lake"]
                count = sum(any(distance(city, lake) == 1 for lake in lakes) for city in cities)
                expected.add((data["seat"], "first_city_distance", str(min(closest, 7))))
                expected.add((data["seat"], "first_cities_by_a_lake", str(count)))
            case "SpellsCast":
                expected |= {(data["seat"], "spells_cast", spell) for spell in data["spells"]}
            case "KeepPlaced":
                seat = data["seat"]
                if seat not in keeps:
                    expected.add((seat, "first_keep", span_of_rounds(before["round"])))
                keeps[seat] = keeps.get(seat, 0) + 1
            case _:
                pass
    expected |= {(seat, "keeps_placed", str(min(count, 15))) for seat, count in keeps.items()}
    places = {entry["seat"] for entry in record.events[-1]["data"]["ranking"]}
    assert own == {each for each in expected if each[0] in places}
    assert own


@pytest.mark.parametrize("path", sorted(GAMES.glob("*.jsonl")), ids=lambda path: path.stem)
def test_every_recorded_game_has_values_of_its_tables(path: Any) -> None:
    record = recorded_game(path.stem)
    game = observed_game(record.events)
    if record.events[-1]["type"] != "GameFinished":
        assert game is None
        return
    assert game is not None
    entry = rule_systems()[game.kind.system]
    tables = {table.name: table for table in tables_of(entry.system, game.kind.seats)}
    seats: set[tuple[int, str]] = set()
    for feature in game.features:
        assert feature.value in tables[feature.table].values
        assert feature.seat == NO_SEAT or 0 <= feature.seat < game.kind.seats
        assert 1 <= feature.seq <= len(record.events)
        if not tables[feature.table].is_multiple:
            assert (feature.seat, feature.table) not in seats, "a seat has one value of a table"
            seats.add((feature.seat, feature.table))
    ranking = record.events[-1]["data"]["ranking"]
    assert game.winners == {each["seat"] for each in ranking if each["place"] == 1}
    states = {event["seq"]: event["state"] for event in record.events}
    assert all(states[seq] == state for state, seq in game.positions.items())


def test_superseded_events_count_for_nothing() -> None:
    record = recorded_game("disputes")
    resumed = next(event for event in record.events if event["type"] == "PlayResumed")
    game = observed(record)
    superseded = range(resumed["data"]["from"] + 1, resumed["seq"])
    assert superseded, "play has resumed from an earlier event"
    assert not counted_seqs(game) & set(superseded)


def counted_seqs(game: ObservedGame) -> set[int]:
    return {feature.seq for feature in game.features} | set(game.positions.values())


def test_a_log_with_a_gap_is_not_counted() -> None:
    events = list(recorded_game("courtesy").events)
    assert observed_game([*events[:20], *events[21:]]) is None
    assert observed_game(events[:-1]) is None
    assert observed_game([]) is None
