"""The ratings of a player, each with a small chart of its history that works without scripts."""

from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from service.http.context import service
from service.ratings.ratings import PlayerRating

_GAMES: Final = 100
"""The most games that a chart shows: the last ones."""
_WIDTH: Final = 240
_HEIGHT: Final = 48
_MARGIN: Final = 3
_LEAST_RANGE: Final = 100
"""The least difference in points from the bottom to the top of a chart, so that small changes look small."""


@dataclass(frozen=True, slots=True)
class RatingChart:
    """A rating in a rule system, and the ratings after the last games, in points."""

    system: str
    current: PlayerRating
    points: tuple[int, ...]

    @property
    def svg(self) -> Markup:
        """The line of the points, without any text; empty with fewer than two of them."""
        if len(self.points) < 2:  # a single point is not a line
            return Markup()
        lowest, highest = min(self.points), max(self.points)
        middle = (lowest + highest) / 2
        half = max(highest - lowest, _LEAST_RANGE) / 2
        step = (_WIDTH - 2 * _MARGIN) / (len(self.points) - 1)
        scale = (_HEIGHT - 2 * _MARGIN) / (2 * half)
        line = " ".join(
            f"{_MARGIN + number * step:.1f},{_HEIGHT / 2 - (points - middle) * scale:.1f}"
            for number, points in enumerate(self.points)
        )
        return Markup(
            '<svg class="rating-chart" viewBox="0 0 {} {}" aria-hidden="true">'
            '<polyline points="{}" fill="none" stroke="currentcolor" stroke-width="2"'
            ' stroke-linejoin="round"/></svg>'
        ).format(_WIDTH, _HEIGHT, line)


def rating_charts(player: str) -> list[RatingChart]:
    """Return the ratings of a player by rule system; none for a player without rated games."""
    ratings = service().games.ratings
    return [
        RatingChart(
            system,
            current,
            tuple(
                change.rating.points
                for change in ratings.history(player, system, current.games, _GAMES)
            ),
        )
        for system, current in ratings.of(player).items()
    ]
