"""View models of tournaments: texts for formats and standings, tables with results, cross tables."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction
from typing import Final, Literal

from domain.messages import Message, PlayerWithId, Text, Value, message, message_in, plural_message
from domain.registry import rule_system_for
from domain.tournaments.arena import PATIENCE_SECONDS
from domain.tournaments.changes import SINCE_VERSION
from domain.tournaments.decisions import can_enter_late
from domain.tournaments.events import PairingMethod
from domain.tournaments.format_settings import FIELDS, Format, Scoring
from domain.tournaments.formats import Group, is_decided_by_lot, pairing_method, round_title
from domain.tournaments.pairing import Player
from domain.tournaments.rulings import can_be_ruled
from domain.tournaments.standings import NO_PLACE, Result, Standing, TieBreak
from domain.tournaments.teams import Match
from domain.tournaments.tournament import DrawnRound, Tournament, TournamentStatus
from ledger.clock.time_zones import time_zone
from service import wall_clock
from service.http.language import request_language
from service.tournaments.explanations import (
    TIE_BREAK_NAMES,
    counted_results,
    decimal_in,
    decisions_in,
    sentence,
)

DAY: Final = 24 * 3600
MINUTE: Final = 60
MOST_AFTER: Final = 24 * 60
"""The most minutes that the form offers for games after the end of an arena."""
USUAL_AFTER: Final = 30
USUAL_DAYS: Final = 28
USUAL_REGISTRATION: Final = timedelta(days=7)
MOST_DAYS: Final = 366
USUAL_MOST: Final = 32
MAX_IN_CROSS_TABLE: Final = 16
"""The most players of a group with a cross table; a larger table would be unreadable."""

FORMAT_NAMES: Final[Mapping[Format, Message]] = {
    "single_group": message("Single group"),
    "round_robin": message("Round robin"),
    "swiss": message("Swiss system"),
    "knockout": message("Knockout"),
    "league": message("League"),
    "ladder": message("Ladder"),
    "arena": message("Arena"),
}
FORMAT_DESCRIPTIONS: Final[Mapping[Format, Message]] = {
    "single_group": message("Everybody plays in every round, with others each time."),
    "round_robin": message("Everybody meets everybody."),
    "swiss": message("Everybody plays in every round, against players with similar results."),
    "knockout": message("The best of each table go on, until one table is left."),
    "league": message("Divisions and seasons: the best go up, the last go down."),
    "ladder": message("Neighbours meet, and winners climb."),
    "arena": message("Fast games until a fixed end: whoever is free is seated at once."),
}
SETTING_LABELS: Final[Mapping[str, Message]] = {
    "table_size": message("Players at a table"),
    "rounds": message_in("tournament", "Rounds"),
    "accelerated": message("Accelerated rounds"),
    "cycles": message("How often each two players meet"),
    "advance": message("Players who go on from each table"),
    "divisions": message("Divisions"),
    "promoted": message("Players who go up and down after a season"),
    "seasons": message("Seasons"),
    "minutes": message("Minutes until the end"),
}
SCORING_TEXTS: Final[Mapping[Scoring, Message]] = {
    "boards": message("The team with more points at the boards wins it."),
    "sums": message("It counts the sum of the points at the boards."),
}
STATUS_NAMES: Final[Mapping[TournamentStatus, Message]] = {
    "open": message("Registration is open"),
    "running": message("In progress"),
    "finished": message_in("tournament", "Finished"),
    "cancelled": message("Cancelled"),
}
ARENA_PAIRING: Final = message(
    "Whoever is free is seated with others who are free and have similar points; those who have waited"
    " longest come first. Nobody meets the opponents of the game before again, unless all have waited for"
    " {seconds} seconds. The end is fixed: nobody is seated from then on, and the games that have begun go on"
    " and count.",
    seconds=PATIENCE_SECONDS,
)
BRACKET_TITLE: Final = message("The bracket: who has met whom, and who has gone on")
PAIRING_TEXTS: Final[Mapping[PairingMethod, Message]] = {
    "schedule": message("By a schedule that is known in advance."),
    "exact": message("The best possible tables, which are computed exactly."),
    "search": message("The best tables that a search finds: there may be better ones."),
    "order": message("By the order of the players."),
    "organiser": message("By the organiser."),
}


@dataclass(frozen=True, slots=True)
class Seat:
    """A player at a table. `place` is None while the game is played, and 0 for a player who forfeited."""

    player: str
    place: int | None
    team: str | None
    """The name of the player's team."""


