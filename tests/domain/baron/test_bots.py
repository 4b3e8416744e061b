"""The bots: `sensible` chooses as a person would, always the same by the same chance, and beats chance."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import pytest

from domain import baron
from domain.baron.actions import Action
from domain.baron.state import State
from domain.chance import Chance
from domain.contract import Bot
from tests.support.baron_positions import given
from tests.support.events import data_of

AnyBot: TypeAlias = Bot[Any, Any]
Choose: TypeAlias = Callable[[str], str]
"""Returns the action chosen on the position of a text diagram, in short form."""

SENSIBLE: AnyBot = baron.BOTS["sensible"]


def random_bot(position: object, actions: Sequence[Action], seat: int, chance: Chance) -> Action:
    """The opponent of the sensible bot."""
    return actions[chance.below(len(actions))]


def choice(state: State, bot: AnyBot = SENSIBLE, chance: Chance | None = None) -> Action:
    """The action that the bot chooses for the seat to act, from what that seat may see."""
    seat = state.to_act
    assert seat is not None
    actions = baron.legal_actions(state, seat)
    chosen: Action = bot(baron.position(state, seat), actions, seat, chance or Chance(bytes(32)))
    assert chosen in actions
    return chosen


def chosen_text(diagram: str) -> str:
    """The action chosen, in short form."""
    return baron.action_text(choice(given(diagram)))


def playout_choice(diagram: str) -> str:
    """The action with which playouts go on, in short form."""
    state = given(diagram)
    seat = state.to_act
    assert seat is not None
    assert baron.PLAYOUTS is not None
    action = baron.PLAYOUTS.choose(state, seat, Chance(bytes(32)))
    assert action in baron.legal_actions(state, seat)
    return baron.action_text(action)


@pytest.fixture(params=[chosen_text, playout_choice], ids=["bot", "playouts"])
def choose(request: pytest.FixtureRequest) -> Choose:
    """The sensible bot, or what playouts go on with, which has the same plan."""
    choose: Choose = request.param
    return choose


def play(bots: Sequence[AnyBot], seed: int) -> State:
    """A game among the bots, one a seat, as it stands when play is over."""
    opening = baron.set_up(len(bots), {}, Chance(bytes([seed]) * 32))
    state = baron.initial_state(len(bots), {}, opening.data, opening.secrets)
    chance = Chance(bytes([seed + 1]) * 32)
    while state.to_act is not None:
        bot = bots[state.to_act]
        action = choice(state, bot=bot, chance=chance)
        event = baron.decide(state, state.to_act, action)
        baron.apply(state, event.type, event.data)
        assert state.round <= 80, "the game does not come to an end"
    return state


LAST = """
keep round 30 seat 0
0: 3, keeps 1, turns 1
1: 3, turns 0
"""
EARLY = """
keep round 3 seat 0
0: 3, MP, keeps 1
1: 3, MP
market MMM
pile 50
"""
AROUND_A_KNIGHT = """
lay round 5 seat 0
0: 0, VCM, keeps 0
1: 0, MQ, keeps 0
market MMM
pile 30
board 0,0
.  M  F
  W  M{seat}k  M
    .  Q
"""


class TestDrawing:
    @pytest.mark.parametrize(("market", "slot"), [("MVF", 2), ("MMV", 1), ("VMM", 1), ("CVM", 2)])
    def test_a_tile_is_bought_for_what_it_is_worth(
        self, choose: Choose, market: str, slot: int
    ) -> None:
        """A village for 1, but not for 3, where there is nothing to do with it at once."""
        diagram = f"""
            draw round 2 seat 0
            0: 5, MP
            1: 5, MQ
            market {market}
            pile 40
            board
            M  M  F
            """
        assert choose(diagram) == f"draw {slot}"

    def test_much_is_paid_for_the_tile_that_fills_a_hole(self, choose: Choose) -> None:
        """BN-LAY-3: 9 for 3, where no field may lie (BN-LAY-2)."""
        diagram = """
            draw round 9 seat 0
            0: 0, FF
            1: 0, MQ
            market FFM
            pile 30
            board 0,0
            .  M  S
              F  .  M
                P  Q
            """
        assert choose(diagram) == "draw 3"


class TestLaying:
    def test_a_hole_is_filled_for_nine(self, choose: Choose) -> None:
        diagram = """
            lay round 5 seat 0
            0: 0, MFV
            1: 0, MQ
            market MMM
            pile 30
            board 0,0
            .  M  S
              W  .  M
                P  Q
            """
        assert choose(diagram).endswith(" 1,1")

    def test_the_best_tile_completes_ones_own_barony(self, choose: Choose) -> None:
        assert choose(AROUND_A_KNIGHT.format(seat=0)) == "lay village 0,2"

    def test_the_worst_tile_spoils_anothers(self, choose: Choose) -> None:
        assert choose(AROUND_A_KNIGHT.format(seat=1)) == "lay cursed_place 0,2"

    def test_what_cannot_be_laid_is_given_up_by_its_worth(self, choose: Choose) -> None:
        diagram = "lay round 4 seat 0\n0: 0, QQQ\n1: 0, MP\nmarket MMM\nboard\nQ M Q\n"
        assert choose(diagram) == "discard quarry"


class TestKeeping:
    @pytest.mark.parametrize(("kinds", "expected"), [("V  F", "end"), ("S  C", "keep 1,1")])
    def test_no_keep_goes_where_it_would_lose_at_once(
        self, choose: Choose, kinds: str, expected: str
    ) -> None:
        """6 outside of the battlefield against 9, or against 1."""
        diagram = f"""
            keep round 9 seat 0
            0: 3, MP
            1: 3, MP
            market MMM
            pile 30
            board 0,0
            .  F  W  {kinds}
              V  M  P  M1b  V
                C  Y  S  W
            """
        assert choose(diagram) == expected

    @pytest.mark.parametrize(
        ("turn", "board", "expected"),
        [(LAST, "M  Q", "keep 0,0"), (EARLY, "M  Q", "end"), (LAST, "M  C\nS  .", "end")],
    )
    def test_the_last_keep_is_kept_for_better_ground_while_there_is_time(
        self, choose: Choose, turn: str, board: str, expected: str
    ) -> None:
        """BN-END-2: at the end half of 1 is 1, and half of -3 is -1."""
        assert choose(f"{turn}board 0,0\n{board}\n") == expected


def test_the_same_seed_leads_to_the_same_choices() -> None:
    games = [play([SENSIBLE, SENSIBLE], seed=3) for _ in range(2)]
    assert baron.position(games[0], None) == baron.position(games[1], None)


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_the_sensible_bot_beats_random_ones(seats: int) -> None:
    place = seats - 1
    bots = [SENSIBLE if seat == place else random_bot for seat in range(seats)]
    for seed in range(3):
        best, *_ = data_of(baron.finish(play(bots, seed)))["ranking"]
        assert best["seat"] == place


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_sensible_bots_do_not_go_out(seats: int) -> None:
    state = play([SENSIBLE] * seats, seed=7)
    assert state.in_game() == list(range(seats))
    assert max(player.honour for player in state.players) > 10
