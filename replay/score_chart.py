"""The scores through a game: after every event, at the end of every round, and what happened beside them.

`score_chart` makes the data of a chart of a record. `score_table` writes it as text, and
`replay.render.score_chart` draws it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from rich import box
from rich.table import Table

from domain.event import Event
from domain.game import Game
from domain.json_types import JsonObject
from ledger.record import Record
from replay.branches import branch
from replay.event_text import Names, actor_text, outcome_text
from replay.language.renderer import english
from replay.render.styles import BOLD, DIM, Styler, seat_style
from replay.timeline import Step, steps, unreadable_on_error

MarkKind: TypeAlias = Literal["forfeit", "departure", "dispute", "resumption"]

_MARKS: Final[Mapping[str, MarkKind]] = {
    "TurnForfeited": "forfeit",
    "PlayerResigned": "departure",
    "PlayerRemoved": "departure",
    "DisputeOpened": "dispute",
    "DisputeRuled": "dispute",
    "DisputeWithdrawn": "dispute",
    "PlayResumed": "resumption",
}
"""By event type, the kind of mark that the event has on a chart."""
_ORDINAL_SUFFIXES: Final = {1: "st", 2: "nd", 3: "rd"}


class NoScores(LookupError):
    """The game has not started, so there are no scores."""


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
    """An event beside the scores: a forfeited turn, a seat that left, a dispute, or play that resumed."""

    kind: MarkKind
    seq: int
    seat: int | None
    text: str


@dataclass(frozen=True, slots=True)
class ScoreChart:
    """The scores through one game.

    `seats` are the names of the seats. `points` begins with `GameStarted`. `superseded` are stretches of
    events, from the first to the last, that are not on the current branch. `places` are the final places by
    seat, () without a ranking.
    """

    game: str
    rules: str
    score_name: str
    seats: tuple[str, ...]
    points: tuple[ScorePoint, ...]
    play_from: int
    """The last event of the set-up by the players, or else `GameStarted`."""
    rounds: tuple[RoundEnd, ...]
    marks: tuple[Mark, ...]
    superseded: tuple[tuple[int, int], ...]
    places: tuple[int, ...]
    has_ended: bool

    def as_json(self) -> JsonObject:
        """Return the chart as JSON for programs."""
        return {
            "game": self.game,
            "rules": self.rules,
            "score_name": self.score_name,
            "seats": list(self.seats),
            "play_from": self.play_from,
            "points": [{"seq": point.seq, "scores": list(point.scores)} for point in self.points],
            "rounds": [
                {
                    "round": end.round,
                    "seq": end.seq,
                    "scores": list(end.scores),
                    "scored_by": end.scored_by,
                }
                for end in self.rounds
            ],
            "marks": [
                {"kind": mark.kind, "seq": mark.seq, "seat": mark.seat, "text": mark.text}
                for mark in self.marks
            ],
            "superseded": [list(stretch) for stretch in self.superseded],
            "places": list(self.places),
            "has_ended": self.has_ended,
        }


def score_chart(record: Record) -> ScoreChart:
    """Return the scores through the game of a record. Raises NoScores, Unreadable."""
    names = Names(record.names)
    points: list[ScorePoint] = []
    rounds: list[RoundEnd] = []
    marks: list[Mark] = []
    play_from = 0
    game: Game | None = None
    for step in steps(record):
        game = step.after
        if game.state is None:
            continue
        with unreadable_on_error(game.seq):
            scores = _scores(game)
            points.append(ScorePoint(game.seq, scores))
            if len(points) == 1 or not (rounds or game.round):
                play_from = game.seq
            rounds += _ended_rounds(step, scores)
            _note_scoring(rounds, step.event)
            marks += _marks(step, names)
    if game is None or not points:
        raise NoScores("the game has not started: there are no scores")
    places = {entry["seat"]: entry["place"] for entry in game.ranking or ()}
    return ScoreChart(
        game=record.game,
        rules=game.rules.NAME,
        score_name=english(game.rules.SCORE_NAME),
        seats=tuple(names.seat(seat, game.players) for seat in range(game.seats)),
        points=tuple(points),
        play_from=play_from,
        rounds=tuple(rounds),
        marks=tuple(marks),
        superseded=tuple(
            (resumption.origin + 1, resumption.seq - 1) for resumption in branch(record).resumptions
        ),
        places=tuple(places[seat] for seat in range(game.seats)) if places else (),
        has_ended=game.has_ended,
    )


def _scores(game: Game) -> tuple[int, ...]:
    """The scores by seat: those of the ranking at the end, of the standings before."""
    entries = game.ranking or game.rules.standings(game.state)
    by_seat = {entry["seat"]: entry["score"] for entry in entries}
    return tuple(by_seat[seat] for seat in range(game.seats))


def _ended_rounds(step: Step, scores: tuple[int, ...]) -> Iterator[RoundEnd]:
    for round, seq in step.after.rounds_ended.items():
        if seq == step.event["seq"]:
            yield RoundEnd(round, seq, scores)


def _note_scoring(rounds: list[RoundEnd], event: Event) -> None:
    """Note in the last end of a round that it has been scored. After a rewind, a round may end again."""
    if event["type"] != "RoundScored":
        return
    for index in reversed(range(len(rounds))):
        if rounds[index].round == event["data"]["round"]:
            rounds[index] = replace(rounds[index], scored_by=event["seq"])
            return


def _marks(step: Step, names: Names) -> Iterator[Mark]:
    event = step.event
    kind = _MARKS.get(event["type"])
    if kind is None:
        return
    seat = event["data"].get("seat")
    outcome = outcome_text(step.after.rules, event, names)
    is_of_system = "system" in event["by"]
    players = step.after.players
    text = outcome if is_of_system else f"{actor_text(event, players, names)} {outcome}"
    yield Mark(kind, event["seq"], seat if type(seat) is int else None, text)


def score_table(chart: ScoreChart, styler: Styler, width: int) -> str:
    """Return the chart as a table of at most `width` columns, one row for each round, with a line feed.

    Between the rounds, lines name the events beside the scores.
    """
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
    table.add_column("round", justify="right")
    table.add_column("event", justify="right")
    for seat, name in enumerate(chart.seats):
        table.add_column(name, justify="right", header_style=seat_style(seat))
    table.add_column("", overflow="fold")
    earlier: tuple[int, ...] = chart.points[0].scores
    # An event may end a round and have a mark too, which then comes first.
    rows: list[Mark | RoundEnd] = [*chart.marks, *chart.rounds]
    rows.sort(key=lambda row: row.seq)
    for row in rows:
        if isinstance(row, Mark):
            table.add_row("", str(row.seq), *[""] * len(chart.seats), row.text, style=DIM)
            continue
        note = "not scored" if row.scored_by is None else f"scored by event {row.scored_by}"
        changed = [_with_change(new, old) for new, old in zip(row.scores, earlier, strict=True)]
        table.add_row(str(row.round), str(row.seq), *changed, note)
        earlier = row.scores
    last = chart.points[-1]
    label = "end" if chart.has_ended else "now"
    final = [
        f"{score}" + (f" ({ordinal(chart.places[seat])})" if chart.places else "")
        for seat, score in enumerate(last.scores)
    ]
    table.add_row(label, str(last.seq), *final, "", style=BOLD)
    title = f"{chart.rules.capitalize()}, game {chart.game}: {chart.score_name} at the end of each round"
    lines = [styler(title, BOLD), *styler.lines(table, width)]
    return "\n".join(line.rstrip() for line in lines).rstrip("\n") + "\n"


def _with_change(new: int, old: int) -> str:
    return f"{new} ({new - old:+d})" if new != old else str(new)


def ordinal(place: int) -> str:
    """Return the place of a seat: `1st`, `2nd`, `3rd`, `4th`."""
    return f"{place}{_ORDINAL_SUFFIXES.get(place, 'th')}"
