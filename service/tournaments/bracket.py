"""The picture of a knockout: its tables from round to round, with lines to where players have gone on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from domain.tournaments.formats import Round
from domain.tournaments.standings import NO_PLACE
from domain.tournaments.tournament import Tournament

_WIDTH: Final = 168
"""The width of a table, and of the space to the next round."""
_SPACE: Final = 36
_LINE: Final = 22
"""The height of a player."""
_GAP: Final = 14
_NOBODY: Final = "\N{EN DASH}"
_MOST_LETTERS: Final = 18
"""Of a longer name, the beginning is shown."""


@dataclass(frozen=True, slots=True)
class _Box:
    """A table: the middle of its left side, and its height."""

    x: int
    y: float
    height: int


def bracket_svg(tournament: Tournament, names: Mapping[str, str | None], title: str) -> str | None:
    """Return the picture of the rounds that are drawn; None if the format has none, or none is drawn.

    Whoever goes on, or has won the last round, is in bold type. The colours are those of the page that
    contains the picture, or black and white.
    """
    if tournament.format.format != "knockout" or not tournament.rounds:
        return None
    rounds = tournament.as_rounds()
    columns = _columns(rounds)
    boxes = _boxes(rounds, columns)
    width = len(columns) * (_WIDTH + _SPACE) - _SPACE + 4
    height = max(box.y + box.height / 2 for box in boxes.values()) + 2
    # Two teams can share the first place of the last match, and the standings decide.
    winner = (
        tournament.standings()[0].standings[0].player if tournament.status == "finished" else None
    )
    lines, parts = [], []
    for (round, table), box in boxes.items():
        drawn = rounds[round]
        result = drawn.results[table]
        for seat, number in enumerate(drawn.tables[table]):
            top = box.y - box.height / 2 + seat * _LINE
            following = _table_of(rounds, round + 1, number)
            place = None if result is None else result.places[seat]
            goes_on = following is not None or (round == len(columns) - 1 and number == winner)
            team = tournament.team_at(number)
            name = (
                names.get(tournament.rounds[round].players[table][seat]) or _NOBODY
                if team is None
                else team.name
            )
            text = name if len(name) <= _MOST_LETTERS else f"{name[: _MOST_LETTERS - 1]}…"
            weight = ' font-weight="700"' if goes_on else ""
            parts.append(
                f'<text x="{box.x + 8}" y="{top + 15:g}"{weight}>{escape(text)}'
                f"<title>{escape(name)}</title></text>"
            )
            if place is not None and len(drawn.tables[table]) > 1:
                shown = _NOBODY if place == NO_PLACE else place
                parts.append(
                    f'<text x="{box.x + _WIDTH - 8}" y="{top + 15:g}" text-anchor="end"{weight}>'
                    f"{shown}</text>"
                )
            if following is not None:
                target = boxes[round + 1, following]
                start, middle = box.x + _WIDTH, box.x + _WIDTH + _SPACE / 2
                lines.append(f"M{start} {top + 11:g}H{middle:g}V{target.y:g}H{target.x}")
        parts.append(
            f'<rect x="{box.x}" y="{box.y - box.height / 2:g}" width="{_WIDTH}" height="{box.height}"'
            ' rx="4"/>'
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="bracket" role="img" viewBox="0 0 {width} {height:g}"'
        f' width="{width}" height="{height:g}" font-family="sans-serif" font-size="13" fill="currentColor">'
        f"<title>{escape(title)}</title>"
        f'<g fill="none" stroke="currentColor" stroke-opacity="0.55"><path d="{"".join(lines)}"/>'
        + "".join(part for part in parts if part.startswith("<rect"))
        + "</g>"
        + "".join(part for part in parts if part.startswith("<text"))
        + "</svg>"
    )


def _table_of(rounds: Sequence[Round], round: int, number: int) -> int | None:
    """Return the table of an entrant in a round, both counted from 0; None if there is none."""
    if round >= len(rounds):
        return None
    tables = rounds[round].tables
    return next((table for table, players in enumerate(tables) if number in players), None)


def _columns(rounds: Sequence[Round]) -> list[list[int]]:
    """Return the tables of each round from top to bottom: those from which the players of a table of the next
    round come stand together.
    """
    last = rounds[-1]
    columns = [list(range(len(last.tables)))]
    for round in range(len(rounds) - 2, -1, -1):
        following = rounds[round + 1]
        order = [
            table
            for after in columns[0]
            for number in following.tables[after]
            if (table := _table_of(rounds, round, number)) is not None
        ]
        # Tables from which nobody has gone on are at the end.
        rest = range(len(rounds[round].tables))
        columns.insert(0, list(dict.fromkeys([*order, *rest])))
    return columns


def _boxes(
    rounds: Sequence[Round], columns: Sequence[Sequence[int]]
) -> dict[tuple[int, int], _Box]:
    """Return where the tables are, by round and table: each in the middle of those before it."""
    boxes: dict[tuple[int, int], _Box] = {}
    for round, column in enumerate(columns):
        drawn, bottom = rounds[round], 2.0
        for table in column:
            height = _LINE * len(drawn.tables[table])
            before = [
                boxes[round - 1, feeder].y
                for number in drawn.tables[table]
                if round and (feeder := _table_of(rounds, round - 1, number)) is not None
            ]
            wanted = sum(before) / len(before) if before else 0.0
            y = max(wanted, bottom + height / 2)
            boxes[round, table] = _Box(2 + round * (_WIDTH + _SPACE), y, height)
            bottom = y + height / 2 + _GAP
    return boxes
