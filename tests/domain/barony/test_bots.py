"""The bots: `sensible` chooses as a person would, always the same by the same chance, and its games end."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import pytest

from domain import barony
from domain.barony.actions import Action
from domain.barony.components import DUKE
from domain.barony.state import State
from domain.chance import Chance
from domain.contract import Bot
from tests.support.barony_positions import given
from tests.support.events import data_of

AnyBot: TypeAlias = Bot[Any, Any]

SENSIBLE: AnyBot = barony.BOTS["sensible"]


def by_lot(position: object, actions: Sequence[Action], seat: int, chance: Chance) -> Action:
    """The bot to beat."""
    return actions[chance.below(len(actions))]


def choice(state: State, bot: AnyBot = SENSIBLE, chance: Chance | None = None) -> Action:
    """What the bot does for the seat to act."""
    seat = state.to_act
    assert seat is not None
    actions = barony.legal_actions(state, seat)
    chosen: Action = bot(barony.position(state, seat), actions, seat, chance or Chance(bytes(32)))
    assert chosen in actions
    return chosen


def chosen_text(drawing: str) -> str:
    """The action chosen, in short form."""
    return barony.action_text(choice(given(drawing)))


def play(bots: Sequence[AnyBot], seed: int, round_limit: int | None = None) -> State:
    """A game among the bots, one a seat, as it stands when play is over."""
    options = barony.check_options(len(bots), {"round_limit": round_limit})
    opening = barony.set_up(len(bots), options, Chance(bytes([seed]) * 32))
    state = barony.initial_state(len(bots), options, opening.data, {})
    chance = Chance(bytes([seed + 1]) * 32)
    while state.to_act is not None:
        bot = bots[state.to_act]
        event = barony.decide(state, state.to_act, choice(state, bot=bot, chance=chance))
        barony.apply(state, event.type, event.data)
        assert state.round <= 100, "the game does not come to an end"
    return state


class TestChoices:
    def test_a_first_city_goes_among_fields_and_not_among_mountains(self) -> None:
        mountains = "M  M  M  M"
        text = chosen_text(
            f"""
            setup seat 0
            board 0,0
            {mountains}  D  D  D
              {mountains}  D  D  D
                {mountains}  D  D  D
            """
        )
        q = int(text.removeprefix("place ").split(",")[0])
        assert q >= 3

    def test_a_title_is_bought_at_once_and_at_the_lowest_price(self) -> None:
        assert (
            chosen_text(
                "play seat 0\n0: baron, 4P 2D 1F\n1: baron\nboard 0,0\nP0ckkk  P0v  D0v  D0k"
            )
            == "title 1 forest 3 plain"
        )

    def test_a_village_becomes_a_city(self) -> None:
        assert chosen_text("play seat 0\nboard 0,0\nP0ckk  P  D0v  D0k  D") == "city 2,0"

    def test_several_knights_build_in_one_action_on_good_ground(self) -> None:
        drawing = """
            play seat 0
            board 0,0
            M0ck  D0k  P0k  F  M1c
              M     M    L
            """
        text = chosen_text(drawing)
        assert text.startswith("build ")
        assert "1,0" in text
        assert "2,0" in text
        assert "0,0" not in text

    def test_three_knights_are_recruited_by_the_lake(self) -> None:
        drawing = """
            play seat 0
            board 0,0
            M0c  D  D    P  M0c  L
              D    D   P    P  D
            """
        assert chosen_text(drawing) == "recruit 3 at 4,0"

    def test_a_village_is_attacked_for_its_most_valuable_token(self) -> None:
        drawing = """
            play seat 0
            0: baron
            1: baron, 2M 1D
            board 0,0
            M0ckk  F1v  M1c
            """
        assert chosen_text(drawing) == "move 0,0>1,0 0,0>1,0 take field"

    def test_a_village_is_defended(self) -> None:
        drawing = """
            play seat 0
            board 0,0
            M0ck  P0v1k  M  M1c
            """
        assert chosen_text(drawing) == "move 0,0>1,0"

    @pytest.mark.parametrize(
        ("rival", "buys"), [("marquis", True), ("marquis, new cities 2", False)]
    )
    def test_the_bot_does_not_become_duke_in_order_to_lose(self, rival: str, *, buys: bool) -> None:
        drawing = f"play seat 0\n0: marquis, 3D\n1: {rival}\nboard 0,0\nP0ck  P  M1ck"
        assert chosen_text(drawing).startswith("title") is buys

    def test_the_bot_passes_where_no_other_action_is_legal(self) -> None:
        assert chosen_text("play seat 0\nboard 0,0\nM0skkkkkkk  L  M1ck") == "pass"


def test_the_same_seed_leads_to_the_same_choices() -> None:
    games = [play([SENSIBLE, SENSIBLE], seed=3) for _ in range(2)]
    assert barony.position(games[0], None) == barony.position(games[1], None)


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_game_among_sensible_bots_ends_with_a_duke(seats: int, seed: int) -> None:
    state = play([SENSIBLE] * seats, seed)
    assert DUKE in state.rank
    assert state.round < 60


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_sensible_bot_beats_random_play(seats: int) -> None:
    place = seats - 1
    bots = [SENSIBLE if seat == place else by_lot for seat in range(seats)]
    for seed in range(3):
        best, *_ = data_of(barony.finish(play(bots, seed)))["ranking"]
        assert best["seat"] == place
