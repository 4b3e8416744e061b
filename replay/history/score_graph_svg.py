"""A small graph of the scores through a game, as the scale of a slider over its events.

It has a line for each seat and no words: a page has the scores in words beside it, and `score_chart_svg`
draws a chart with a legend. Lines are as wide as their window, whatever its shape, so places are percentages.
"""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Final

from replay.history.score_chart import Mark, ScoreChart
from replay.language.renderer import Renderer
from replay.language.text_layout import with_minus
from replay.render.markup import Markup, element, joined, number
from replay.render.palette import DARK, seat_colour

_WIDTH: Final = 1000.0
"""The width of the lines in their own units, which a page stretches."""
_TOP: Final = 18.0
_BOTTOM: Final = 76.0
"""Percentages of the height between which the lines are."""
_MARKS: Final = 8.0
"""The percentage of the height at which the marks are."""
_OFFSET: Final = 2.5
"""The distance of the lines of seats that have the same score, in percent of the height."""
_MOST_ROUNDS: Final = 6
"""Rounds that have their numbers below the lines."""
_SCORE_STEPS: Final = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 25, 30, 40, 50, 75, 100, 200, 500, 1000)
_ROUND_STEPS: Final = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


def score_graph_svg(chart: ScoreChart, renderer: Renderer, address: Callable[[int], str]) -> str:
    """Return the graph as an `<svg>` element to be embedded in a page, whose style sheet gives it a size.

    `address` returns the address of an event, to which the turning point leads. For style sheets there are
    the classes `tick`, `superseded`, `mark` and `turning-point`.
    """
    return str(_Graph(chart, renderer, address).document())


class _Graph:
    def __init__(
        self, chart: ScoreChart, renderer: Renderer, address: Callable[[int], str]
    ) -> None:
        self._chart = chart
        self._render = renderer
        self._address = address
        self._first, self._last = chart.points[0].seq, chart.points[-1].seq
        scores = [score for point in chart.points for score in point.scores]
        self._low, high = min(0, *scores), max(1, *scores)
        self._step = next(
            (step for step in _SCORE_STEPS if 2 * step >= high - self._low), high - self._low
        )
        self._high = self._low + 2 * self._step

    def document(self) -> Markup:
        """Return the whole graph."""
        lines = element(
            "svg",
            *self._superseded(),
            *(line for seat in range(self._chart.seats) for line in self._line(seat)),
            width="100%",
            height="100%",
            viewBox=f"0 0 {number(_WIDTH)} 100",
            preserveAspectRatio="none",
        )
        return element(
            "svg",
            *self._ticks(),
            *self._rounds(),
            lines,
            *map(self._mark, self._chart.marks),
            class_="graph",
            role="group",
            aria_label=self._render.sentence(self._chart.score_name),
            focusable="false",
        )

    def _x(self, seq: float, width: float = 100) -> float:
        return width * (seq - self._first) / max(1, self._last - self._first)

    def _y(self, score: float) -> float:
        return _BOTTOM - (_BOTTOM - _TOP) * (score - self._low) / (self._high - self._low)

    def _ticks(self) -> Iterator[Markup]:
        """The lines of the grid with their scores."""
        for tick in (self._low, self._low + self._step, self._high):
            y = f"{number(self._y(tick))}%"
            yield element("line", x1="0", x2="100%", y1=y, y2=y, class_="tick")
            label = with_minus(str(tick))
            yield element(
                "text", label, x="-10", y=y, text_anchor="end", dominant_baseline="central"
            )

    def _rounds(self) -> Iterator[Markup]:
        """The numbers of some rounds, where they ended."""
        rounds = self._chart.rounds
        most = max((end.round for end in rounds), default=0)
        step = next((step for step in _ROUND_STEPS if step * _MOST_ROUNDS >= most), most)
        for end in rounds:
            # A number at the end of the scale would leave it.
            if end.round % step == 0 and self._x(end.seq) < 98:
                x = f"{number(self._x(end.seq))}%"
                yield element("text", str(end.round), x=x, y="97%", text_anchor="middle")

    def _superseded(self) -> Iterator[Markup]:
        for start, end in self._chart.superseded:
            x = self._x(max(start - 1, self._first), _WIDTH)
            width = self._x(end, _WIDTH) - x
            yield element("rect", x=x, width=width, y=0, height=_BOTTOM, class_="superseded")

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
                yield f"H{number(self._x(after.seq, _WIDTH))}"
                yield f"V{number(self._y(after.scores[seat]) + offset)}"
        yield f"H{number(_WIDTH)}"

    def _mark(self, mark: Mark) -> Markup:
        """What happened beside the scores; the turning point is a link."""
        x, y = f"{number(self._x(mark.seq))}%", f"{number(_MARKS)}%"
        if mark.kind != "turning_point":
            return element("circle", cx=x, cy=y, r=3.5, class_="mark")
        words = self._render.sentence(mark.outcome)
        fill = "none" if mark.seat is None else seat_colour(mark.seat).fill
        return element(
            "a",
            element("title", words),
            joined(
                element("circle", cx=x, cy=y, r=12, fill="none", pointer_events="all"),
                element("circle", cx=x, cy=y, r=5.5, fill=fill, stroke=DARK, stroke_width=2),
            ),
            href=self._address(mark.seq),
            class_="turning-point",
            aria_label=words,
        )
