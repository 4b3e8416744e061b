"""Baron compared with the reference rules, on random maps and in whole random games."""

import random
from collections import Counter
from collections.abc import Iterator
from typing import cast

import pytest

from domain import baron
from domain.baron.battles import complete_knights, resolve
from domain.baron.state import State
from domain.chance import Chance
from domain.contract import DomainEvent, Resign, evolve
from domain.hexes import neighbours
from domain.json_types import JsonObject
from tests.support.baron_maps import KEEPS_A_SEAT, random_map
from tests.support.baron_outcomes import board_of
from tests.support.baron_reference_rules import (
    Hex,
    Keeps,
    Resolution,
    Tiles,
    departures,
    places,
    resolve_by_reference,
)
from tests.support.events import data_of
from tests.support.variants import nightly_except


def summary(entries: list[JsonObject]) -> Resolution:
    """The results of the program in the form of the reference rules."""
    established = {at(entry): entry["value"] for entry in entries if is_established(entry)}
    beaten = [each for entry in entries for each in entry["beaten"]]
    honour = Counter[int]()
    for entry in entries:
        honour[entry["seat"]] += entry["gain"]
    for each in beaten:
        honour[each["seat"]] -= each["loss"]
    return {
        "established": established,
        "returned": [at(entry) for entry in entries if not is_established(entry)],
        "beaten": sorted(at(each) for each in beaten),
        "honour": {seat: change for seat, change in sorted(honour.items()) if change},
    }


def is_established(entry: JsonObject) -> bool:
    assert entry["result"] in {"established", "returned"}
    return bool(entry["result"] == "established")


def at(entry: JsonObject) -> Hex:
    q, r = entry["at"]
    return q, r


def resolve_by_program(
    tiles: Tiles, keeps: Keeps, out: set[int], *, at_the_end: bool
) -> Resolution:
    board = board_of(tiles, keeps, out)
    knights = complete_knights(board)
    if at_the_end:
        knights = sorted(hex for hex, (_, side) in keeps.items() if side == "knight")
    entries = cast("list[JsonObject]", resolve(board, knights, at_end=at_the_end))
    assert [at(entry) for entry in entries] == knights
    return summary(entries)


@pytest.mark.allows(
    "BN-BAR-1", "BN-BAR-3", "BN-BAR-4", "BN-FGT-1", "BN-FGT-2", "BN-FGT-3", "BN-FGT-4", "BN-FGT-5"
)
@pytest.mark.allows("BN-SIM-1", "BN-SIM-2", "BN-SIM-3", "BN-SIM-4", "BN-SIM-5", "BN-SIM-6")
@pytest.mark.allows("BN-END-2", "BN-OUB-2")
@pytest.mark.parametrize("seed", nightly_except(range(3), range(8)))
def test_random_maps_are_resolved_as_by_the_reference_rules(seed: int) -> None:
    for number in range(50):
        rng = random.Random(f"{seed} {number}")
        tiles, keeps = random_map(rng)
        out = {seat for seat in range(5) if rng.random() < 0.15}
        for at_the_end in (False, True):
            result = resolve_by_program(tiles, keeps, out, at_the_end=at_the_end)
            assert result == resolve_by_reference(tiles, keeps, out, at_the_end), (
                seed,
                number,
                at_the_end,
            )