@dataclass(frozen=True, slots=True)
class TableView:
    """A table of a round; `game` is None for a bye."""

    number: int
    label: str
    """Its number, in an arena after that of the draw."""
    seats: tuple[Seat, ...]
    game: str | None
    has_result: bool
    is_decided_by_lot: bool
    """Whether lots decided who advances from it."""
    is_ruled: bool
    """Whether an organiser decided its result."""
    former_games: tuple[str, ...]
    """Its games that count no more, because it plays again."""

    @property
    def players(self) -> tuple[str, ...]:
        """The players in the order of their seats."""
        return tuple(seat.player for seat in self.seats)

    @property
    def is_bye(self) -> bool:
        """Whether the player has no opponents."""
        return len(self.seats) == 1


@dataclass(frozen=True, slots=True)
class MatchView:
    """A match of teams."""

    teams: tuple[tuple[str, str], ...]
    """The names of the teams, and their points at the boards so far."""
    winner: str | None
    """The name of the only team in the first place, once each board has a result."""
    tables: tuple[TableView, ...]
    """By board; none for a bye."""
    is_decided_by_lot: bool
    """Whether lots decided which team advances from it."""


@dataclass(frozen=True, slots=True)
class RoundView:
    """A round with its tables."""

    title: Message
    drawn: DrawnRound
    tables: tuple[TableView, ...]
    matches: tuple[MatchView, ...]
    """The matches to which the tables belong; () if single players take part."""
    half_points: tuple[str, ...]
    """The players with half a point without a table, as far as they have their places still."""
    can_be_ruled: bool
    """Whether an organiser can still decide results."""


@dataclass(frozen=True, slots=True)
class StandingRow:
    """A row of the standings: `values` are those of the tie-breaks, as texts."""

    place: int
    number: int
    """The number of the draw of lots, from 1."""
    player: str
    team: str | None
    """The name of the team, of which the player is the captain."""
    is_withdrawn: bool
    is_excluded: bool
    replaces: str | None
    """The former player whose place and points a substitute has taken over."""
    first_round: int | None
    """The first round that a player could play in who has entered late."""
    is_by_lot: bool
    """Whether lots decided the place, because another player is equal in every other criterion."""
    values: tuple[str, ...]
    played: int
    scores: tuple[str | None, ...]
    """The scores of the player against each player of the group, in the order of the rows; None without a
    result.
    """
    explanation: Text | None
    """What decides that the player comes before the next one."""
    byes: str
    """The points of byes; "" without any."""


@dataclass(frozen=True, slots=True)
class GroupView:
    """The standings of a group or a division."""

    id: str
    title: Message | None
    columns: tuple[Message, ...]
    rows: tuple[StandingRow, ...]
    has_cross_table: bool

    @property
    def has_teams(self) -> bool:
        """Whether the rows are those of teams."""
        return any(row.team for row in self.rows)

    @property
    def has_byes(self) -> bool:
        """Whether a player of the group had a bye."""
        return any(row.byes for row in self.rows)

    @property
    def is_explained(self) -> bool:
        """Whether a place is explained."""
        return any(row.explanation for row in self.rows)

    @property
    def has_lots(self) -> bool:
        """Whether lots decided a place."""
        return any(row.is_by_lot for row in self.rows)


def decimal(number: Fraction) -> str:
    """Return a number with at most two decimals, in the format of the language of the request."""
    return decimal_in(request_language(), number)


def format_name(tournament: Tournament) -> Message:
    """Return the name of the format of a tournament."""
    return FORMAT_NAMES[tournament.format.format]


