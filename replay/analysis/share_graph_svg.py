"""The graph of the shares through a game: an area for each seat, and the marks above them.

It has the scale of the graph of the scores (`replay.history.event_graph_svg`).
"""

from collections.abc import Callable, Iterator

from domain.json_types import JsonObject
from domain.messages import PlayerAt, message
from replay.analysis.summary import marked_decisions
from replay.history.event_graph_svg import BOTTOM, TOP, WIDTH, EventGraph
from replay.history.score_chart import ScoreChart
from replay.language.renderer import Renderer
from replay.render.markup import Markup, element, number
from replay.render.palette import seat_colour


def share_graph_svg(
    analysis: JsonObject, chart: ScoreChart, renderer: Renderer, address: Callable[[int], str]
) -> str:
    """Return the graph of a complete analysis, to be embedded in a page, whose style sheet gives it a size.

    It is two `<svg>` elements: the areas, and what lies upon them. `chart` has the scores of the same game.
    `address` returns that of an event, to which the marks lead. For style sheets there are the classes
    `areas`, `tick`, `superseded`, `only-good` and `drop`.
    """
    graph = _Graph(analysis, chart, renderer, address)
    return f"{graph.areas()}{graph.document()}"


class _Graph(EventGraph):
    def __init__(
        self,
        analysis: JsonObject,
        chart: ScoreChart,
        renderer: Renderer,
        address: Callable[[int], str],
    ) -> None:
        super().__init__(chart)
        self._analysis = analysis
        self._render = renderer
        self._address = address

    def areas(self) -> Markup:
        """Return the areas of the seats."""
        return element(
            "svg",
            self.stretched(self._area(seat) for seat in range(self._analysis["seats"])),
            class_="graph graph-shares areas",
            aria_hidden="true",
            focusable="false",
        )

    def document(self) -> Markup:
        """Return everything else."""
        return self.graph(
            self._render.sentence(message("chances of winning, in per cent")),
            ((_y(share), f"{100 * share:.0f}") for share in (0.0, 0.5, 1.0)),
            (),
            (self._mark(decision) for _, decision in marked_decisions(self._analysis)),
            "graph-shares",
        )

    def _area(self, seat: int) -> Markup:
        """The area of a seat, on top of those of the seats before it."""
        lower, upper = ([*self._edge(seat + above)] for above in (0, 1))
        there = "".join(f"L{number(x)} {number(_y(share))}" for x, share in lower)
        back = "".join(f"L{number(x)} {number(_y(share))}" for x, share in reversed(upper))
        return element("path", d=f"M{there[1:]}{back}Z", fill=seat_colour(seat).fill)

    def _edge(self, seats: int) -> Iterator[tuple[float, float]]:
        """Where the shares of the first seats end together, as the share is at the beginning of each turn."""
        points = [
            (max(0.0, self.x(turn["seq"] - 1, WIDTH)), min(1.0, sum(turn["shares"][:seats])))
            for turn in self._analysis["turns"]
        ]
        winners = self._analysis["winners"]
        won = sum(seat in winners for seat in range(seats)) / len(winners)
        yield 0.0, points[0][1] if points else won
        yield from points
        yield WIDTH, won

    def _mark(self, decision: JsonObject) -> Markup:
        mark, seq, seat = decision["mark"], decision["seq"], decision["seat"]
        words = self._render(
            message(
                "{mark} {player:label}, event {event}", mark=mark, player=PlayerAt(seat), event=seq
            )
        )
        kind = "drop" if "line" in decision else "only-good"
        return self.link(seq, seat, words, self._address(seq), kind)


def _y(share: float) -> float:
    return BOTTOM - (BOTTOM - TOP) * share
