"""The bots: `sensible` makes good choices, the same ones for the same seed, and its games end."""

import pytest

from domain import barony
from domain.barony.components import DUKE
from domain.registry import BARONY
from tests.support.barony_bots import (
    AnyBot,
    Choose,
    play,
    playout_choice,
    random_bot,
    sensible_choice,
    winner,
)

SENSIBLE: AnyBot = barony.BOTS["sensible"]


@pytest.fixture(params=[sensible_choice, playout_choice], ids=["bot", "playouts"])
def choose(request: pytest.FixtureRequest) -> Choose:
    """The sensible bot, or what playouts go on with, which has the same plan."""
    choose: Choose = request.param
    return choose


class TestChoices:
    def test_a_first_city_goes_among_fields_and_not_among_mountains(self, choose: Choose) -> None:
        mountains = "M  M  M  M"
        text = choose(
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

    def test_a_title_is_bought_at_once_and_at_the_lowest_price(self, choose: Choose) -> None:
        assert (
            choose("play seat 0\n0: baron, 4P 2D 1F\n1: baron\nboard 0,0\nP0ckkk  P0v  D0v  D0k")
            == "title 1 forest 3 plain"
        )

    def test_a_village_becomes_a_city(self, choose: Choose) -> None:
        assert choose("play seat 0\nboard 0,0\nP0ckk  P  D0v  D0k  D") == "city 2,0"

    def test_several_knights_build_in_one_action_on_good_ground(self, choose: Choose) -> None:
        diagram = """
            play seat 0
            board 0,0
            M0ck  D0k  P0k  F  M1c
              M     M    L
            """
        text = choose(diagram)
        assert text.startswith("build ")
        assert "1,0" in text
        assert "2,0" in text
        assert "0,0" not in text

    def test_three_knights_are_recruited_by_the_lake(self, choose: Choose) -> None:
        diagram = """
            play seat 0
            board 0,0
            M0c  D  D    P  M0c  L
              D    D   P    P  D
            """
        assert choose(diagram) == "recruit 3 at 4,0"

    def test_a_village_is_attacked_for_its_most_valuable_token(self, choose: Choose) -> None:
        diagram = """
            play seat 0
            0: baron
            1: baron, 2M 1D
            board 0,0
            M0ckk  F1v  M1c
            """
        assert choose(diagram) == "move 0,0>1,0 0,0>1,0 take field"

    def test_a_village_is_defended(self, choose: Choose) -> None:
        diagram = """
            play seat 0
            board 0,0
            M0ck  P0v1k  M  M1c
            """
        assert choose(diagram) == "move 0,0>1,0"

    @pytest.mark.parametrize(
        ("rival", "buys"), [("marquis", True), ("marquis, new cities 2", False)]
    )
    def test_the_bot_does_not_become_duke_in_order_to_lose(
        self, choose: Choose, rival: str, *, buys: bool
    ) -> None:
        diagram = f"play seat 0\n0: marquis, 3D\n1: {rival}\nboard 0,0\nP0ck  P  M1ck"
        assert choose(diagram).startswith("title") is buys

    def test_the_bot_passes_where_no_other_action_is_legal(self, choose: Choose) -> None:
        assert choose("play seat 0\nboard 0,0\nM0skkkkkkk  L  M1ck") == "pass"


def test_the_same_seed_leads_to_the_same_choices() -> None:
    games = [play(BARONY, [SENSIBLE, SENSIBLE], seed=3) for _ in range(2)]
    assert barony.position(games[0], None) == barony.position(games[1], None)


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_game_among_sensible_bots_ends_with_a_duke(seats: int, seed: int) -> None:
    state = play(BARONY, [SENSIBLE] * seats, seed)
    assert DUKE in state.rank
    assert state.round < 60


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_sensible_bot_beats_random_play(seats: int) -> None:
    place = seats - 1
    bots = [SENSIBLE if seat == place else random_bot for seat in range(seats)]
    for seed in range(3):
        assert winner(BARONY, play(BARONY, bots, seed)) == place
