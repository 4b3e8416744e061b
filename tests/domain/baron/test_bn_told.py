"""What holds of all that is said of whole games of Baron, in texts, explanations and pictures; bots."""

from typing import Any

import pytest

from domain import baron
from domain.chance import Chance
from domain.contract import DomainEvent, evolve
from tests.support.baron_positions import begun, given, random_game, set_up
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


def test_a_fact_of_an_unknown_type_is_told_by_its_name() -> None:
    assert baron.event_text("KnightsMoved", {}) == "KnightsMoved"
    assert baron.explain(begun(2, 1), 0, DomainEvent("KnightsMoved", {})) == []


def test_standings_tell_the_baronies() -> None:
    state = when(given(ESTABLISHED), 0, "lay village -1,0").after
    assert baron.standings(state) == [
        {"seat": 0, "score": 9, "baronies": [9]},
        {"seat": 1, "score": 2, "baronies": []},
    ]


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_every_fact_of_whole_games_is_told_and_explained(seats: int) -> None:
    opening = set_up(seats, 1)
    assert baron.explain(None, None, opening)
    for state, fact in random_game(seats, seed=1, forfeits=0.02):
        reasons = baron.explain(state, data_of(fact).get("seat"), fact)
        assert reasons
        assert {clause for clause, _ in reasons} <= baron.CLAUSES.keys()
        told = baron.event_text(fact.type, fact.data)
        assert told != fact.type
        assert "\n" not in told


@pytest.mark.parametrize("seats", [2, 5])
def test_every_position_of_whole_games_has_a_picture(seats: int) -> None:
    for state, fact in random_game(seats, seed=2):
        after = evolve(baron, state, [fact])
        event: Any = {
            "type": fact.type,
            "data": fact.data,
            "by": {"seat": fact.data.get("seat", 0)},
        }
        scene = baron.scene(baron.position(after, 0), event)
        assert {cell.at: cell.terrain for cell in scene.cells} == after.tiles
        keeps = {cell.at: (piece.seat, piece.kind) for cell in scene.cells for piece in cell.pieces}
        assert keeps == {at: (seat, f"keep_{side}") for at, (seat, side) in after.keeps.items()}
        gone = {cell.at for cell in scene.cells if cell.removed}
        came = {(q, r) for q, r in [data_of(fact)["at"]]} if fact.type == "KeepPlaced" else set()
        assert gone == (state.keeps.keys() | came) - after.keeps.keys()
        assert [panel.score for panel in scene.panels] == [p.honour for p in after.players]


@pytest.mark.parametrize("seats", [2, 5])
def test_the_sensible_bot_plays_a_game_to_its_end(seats: int) -> None:
    state, chance = begun(seats, 5), Chance(b"bots")
    while (seat := state.to_act) is not None:
        actions = baron.legal_actions(state, seat)
        chosen = baron.BOTS["sensible"](baron.position(state, seat), actions, seat, chance)
        assert chosen in actions
        state = evolve(baron, state, [baron.decide(state, seat, chosen)])
    assert state.phase == "scoring"
