"""What decides each place in the standings of a tournament, as a sentence for people and for the HTTP API."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Final

from babel.numbers import format_decimal

from domain.messages import Message, PlayerWithId, Text, message, message_in
from domain.tournaments.formats import Group, seasons
from domain.tournaments.standings import Decision, Result, TieBreak, decision_between
from domain.tournaments.tournament import Tournament

TIE_BREAK_NAMES: Final[Mapping[TieBreak, Message]] = {
    "points": message("Points"),
    "board_points": message("Board points"),
    "direct": message("Direct encounters"),
    "direct_of_all": message("Direct encounters"),
    "buchholz": message("Buchholz"),
    "sonneborn_berger": message("Sonneborn-Berger"),
    "wins": message_in("standings", "Victories"),
    "reached": message("Round reached"),
    "last_points": message("Points in it"),
}


@dataclass(frozen=True, slots=True)
class PlaceDecision:
    """What decides that a player comes before the next one."""

    next: str
    """The next player, or the captain of the next team."""
    next_team: str | None
    """The name of that team."""
    decision: Decision
    is_by_lot: bool
    """Whether the order before the first round, if it decides, is that of the lots."""


def decimal_in(language: str, number: Fraction) -> str:
    """Return a number with at most two decimals, in the format of a language."""
    return format_decimal(float(number), format="0.##", locale=language)


def counted_results(tournament: Tournament) -> list[Result]:
    """Return the results on which the standings rest: in a league, those of its season."""
    drawn = tournament.rounds
    if tournament.format.format == "league" and drawn:
        all_seasons = seasons(
            tournament.format, range(len(tournament.entrants)), tournament.as_rounds()
        )
        drawn = drawn[all_seasons[-1].start :]
    return [result for each in drawn for result in each.as_round(tournament.format).known_results]


def decisions_in(
    tournament: Tournament, group: Group, results: Sequence[Result]
) -> list[PlaceDecision | None]:
    """Return what decides each place of a group; None for the last one, on a ladder, and before there are
    results.
    """
    rows = group.standings
    if not tournament.tie_breaks or not results:
        return [None] * len(rows)
    decisions: list[PlaceDecision | None] = [
        PlaceDecision(
            tournament.entrants[following.player],
            None if (team := tournament.team_at(following.player)) is None else team.name,
            decision_between(first, following, tournament.tie_breaks),
            tournament.seeding == "lots",
        )
        for first, following in pairwise(rows)
    ]
    return [*decisions, *([None] if rows else [])]


def sentence(place: PlaceDecision, language: str) -> Text:
    """Return a decision in one sentence, with numbers in the format of a language."""
    other = PlayerWithId(place.next) if place.next_team is None else place.next_team
    decision = place.decision
    if decision.tie_break is None:
        if place.is_by_lot:
            return message("Before {player} by lot.", player=other)
        return message("Before {player} by the starting order.", player=other)
    return message(
        "Before {player}: {criterion}, {value} against {against}.",
        player=other,
        criterion=TIE_BREAK_NAMES[decision.tie_break],
        value=decimal_in(language, decision.value),
        against=decimal_in(language, decision.against),
    )
