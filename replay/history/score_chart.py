"""The scores through a game: after every event and at the end of every round, with notable events.

`score_chart` makes the data of a chart from a record, and `score_chart_of` from events. `score_table` formats
it as text, and `replay.history.score_chart_svg` draws it. `finishers` has the data of a podium.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from domain.contract import ScoreChange
from domain.errors import CartularyError
from domain.event import Event, recorded_data
from domain.game import Game, Resumption
from domain.json_types import JsonObject
from domain.messages import Message, PlayerAt, Text, Value, message, message_in
from domain.scene import Scene, caption
from ledger.record import Record
from replay.history.branches import branch
from replay.history.event_text import game_title
from replay.history.timeline import Transition, transitions, unreadable_on_error
from replay.language.renderer import Renderer
from replay.language.text_layout import columns, wrap
from replay.render.descriptions import player_label
from replay.render.podium import Finisher, PointSource
from replay.render.styles import BOLD, DIM, Styler, seat_style, table_width, unbreakable

if TYPE_CHECKING:
    from rich.table import Table

MarkKind: TypeAlias = Literal["forfeit", "departure", "dispute", "resumption", "turning_point"]

_MARKS: Final[Mapping[str, MarkKind]] = {
    "TurnForfeited": "forfeit",
    "PlayerResigned": "departure",
    "PlayerRemoved": "departure",
    "DisputeOpened": "dispute",
    "DisputeRuled": "dispute",
    "DisputeWithdrawn": "dispute",
    "PlayResumed": "resumption",
}
"""The kinds of marks on a chart, by event type."""
_AT_START: Final = message_in("points", "at the start")
_FIRST_PLACES: Final = (message("1st"), message("2nd"), message("3rd"))


class NoScores(CartularyError):
    """The game has not started, so there are no scores. `message` says so."""


@dataclass(frozen=True, slots=True)
class ScorePoint:
    """The scores by seat after event `seq`."""

    seq: int
    scores: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RoundEnd:
    """A round that ended with event `seq`, with the scores then; `scored_by` is None until it is scored."""

    round: int
    seq: int
    scores: tuple[int, ...]
    scored_by: int | None = None


@dataclass(frozen=True, slots=True)
class Mark:
    """A notable event: a forfeited turn, a seat that left, a dispute, play that resumed, or the turning
    point.

    The turning point of a game with a ranking is the last event on its branch, before the end, that changed
    who was first: the seats in the game with the most points. `seat` is the seat that is first since then,
    None if there are several. A game in which this never changed has no turning point; nor is it one that
    somebody leads for the first time, because all are first at the start.
    """

    kind: MarkKind
    seq: int
    seat: int | None
    outcome: Text


@dataclass(frozen=True, slots=True)
class ScoreChart:
    """The scores through one game.

    `title` is the title of the game. `points` begins with `GameStarted`. `superseded` are stretches of
    events, from the first to the last, that are not on the current branch. `places` are the final places by
    seat, () without a ranking.
    """

    game: str
    rules: str
    title: Text
    score_name: Text
    seats: int
    points: tuple[ScorePoint, ...]
    play_from: int
    """The last event of the set-up by the players, or else `GameStarted`."""
    rounds: tuple[RoundEnd, ...]
    marks: tuple[Mark, ...]
    superseded: tuple[tuple[int, int], ...]
    places: tuple[int, ...]
    has_ended: bool
    sources: tuple[tuple[PointSource, ...], ...]
    """The sources of the points of each seat, in the order in which it first gained or lost them."""
    first_action: int | None
    """The first action of a player on the current branch."""

    @property
    def turning_point(self) -> Mark | None:
        """The turning point; None if there is none."""
        return next((mark for mark in self.marks if mark.kind == "turning_point"), None)

    def as_json(self, renderer: Renderer) -> JsonObject:
        """Return the chart as JSON for programs, with its texts in the language of the renderer."""
        return {
            "game": self.game,
            "rules": self.rules,
            "score_name": renderer(self.score_name),
            "seats": [renderer(player_label(seat)) for seat in range(self.seats)],
            "play_from": self.play_from,
            "points": list(map(asdict, self.points)),
            "rounds": list(map(asdict, self.rounds)),
            "marks": [
                {
                    "kind": mark.kind,
                    "seq": mark.seq,
                    "seat": mark.seat,
                    "text": renderer(mark.outcome),
                }
                for mark in self.marks
            ],
            "superseded": self.superseded,
            "places": self.places,
            "sources": [
                [{"source": renderer(source), "points": points} for source, points in of_seat]
                for of_seat in self.sources
            ],
            "has_ended": self.has_ended,
        }


def score_chart(record: Record) -> ScoreChart:
    """Return the scores through the game of a record. Raises NoScores, Unreadable."""
    return score_chart_of(record.game, transitions(record), branch(record).resumptions)


def score_chart_of(
    game_id: str, game_steps: Iterable[Transition], resumptions: Iterable[Resumption]
) -> ScoreChart:
    """Return the scores through a game of which these are all events.

    `resumptions` are the events with which play resumed. Raises NoScores, Unreadable.
    """
    points: list[ScorePoint] = []
    rounds: list[RoundEnd] = []
    marks: list[Mark] = []
    play_from = 0
    branch_totals = _BranchTotals()
    resumptions = tuple(resumptions)
    game: Game | None = None
    for transition in game_steps:
        game = transition.after
        if game.state is None:
            continue
        with unreadable_on_error(game.seq):
            scores = _scores(game)
            points.append(ScorePoint(game.seq, scores))
            if len(points) == 1 or not (rounds or game.round):
                play_from = game.seq
            rounds += _ended_rounds(transition, scores)
            _note_scoring(rounds, transition.event)
            marks += _marks(transition)
            if not any(resumption.has_superseded(game.seq) for resumption in resumptions):
                branch_totals.add(transition, scores)
    if game is None or not points:
        raise NoScores.with_message("the game has not started: there are no scores")
    places = {entry["seat"]: entry["place"] for entry in game.ranking or ()}
    if game.ranking and branch_totals.turning_point is not None:
        marks.append(branch_totals.turning_point)
    return ScoreChart(
        game=game_id,
        rules=game.rules.NAME,
        title=game_title(game.rules, game.options),
        score_name=game.rules.SCORE_NAME,
        seats=game.seats,
        points=tuple(points),
        play_from=play_from,
        rounds=tuple(rounds),
        marks=tuple(marks),
        superseded=tuple((resumption.origin + 1, resumption.seq - 1) for resumption in resumptions),
        places=tuple(places[seat] for seat in range(game.seats)) if places else (),
        has_ended=game.has_ended,
        sources=tuple(tuple(branch_totals.sources.get(seat, ())) for seat in range(game.seats)),
        first_action=branch_totals.first_action,
    )


class _BranchTotals:
    """The totals over all events of the current branch."""

    def __init__(self) -> None:
        self.sources: dict[int, list[PointSource]] = {}
        self.first_action: int | None = None
        self.turning_point: Mark | None = None
        self._first: frozenset[int] | None = None
        """Who is first; None until somebody leads."""

    def add(self, transition: Transition, scores: tuple[int, ...]) -> None:
        """Add the next event of the branch, with the scores after it."""
        event, before = transition.event, transition.before
        if self.first_action is None and event["action"] is not None:
            self.first_action = event["seq"]
        if before is not None and before.state is not None:
            state = before.state
            changes = before.rules.score_changes(state, event["type"], recorded_data(event))
            self._add_points(changes)
        elif transition.after.state is not None:
            self._add_points((seat, _AT_START, score) for seat, score in enumerate(scores) if score)
        if transition.after.ranking:
            # The end decides the winner, but is not the turning point.
            return
        seats = _seats_in_game(transition.after)
        first = _first_seats(seats, scores)
        if self._first is not None and first != self._first:
            seat = next(iter(first)) if len(first) == 1 else None
            outcome = caption(event, transition.after.rules.event_message)
            self.turning_point = Mark(
                "turning_point",
                event["seq"],
                seat,
                message("turning point: {outcome}", outcome=outcome),
            )
        if self._first is not None or len(first) < len(seats):
            self._first = first

    def _add_points(self, changes: Iterable[ScoreChange]) -> None:
        for seat, source, points in changes:
            of_seat = self.sources.setdefault(seat, [])
            index = next((i for i, (other, _) in enumerate(of_seat) if other == source), None)
            if index is None:
                of_seat.append((source, points))
            else:
                of_seat[index] = (source, of_seat[index][1] + points)


def _seats_in_game(game: Game) -> Collection[int]:
    in_game: Collection[int] = () if game.state is None else game.state.in_game()
    return in_game or range(game.seats)


def _first_seats(seats: Collection[int], scores: tuple[int, ...]) -> frozenset[int]:
    """Return those of the seats that have the most points."""
    most = max(scores[seat] for seat in seats)
    return frozenset(seat for seat in seats if scores[seat] == most)


def _scores(game: Game) -> tuple[int, ...]:
    """Return the scores by seat, at the end from the ranking, otherwise from the standings."""
    entries = game.ranking or game.rules.standings(game.state)
    by_seat = {entry["seat"]: entry["score"] for entry in entries}
    return tuple(by_seat[seat] for seat in range(game.seats))


def _ended_rounds(transition: Transition, scores: tuple[int, ...]) -> Iterator[RoundEnd]:
    for round, seq in transition.after.rounds_ended.items():
        if seq == transition.event["seq"]:
            yield RoundEnd(round, seq, scores)


def _note_scoring(rounds: list[RoundEnd], event: Event) -> None:
    """Note in the last end of a round that it has been scored. After a rewind, a round may end again."""
    if event["type"] != "RoundScored":
        return
    for index in reversed(range(len(rounds))):
        if rounds[index].round == event["data"]["round"]:
            rounds[index] = replace(rounds[index], scored_by=event["seq"])
            return


def _marks(transition: Transition) -> Iterator[Mark]:
    event = transition.event
    kind = _MARKS.get(event["type"])
    if kind is None:
        return
    seat = event["data"].get("seat")
    outcome = caption(event, transition.after.rules.event_message)
    yield Mark(kind, event["seq"], seat if type(seat) is int else None, outcome)


def finishers(scene: Scene, chart: ScoreChart) -> list[Finisher]:
    """Return the seats by place, from the scene and the scores at the end; [] without a ranking."""
    if not chart.places:
        return []
    scores = chart.points[-1].scores
    return sorted(
        (
            Finisher(
                panel.seat,
                chart.places[panel.seat],
                scores[panel.seat],
                panel.heading,
                panel.is_out,
                chart.sources[panel.seat],
            )
            for panel in scene.panels
        ),
        key=lambda finisher: (finisher.place, finisher.seat),
    )


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """A row of a table of scores: the end of a round, a mark, or the last event.

    `label` is the round, or what the row is. A mark has no scores. `changes` are the differences from the
    scores in the row before.
    """

    kind: Literal["round", "mark", "last"]
    label: Value
    seq: int
    scores: tuple[int, ...] = ()
    changes: tuple[int, ...] = ()
    places: tuple[int, ...] = ()
    note: Value = ""

    def cells(self, seats: int) -> list[Value]:
        """Return the cells in the columns of the seats: the scores, each with its change or its place."""
        if self.places:
            return [
                message("{score} ({place})", score=score, place=ordinal(place))
                for score, place in zip(self.scores, self.places, strict=True)
            ]
        if not self.changes:
            return [*self.scores] or [""] * seats
        return [
            message("{score} ({change:signed})", score=score, change=change) if change else score
            for score, change in zip(self.scores, self.changes, strict=True)
        ]


def score_rows(chart: ScoreChart) -> Iterator[ScoreRow]:
    """Yield the rows of a table of the scores, in the order of the events."""
    earlier = chart.points[0].scores
    # An event may end a round and have a mark too, which then comes first.
    entries: list[Mark | RoundEnd] = [*chart.marks, *chart.rounds]
    for entry in sorted(entries, key=lambda entry: entry.seq):
        if isinstance(entry, Mark):
            yield ScoreRow("mark", "", entry.seq, note=entry.outcome)
            continue
        changes = tuple(new - old for new, old in zip(entry.scores, earlier, strict=True))
        note = scoring_message(entry)
        yield ScoreRow("round", entry.round, entry.seq, entry.scores, changes, note=note)
        earlier = entry.scores
    last = chart.points[-1]
    label = message_in("row", "end") if chart.has_ended else message_in("row", "now")
    yield ScoreRow("last", label, last.seq, last.scores, places=chart.places)


_NOTE: Final = 20
"""The least width of a note beside the scores."""


def score_table(chart: ScoreChart, renderer: Renderer, styler: Styler, width: int) -> str:
    """Return the chart as a table of at most `width` columns, one row for each round, with a line feed.

    Between the rounds, lines name notable events; they follow a narrow table. If not even that fits, lines
    replace the table.
    """
    title = message(
        "{title}, game {game}: {score} at the end of each round",
        title=chart.title,
        game=chart.game,
        score=chart.score_name,
    )
    lines = [styler(line, BOLD) for line in wrap(renderer(title), width, columns)]
    rows = list(score_rows(chart))
    narrow = _table(chart, [row for row in rows if row.kind != "mark"], renderer)
    needed = table_width(narrow)
    if needed + _NOTE <= width:
        lines += styler.lines(_table(chart, rows, renderer, has_notes=True), width)
    elif needed <= width:
        lines += styler.lines(narrow, width)
        for row in rows:
            if row.kind == "mark":
                lines += wrap(f"{row.seq}  {renderer(row.note)}", width, columns)
    else:
        for row in rows:
            lines += ["", *_row_lines(chart, row, renderer, width)]
    return "\n".join(line.rstrip() for line in lines).rstrip("\n") + "\n"


def _table(
    chart: ScoreChart, rows: Iterable[ScoreRow], renderer: Renderer, *, has_notes: bool = False
) -> "Table":
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
    table.add_column(renderer(message_in("heading", "round")), justify="right")
    table.add_column(renderer(message_in("heading", "event")), justify="right")
    for seat in range(chart.seats):
        name = renderer(player_label(seat))
        table.add_column(name, justify="right", header_style=seat_style(seat))
    if has_notes:
        table.add_column("", overflow="fold")
    for row in rows:
        texts = (row.label, row.seq, *row.cells(chart.seats), *([row.note] if has_notes else []))
        table.add_row(
            *(unbreakable(renderer(text)) for text in texts),
            style={"mark": DIM, "round": None, "last": BOLD}[row.kind],
        )
    return table


def _row_lines(chart: ScoreChart, row: ScoreRow, renderer: Renderer, width: int) -> Iterator[str]:
    if row.kind == "mark":
        yield from wrap(f"{row.seq}  {renderer(row.note)}", width, columns)
        return
    label = renderer(row.label)
    if row.kind == "round":
        label = f"{renderer(message_in('heading', 'round'))} {label}"
    yield from wrap(f"{row.seq}  {label}", width, columns)
    for seat, cell in enumerate(row.cells(chart.seats)):
        score = message("{player:label}: {score}", player=PlayerAt(seat), score=cell)
        yield from (f"  {line}" for line in wrap(renderer(score), width - 2, columns))


def scoring_message(end: RoundEnd) -> Message:
    """Return the message whether a round is scored, and by which event."""
    if end.scored_by is None:
        return message("not scored")
    return message("scored by event {event}", event=end.scored_by)


def ordinal(place: int) -> Message:
    """Return the final place of a seat: `1st`, `2nd`, `3rd`, `4th`."""
    if 1 <= place <= len(_FIRST_PLACES):
        return _FIRST_PLACES[place - 1]
    return message("{place}th", place=place)
