"""The bots with Sorcery: `sensible` explores, casts where a spell pays, and counts imprints in the scores."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import pytest

from domain.barony import sorcery
from domain.barony.actions import Action
from domain.barony.components import DUKE
from domain.barony.sorcery.state import SorceryState
from domain.barony.state import State
from domain.chance import Chance
from domain.contract import Bot
from tests.support.barony_casts import CONSTRUCTION, MOVEMENT, RECRUITMENT, scene
from tests.support.barony_positions import given
from tests.support.events import data_of

AnyBot: TypeAlias = Bot[Any, Any]

SENSIBLE: AnyBot = sorcery.BOTS["sensible"]
ALONE = "removed 6"
"""For a knight without others in reserve."""


def by_lot(position: object, actions: Sequence[Action], seat: int, chance: Chance) -> Action:
    """The bot to beat."""
    return actions[chance.below(len(actions))]


def without_spells(position: Any, actions: Sequence[Action], seat: int, chance: Chance) -> Action:
    """As sensible as the other, but it never casts."""
    plain = [action for action in actions if action.type != "cast"]
    chosen: Action = SENSIBLE(position, plain or actions, seat, chance)
    return chosen


def choice(state: State, bot: AnyBot = SENSIBLE, chance: Chance | None = None) -> Action:
    """What the bot does for the seat to act."""
    assert isinstance(state, SorceryState)
    seat = state.to_act
    assert seat is not None
    actions = sorcery.legal_actions(state, seat)
    chosen: Action = bot(sorcery.position(state, seat), actions, seat, chance or Chance(bytes(32)))
    assert chosen in actions
    return chosen


def chosen_text(drawing: str) -> str:
    """The action chosen, in short form."""
    return sorcery.action_text(choice(given(drawing)))


def play(bots: Sequence[AnyBot], seed: int) -> SorceryState:
    """A game among the bots, one a seat, as it stands when play is over."""
    options = sorcery.check_options(len(bots), {})
    opening = sorcery.set_up(len(bots), options, Chance(bytes([seed]) * 32))
    state = sorcery.initial_state(len(bots), options, opening.data, {})
    chance = Chance(bytes([seed + 1]) * 32)
    while state.to_act is not None:
        action = choice(state, bot=bots[state.to_act], chance=chance)
        fact = sorcery.decide(state, state.to_act, action)
        sorcery.apply(state, fact.type, fact.data)
        assert state.round <= 100, "the game does not come to an end"
    return state


class TestPlaces:
    def test_a_knight_walks_to_a_mysterious_place(self) -> None:
        assert chosen_text(scene(MOVEMENT, "M0ck M M S M1ck", yellow=ALONE)) == "move 0,0>1,0"

    def test_it_explores_what_it_reaches(self) -> None:
        assert chosen_text(scene(MOVEMENT, "D0ck S F D M1ck", yellow=ALONE)) == "move 0,0>1,0"

    @pytest.mark.parametrize("place", ["S*0", "S*0*1", "S*1*2"])
    def test_a_place_goes_before_a_field_as_long_as_it_gives_something(self, place: str) -> None:
        chosen = chosen_text(scene(MOVEMENT, f"{place} M0ck D M1c", yellow=ALONE))
        assert chosen == ("move 1,0>2,0" if "*0" in place else "move 1,0>0,0")

    def test_three_imprints_are_all_that_a_place_takes(self) -> None:
        seats = "0: baron\n1: baron\n2: baron\n3: baron"
        drawing = f"play seat 0\nspells: {MOVEMENT}\n{seats}\nboard\nS*1*2*3 M0ck D M1c"
        assert chosen_text(drawing) == "move 1,0>2,0"

    def test_an_expedition_goes_to_a_place_at_the_edge(self) -> None:
        cells = "S M M M0ckkk\n. M M0c M\n. . M1ck M"
        assert chosen_text(scene(MOVEMENT, cells)) == "expedition 0,0"


class TestCasts:
    def test_two_steps_at_once_where_there_is_one_knight_and_one_place(self) -> None:
        cells = "M0ck M S M M1ck"
        assert (
            chosen_text(scene(MOVEMENT, cells, yellow=f"{ALONE}, magic 1"))
            == "cast celerity 0,0>1,0>2,0"
        )

    def test_no_magic_is_spent_on_what_a_move_does_as_well(self) -> None:
        assert (
            chosen_text(scene(MOVEMENT, "M0ck S M M1ck", yellow=f"{ALONE}, magic 4"))
            == "move 0,0>1,0"
        )

    def test_tornado_takes_the_best_token_of_a_village(self) -> None:
        chosen = chosen_text(scene(MOVEMENT, "M0ck F1v M1c", yellow="magic 4", red="1M 1D"))
        assert chosen == "cast tornado 0,0>1,0 take field"

    def test_tornado_is_kept_where_company_destroys_as_well(self) -> None:
        chosen = chosen_text(scene(MOVEMENT, "M0ck P0k1v M1c", yellow="magic 4", red="1M 1D"))
        assert chosen == "move 0,0>1,0 take field"

    def test_teleportation_and_tornado_together_rob_a_mountain(self) -> None:
        chosen = chosen_text(scene(MOVEMENT, "P0ck M1v M1c", yellow="magic 3", red="1D"))
        assert chosen == "cast teleportation tornado 0,0>1,0 take field"

    def test_celerity_reaches_what_tornado_is_to_sweep(self) -> None:
        chosen = chosen_text(scene(MOVEMENT, "M0ck M P1v M1c", yellow="magic 3", red="1D"))
        assert chosen == "cast celerity tornado 0,0>1,0>2,0 take field"

    def test_charm_recruits_where_the_good_ground_lies_in_many_places(self) -> None:
        cells = "D M0c M M M0c D M M0c D M1ck"
        chosen = chosen_text(scene(RECRUITMENT, cells, yellow="magic 1"))
        assert chosen == "cast charm 1 at 1,0 1 at 4,0 1 at 7,0"

    def test_illusion_recruits_in_the_stronghold_by_the_fields(self) -> None:
        cells = "M0c M M M M M D D0s D M1ck"
        chosen = chosen_text(scene(RECRUITMENT, cells, yellow="magic 1"))
        assert chosen == "cast illusion 2 at 7,0"

    def test_portal_brings_back_who_was_lost(self) -> None:
        cells = "D M0c D M M M1ck"
        chosen = chosen_text(scene(RECRUITMENT, cells, yellow="removed 3, magic 2"))
        assert chosen == "cast portal 2 at 1,0"

    def test_portal_is_kept_where_nobody_was_lost(self) -> None:
        chosen = chosen_text(scene(RECRUITMENT, "D M0c D M M M1ck", yellow="magic 2"))
        assert chosen == "recruit 2 at 1,0"

    def test_a_new_city_comes_with_a_token(self) -> None:
        chosen = chosen_text(scene(CONSTRUCTION, "D0v M M1ck", yellow="magic 4"))
        assert chosen == "cast abundance at 0,0"

    def test_no_magic_is_paid_for_a_token_that_the_bank_has_not(self) -> None:
        cells = "D0v M M1ck"
        drawing = scene(CONSTRUCTION, cells, yellow="magic 4").replace("board", "bank: 9M\nboard")
        assert chosen_text(drawing) == "city 0,0"

    def test_petrification_founds_a_city_in_the_forest(self) -> None:
        chosen = chosen_text(scene("petrification", "F0v M M1ck", yellow="magic 1"))
        assert chosen == "cast petrification at 0,0"

    @pytest.mark.parametrize(("limit", "founds"), [("limit 5", True), ("limit 9", False)])
    def test_a_city_of_a_knight_waits_until_time_is_short(
        self, limit: str, *, founds: bool
    ) -> None:
        cells = "D0k M M1ck"
        drawing = scene("sanctuary", cells, yellow="magic 2").replace("seat 0", f"seat 0 {limit}")
        expected = "cast sanctuary at 0,0" if founds else "build village 0,0"
        assert chosen_text(drawing) == expected

    @pytest.mark.parametrize("rival", ["marquis, 3D", "duke", "marquis, 3D, out", "marquis, 2D"])
    def test_time_is_short_when_somebody_can_become_duke(self, rival: str) -> None:
        is_near = rival in ("marquis, 3D", "duke")
        drawing = scene("sanctuary", "D0k M M1ck", yellow="magic 2", red=rival)
        assert chosen_text(drawing).startswith("cast sanctuary") is is_near


@pytest.mark.parametrize(
    ("place", "buys"), [("S", True), ("S*0", True), ("S*1", False), ("S*0*1", True)]
)
def test_imprints_count_when_a_duke_would_end_the_game(place: str, *, buys: bool) -> None:
    drawing = (
        "play seat 0\nspells: charm\n0: marquis, 3D\n1: marquis, new cities 1, 1F 1P\n"
        f"board\nP0ck P {place} P M1ck"
    )
    # the duke would have 60 points, the rival has 45, 10 of a city, 1 of a forest and 2 of a plain token
    assert chosen_text(drawing).startswith("title") is buys


def test_the_same_chance_makes_the_same_choices() -> None:
    games = [play([SENSIBLE, SENSIBLE], seed=3) for _ in range(2)]
    assert sorcery.position(games[0], None) == sorcery.position(games[1], None)


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_a_game_among_sensible_bots_ends_with_a_duke(seats: int) -> None:
    state = play([SENSIBLE] * seats, seed=1)
    assert DUKE in state.rank
    assert state.round < 60
    assert all(state.imprints)


@pytest.mark.parametrize("seats", [2, 5])
def test_sense_beats_chance(seats: int) -> None:
    place = seats - 1
    bots = [SENSIBLE if seat == place else by_lot for seat in range(seats)]
    for seed in range(3):
        best, *_ = data_of(sorcery.finish(play(bots, seed)))["ranking"]
        assert best["seat"] == place


def test_who_casts_beats_who_does_not() -> None:
    """A clear majority of games in which both sit in both seats."""
    won = 0
    for seed in range(10):
        for place in range(2):
            bots = [SENSIBLE if seat == place else without_spells for seat in range(2)]
            won += data_of(sorcery.finish(play(bots, seed)))["ranking"][0]["seat"] == place
    assert won >= 13
