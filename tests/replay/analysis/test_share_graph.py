"""The graph of the shares, and the chances that a list of moves shows after each of them."""

import re
from typing import Any

from replay.analysis.share_graph_svg import share_graph_svg
from replay.history.score_chart import ScoreChart, score_chart
from replay.language.catalogue import ENGLISH, catalogue
from replay.language.renderer import Renderer
from service.pages.view_models.replayed_analysis import Chance, ReplayedAnalysis
from tests.support.stored_games import recorded_game


def turn(seq: int, first: float, **fields: Any) -> dict[str, Any]:
    return {"seq": seq, "seat": 0, "shares": [first, round(1 - first, 4)], **fields}


MARKED = {"seq": 20, "seat": 1, "action": "pass", "mark": "?", "drop": 0.25, "error": 0.02}
ANALYSIS: Any = {
    "seats": 2,
    "winners": [0],
    "turns": [
        turn(10, 0.4),
        turn(20, 0.404, decisions=[{**MARKED, "line": [{"seat": 1, "action": "move"}]}]),
        turn(23, 0.9, decisions=[{**MARKED, "seq": 23, "seat": 0, "mark": "!", "lead": 0.126}]),
    ],
    "summary": {"accuracy": [{"seat": 0, "accuracy": 0.941}, {"seat": 1}], "turning_point": None},
}


def chart() -> ScoreChart:
    return score_chart(recorded_game("courtesy"))


class TestGraph:
    def test_it_has_an_area_for_each_seat_and_a_link_for_each_mark(self) -> None:
        svg = share_graph_svg(
            ANALYSIS, chart(), Renderer(catalogue(ENGLISH)), lambda seq: f"?seq={seq}"
        )
        first, second = re.findall(r'<path d="([^"]*)"', svg)
        # The first seat has won, so the areas end with its whole height.
        assert "L1000 76L1000 18L" in first
        assert "L1000 18L1000 18L" in second
        links = re.findall(r'<a href="([^"]*)" class="([^"]*)"', svg)
        assert links == [("?seq=20", "drop"), ("?seq=23", "only-good")]


class TestChances:
    def test_they_are_those_at_the_beginning_of_the_next_turn(self) -> None:
        analysis = ReplayedAnalysis(ANALYSIS)
        assert analysis.chances(10, 20) == [Chance(0, 0, 40), Chance(1, 40, 60)]
        # The turn goes on with another move.
        assert analysis.chances(20, 21) == []
        assert analysis.chances(22, 23) == [Chance(0, 0, 90), Chance(1, 90, 10)]
        # The result, after the last move.
        assert analysis.chances(23, 24) == []
        assert analysis.chances(24, None) == [Chance(0, 0, 100)]

    def test_marks_say_what_was_lost_or_what_was_gained(self) -> None:
        analysis = ReplayedAnalysis(ANALYSIS)
        drop, good = analysis.mark(20), analysis.mark(23)
        assert drop is not None
        assert good is not None
        assert (drop.sign, drop.percent, drop.error, drop.has_line) == ("?", 25, 2, True)
        assert (good.sign, good.percent, good.has_line) == ("!", 13, False)
        assert analysis.mark(10) is None
        assert analysis.accuracy == [(0, 94)]
