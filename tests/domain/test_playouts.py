"""Quick playouts: legal actions only, nothing changed by choosing, and the plan that the bots have."""

from collections import Counter
from typing import Any

import pytest

from domain import baron
from domain.baron import bots as bots_of_baron
from domain.baron import playouts as playouts_of_baron
from domain.baron.components import COUNTS
from domain.baron.playouts import shares
from domain.baron.state import State as BaronState
from domain.chance import Chance
from domain.contract import AnyRuleSystem
from domain.playouts import WHOLE, PlayoutModel
from domain.registry import BARON, BARONY, SORCERY
from tests.games.records import course_of
from tests.support import baron_positions

GAMES = [
    (BARONY, "duke-of-two"),
    (BARONY, "duke-of-four"),
    (SORCERY, "sorcery-duke-of-two"),
    (SORCERY, "sorcery-duke-of-five"),
    (BARON, "baron-battles"),
    (BARON, "baron-five"),
]
"""Each rule system, with recorded games of it."""


def model_of(rules: AnyRuleSystem) -> PlayoutModel[Any, Any]:
    assert rules.PLAYOUTS is not None
    return rules.PLAYOUTS


def positions(name: str, step: int) -> list[Any]:
    """Some states of a recorded game in which a seat is to act."""
    states = [game.state for game in course_of(name) if game.state is not None]
    return [state for state in states if state.to_act is not None][::step]


@pytest.mark.parametrize(("rules", "name"), GAMES)
def test_playouts_take_legal_actions_and_end(rules: AnyRuleSystem, name: str) -> None:
    model = model_of(rules)
    for number, start in enumerate(positions(name, 40)):
        chance = Chance(number.to_bytes(2))
        state = rules.copy(start)
        while (seat := state.to_act) is not None and state.turn < start.turn + 60:
            shown = rules.position(state, seat)
            if chance.below(5):
                action = model.choose(state, seat, chance)
            else:
                actions = rules.legal_actions(state, seat)
                action = actions[chance.below(len(actions))]
            assert rules.position(state, seat) == shown
            # Refused here if the action is not legal.
            event = rules.decide(state, seat, action)
            rules.apply(state, event.type, event.data)


@pytest.mark.parametrize(("rules", "name"), GAMES)
def test_equal_chance_leads_to_equal_actions(rules: AnyRuleSystem, name: str) -> None:
    model = model_of(rules)
    for state in positions(name, 15):
        chosen = [model.choose(state, state.to_act, Chance(b"equal")) for _ in range(2)]
        assert chosen[0] == chosen[1]


def with_honour(first: int, pile: int) -> BaronState:
    """A game of Baron for two, in which the seat 0 has this honour and 1 has none."""
    state = baron_positions.given(
        f"draw round 5 seat 0\n0: {first}, MP\n1: 0, MP\nmarket MVF\npile {pile}\nboard\nM M F\n"
    )
    state.players[0].honour = first
    return state


class TestSharesOfBaron:
    def test_equal_seats_have_equal_shares(self) -> None:
        assert shares(with_honour(0, pile=30)) == (WHOLE // 2, WHOLE // 2)

    def test_a_lead_counts_the_more_the_fewer_tiles_are_left(self) -> None:
        early, late = shares(with_honour(3, pile=50)), shares(with_honour(3, pile=5))
        assert WHOLE // 2 < early[0] < late[0] < WHOLE
        assert sum(early) == sum(late) == WHOLE

    def test_a_seat_that_is_out_has_no_share(self) -> None:
        for state in positions("baron-one-left", 1):
            found = shares(state)
            assert sum(found) == WHOLE
            for seat, player in enumerate(state.players):
                assert player.out is None or found[seat] == 0


class TestUnknownTiles:
    @pytest.mark.parametrize("seat", [None, 0, 1])
    def test_no_tile_is_dealt_twice(self, seat: int | None) -> None:
        for state in positions("baron-five", 30):
            drawn = state.copy()
            model_of(BARON).draw_unknown(drawn, seat, Chance(b"deal"))
            tiles = Counter(drawn.tiles.values())
            tiles.update([*drawn.market, *drawn.removed, *drawn.tiles_in_pile()])
            for player in drawn.players:
                tiles.update(player.reserve)
            assert tiles <= Counter(COUNTS)

    def test_a_seat_keeps_what_it_knows_and_nobody_knows_the_pile(self) -> None:
        state = positions("baron-five", 1)[20]
        of_seat, of_all = state.copy(), state.copy()
        model_of(BARON).draw_unknown(of_seat, 1, Chance(b"deal"))
        model_of(BARON).draw_unknown(of_all, None, Chance(b"deal"))
        reserves = [player.reserve for player in state.players]
        assert of_seat.players[1].reserve == reserves[1]
        assert [player.reserve for player in of_seat.players] != reserves
        assert [player.reserve for player in of_all.players] == reserves
        assert of_all.tiles_in_pile() != state.tiles_in_pile()
        assert baron.position(of_seat, 1) == baron.position(state, 1)


@pytest.mark.parametrize(
    "name",
    [
        "OWN_GAP",
        "OPPOSING_GAP",
        "KEEP_PRICE",
        "DEBT",
        "KEEP_IN_HAND",
        "KNIGHT_ON_BOARD",
        "BARON_ON_BOARD",
        "PROSPECT",
        "TILE",
    ],
)
def test_the_weights_of_baron_are_those_of_the_bot(name: str) -> None:
    assert getattr(playouts_of_baron, name) == 1000 * getattr(bots_of_baron, name)
