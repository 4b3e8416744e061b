"""A chart of scores as SVG: a line for each seat, the rounds below, and the events beside the scores.

Seats can be distinguished without colours: each line has a different pattern, and the emblem of its seat at
the end of each round. The description repeats the content of the chart, and `score_chart.py` has a table.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import ceil, floor, log10
from typing import Final

from domain.messages import Message, PlayerAt, message, message_in
from replay.history.score_chart import (
    Mark,
    MarkKind,
    RoundEnd,
    ScoreChart,
    ordinal,
    scoring_message,
)
from replay.language.renderer import Renderer
from replay.language.text_layout import cut, ems, with_minus
from replay.render.cards import SANS, SERIF, text_line
from replay.render.descriptions import player_label
from replay.render.markup import (
    Ids,
    Markup,
    Point,
    element,
    joined,
    language_attributes,
    number,
    on_lines,
    path_data,
)
from replay.render.palette import CARD, DARK, MUTED, PAPER, SEA, THIN_LINE, seat_colour
from replay.render.pieces import EMBLEMS, emblem


def mark_message(mark: Mark) -> Message:
    """Return the message on the event of a mark."""
    return message("event {seq}: {outcome}", seq=mark.seq, outcome=mark.outcome)


def describe_chart(chart: ScoreChart, renderer: Renderer) -> str:
    """Describe the content of the chart in a few sentences."""
    rounds = {end.round for end in chart.rounds}
    scored = {end.round for end in chart.rounds if end.scored_by is not None}
    sentences = [
        message(
            "{score} of {seats} players after {events} events.",
            score=chart.score_name,
            seats=chart.seats,
            events=chart.points[-1].seq,
        ),
        message("Rounds that have ended: {rounds}.", rounds=len(rounds)),
        message("Rounds that are scored: {rounds}.", rounds=len(scored)),
    ]
    for seat, score in enumerate(chart.points[-1].scores):
        player = PlayerAt(seat)
        if chart.places:
            place = ordinal(chart.places[seat])
            sentences.append(
                message(
                    "{player:label}: {score}, {place}.", player=player, score=score, place=place
                )
            )
        else:
            sentences.append(message("{player:label}: {score}.", player=player, score=score))
    sentences += [message("{mark}.", mark=mark_message(mark)) for mark in chart.marks]
    sentences += [
        message("Events {first} to {last} are superseded.", first=start, last=end)
        for start, end in chart.superseded
    ]
    return " ".join(map(renderer.sentence, sentences))


_WIDTH: Final = 760.0
_LEFT: Final = 66.0
"""Space for the labels of scores."""
_RIGHT: Final = 54.0
"""Space for the emblems at the ends of the lines."""
_TOP: Final = 116.0
"""Space for the title and the name of the score."""
_PLOT_HEIGHT: Final = 400.0
_PADDING: Final = 16.0
"""Space between the frame of the plot and its lines."""
_AXIS_HEIGHT: Final = 86.0
_ROW: Final = 50.0
"""Height of a row of marks below the plot."""
_SEAT_ROW: Final = 34.0
"""Height of a row of the list of seats."""
_LABEL: Final = 19.0
_SMALL: Final = 16.0
_LEAST_EMBLEM_GAP: Final = 23.0
_OFFSET: Final = 4.0
"""Distance between the lines of seats that have the same score."""
_TICKS: Final = 7
_DASHES: Final = (None, "14 5", "2 5", "12 4 2 4", "6 4")
"""The pattern of each seat's line."""
_MARK_LABELS: Final[dict[MarkKind, Message]] = {
    "forfeit": message("turns forfeited"),
    "departure": message("players who left"),
    "dispute": message("disputes"),
    "resumption": message("play resumed from an earlier event; what is hatched was superseded"),
    "turning_point": message("turning point: the last event that changed who was first"),
}
"""The labels of the rows of marks, from the top."""
_MARK_PATHS: Final[dict[MarkKind, str]] = {
    "forfeit": "M-5 -5L5 5M-5 5L5 -5",
    "departure": "M-6 0H6M1 -5L6 0L1 5",
    "dispute": "M0 -7V1M0 6v.1",
    "resumption": "M6 5A6 6 0 1 0 -6 3M-9 -1L-6 4L-1 1",
    "turning_point": "M0 -7L6 0L0 7L-6 0Z",
}


def score_chart_svg(chart: ScoreChart, renderer: Renderer, *, prefix: str = "") -> str:
    """Return the chart as a complete SVG document, with a title and a description in words.

    It scales to the available width and has its own background, so it can be read on light and dark pages.
    Every id begins with `prefix`. The same chart always makes the same bytes.
    """
    return f"{_Drawing(chart, renderer, Ids(prefix)).document()}\n"