def system_title(tournament: Tournament) -> Text:
    """Return the name of the game of a tournament."""
    return rule_system_for(tournament.rules, tournament.options).TITLE


def winner_of(tournament: Tournament) -> Value | None:
    """Return the player, or the name of the team, who has won a tournament, in a league its first division;
    None before its end.
    """
    groups = tournament.standings() if tournament.status == "finished" else []
    if not groups:
        return None
    number = groups[0].standings[0].player
    return _team_name(tournament, number) or PlayerWithId(tournament.entrants[number])


def title_of_round(tournament: Tournament, number: int) -> Message:
    """Return the title of a round, counted from 1."""
    numbers = range(len(tournament.entrants))
    rounds = tournament.as_rounds() if tournament.format.format == "league" else []
    return round_title(tournament.format, numbers, rounds, number)


def round_view(tournament: Tournament, drawn: DrawnRound) -> RoundView:
    """Return a round for its page."""
    settings = tournament.format
    has_lots = settings.format == "knockout"
    rounds = tournament.as_rounds()[: drawn.number] if has_lots else []
    numbers = range(len(tournament.entrants))
    tables = tuple(
        TableView(
            number,
            f"{drawn.number}.{number}" if settings.is_arena else str(number),
            tuple(
                Seat(
                    player,
                    None if result is None else result.places[seat],
                    _team_name(tournament, drawn.tables[number - 1][seat]),
                )
                for seat, player in enumerate(players)
            ),
            game,
            result is not None,
            has_lots
            and not drawn.matches
            and is_decided_by_lot(settings, numbers, rounds, number - 1),
            number in drawn.rulings,
            drawn.former_games.get(number, ()),
        )
        for number, (players, game, result) in enumerate(
            zip(drawn.players, drawn.games, drawn.results, strict=True), 1
        )
    )
    return RoundView(
        title_of_round(tournament, drawn.number),
        drawn,
        tables,
        tuple(
            _match_view(
                tournament,
                drawn,
                match,
                tables,
                is_by_lot=has_lots and is_decided_by_lot(settings, numbers, rounds, place),
            )
            for place, match in enumerate(drawn.matches)
        ),
        tuple(tournament.entrants[number] for number in sorted(drawn.half_points)),
        tournament.version >= SINCE_VERSION and can_be_ruled(tournament, drawn.number),
    )


def _match_view(
    tournament: Tournament,
    drawn: DrawnRound,
    match: Match,
    tables: Sequence[TableView],
    *,
    is_by_lot: bool,
) -> MatchView:
    result = match.result(drawn.results, tournament.format)
    totals = dict.fromkeys(match.teams, Fraction(0))
    for table in match.tables:
        if (at_board := drawn.results[table - 1]) is not None:
            for team, points in at_board.points().items():
                totals[team] += points
    if result is not None:
        totals = result.board_points()
    first = [
        team
        for team, place in zip(match.teams, () if result is None else result.places, strict=False)
        if place == 1
    ]
    return MatchView(
        tuple((_team_name(tournament, team) or "", decimal(totals[team])) for team in match.teams),
        _team_name(tournament, first[0]) if len(first) == 1 and match.tables else None,
        tuple(tables[table - 1] for table in match.tables),
        is_by_lot,
    )


@dataclass(frozen=True, slots=True)
class IndividualRow:
    """The result of a player of a team."""

    place: int
    player: str
    team: str
    number: int
    """That of the team in the draw of lots."""
    points: str
    played: int


def individual_rows(tournament: Tournament) -> list[IndividualRow]:
    """Return the results of the players of teams; those who are equal share the place."""
    rows = tournament.individuals()
    keys = [(row.points, row.played, row.wins) for row in rows]
    return [
        IndividualRow(
            1 + keys.index(key),
            row.player,
            _team_name(tournament, row.team) or "",
            row.team,
            decimal(row.points),
            row.played,
        )
        for row, key in zip(rows, keys, strict=True)
    ]


def _team_name(tournament: Tournament, number: int) -> str | None:
    """Return the name of the team with a number in the draw of lots; None if there are no teams."""
    team = tournament.team_at(number)
    return None if team is None else team.name