class ReferenceGame:
    """The same game by the reference rules: of an event, it uses the action and not its consequences."""

    def __init__(self, seats: int, start: str) -> None:
        self.tiles: Tiles = {(0, 0): start}
        self.keeps: Keeps = {}
        self.honour = dict.fromkeys(range(seats), 0)
        self.moments: dict[int, int] = {}

    def apply(self, event: DomainEvent) -> None:
        match event.type:
            case "TileDrawn":
                self.honour[data_of(event)["seat"]] -= {1: 0, 2: 1, 3: 3}[data_of(event)["slot"]]
            case "TilePlaced":
                touched = len(set(neighbours(at(data_of(event)))) & self.tiles.keys())
                self.honour[data_of(event)["seat"]] += {4: 1, 5: 3, 6: 9}.get(touched, 0)
                self.tiles[at(data_of(event))] = data_of(event)["tile"]
                self.resolve(at_the_end=False)
            case "KeepPlaced":
                self.keeps[at(data_of(event))] = data_of(event)["seat"], "knight"
                self.resolve(at_the_end=False)
            case "PlayerResigned":
                now = max(self.moments.values(), default=0) + 1
                self.moments = {**self.moments, data_of(event)["seat"]: now}
            case "GameFinished":
                if len(self.honour) - len(self.moments) > 1:
                    self.resolve(at_the_end=True)
            case other:
                assert other in {"TileDiscarded", "TurnEnded"}

    def resolve(self, *, at_the_end: bool) -> None:
        result = resolve_by_reference(self.tiles, self.keeps, set(self.moments), at_the_end)
        for knight in result["established"]:
            self.keeps[knight] = self.keeps[knight][0], "baron"
        for keep in result["returned"] + result["beaten"]:
            del self.keeps[keep]
        self.moments = departures(self.honour, result["honour"], self.moments)
        for seat, change in result["honour"].items():
            self.honour[seat] += change


def random_play(seats: int, seed: int) -> Iterator[tuple[DomainEvent, State]]:
    """Each event with the state after it: tiles are laid close together, turns seldom end without a keep."""
    chooser = random.Random(seed)
    opening = baron.set_up(seats, baron.check_options(seats, {}), Chance(bytes([seats, seed])))
    state = baron.initial_state(seats, {}, opening.data, opening.secrets)
    yield opening, state
    while state.to_act is not None:
        seat = state.to_act
        actions = list(baron.legal_actions(state, seat))
        weights = [
            _weight(state, cast("JsonObject", baron.action_to_json(action))) for action in actions
        ]
        [action] = chooser.choices(actions, weights)
        if chooser.random() < 0.003:
            seat, action = chooser.choice(state.in_game()), Resign()
        event = baron.decide(state, seat, action)
        state = evolve(baron, state, [event])
        yield event, state
    event = baron.finish(state)
    yield event, evolve(baron, state, [event])


def _weight(state: State, action: JsonObject) -> float:
    if action["type"] == "place_tile":
        return float(len(set(neighbours(at(action))) & state.tiles.keys()) ** 3)
    return 0.2 if action["type"] == "end_turn" else 1.0


@pytest.mark.allows("BN-LAY-3", "BN-BAR-2", "BN-END-2", "BN-END-3", "BN-END-4")
@pytest.mark.allows("BN-OUB-1", "BN-OUB-2", "BN-OUB-3", "BN-OUB-4")
@pytest.mark.parametrize("seats", [2, 3, 4, 5])
@pytest.mark.parametrize("seed", range(5))
def test_random_games_agree_with_the_reference_rules(seats: int, seed: int) -> None:
    play = random_play(seats, seed)
    opening, state = next(play)
    book = ReferenceGame(seats, data_of(opening)["start"])
    for event, after in play:
        state = after
        book.apply(event)
        assert (state.tiles, state.keeps) == (book.tiles, book.keeps), event
        players = dict(enumerate(state.players))
        assert {seat: player.honour for seat, player in players.items()} == book.honour, event
        out = {seat: player.out for seat, player in players.items() if player.out is not None}
        assert out == book.moments, event
        standing = Counter(owner for owner, _ in book.keeps.values())
        for seat in state.in_game():
            kept = players[seat].keeps + players[seat].resting
            assert kept == KEEPS_A_SEAT[seats] - standing[seat], event
    ranking = state.ranking
    assert ranking is not None
    assert {entry["seat"]: entry["place"] for entry in ranking} == places(book.honour, book.moments)
