"""A small graph of what changed through a game, as the scale of a slider over its events.

It has no words, except for the numbers of its scale: a page has the values in words beside it. Lines are as
wide as their window, whatever its shape, so places are percentages.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from replay.history.score_chart import ScoreChart
from replay.language.text_layout import with_minus
from replay.render.markup import Markup, element, joined, number
from replay.render.palette import DARK, seat_colour

WIDTH: Final = 1000.0
"""The width of the lines in their own units, which a page stretches."""
TOP: Final = 18.0
BOTTOM: Final = 76.0
"""Percentages of the height between which the values are."""
_MARKS: Final = 8.0
"""The percentage of the height at which the marks are."""
_MOST_ROUNDS: Final = 6
"""Rounds that have their numbers below the lines."""
_ROUND_STEPS: Final = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


class EventGraph:
    """The scale of a game's events, from its start to its end, with the numbers of some rounds.

    For style sheets there are the classes `graph`, `tick` and `superseded`.
    """

    def __init__(self, chart: ScoreChart) -> None:
        """Begin a graph for the events of a chart of scores."""
        self._chart = chart
        self._first, self._last = chart.points[0].seq, chart.points[-1].seq

    def graph(
        self,
        label: str,
        ticks: Iterable[tuple[float, str]],
        values: Iterable[Markup],
        marks: Iterable[Markup],
        class_: str,
    ) -> Markup:
        """Return the graph as an `<svg>` element to be embedded in a page, whose style sheet gives it a size.

        `ticks` are the numbers of the scale with their heights in percent. `values` are drawn in units of
        which the width has WIDTH and the height 100.
        """
        return element(
            "svg",
            *self._ticks(ticks),
            *self._rounds(),
            self.stretched(self._superseded(), values),
            *marks,
            class_=f"graph {class_}",
            role="group",
            aria_label=label,
            focusable="false",
        )

    def stretched(self, *parts: Iterable[Markup]) -> Markup:
        """Return parts that are drawn in units of which the width has WIDTH and the height 100."""
        return element(
            "svg",
            *(each for part in parts for each in part),
            width="100%",
            height="100%",
            viewBox=f"0 0 {number(WIDTH)} 100",
            preserveAspectRatio="none",
        )

    def x(self, seq: float, width: float = 100) -> float:
        """Return where an event is, in percent or in parts of another width."""
        return width * (seq - self._first) / max(1, self._last - self._first)

    def dot(self, seq: int) -> Markup:
        """Return a mark at an event."""
        return element("circle", cx=self._place(seq), cy=f"{number(_MARKS)}%", r=3.5, class_="mark")

    def link(self, seq: int, seat: int | None, words: str, address: str, class_: str) -> Markup:
        """Return a mark in the colour of a seat that leads to an event."""
        x, y = self._place(seq), f"{number(_MARKS)}%"
        fill = "none" if seat is None else seat_colour(seat).fill
        return element(
            "a",
            element("title", words),
            joined(
                element("circle", cx=x, cy=y, r=12, fill="none", pointer_events="all"),
                element("circle", cx=x, cy=y, r=5.5, fill=fill, stroke=DARK, stroke_width=2),
            ),
            href=address,
            class_=class_,
            aria_label=words,
        )

    def _place(self, seq: int) -> str:
        return f"{number(self.x(seq))}%"

    def _ticks(self, ticks: Iterable[tuple[float, str]]) -> Iterator[Markup]:
        """The lines of the grid with their numbers."""
        for height, label in ticks:
            y = f"{number(height)}%"
            yield element("line", x1="0", x2="100%", y1=y, y2=y, class_="tick")
            yield element(
                "text",
                with_minus(label),
                x="-10",
                y=y,
                text_anchor="end",
                dominant_baseline="central",
            )

    def _rounds(self) -> Iterator[Markup]:
        """The numbers of some rounds, where they ended."""
        rounds = self._chart.rounds
        most = max((end.round for end in rounds), default=0)
        step = next((step for step in _ROUND_STEPS if step * _MOST_ROUNDS >= most), most)
        for end in rounds:
            # A number at the end of the scale would leave it.
            if end.round % step == 0 and self.x(end.seq) < 98:
                x = self._place(end.seq)
                yield element("text", str(end.round), x=x, y="97%", text_anchor="middle")

    def _superseded(self) -> Iterator[Markup]:
        for start, end in self._chart.superseded:
            x = self.x(max(start - 1, self._first), WIDTH)
            width = self.x(end, WIDTH) - x
            yield element("rect", x=x, width=width, y=0, height=BOTTOM, class_="superseded")