def own_game(tournament: Tournament, player: str | None) -> str | None:
    """Return the game of a round in progress that a player still plays; None without one. It is the last
    one, if a player of an arena has left and come back.
    """
    games = (
        drawn.games[table - 1]
        for drawn in reversed(tournament.open_rounds)
        for table in drawn.open_tables
        if player in drawn.players[table - 1]
    )
    return next(games, None)


def group_views(tournament: Tournament) -> list[GroupView]:
    """Return the standings of each group, the first division first."""
    results = counted_results(tournament)
    groups = tournament.standings()
    return [
        _group_view(tournament, group, results, number if len(groups) > 1 else None)
        for number, group in enumerate(groups, 1)
    ]


def _group_view(
    tournament: Tournament, group: Group, results: Sequence[Result], number: int | None
) -> GroupView:
    format = tournament.format.format
    tie_breaks = tournament.tie_breaks
    players = [standing.player for standing in group.standings]
    scores = _scores(results)
    explanations = [
        None if decision is None else sentence(decision, request_language())
        for decision in decisions_in(tournament, group, results)
    ]
    replaced = {each.number: each.replaces for each in tournament.replacements}
    equals = Counter(_decisive_values(tie_breaks, standing) for standing in group.standings)
    byes: dict[Player, Fraction] = {}
    for result in results:
        if len(result.table) == 1:
            for player, points in result.points().items():
                byes[player] = byes.get(player, Fraction(0)) + points
    return GroupView(
        id=f"group-{number or 1}",
        title=None if number is None else message("Division {number}", number=number),
        columns=tuple(TIE_BREAK_NAMES[name] for name in tie_breaks),
        rows=tuple(
            StandingRow(
                place=place,
                number=standing.player + 1,
                player=tournament.entrants[standing.player],
                team=_team_name(tournament, standing.player),
                is_withdrawn=standing.player in tournament.withdrawn,
                is_excluded=tournament.entrants[standing.player] in tournament.excluded,
                replaces=replaced.get(standing.player),
                first_round=tournament.late.get(standing.player),
                is_by_lot=bool(results and tie_breaks)
                and equals[_decisive_values(tie_breaks, standing)] > 1,
                values=tuple(decimal(standing.value(name)) for name in tie_breaks),
                played=standing.played,
                scores=tuple(
                    None if score is None else decimal(score)
                    for other in players
                    for score in [scores.get((standing.player, other))]
                ),
                explanation=explanations[place - 1],
                byes=decimal(total) if (total := byes.get(standing.player)) else "",
            )
            for place, standing in enumerate(group.standings, 1)
        ),
        has_cross_table=format not in ("knockout", "ladder")
        and 2 < len(players) <= MAX_IN_CROSS_TABLE,
    )


def _decisive_values(tie_breaks: Sequence[TieBreak], standing: Standing) -> tuple[Fraction, ...]:
    return tuple(standing.value(name) for name in tie_breaks)


def _scores(results: Sequence[Result]) -> dict[tuple[Player, Player], Fraction]:
    """Return the scores of each player against each other player whom they have met."""
    scores: dict[tuple[Player, Player], Fraction] = {}
    for result in results:
        for player in result.table:
            for other in result.opponents(player):
                key = (player, other)
                scores[key] = scores.get(key, Fraction(0)) + result.score(player, other)
    return scores


def registration_has_closed(tournament: Tournament) -> bool:
    """Return whether the time has come at which registration closes."""
    return tournament.has_closed(wall_clock.format(wall_clock.now()))


def entry_of(
    tournament: Tournament, player: str | None
) -> Literal["player", "late", "substitute"] | None:
    """Return the role in which a player who takes no part can enter the tournament now, if any."""
    if tournament.status == "open":
        is_full = len(tournament.registered) >= tournament.most
        return None if registration_has_closed(tournament) or is_full else "player"
    if can_enter_late(tournament, player):
        return "late"
    if tournament.status == "running" and tournament.numbers_in_play():
        return "substitute"
    return None


