"""Marks, accuracy and turning points, on positions whose best action is known."""

from typing import Any

import pytest

from domain.hexes import Hex
from domain.playouts import WHOLE
from replay.analysis.estimates import Difference, difference, share_estimates
from replay.analysis.examination import Task, examine, mark_of
from replay.analysis.positions import Decision, Turn
from replay.analysis.settings import settings_of
from replay.analysis.summary import summary
from tests.support.seven_hexes import GAME, Card, Claim, Pass
from tests.support.seven_hexes.registration import registered

SETTINGS = settings_of(8, bytes(32))
LAST: list[tuple[Card, Hex]] = [
    ("field", (1, 0)),
    ("field", (-1, 0)),
    ("forest", (1, -1)),
    ("forest", (0, -1)),
    ("mountain", (0, 1)),
]
"""All claims but the last one: 8 points to 4, and only the mountain in the middle, for 5, wins."""


@pytest.fixture(autouse=True)
def seven_hexes_is_registered() -> Any:
    with registered():
        yield


def examined(action: Any) -> dict[str, Any]:
    """What is found about this last action of the seat 1."""
    state = GAME.initial_state(2, GAME.check_options(2, {}), {"players": ["a", "b"]}, {})  # type: ignore[typeddict-unknown-key] # nothing else is read
    for number, (card, at) in enumerate(LAST):
        event = GAME.decide(state, number % 2, Claim(card, at))
        GAME.apply(state, event.type, event.data)
    assert state.points == (8, 4)
    turn = Turn(state.turn, state.round, 1, 9, state, [Decision(9, 1, state, action)])
    result = examine(Task(GAME.NAME, GAME.check_options(2, {}), turn, SETTINGS, has_decisions=True))  # type: ignore[arg-type] # the options of this game
    (decision,) = result["decisions"]
    return dict(decision)


def test_an_action_that_gives_the_game_away_is_marked_with_the_winning_line() -> None:
    found = examined(Pass())
    assert found["mark"] == "??"
    assert found["drop"] == 1
    assert found["better"] == "claim mountain 0,0"
    assert found["line"] == [{"seat": 1, "action": "claim mountain 0,0"}]


def test_a_tie_instead_of_a_win_is_worth_half() -> None:
    found = examined(Claim("mountain", (-1, 1)))
    assert found["drop"] == 0.5
    assert found["mark"] == "??"


def test_the_only_action_that_wins_is_praised() -> None:
    found = examined(Claim("mountain", (0, 0)))
    assert found["mark"] == "!"
    assert found["lead"] == 0.5
    assert found["next"] == "claim mountain -1,1"
    assert "drop" not in found


@pytest.mark.parametrize(
    ("mean", "error", "mark"),
    [
        (0.5, 0.1, "??"),
        (0.5, 0.15, "?"),
        (0.3, 0.1, "?!"),
        (0.3, 0.13, None),
        (0.09, 0.0, None),
        (-0.5, 0.0, None),
    ],
)
def test_a_mark_needs_more_than_its_error(mean: float, error: float, mark: str | None) -> None:
    assert mark_of(Difference(mean, error, 100)) == mark


def test_few_equal_pairs_are_no_certainty() -> None:
    few, many = (difference([WHOLE] * count, [0] * count) for count in (4, 200))
    assert few.mean == many.mean == 1
    assert few.error > 0.1
    assert 0 < many.error < 0.02


def test_shares_are_never_certain() -> None:
    one, other = share_estimates([(WHOLE, 0)] * 50, [0, 1])
    assert 0.8 < one.share < 0.9
    assert one.share + other.share == pytest.approx(1)
    assert one.margin > 0


def analysis_of(shares: list[float], winners: list[int]) -> dict[str, Any]:
    """An analysis with these shares of the seat 1, and no decisions."""
    return {
        "seats": 2,
        "winners": winners,
        "turns": [
            {
                "turn": number,
                "seq": 10 + number,
                "seat": number % 2,
                "shares": [1 - share, share],
                "margins": [0.1, 0.1],
            }
            for number, share in enumerate(shares, 1)
        ],
    }


class TestTurningPoint:
    def test_it_is_where_the_share_of_the_winner_rose_for_good(self) -> None:
        shares = [0.4, 0.45, 0.4, 0.4, 0.8, 0.85, 0.8, 0.8]
        point = summary(analysis_of(shares, [1]))["turning_point"]
        assert point["turn"] == 4
        assert point["winner"] == 1
        assert point["change"] == pytest.approx(0.425)

    @pytest.mark.parametrize(
        "shares",
        [
            [0.5, 0.5, 0.9, 0.5, 0.5, 0.5, 0.5],
            [0.5, 0.55, 0.6, 0.6, 0.65, 0.65, 0.7],
            [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.95],
            [0.9] * 8,
            [],
        ],
        ids=["taken back", "gradual", "the end itself", "led throughout", "no turns"],
    )
    def test_there_may_be_none(self, shares: list[float]) -> None:
        assert summary(analysis_of(shares, [1]))["turning_point"] is None

    def test_a_shared_first_place_has_none(self) -> None:
        shares = [0.2, 0.2, 0.2, 0.8, 0.8, 0.8]
        assert summary(analysis_of(shares, [0, 1]))["turning_point"] is None


def test_accuracy_is_made_of_the_checked_drops() -> None:
    analysis = analysis_of([0.5] * 4, [1])
    analysis["turns"][3]["decisions"] = [
        {"seat": 1, "drop": 0.3, "error": 0.05, "mark": "?"},
        {"seat": 1},
        {"seat": 1, "drop": -0.1, "error": 0.05},
        {"seat": 1, "mark": "!"},
    ]
    nobody, player = summary(analysis)["accuracy"]
    assert "accuracy" not in nobody
    assert nobody["decisions"] == 0
    assert player["accuracy"] == 0.95
    assert player["lost"] == 0.2
    assert player["checked"] == 2
    assert player["marks"] == {"?!": 0, "?": 1, "??": 0, "!": 1}
    assert player["margin"] == pytest.approx(1.96 * (2 * 0.05**2) ** 0.5 / 4, abs=1e-4)
