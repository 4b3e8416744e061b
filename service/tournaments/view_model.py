"""View models of tournaments: texts for formats and standings, tables with results, cross tables."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Final, Literal

from domain.json_types import JsonObject
from domain.messages import Message, Text, Value, message, message_in, plural_message
from domain.option_fields import OptionField
from domain.registry import RegisteredRuleSystem, rule_system_for
from domain.tournaments.changes import SINCE_VERSION
from domain.tournaments.decisions import can_enter_late
from domain.tournaments.events import PairingMethod
from domain.tournaments.format_settings import BOUNDS, FIELDS, FORMATS_WITH_FREE_PAIRING, Format
from domain.tournaments.formats import Group, is_decided_by_lot, pairing_method, round_title
from domain.tournaments.pairing import Player
from domain.tournaments.rulings import can_be_ruled
from domain.tournaments.standings import NO_PLACE, Result, Standing, TieBreak
from domain.tournaments.tournament import DrawnRound, Tournament, TournamentStatus
from ledger.clock.time_zones import time_zone
from service import wall_clock
from service.http.language import request_language
from service.pages.view_models.new_game_form import (
    CLUB_OPTION,
    entered_handles,
    option_fields,
    request_body,
)
from service.tournaments.explanations import (
    TIE_BREAK_NAMES,
    counted_results,
    decimal_in,
    decisions_in,
    sentence,
)

DAY: Final = 24 * 3600
USUAL_DAYS: Final = 28
MOST_DAYS: Final = 366
USUAL_MOST: Final = 32
MAX_IN_CROSS_TABLE: Final = 16
"""The most players of a group with a cross table; a larger table would be unreadable."""
_DECIDED_BY_TOURNAMENTS: Final = frozenset({"name", "seating", "private", "tutorial"})
"""Options of games that a tournament does not offer."""

FORMAT_NAMES: Final[Mapping[Format, Message]] = {
    "single_group": message("Single group"),
    "round_robin": message("Round robin"),
    "swiss": message("Swiss system"),
    "knockout": message("Knockout"),
    "league": message("League"),
    "ladder": message("Ladder"),
}
FORMAT_DESCRIPTIONS: Final[Mapping[Format, Message]] = {
    "single_group": message("Everybody plays in every round, with others each time."),
    "round_robin": message("Everybody meets everybody."),
    "swiss": message("Everybody plays in every round, against players with similar results."),
    "knockout": message("The best of each table go on, until one table is left."),
    "league": message("Divisions and seasons: the best go up, the last go down."),
    "ladder": message("Neighbours meet, and winners climb."),
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
}
STATUS_NAMES: Final[Mapping[TournamentStatus, Message]] = {
    "open": message("Registration is open"),
    "running": message("In progress"),
    "finished": message_in("tournament", "Finished"),
    "cancelled": message("Cancelled"),
}
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


@dataclass(frozen=True, slots=True)
class TableView:
    """A table of a round; `game` is None for a bye."""

    number: int
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
class RoundView:
    """A round with its tables."""

    title: Message
    drawn: DrawnRound
    tables: tuple[TableView, ...]
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


def winner_of(tournament: Tournament) -> str | None:
    """Return the player who has won a tournament, in a league its first division; None before its end."""
    groups = tournament.standings() if tournament.status == "finished" else []
    return tournament.entrants[groups[0].standings[0].player] if groups else None


def title_of_round(tournament: Tournament, number: int) -> Message:
    """Return the title of a round, counted from 1."""
    rounds = [drawn.as_round() for drawn in tournament.rounds]
    return round_title(tournament.format, range(len(tournament.entrants)), rounds, number)


def round_view(tournament: Tournament, drawn: DrawnRound) -> RoundView:
    """Return a round for its page."""
    settings = tournament.format
    rounds = [each.as_round() for each in tournament.rounds[: drawn.number]]
    tables = tuple(
        TableView(
            number,
            tuple(
                Seat(player, None if result is None else result.places[seat])
                for seat, player in enumerate(players)
            ),
            game,
            result is not None,
            is_decided_by_lot(settings, range(len(tournament.entrants)), rounds, number - 1),
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
        tuple(tournament.entrants[number] for number in sorted(drawn.half_points)),
        tournament.version >= SINCE_VERSION and can_be_ruled(tournament, drawn.number),
    )


def own_game(tournament: Tournament, player: str | None) -> str | None:
    """Return the game of the current round that a player still plays; None without one."""
    drawn = tournament.current_round
    if drawn is None or player is None:
        return None
    games = (
        drawn.games[table - 1] for table in drawn.open_tables if player in drawn.players[table - 1]
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


def entry_of(
    tournament: Tournament, player: str | None
) -> Literal["player", "late", "substitute"] | None:
    """Return the role in which a player who takes no part can enter the tournament now, if any."""
    if tournament.status == "open":
        has_closed = tournament.has_closed(wall_clock.format(wall_clock.now()))
        is_full = len(tournament.registered) >= tournament.most
        return None if has_closed or is_full else "player"
    if can_enter_late(tournament, player):
        return "late"
    if tournament.status == "running" and tournament.numbers_in_play():
        return "substitute"
    return None


def pairing_text(tournament: Tournament) -> Message:
    """Return the text on how the tables of a tournament are paired."""
    if tournament.version == 1 and tournament.format.format in ("swiss", "single_group"):
        return PAIRING_TEXTS["search"]
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
    if tournament.version > 1:
        texts.append(
            message(
                "A player who never acts in a game forfeits it: the player has no place and no points there."
            )
        )
    return texts


def entry_rule_rows(tournament: Tournament) -> list[tuple[Text, Text]]:
    """Return what a tournament states about byes, late entry and its start, each with a title."""
    rules, rows = tournament.entry_rules, list[tuple[Text, Text]]()
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


def setting_fields(format: Format) -> list[tuple[str, Message, int, int, int]]:
    """Return the fields of the form for the settings of a format: name, label, bounds and default."""
    usual = {"rounds": 5, "divisions": 2, "seasons": 2}
    return [
        (name, SETTING_LABELS[name], *BOUNDS[name], usual.get(name, BOUNDS[name][0]))
        for name in FIELDS[format]
    ]


def game_option_fields(entry: RegisteredRuleSystem) -> list[OptionField]:
    """Return the options of the games of a tournament, which its form offers."""
    return [
        field for field in option_fields(entry.system) if field.name not in _DECIDED_BY_TOURNAMENTS
    ]


def tournament_body(
    entry: RegisteredRuleSystem, format: Format, values: Mapping[str, str], zone: str
) -> JsonObject:
    """Return the body of `POST /tournaments` of the API that corresponds to the values of the form.

    Entries that are not numbers or dates are left as they are, so that the checks of the API refuse them.
    """
    game = request_body(entry, values)
    offered = {*entry.options, *(field.name for field in game_option_fields(entry))}
    options = {
        name: value
        for name, value in game["options"].items()
        if name in offered and value not in (None, False)
    }
    if club := values.get(CLUB_OPTION, ""):
        options["club"] = club
    if game["clock"] is not None and values.get("clock-remove_after") == "":
        # An empty field is a choice; without the field, the API would use its default for tournaments.
        game["clock"].setdefault("on_deadline", {})["remove_after"] = None
    # An empty field for accelerated rounds means none.
    settings = {
        name: entered_number(values.get(name) or ("0" if name == "accelerated" else ""))
        for name in FIELDS[format]
    }
    days = entered_number(values.get("days", ""))
    entry_rules: JsonObject = {"starts_when_full": bool(values.get("starts_when_full"))}
    if format in FORMATS_WITH_FREE_PAIRING:
        for name in ("half_point_byes", "late_rounds"):
            entry_rules[name] = entered_number(values.get(name) or "0")
        entry_rules["late_points"] = "1/2" if values.get("late_points") else "0"
    return {
        "name": values.get("name", "").strip(),
        "description": values.get("description", "").strip(),
        "contact": values.get("contact", "").strip(),
        "format": {"format": format, **settings},
        "rules": entry.rules,
        "options": options,
        "clock": game["clock"],
        "private": bool(values.get("private")),
        "least": entered_number(values.get("least", "")),
        "most": entered_number(values.get("most", "")),
        "closes": entered_moment(values.get("closes", ""), zone),
        "round_seconds": days * DAY if isinstance(days, int) else days,
        "invite": entered_handles(values.get("invite", "")),
        **entry_rules,
    }


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


def tournament_faults(faults: Mapping[str, Text]) -> dict[str, Text]:
    """Return the faults of a body by the names of the form's fields."""
    renamed = {"round_seconds": "days", "rules": "format"}
    by_field: dict[str, Text] = {}
    for path, fault in faults.items():
        name, _, rest = path.partition(".")
        match name:
            case "format" if rest:
                by_field.setdefault(rest, fault)
            case "options":
                by_field.setdefault(f"option-{rest}", fault)
            case "clock":
                by_field.setdefault("clock", fault)
            case _:
                by_field.setdefault(renamed.get(name, name), fault)
    return by_field