def pairing_text(tournament: Tournament) -> Message:
    """Return the text on how the tables of a tournament are paired."""
    if tournament.version == 1 and tournament.format.format in ("swiss", "single_group"):
        return PAIRING_TEXTS["search"]
    if tournament.format.is_arena:
        return ARENA_PAIRING
    return PAIRING_TEXTS[pairing_method(tournament.format)]


def absence_texts(tournament: Tournament) -> list[Text]:
    """Return sentences about what happens to players who are absent."""
    remove_after = tournament.clock.get("on_deadline", {}).get("remove_after")
    texts: list[Text] = [
        message("Nobody loses the seat in a game by missing deadlines.")
        if remove_after is None
        else plural_message(
            "A player who misses one deadline loses the seat.",
            "A player who misses {count} deadlines in a row loses the seat.",
            count=remove_after,
        )
    ]
    if tournament.format.is_arena:
        texts.append(
            message(
                "Whoever loses the seat in this way, or never acts in a game, forfeits it: the player has no"
                " place and no points there, and is seated no more before saying so."
            )
        )
    elif tournament.version > 1:
        texts.append(
            message(
                "A player who never acts in a game forfeits it: the player has no place and no points there."
            )
        )
    return texts


def entry_rule_rows(tournament: Tournament) -> list[tuple[Text, Text]]:
    """Return what a tournament states about teams, byes, late entry and its start, each with a title."""
    rules, rows = tournament.entry_rules, list[tuple[Text, Text]]()
    if boards := tournament.format.boards:
        meeting = plural_message(
            "Teams meet at {count} board.", "Teams meet at {count} boards.", count=boards
        )
        rows.append((message("Teams"), meeting))
        rows.append((message("A match"), SCORING_TEXTS[tournament.format.scoring]))
    if rules.half_point_byes:
        sentence = plural_message(
            "Each player may ask in advance for half a point instead of a table in one round, but not in the"
            " last one.",
            "Each player may ask in advance for half a point instead of a table in {count} rounds, but not in"
            " the last one.",
            count=rules.half_point_byes,
        )
        rows.append((message("Half-point byes"), sentence))
    if rules.late_rounds:
        sentence = plural_message(
            "A player may enter late who has missed one round at most.",
            "A player may enter late who has missed {count} rounds at most.",
            count=rules.late_rounds,
        )
        rows.append((message("Late entry"), sentence))
        cost = (
            message("A missed round counts half a point, as a half-point bye.")
            if rules.late_points != "0"
            else message("A missed round counts nothing.")
        )
        rows.append((message("What it costs"), cost))
    if rules.starts_when_full:
        rows.append(
            (message("Start"), message("The first round is drawn as soon as all places are taken."))
        )
    return rows


def settings_rows(tournament: Tournament) -> list[tuple[Text, Value]]:
    """Return the settings of the format, each with its name."""
    values = tournament.format.to_json()
    return [
        (SETTING_LABELS[name], values[name])
        for name in FIELDS[tournament.format.format]
        if name in values
    ]


def place_text(place: int) -> Text:
    """Return the place of a player at a table in words."""
    if place == NO_PLACE:
        return message("forfeited")
    return message("place {place}", place=place)


def entered_moment(text: str, zone: str) -> str:
    """Return the timestamp of a date and a time in a time zone; the text itself if it is not one."""
    try:
        local = datetime.fromisoformat(text)
    except ValueError:
        return text
    if local.tzinfo is not None:
        return text
    try:
        return wall_clock.format(local.replace(tzinfo=time_zone(zone)))
    except OverflowError:
        # The first or the last day of the calendar may be out of range in UTC.
        return text


def local_moment(at: str, zone: str) -> str:
    """Return a timestamp as a date and a time in a time zone, as the field of a form has it."""
    return wall_clock.parse(at).astimezone(time_zone(zone)).strftime("%Y-%m-%dT%H:%M")


def entered_number(text: str) -> int | str:
    """Return the number that a text is; the text itself if it is none."""
    return int(text) if text.isdecimal() and text.isascii() and len(text) <= 9 else text
