"""Texts, explanations, scenes and bots in whole games of Baron."""

from typing import Any

import pytest

from domain import baron
from domain.chance import Chance
from domain.contract import DomainEvent, evolve
from tests.support.baron_positions import given, random_game, set_up, started, text_of
from tests.support.events import data_of
from tests.support.given_when import when

ESTABLISHED = """
    lay round 4 seat 0
    0: 0, MV
    1: 5, MM
    market MVF
    board -1,-1
    .  M   Q   M   F
    .  M0k V   M1b S
    M  W   P   S
    """


def test_the_text_of_an_unknown_event_is_its_type() -> None:
    assert text_of(DomainEvent("KnightsMoved", {})) == "KnightsMoved"
    assert baron.explain(started(2, 1), 0, DomainEvent("KnightsMoved", {})) == []


def test_standings_have_the_values_of_the_baronies() -> None:
    state = when(given(ESTABLISHED), 0, "lay village -1,0").after
    assert baron.standings(state) == [
        {"seat": 0, "score": 9, "baronies": [9]},
        {"seat": 1, "score": 2, "baronies": []},
    ]


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_every_event_of_whole_games_has_a_text_and_an_explanation(seats: int) -> None:
    opening = set_up(seats, 1)
    assert baron.explain(None, None, opening)
    for state, event in random_game(seats, seed=1, forfeits=0.02):
        reasons = baron.explain(state, data_of(event).get("seat"), event)
        assert reasons
        assert {clause for clause, _ in reasons} <= baron.CLAUSES.keys()
        text = text_of(event)
        assert text != event.type
        assert "\n" not in text


@pytest.mark.parametrize("seats", [2, 5])
def test_every_position_of_whole_games_has_a_scene(seats: int) -> None:
    for state, event in random_game(seats, seed=2):
        after, data = evolve(baron, state, [event]), data_of(event)
        sealed: Any = {"type": event.type, "data": data, "by": {"seat": data.get("seat", 0)}}
        scene = baron.scene(baron.position(after, 0), sealed)
        assert {cell.at: cell.terrain for cell in scene.cells} == after.tiles
        keeps = {cell.at: (piece.seat, piece.kind) for cell in scene.cells for piece in cell.pieces}
        assert keeps == {at: (seat, f"keep_{side}") for at, (seat, side) in after.keeps.items()}
        removed = {cell.at for cell in scene.cells if cell.removed}
        placed = {tuple(data["at"])} if event.type == "KeepPlaced" else set()
        assert removed == (state.keeps.keys() | placed) - after.keeps.keys()
        assert [panel.score for panel in scene.panels] == [p.honour for p in after.players]


@pytest.mark.parametrize("seats", [2, 5])
def test_the_sensible_bot_plays_a_game_to_its_end(seats: int) -> None:
    state, chance = started(seats, 5), Chance(b"bots")
    while (seat := state.to_act) is not None:
        actions = baron.legal_actions(state, seat)
        action = baron.BOTS["sensible"](baron.position(state, seat), actions, seat, chance)
        assert action in actions
        state = evolve(baron, state, [baron.decide(state, seat, action)])
    assert state.phase == "scoring"
