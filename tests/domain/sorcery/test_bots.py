"""The bots with Sorcery: `sensible` explores, casts spells that pay off, and counts imprints in scores."""

from collections.abc import Sequence
from typing import Any

import pytest

from domain.barony import sorcery
from domain.barony.actions import Action
from domain.barony.components import DUKE
from domain.barony.sorcery.state import SorceryState
from domain.chance import Chance
from domain.registry import SORCERY
from tests.support.barony_bots import (
    AnyBot,
    Choose,
    play,
    playout_choice,
    random_bot,
    sensible_choice,
    winner,
)
from tests.support.barony_positions import diagram
from tests.support.sorcery_diagrams import CONSTRUCTION, MOVEMENT, RECRUITMENT, three_seats

SENSIBLE: AnyBot = sorcery.BOTS["sensible"]
NO_RESERVE = "removed 6"
"""For a seat whose only knight is on the board."""


def bot_without_spells(
    position: Any, actions: Sequence[Action], seat: int, chance: Chance
) -> Action:
    """The sensible bot, except that it never casts spells."""
    others = [action for action in actions if action.type != "cast"]
    chosen: Action = SENSIBLE(position, others or actions, seat, chance)
    return chosen


@pytest.fixture(params=[sensible_choice, playout_choice], ids=["bot", "playouts"])
def choose(request: pytest.FixtureRequest) -> Choose:
    """The sensible bot, or what playouts go on with, which has the same plan."""
    choose: Choose = request.param
    return choose


class TestPlaces:
    def test_a_knight_moves_towards_a_mysterious_place(self, choose: Choose) -> None:
        assert choose(three_seats(MOVEMENT, "M0ck M M S M1ck", yellow=NO_RESERVE)) == "move 0,0>1,0"

    def test_a_knight_enters_a_mysterious_place_within_reach(self, choose: Choose) -> None:
        assert choose(three_seats(MOVEMENT, "D0ck S F D M1ck", yellow=NO_RESERVE)) == "move 0,0>1,0"

    @pytest.mark.parametrize("place", ["S*0", "S*0*1", "S*1*2"])
    def test_a_mysterious_place_is_preferred_to_a_field_while_it_gives_magic(
        self, choose: Choose, place: str
    ) -> None:
        chosen = choose(three_seats(MOVEMENT, f"{place} M0ck D M1c", yellow=NO_RESERVE))
        assert chosen == ("move 1,0>2,0" if "*0" in place else "move 1,0>0,0")

    def test_a_place_with_three_imprints_is_no_goal(self, choose: Choose) -> None:
        seats = "0: baron\n1: baron\n2: baron\n3: baron"
        diagram = f"play seat 0\nspells: {MOVEMENT}\n{seats}\nboard\nS*1*2*3 M0ck D M1c"
        assert choose(diagram) == "move 1,0>2,0"

    def test_an_expedition_goes_to_a_mysterious_place_at_the_edge(self, choose: Choose) -> None:
        cells = "S M M M0ckkk\n. M M0c M\n. . M1ck M"
        assert choose(three_seats(MOVEMENT, cells)) == "expedition 0,0"


