"""The graph of the scores through a game: a line for each seat (`event_graph_svg`).

A page has the scores in words beside it, and `score_chart_svg` draws a chart with a legend.
"""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Final

from replay.history.event_graph_svg import BOTTOM, TOP, WIDTH, EventGraph
from replay.history.score_chart import Mark, ScoreChart
from replay.language.renderer import Renderer
from replay.render.markup import Markup, element, number
from replay.render.palette import DARK, seat_colour

_OFFSET: Final = 2.5
"""The distance of the lines of seats that have the same score, in percent of the height."""
_SCORE_STEPS: Final = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 25, 30, 40, 50, 75, 100, 200, 500, 1000)


def score_graph_svg(chart: ScoreChart, renderer: Renderer, address: Callable[[int], str]) -> str:
    """Return the graph as an `<svg>` element to be embedded in a page, whose style sheet gives it a size.

    `address` returns the address of an event, to which the turning point leads. For style sheets there are
    the classes `tick`, `superseded`, `mark` and `turning-point`.
    """
    return str(_Graph(chart, renderer, address).document())


class _Graph(EventGraph):
    def __init__(
        self, chart: ScoreChart, renderer: Renderer, address: Callable[[int], str]
    ) -> None:
        super().__init__(chart)
        self._render = renderer
        self._address = address
        scores = [score for point in chart.points for score in point.scores]
        self._low, high = min(0, *scores), max(1, *scores)
        self._step = next(
            (step for step in _SCORE_STEPS if 2 * step >= high - self._low), high - self._low
        )
        self._high = self._low + 2 * self._step

    def document(self) -> Markup:
        """Return the whole graph."""
        ticks = (self._low, self._low + self._step, self._high)
        return self.graph(
            self._render.sentence(self._chart.score_name),
            ((self._y(tick), str(tick)) for tick in ticks),
            (line for seat in range(self._chart.seats) for line in self._line(seat)),
            map(self._mark, self._chart.marks),
            "graph-scores",
        )

    def _y(self, score: float) -> float:
        return BOTTOM - (BOTTOM - TOP) * (score - self._low) / (self._high - self._low)

    def _line(self, seat: int) -> Iterator[Markup]:
        """The line of a seat, with a dark edge."""
        offset = (seat - (self._chart.seats - 1) / 2) * _OFFSET
        d = "".join(self._path(seat, offset))
        for stroke, width in ((DARK, 5), (seat_colour(seat).fill, 3)):
            yield element(
                "path",
                d=d,
                fill="none",
                stroke=stroke,
                stroke_width=width,
                stroke_linejoin="round",
                vector_effect="non-scaling-stroke",
            )

    def _path(self, seat: int, offset: float) -> Iterator[str]:
        points = self._chart.points
        yield f"M0 {number(self._y(points[0].scores[seat]) + offset)}"
        for before, after in pairwise(points):
            if before.scores[seat] != after.scores[seat]:
                yield f"H{number(self.x(after.seq, WIDTH))}"
                yield f"V{number(self._y(after.scores[seat]) + offset)}"
        yield f"H{number(WIDTH)}"

    def _mark(self, mark: Mark) -> Markup:
        """What happened beside the scores; the turning point is a link."""
        if mark.kind != "turning_point":
            return self.dot(mark.seq)
        words = self._render.sentence(mark.outcome)
        return self.link(mark.seq, mark.seat, words, self._address(mark.seq), "turning-point")
