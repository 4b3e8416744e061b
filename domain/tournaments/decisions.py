"""The decisions in a tournament. Each function returns the event that follows, or raises Refused.

Nothing is applied here: `domain.tournaments.tournament` does that with what was recorded.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, Final

from domain import chance
from domain.errors import Malformed, NotNow, not_now
from domain.event import Clock, Event
from domain.game import Game
from domain.json_fields import is_integer
from domain.lifecycle import check_options
from domain.messages import Text, comma_list, message
from domain.options import MAX_NAME_CHARACTERS, REQUIREMENTS, name_fault
from domain.tournaments import draws
from domain.tournaments.arena_decisions import can_enter_arena, enter_arena
from domain.tournaments.entry_rules import (
    ENTRY_RULES,
    EntryRules,
    entrant_faults,
    entry_rule_faults,
)
from domain.tournaments.events import (
    CancelReason,
    Decided,
    EntrantInvited,
    EntrantReplaced,
    GamesSecretPublished,
    LateEntrantRegistered,
    PairingFailed,
    PlayerRegistered,
    PlayerWithdrawn,
    RegistrationClosed,
    ResultRecorded,
    RoundClosed,
    RoundDrawn,
    SubstituteRegistered,
    TournamentCancelled,
    TournamentCreated,
    TournamentFinished,
)
from domain.tournaments.format_settings import (
    FORMATS_WITH_FREE_PAIRING,
    MAX_IN_ARENA,
    MAX_PLAYERS,
    FormatSettings,
)
from domain.tournaments.formats import pairing_method
from domain.tournaments.pairing import MIN_TABLE, NoPairing, Table, pair, table_sizes
from domain.tournaments.places import places_in, removed_seats, seats_without_play, without_places
from domain.tournaments.tournament import (
    STATUS_CLAUSES,
    Tournament,
    individuals_as_json,
    standings_as_json,
)

MAX_DESCRIPTION: Final = 2000
MAX_CONTACT: Final = 200
TEXT_LENGTHS: Final[Mapping[str, int]] = {
    "name": MAX_NAME_CHARACTERS,
    "description": MAX_DESCRIPTION,
    "contact": MAX_CONTACT,
}
"""The most characters of each text of a tournament, which organisers can change."""
MAX_INVITED: Final = 512
ABSENT_AFTER: Final = 2
"""After how many missed turns in a row a player is removed from a game, unless the tournament says."""
MAX_SUBSTITUTES: Final = MAX_PLAYERS
"""The most players that can wait for a place."""
ROUND_SECONDS: Final = (60, 366 * 24 * 3600)
"""The least and the greatest time from the draw of a round to its last date."""
_OF_THE_GAMES: Final = ("private", "seating", "name", "rematch_of", "tournament", "tutorial")
"""Options of games that a tournament does not have: it decides about them itself."""


PAUSED: Final = message("the tournament is paused")
_NO_INVITATIONS: Final = message("the members of a club take part without an invitation")


def create(
    *,
    name: object,
    description: object,
    format: object,
    rules: object,
    options: Mapping[str, object],
    clock: Clock,
    private: bool,
    least: object,
    most: object,
    closes: str,
    round_seconds: object,
    invited: Sequence[str],
    secret: bytes,
    games_secret: bytes,
    contact: object = "",
    **entry_rules: object,
) -> Decided:
    """`TournamentCreated`. Raises Malformed, which names every wrong field; the clock is not checked.

    `entry_rules` are fields of EntryRules, with its defaults.
    It says what happens to players who are absent: if the clock does not, a player is removed from a game
    after ABSENT_AFTER missed turns in a row.
    """
    errors: dict[str, Text] = {}
    errors |= text_faults({"name": name, "description": description, "contact": contact})
    settings = None
    try:
        settings = FormatSettings.from_json(format)
    except Malformed as error:
        errors |= {
            f"format.{path}" if path else "format": why for path, why in error.fields.items()
        }
    errors |= {
        name: message("is not a field of a tournament")
        for name in entry_rules
        if name not in ENTRY_RULES
    }
    errors |= entry_rule_faults(entry_rules, settings)
    if settings is not None and settings.boards:
        errors |= {
            name: message("is not possible in a tournament of teams")
            for name in ("half_point_byes", "late_rounds")
            if entry_rules.get(name, 0) and name not in errors
        }
    is_arena = settings is not None and settings.is_arena
    most_entrants = MAX_IN_ARENA if is_arena else MAX_PLAYERS
    errors |= entrant_faults(least, most, entry_rules, most_entrants)
    first, last = ROUND_SECONDS
    if not is_integer(round_seconds) or not first <= round_seconds <= last:
        errors["round_seconds"] = message(
            "must be a whole number from {least} to {most}", least=first, most=last
        )
    if len(invited) > MAX_INVITED:
        errors["invited"] = message("must name at most {count} players", count=MAX_INVITED)
    if (clubs := entry_rules.get("clubs")) and options.get("club") is not None:
        errors["options.club"] = message("is not an option of a match of clubs")
    if invited and (clubs or options.get("club") is not None):
        errors["invite"] = _NO_INVITATIONS
    errors |= {
        f"options.{option}": message("is not an option of a tournament")
        for option in _OF_THE_GAMES
        if option in options
    }
    if "format" not in errors and settings is not None:
        for seats in range(MIN_TABLE, settings.table_size + 1):
            try:
                check_options(rules, seats, {**options, "private": private})
            except Malformed as error:
                errors = {**error.fields, **errors}
        for limit, count in (("least", least), ("most", most)):
            if limit in errors or not is_integer(count):
                continue
            try:
                settings.check_players(count)
            except Malformed as error:
                errors[limit] = next(iter(error.fields.values()))
    if errors:
        raise Malformed(errors)
    assert settings is not None, "there is a format without an error"
    data: Any = {
        "name": name,
        "description": description,
        "format": settings.to_json(),
        "rules": rules,
        "options": dict(options),
        "clock": {
            **clock,
            "on_deadline": {"remove_after": ABSENT_AFTER, **clock.get("on_deadline", {})},
        },
        "private": private,
        "least": least,
        "most": most,
        "closes": closes,
        "round_seconds": round_seconds,
        "commitment": chance.commitment(secret),
        "games_commitment": chance.commitment(games_secret),
    }
    if contact:
        data["contact"] = contact
    data |= EntryRules.of(entry_rules).to_json()
    if invited:
        data["invited"] = list(dict.fromkeys(invited))
    created: TournamentCreated = data
    return Decided("TournamentCreated", created)


def text_faults(texts: Mapping[str, object]) -> dict[str, Text]:
    """Return the faults of the texts of a tournament, by field."""
    faults: dict[str, Text] = {}
    for name, value in texts.items():
        if name == "name":
            if (fault := name_fault(value)) is not None:
                faults[name] = fault
        elif not isinstance(value, str) or len(value) > TEXT_LENGTHS[name]:
            faults[name] = message(
                "must be a text of at most {most} characters", most=TEXT_LENGTHS[name]
            )
    return faults


def register(tournament: Tournament, player: str, nonce: bytes, at: str) -> Decided:
    """`PlayerRegistered` at a time; once the tournament is in progress, `LateEntrantRegistered` if players
    may still enter late, or `SubstituteRegistered`.

    Raises NotNow (full, over, registration has closed, no further rounds, registered already, excluded,
    replaced by somebody else, not invited to a private tournament), Malformed (nonce).
    Whether a player is a member of the club of a tournament is decided elsewhere.
    """
    chance.check_nonce(nonce)
    require_can_enter(tournament, player, is_known=player in tournament.invited)
    if tournament.format.boards:
        raise not_now("teams take part: a captain enters one, and its players join it")
    if tournament.status == "running" and tournament.format.is_arena:
        return enter_arena(tournament, player, nonce, at)
    if tournament.status == "running":
        if can_enter_late(tournament, player):
            late: LateEntrantRegistered = {
                "player": player,
                "nonce": nonce.hex(),
                "entrant": len(tournament.entrants),
            }
            return Decided("LateEntrantRegistered", late)
        number = tournament.places.get(player)
        if number is not None and number not in tournament.withdrawn:
            raise not_now("somebody else has the place of this player by now")
        if tournament.version > 1 and not tournament.numbers_in_play():
            raise not_now("no further round will be drawn")
        if len(tournament.volunteers) >= MAX_SUBSTITUTES:
            raise not_now("{count} substitutes wait already", count=MAX_SUBSTITUTES)
        volunteer: SubstituteRegistered = {"player": player, "nonce": nonce.hex()}
        return Decided("SubstituteRegistered", volunteer)
    if tournament.has_closed(at):
        raise not_now("registration has closed")
    if len(tournament.registered) >= tournament.most:
        raise not_now("all {count} places are taken", count=tournament.most)
    data: PlayerRegistered = {"player": player, "nonce": nonce.hex()}
    return Decided("PlayerRegistered", data)


def require_can_enter(tournament: Tournament, player: str, *, is_known: bool) -> None:
    """Raise NotNow unless a player may take part. A private tournament is for its creator, and for those who
    are known: invited, or named for a team.
    """
    _require_not_over(tournament)
    if tournament.takes_part(player):
        raise not_now("this player takes part already")
    if player in tournament.excluded:
        raise not_now("this player was excluded from the tournament")
    is_known = is_known or player == tournament.creator
    is_of_clubs = tournament.club is not None or bool(tournament.clubs)
    if tournament.private and not is_of_clubs and not is_known:
        raise not_now("the tournament is private, and this player is not invited")


def can_enter_late(tournament: Tournament, player: str | None) -> bool:
    """Return whether a player would enter a tournament in progress with a place of their own.

    Players who have had a place get that one back, and no other.
    """
    if tournament.format.is_arena:
        return can_enter_arena(tournament, player)
    return (
        tournament.status == "running"
        and player not in tournament.places
        and len(tournament.rounds) <= tournament.entry_rules.late_rounds
        and bool(tournament.entry_rules.late_rounds)
        and len(tournament.entrants) < MAX_PLAYERS
        and len(tournament.entrants) - len(tournament.withdrawn) < tournament.most
    )


def _require_not_over(tournament: Tournament) -> None:
    if tournament.is_over:
        raise NotNow(None, STATUS_CLAUSES[tournament.status])


def _require_not_paused(tournament: Tournament) -> None:
    if tournament.paused_at is not None:
        raise NotNow(None, PAUSED)


def invite(tournament: Tournament, player: str) -> Decided:
    """`EntrantInvited`. Raises NotNow (not private, of a club, over, invited before, too many)."""
    _require_not_over(tournament)
    if tournament.club is not None or tournament.clubs:
        raise NotNow(None, _NO_INVITATIONS)
    if not tournament.private:
        raise not_now("players are invited to private tournaments only")
    if player in tournament.invited:
        raise not_now("this player is invited already")
    if len(tournament.invited) >= MAX_INVITED:
        raise not_now("at most {count} players can be invited", count=MAX_INVITED)
    data: EntrantInvited = {"player": player}
    return Decided("EntrantInvited", data)


def withdraw(tournament: Tournament, player: str) -> Decided:
    """`PlayerWithdrawn`. Raises NotNow (over, or the player does not take part)."""
    _require_not_over(tournament)
    if not tournament.takes_part(player):
        raise not_now("this player does not take part")
    data: PlayerWithdrawn = {"player": player}
    return Decided("PlayerWithdrawn", data)


def replace_entrant(tournament: Tournament, number: int, substitute: str) -> Decided:
    """`EntrantReplaced`. Raises NotNow unless the tournament is in progress, the substitute waits and has had
    no other place, and the entrant may have a table in a round that follows.
    """
    if tournament.status != "running":
        raise NotNow(None, STATUS_CLAUSES[tournament.status])
    if substitute not in tournament.volunteers:
        raise not_now("this player has not registered as a substitute")
    if tournament.places.get(substitute, number) != number:
        raise not_now("this player has had another place in the tournament")
    if number not in tournament.numbers_in_play():
        raise not_now("there are no further rounds for this place")
    data: EntrantReplaced = {"entrant": number, "player": substitute}
    return Decided("EntrantReplaced", data)


def waiting_substitutions(tournament: Tournament) -> Iterator[Decided]:
    """Yield the `EntrantReplaced` before a round: substitutes, in order, for entrants without a player who
    would have a table in it. Players who have had a place get none but that one, so that nobody exchanges
    their own points for better ones. Yields nothing if no round follows.
    """
    if tournament.rounds and not tournament.rounds[-1].is_closed:
        return
    in_play = tournament.numbers_in_play()
    former: dict[int, str] = {}
    for player in tournament.volunteers:
        if player in tournament.places:
            former.setdefault(tournament.places[player], player)
    others = (player for player in tournament.volunteers if player not in tournament.places)
    pairs: list[tuple[int, str]] = []
    for number in sorted(tournament.withdrawn & in_play):
        substitute = former.get(number) or next(others, None)
        if substitute is not None:
            pairs.append((number, substitute))
    present = len(in_play - tournament.withdrawn) + len(pairs)
    if present < MIN_TABLE and tournament.format.format != "knockout":
        return
    for number, substitute in pairs:
        data: EntrantReplaced = {"entrant": number, "player": substitute}
        yield Decided("EntrantReplaced", data)


def close_registration(
    tournament: Tournament,
    secret: bytes,
    ratings: Mapping[str, int] | None = None,
    ends: str | None = None,
) -> Decided:
    """`RegistrationClosed` with the draw of lots; `TournamentCancelled` if too few players have registered.

    `ratings` are needed where the players are seeded by them; the lots order those with the same. An arena
    needs the time when it `ends`. Raises
    NotNow if the tournament is not open, or paused.
    """
    if tournament.status != "open":
        raise NotNow(None, STATUS_CLAUSES[tournament.status])
    _require_not_paused(tournament)
    if not can_begin(tournament):
        return _cancelled("too_few_players")
    nonces = (bytes.fromhex(nonce) for _, nonce in tournament.registrations)
    draw = draws.TournamentDraw(draws.draw_seed(secret, nonces))
    data: RegistrationClosed = {
        "secret": secret.hex(),
        "players": draw.shuffle(tournament.ready, "lots"),
    }
    if tournament.seeding == "rating":
        seeds = {player: (ratings or {}).get(player, 0) for player in tournament.ready}
        data["players"].sort(key=lambda player: -seeds[player])
        data["ratings"] = seeds
    elif tournament.seeding == "hand":
        first = [player for player in tournament.seeds if player in tournament.ready]
        data["players"] = [*first, *(each for each in data["players"] if each not in first)]
    if tournament.format.is_arena:
        data["ends"] = ends or ""
    return Decided("RegistrationClosed", data)


def can_begin(tournament: Tournament) -> bool:
    """Return whether enough players, or complete teams, have registered, for the format too."""
    count = len(tournament.ready)
    if count < tournament.least:
        return False
    try:
        tournament.format.check_players(count)
    except Malformed:
        return False
    return True


def draw_round(tournament: Tournament, ends: str) -> Decided:
    """`RoundDrawn`, `TournamentFinished` if there is no further round, or `PairingFailed`.

    All rounds must be closed and the tournament not paused, else NotNow is raised. `ends` is the last date of
    the round.
    """
    if tournament.status != "running" or not all(drawn.is_closed for drawn in tournament.rounds):
        raise not_now("the round has not ended")
    _require_not_paused(tournament)
    number = len(tournament.rounds) + 1
    failed: PairingFailed = {"round": number}
    by_hand: Sequence[Table] | None = None
    try:
        if needs_release(tournament):
            raise not_now("the round waits for its release by the organiser")
        if tournament.released is not None and tournament.released.tables is not None:
            by_hand = tables_by_hand(tournament, tournament.released.tables)
        tables = tournament.next_tables() if by_hand is None else tuple(by_hand)
    except (NoPairing, Malformed):
        # Players may have withdrawn since the organiser has paired them.
        return Decided("PairingFailed", failed)
    if tables is None:
        finished: TournamentFinished = {"standings": standings_as_json(tournament)}
        if tournament.format.boards:
            finished["individuals"] = individuals_as_json(tournament)
        return Decided("TournamentFinished", finished)
    of_teams: Any = {}
    if tournament.format.boards:
        matches, tables, players = tournament.boards_of(tables)
        of_teams = {
            "matches": [
                {"teams": list(match.teams), "tables": list(match.tables)} for match in matches
            ],
            "players": list(map(list, players)),
        }
    data: RoundDrawn = {
        "round": number,
        "tables": [list(table) for table in tables],
        "games": [
            _game_id(tournament, number, place, table) for place, table in enumerate(tables, 1)
        ],
        "absent": sorted(tournament.withdrawn),
        "ends": ends,
    }
    data |= of_teams
    if half_points := tournament.next_half_points():
        data["half_points"] = sorted(half_points)
    if tournament.version > 1:
        method = pairing_method(tournament.format)
        data["pairing"] = method if by_hand is None else "organiser"
    return Decided("RoundDrawn", data)


def needs_release(tournament: Tournament) -> bool:
    """Return whether the next round waits for an organiser. The end does not."""
    number = len(tournament.rounds) + 1
    is_released = tournament.released is not None and tournament.released.round == number
    return tournament.review and not is_released and bool(tournament.numbers_in_play())


def tables_by_hand(tournament: Tournament, tables: Sequence[Sequence[str]]) -> list[Table]:
    """Return the tables of the next round that an organiser has paired, from the players at each.

    Raises Malformed unless everybody who plays in it sits at one of them, the tables have the sizes that they
    would have by a draw, and nobody meets whom they are prohibited to meet.
    """
    if tournament.format.format not in FORMATS_WITH_FREE_PAIRING:
        raise Malformed({"tables": message("are not free in this format")})
    numbers = [[tournament.number_of(player) for player in table] for table in tables]
    seated = [number for table in numbers for number in table if number is not None]
    resting = tournament.withdrawn | tournament.next_half_points()
    present = sorted(tournament.numbers_in_play() - resting)
    if sorted(seated) != present or sum(map(len, numbers)) != len(seated):
        raise Malformed({"tables": message("must have each player of the round once")})
    paired = [tuple(number for number in table if number is not None) for table in numbers]
    sizes = sorted(table_sizes(len(present), tournament.format.table_size))
    if sorted(map(len, paired)) != sizes:
        raise Malformed(
            {"tables": message("must have these sizes: {sizes}", sizes=comma_list(reversed(sizes)))}
        )
    prohibited = tournament.prohibited_pairs()
    if any(pair(*two) in prohibited for table in paired for two in combinations(table, 2)):
        raise Malformed({"tables": message("must not have a prohibited pair")})
    return paired


def _game_id(tournament: Tournament, round: int, place: int, table: Table) -> str | None:
    if len(table) == 1:
        return None
    return draws.game_id(tournament.id, round, place, tournament.hash)


def record_result(
    tournament: Tournament, round: int, table: int, game: Game, events: Sequence[Event], middle: str
) -> Decided:
    """The result of a table of a round in progress, from the game after its last event by the last date.

    `ResultRecorded` if the game is finished, `TableSettled` if not: then the order is that of the scores, and
    seats that are out come last. Players who have let the whole game pass forfeit it (`seats_without_play`),
    in an arena also those who have lost their seats by missing deadlines.
    `events` are those of the game so far, and `middle` is the time in the middle of the round. Raises NotNow
    if the table has a result.
    """
    drawn = tournament.open_round(round)
    if drawn is None or table not in drawn.open_tables:
        raise not_now("the table has a result already")
    places = places_in(game)
    if tournament.version > 1:
        absent = seats_without_play(game, events, middle)
        if tournament.format.is_arena:
            absent |= removed_seats(events)
        places = without_places(places, absent)
    data: ResultRecorded = {
        "round": drawn.number,
        "table": table,
        "game": game.id,
        "seq": game.seq,
        "hash": game.hash,
        "places": list(places),
    }
    return Decided("ResultRecorded" if game.status == "finished" else "TableSettled", data)


def close_round(tournament: Tournament) -> Decided:
    """`RoundClosed`. Raises NotNow in a pause, and while a table has no result."""
    drawn = tournament.current_round
    if drawn is None or drawn.is_closed or drawn.open_tables:
        raise not_now("the round has not ended")
    _require_not_paused(tournament)
    data: RoundClosed = {"round": drawn.number}
    return Decided("RoundClosed", data)


def cancel(tournament: Tournament) -> Decided:
    """`TournamentCancelled`, by the organiser. Raises NotNow if it is over."""
    _require_not_over(tournament)
    return _cancelled("organiser")


def publish_games_secret(tournament: Tournament, games_secret: bytes) -> Decided:
    """`GamesSecretPublished`, once all games have ended. Raises NotNow before the end, or if it is done."""
    if not tournament.is_over or tournament.games_secret is not None:
        raise NotNow(None, STATUS_CLAUSES[tournament.status])
    data: GamesSecretPublished = {"secret": games_secret.hex()}
    return Decided("GamesSecretPublished", data)


def _cancelled(reason: CancelReason) -> Decided:
    data: TournamentCancelled = {"reason": reason}
    return Decided("TournamentCancelled", data)


def game_options(tournament: Tournament, round: int, table: int) -> dict[str, Any]:
    """Return the options of the game at a table, which name its tournament, round and table (from 1)."""
    drawn = tournament.rounds[round - 1]
    options = {
        name: value for name, value in tournament.options.items() if name not in REQUIREMENTS
    }
    return {
        **options,
        "seating": "joined",
        "private": tournament.private,
        "name": drawn.title[:MAX_NAME_CHARACTERS],
        "tournament": {
            "id": tournament.id,
            "round": round,
            "table": table,
            "drawn": drawn.replays.get(table, drawn.hash),
        },
    }