class TestCasts:
    def test_celerity_is_cast_to_reach_a_place_in_one_turn(self, choose: Choose) -> None:
        cells = "M0ck M S M M1ck"
        assert (
            choose(three_seats(MOVEMENT, cells, yellow=f"{NO_RESERVE}, magic 1"))
            == "cast celerity 0,0>1,0>2,0"
        )

    def test_no_magic_is_spent_where_a_move_has_the_same_effect(self, choose: Choose) -> None:
        assert (
            choose(three_seats(MOVEMENT, "M0ck S M M1ck", yellow=f"{NO_RESERVE}, magic 4"))
            == "move 0,0>1,0"
        )

    def test_tornado_takes_the_best_token_of_a_village(self, choose: Choose) -> None:
        chosen = choose(three_seats(MOVEMENT, "M0ck F1v M1c", yellow="magic 4", red="1M 1D"))
        assert chosen == "cast tornado 0,0>1,0 take field"

    def test_tornado_is_not_cast_where_a_second_knight_destroys_as_well(
        self, choose: Choose
    ) -> None:
        chosen = choose(three_seats(MOVEMENT, "M0ck P0k1v M1c", yellow="magic 4", red="1M 1D"))
        assert chosen == "move 0,0>1,0 take field"

    def test_teleportation_and_tornado_together_rob_a_mountain(self) -> None:
        chosen = sensible_choice(three_seats(MOVEMENT, "P0ck M1v M1c", yellow="magic 3", red="1D"))
        assert chosen == "cast teleportation tornado 0,0>1,0 take field"

    def test_celerity_reaches_what_tornado_is_to_sweep(self) -> None:
        chosen = sensible_choice(
            three_seats(MOVEMENT, "M0ck M P1v M1c", yellow="magic 3", red="1D")
        )
        assert chosen == "cast celerity tornado 0,0>1,0>2,0 take field"

    def test_charm_recruits_where_good_sites_lie_near_several_cities(self, choose: Choose) -> None:
        cells = "D M0c M M M0c D M M0c D M1ck"
        chosen = choose(three_seats(RECRUITMENT, cells, yellow="magic 1"))
        assert chosen == "cast charm 1 at 1,0 1 at 4,0 1 at 7,0"

    def test_illusion_recruits_in_the_stronghold_by_the_fields(self, choose: Choose) -> None:
        cells = "M0c M M M M M D D0s D M1ck"
        chosen = choose(three_seats(RECRUITMENT, cells, yellow="magic 1"))
        assert chosen == "cast illusion 2 at 7,0"

    def test_portal_brings_back_removed_knights(self, choose: Choose) -> None:
        cells = "D M0c D M M M1ck"
        chosen = choose(three_seats(RECRUITMENT, cells, yellow="removed 3, magic 2"))
        assert chosen == "cast portal 2 at 1,0"

    def test_portal_is_not_cast_without_removed_knights(self, choose: Choose) -> None:
        chosen = choose(three_seats(RECRUITMENT, "D M0c D M M M1ck", yellow="magic 2"))
        assert chosen == "recruit 2 at 1,0"

    def test_abundance_is_cast_for_a_new_city(self, choose: Choose) -> None:
        chosen = choose(three_seats(CONSTRUCTION, "D0v M M1ck", yellow="magic 4"))
        assert chosen == "cast abundance at 0,0"

    def test_abundance_is_not_cast_when_the_bank_has_no_such_token(self, choose: Choose) -> None:
        cells = "D0v M M1ck"
        diagram = three_seats(CONSTRUCTION, cells, yellow="magic 4").replace(
            "board", "bank: 9M\nboard"
        )
        assert choose(diagram) == "city 0,0"

    def test_petrification_founds_a_city_in_the_forest(self, choose: Choose) -> None:
        chosen = choose(three_seats("petrification", "F0v M M1ck", yellow="magic 1"))
        assert chosen == "cast petrification at 0,0"

    @pytest.mark.parametrize(("limit", "founds"), [("limit 5", True), ("limit 9", False)])
    def test_sanctuary_is_cast_only_when_the_game_ends_soon(
        self, choose: Choose, limit: str, *, founds: bool
    ) -> None:
        cells = "D0k M M1ck"
        diagram = three_seats("sanctuary", cells, yellow="magic 2").replace(
            "seat 0", f"seat 0 {limit}"
        )
        expected = "cast sanctuary at 0,0" if founds else "build village 0,0"
        assert choose(diagram) == expected

    @pytest.mark.parametrize("rival", ["marquis, 3D", "duke", "marquis, 3D, out", "marquis, 2D"])
    def test_the_game_ends_soon_when_a_seat_can_become_duke(
        self, choose: Choose, rival: str
    ) -> None:
        is_near = rival in ("marquis, 3D", "duke")
        diagram = three_seats("sanctuary", "D0k M M1ck", yellow="magic 2", red=rival)
        assert choose(diagram).startswith("cast sanctuary") is is_near


@pytest.mark.parametrize(
    ("place", "buys"), [("S", True), ("S*0", True), ("S*1", False), ("S*0*1", True)]
)
def test_imprints_count_when_a_duke_would_end_the_game(place: str, *, buys: bool) -> None:
    diagram = (
        "play seat 0\nspells: charm\n0: marquis, 3D\n1: marquis, new cities 1, 1F 1P\n"
        f"board\nP0ck P {place} P M1ck"
    )
    # the duke would have 60 points; the rival has 45 + 10 for a city + 1 for a forest + 2 for a plain token
    assert sensible_choice(diagram).startswith("title") is buys


def test_the_same_seed_leads_to_the_same_choices() -> None:
    games = [play(SORCERY, [SENSIBLE, SENSIBLE], seed=3) for _ in range(2)]
    assert diagram(games[0]) == diagram(games[1])


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_a_game_among_sensible_bots_ends_with_a_duke(seats: int) -> None:
    state = play(SORCERY, [SENSIBLE] * seats, seed=1)
    assert DUKE in state.rank
    assert state.round < 60
    assert isinstance(state, SorceryState)
    assert all(state.imprints)


@pytest.mark.parametrize("seats", [2, 5])
def test_the_sensible_bot_beats_random_play(seats: int) -> None:
    place = seats - 1
    bots = [SENSIBLE if seat == place else random_bot for seat in range(seats)]
    for seed in range(3):
        assert winner(SORCERY, play(SORCERY, bots, seed)) == place


@pytest.mark.nightly
def test_a_bot_that_casts_beats_one_that_does_not() -> None:
    """It wins a clear majority of games in which each plays each seat."""
    won = 0
    for seed in range(10):
        for place in range(2):
            bots = [SENSIBLE if seat == place else bot_without_spells for seat in range(2)]
            won += winner(SORCERY, play(SORCERY, bots, seed)) == place
    assert won >= 13