class _Drawing:
    """The parts of one chart, in the coordinates of its page."""

    def __init__(self, chart: ScoreChart, renderer: Renderer, ids: Ids) -> None:
        self._chart = chart
        self._render = renderer
        self._names = [renderer(player_label(seat)) for seat in range(chart.seats)]
        self._ids = ids
        self._first, self._last = chart.points[0].seq, chart.points[-1].seq
        scores = [score for point in chart.points for score in point.scores]
        self._ticks = _ticks(min(0, *scores), max(1, *scores))
        present = {mark.kind for mark in chart.marks}
        self._mark_kinds = [kind for kind in _MARK_LABELS if kind in present]
        self._bottom = _TOP + _PLOT_HEIGHT
        self._marks_top = self._bottom + _AXIS_HEIGHT
        self._seats_top = self._marks_top + _ROW * len(self._mark_kinds)

    def document(self) -> Markup:
        """Return the whole document."""
        chart = self._chart
        title = self._render(
            message("{title}: {score} through the game", title=chart.title, score=chart.score_name)
        )
        title_size = min(30, (_WIDTH - 36) / (ems(title) * 1.05))
        game = self._render(message("game {game}", game=chart.game))
        height = self._seats_top + _SEAT_ROW * ceil(chart.seats / 2) + 12
        seats = range(chart.seats)
        return element(
            "svg",
            element("title", f"{title}, {game}", id=self._ids.of("title")),
            element("desc", describe_chart(chart, self._render), id=self._ids.of("desc")),
            element("defs", self._hatching()),
            element("rect", width=_WIDTH, height=height, fill=PAPER),
            text_line(title, 18, 42, title_size, font_family=SERIF, font_weight="bold"),
            text_line(cut(game, 37, ems), 18, 70, _LABEL, fill=MUTED),
            self._round_bands(),
            self._score_axis(),
            self._superseded(),
            self._mark_lines(),
            on_lines(*(self._seat_line(seat) for seat in seats)),
            self._plot(fill="none", stroke=DARK, stroke_width="1.2"),
            on_lines(*(joined(*self._emblems(seat)) for seat in seats)),
            self._line_ends(),
            self._round_axis(),
            on_lines(*(self._mark_row(row, kind) for row, kind in enumerate(self._mark_kinds))),
            self._seat_list(),
            xmlns="http://www.w3.org/2000/svg",
            viewBox=f"0 0 {number(_WIDTH)} {number(height)}",
            role="img",
            aria_labelledby=f"{self._ids.of('title')} {self._ids.of('desc')}",
            font_family=SANS,
            **language_attributes(self._render.language),
        )

    def _x(self, seq: float) -> float:
        width = _WIDTH - _LEFT - _RIGHT - _PADDING
        return _LEFT + width * (seq - self._first) / max(1, self._last - self._first)

    def _y(self, score: float) -> float:
        low, high = self._ticks[0], self._ticks[-1]
        height = _PLOT_HEIGHT - 2 * _PADDING
        return self._bottom - _PADDING - height * (score - low) / (high - low)

    def _hatching(self) -> Markup:
        lines = "M-2 10L10 -2M6 14L14 6"
        return element(
            "pattern",
            element("path", d=lines, stroke=MUTED, stroke_width=1.4, opacity=".6"),
            id=self._ids.of("superseded"),
            width=8,
            height=8,
            patternUnits="userSpaceOnUse",
        )

    def _round_bands(self) -> Markup:
        """The background of the plot, with every second round in another shade."""
        bands = [
            self._stretch(start, end.seq, fill=SEA, opacity=".45")
            for start, end in self._rounds()
            if not end.round % 2
        ]
        return joined(self._plot(fill=CARD), *bands)

    def _rounds(self) -> Iterator[tuple[int, RoundEnd]]:
        """Yield the rounds that have ended, each with the event after which it began or play resumed."""
        resumed = [mark.seq for mark in self._chart.marks if mark.kind == "resumption"]
        start = self._chart.play_from
        for end in self._chart.rounds:
            yield max([start, *(seq for seq in resumed if seq < end.seq)]), end
            start = end.seq

    def _plot(self, **attributes: str) -> Markup:
        width = _WIDTH - _LEFT - _RIGHT
        return element("rect", x=_LEFT, y=_TOP, width=width, height=_PLOT_HEIGHT, **attributes)

    def _stretch(self, start: float, end: float, **attributes: str) -> Markup:
        x, width = self._x(start), self._x(end) - self._x(start)
        return element("rect", x=x, y=_TOP, width=width, height=_PLOT_HEIGHT, **attributes)

    def _score_axis(self) -> Markup:
        """The lines of the grid with their scores; that of 0 is darker."""
        parts = [text_line(self._render(self._chart.score_name), 18, _TOP - 14, _LABEL, fill=MUTED)]
        for tick in self._ticks:
            y = self._y(tick)
            parts.append(
                element(
                    "path",
                    d=f"M{number(_LEFT)} {number(y)}H{number(_WIDTH - _RIGHT)}",
                    stroke=DARK if tick == 0 else THIN_LINE,
                    stroke_width=1.6 if tick == 0 else 1,
                    opacity=".7",
                )
            )
            label = with_minus(str(tick))
            parts.append(text_line(label, _LEFT - 10, y + 7, _LABEL, text_anchor="end"))
        return joined(*parts)

    def _superseded(self) -> Markup:
        fill = f"url(#{self._ids.of('superseded')})"
        stretches = (
            self._stretch(max(start - 1, self._first), end + 1, fill=fill)
            for start, end in self._chart.superseded
        )
        return joined(*stretches)

    def _mark_lines(self) -> Markup:
        """Vertical lines through the plot where there was a dispute or the turning point, or play resumed."""
        lines = (
            element(
                "path",
                d=f"M{number(self._x(mark.seq))} {number(_TOP)}V{number(self._bottom)}",
                stroke=DARK,
                stroke_width=1.4,
                stroke_dasharray="4 4",
            )
            for mark in self._chart.marks
            if mark.kind in {"dispute", "resumption", "turning_point"}
        )
        return joined(*lines)

    def _seat_line(self, seat: int) -> Markup:
        line = path_data(self._steps(seat), closed=False)
        return element("g", element("title", self._names[seat]), *_stroke(seat, line))

    def _steps(self, seat: int) -> list[Point]:
        """The corners of a seat's line: the score changes with an event and stays until the next change."""
        points = self._chart.points
        corners = [(self._x(self._first), self._seat_y(points[0].scores[seat], seat))]
        for before, after in pairwise(points):
            if before.scores[seat] != after.scores[seat]:
                x = self._x(after.seq)
                corners.append((x, corners[-1][1]))
                corners.append((x, self._seat_y(after.scores[seat], seat)))
        return [*corners, (_WIDTH - _RIGHT, corners[-1][1])]

    def _seat_y(self, score: int, seat: int) -> float:
        middle = (self._chart.seats - 1) / 2
        return self._y(score) + (seat - middle) * _OFFSET

    def _emblems(self, seat: int) -> Iterator[Markup]:
        """The emblem of a seat at the ends of rounds, where there is room for it."""
        free_from = 0.0
        for end in self._chart.rounds:
            equals = [other for other, score in enumerate(end.scores) if score == end.scores[seat]]
            # Emblems of seats with the same score are drawn beside each other.
            x = self._x(end.seq) + 16 * (equals.index(seat) - (len(equals) - 1) / 2)
            if x >= max(free_from, _LEFT + 8) and x <= _WIDTH - _RIGHT - 8:
                yield _emblem_disc(seat, x, self._seat_y(end.scores[seat], seat), 8)
                free_from = x + 50

    def _line_ends(self) -> Markup:
        """The emblems of the seats beside the ends of their lines, apart from each other."""
        last = self._chart.points[-1].scores
        ends = [self._seat_y(score, seat) for seat, score in enumerate(last)]
        order = sorted(range(len(last)), key=lambda seat: ends[seat])
        places = _spread([ends[seat] for seat in order], self._bottom)
        x = _WIDTH - _RIGHT
        parts: list[Markup] = []
        for seat, y in zip(order, places, strict=True):
            leader = path_data([(x, ends[seat]), (x + 12, y), (x + 20, y)], closed=False)
            parts.append(element("path", d=leader, fill="none", stroke=DARK, stroke_width=1))
            parts.append(_emblem_disc(seat, x + 30, y, 10))
        return joined(*parts)

    def _round_axis(self) -> Markup:
        """The rounds: a sign where each ended, filled if it was scored, and the numbers between them."""
        parts: list[Markup] = []
        free_from = 0.0
        set_up = self._render(message_in("heading", "set-up"))
        labels = [(str(end.round), start, end.seq) for start, end in self._rounds()]
        for label, start, end in [(set_up, self._first, self._chart.play_from), *labels]:
            middle = (self._x(start) + self._x(end)) / 2
            width = ems(label) * _LABEL
            has_room = label != set_up or width < self._x(end) - self._x(start)
            if middle - width / 2 > free_from and has_room:
                y = self._bottom + 32
                parts.append(text_line(label, middle, y, _LABEL, text_anchor="middle"))
                free_from = middle + width / 2 + 8
        parts += map(self._round_end, self._chart.rounds)
        caption = self._render(message("rounds; filled triangles mark those that were scored"))
        parts.append(text_line(caption, _LEFT, self._bottom + 60, _SMALL, fill=MUTED))
        return joined(*parts)

    def _round_end(self, end: RoundEnd) -> Markup:
        x, y = self._x(end.seq), self._bottom
        title = message(
            "round {round} ended with event {event}, {scoring}",
            round=end.round,
            event=end.seq,
            scoring=scoring_message(end),
        )
        return element(
            "path",
            element("title", self._render(title)),
            d=path_data([(x, y + 1), (x + 5, y + 10), (x - 5, y + 10)]),
            fill=PAPER if end.scored_by is None else DARK,
            stroke=DARK,
            stroke_width=1.2,
        )

    def _mark_row(self, row: int, kind: MarkKind) -> Markup:
        top = self._marks_top + _ROW * row
        y = top + 30
        rule = f"M{number(_LEFT)} {number(y)}H{number(_WIDTH - _RIGHT)}"
        marks = [self._mark(mark, y) for mark in self._chart.marks if mark.kind == kind]
        label = text_line(self._render(_MARK_LABELS[kind]), _LEFT, top + 4, _SMALL, fill=MUTED)
        return joined(element("path", d=rule, stroke=THIN_LINE), label, *marks)

    def _mark(self, mark: Mark, y: float) -> Markup:
        x = self._x(mark.seq)
        sign = element(
            "path",
            d=_MARK_PATHS[mark.kind],
            fill="none",
            stroke=DARK,
            stroke_width=2.4,
            stroke_linecap="round",
            transform=f"translate({number(x)} {number(y)})",
        )
        title = element("title", self._render(mark_message(mark)))
        if mark.seat is None:
            return element("g", title, sign)
        return element("g", title, _emblem_disc(mark.seat, x, y - 13, 7), sign)

    def _seat_list(self) -> Markup:
        """The seats in two columns: emblem, line, name, last score and place."""
        chart = self._chart
        column = (_WIDTH - 36) / 2
        parts: list[Markup] = []
        for seat, score in enumerate(chart.points[-1].scores):
            x, y = 18 + column * (seat % 2), self._seats_top + _SEAT_ROW * (seat // 2 + 0.5)
            place = f", {self._render(ordinal(chart.places[seat]))}" if chart.places else ""
            value = with_minus(f"{score}{place}")
            name, room = self._names[seat], column - 100
            size = max(_SMALL, min(_LABEL, room / ems(f"{name} · {value}")))
            name = cut(name, room / size - ems(f" · {value}"), ems)
            parts += _stroke(seat, f"M{number(x + 28)} {number(y)}h48")
            parts.append(_emblem_disc(seat, x + 12, y, 10))
            parts.append(text_line(f"{name} · {value}", x + 84, y + 7, size))
        return joined(*parts)


def _stroke(seat: int, line: str) -> Iterator[Markup]:
    """Yield a line in the colour and the pattern of a seat, over the same line with a dark edge."""
    for stroke, width in ((DARK, 4.8), (seat_colour(seat).fill, 3.4)):
        yield element(
            "path",
            d=line,
            fill="none",
            stroke=stroke,
            stroke_width=width,
            stroke_linejoin="round",
            stroke_dasharray=_DASHES[seat % len(_DASHES)],
        )


def _emblem_disc(seat: int, x: float, y: float, radius: float) -> Markup:
    fill = seat_colour(seat).fill
    disc = element("circle", cx=x, cy=y, r=radius, fill=fill, stroke=DARK, stroke_width=1)
    return joined(disc, emblem(seat, x, y, radius * 0.62 if seat < len(EMBLEMS) else radius))


def _ticks(low: int, high: int) -> list[int]:
    """Return round scores from at most `low` to at least `high`."""
    rough = max(1.0, (high - low) / _TICKS)
    power = 10 ** floor(log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough)
    return list(range(low // step * step, -(-high // step) * step + 1, step))


def _spread(wanted: Sequence[float], bottom: float) -> list[float]:
    """Return places, in order, near the wanted ones, that are far enough apart and above the bottom."""
    places: list[float] = []
    for place in wanted:
        places.append(max(place, places[-1] + _LEAST_EMBLEM_GAP) if places else place)
    limit = bottom
    for index in reversed(range(len(places))):
        places[index] = min(places[index], limit)
        limit = places[index] - _LEAST_EMBLEM_GAP
    return places
