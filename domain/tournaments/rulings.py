"""Rulings on tables: an organiser decides a result, or has a table play again (docs/tournaments.md)."""

from dataclasses import replace
from typing import Any, Final

from domain.errors import NotNow, not_now
from domain.json_fields import is_integer
from domain.json_types import JsonObject
from domain.messages import message
from domain.tournaments import draws
from domain.tournaments.change import Change, Situation
from domain.tournaments.events import TableReplayed, TableRuled, TournamentEvent
from domain.tournaments.format_settings import Format
from domain.tournaments.formats import seasons
from domain.tournaments.standings import Result
from domain.tournaments.texts_and_dates import require_before_last_date, round_in_play
from domain.tournaments.tournament import STATUS_CLAUSES, DrawnRound, Tournament

_FORMATS_WITH_OPEN_RESULTS: Final[frozenset[Format]] = frozenset(
    {"swiss", "single_group", "round_robin", "arena"}
)
"""The formats in which an earlier result decides nothing but the standings and the pairings that follow."""


def game_at(tournament: Tournament, round: object, table: object) -> str | None:
    """Return the game of a table, both counted from 1; None if there is no such table, or for a bye."""
    if not is_integer(round) or not 1 <= round <= len(tournament.rounds):
        return None
    drawn = tournament.rounds[round - 1]
    return drawn.games[table - 1] if is_integer(table) and 1 <= table <= len(drawn.games) else None


def can_be_ruled(tournament: Tournament, number: int) -> bool:
    """Return whether results of a round can still be changed: nobody has advanced because of them."""
    if tournament.status != "running" or not 1 <= number <= len(tournament.rounds):
        return False
    if number == len(tournament.rounds):
        return True
    format = tournament.format.format
    if format == "league":
        numbers = range(len(tournament.entrants))
        return number > seasons(tournament.format, numbers, tournament.as_rounds())[-1].start
    return format in _FORMATS_WITH_OPEN_RESULTS


def is_ranking(places: list[int]) -> bool:
    """Return whether places by seat are those of a ranking: players who share places have the first of them,
    and those who forfeit have none (0).
    """
    return all(
        place == 1 + sum(0 < other < place for other in places) for place in places if place != 0
    )


def _table(it: Situation) -> tuple[DrawnRound, int, str]:
    """Return the round, the number and the game of the table that a ruling is about."""
    tournament = it.tournament
    if tournament.status != "running":
        raise NotNow(None, STATUS_CLAUSES[tournament.status])
    number = it.fields.integer("round", 1, max(1, len(tournament.rounds)))
    most = len(tournament.rounds[number - 1].tables) if tournament.rounds else 1
    table = it.fields.integer("table", 1, max(1, most))
    it.fields.check()
    game = game_at(tournament, number, table)
    if game is None:
        raise not_now("this table has no game")
    return tournament.rounds[number - 1], table, game


def _ground(it: Situation) -> JsonObject:
    """Return the event of the game on which a ruling is based."""
    seq, hash = it.fields.integer("seq", 1, 2**53 - 1), it.fields.raw.get("hash")
    if not isinstance(hash, str):
        it.fields.faults["hash"] = message("must be the hash of the event")
    it.fields.check()
    return {"seq": seq, "hash": hash}


def _decide_ruling(it: Situation) -> JsonObject:
    drawn, table, game = _table(it)
    seats = len(drawn.tables[table - 1])
    places = it.fields.raw.get("places")
    if (
        not isinstance(places, list)
        or len(places) != seats
        or not all(is_integer(place) and 0 <= place <= seats for place in places)
        or not is_ranking(places)
    ):
        it.fields.faults["places"] = message(
            "must be the places by seat: 1 for the first, the same for equal players, 0 for a forfeit"
        )
    ground = _ground(it)
    if not can_be_ruled(it.tournament, drawn.number):
        raise not_now("who has advanced since depends on this result")
    result = drawn.results[table - 1]
    if result is not None and list(result.places) == places:
        raise not_now("nothing would change")
    return {"round": drawn.number, "table": table, "game": game, **ground, "places": places}


def _apply_ruling(tournament: Tournament, event: TournamentEvent, data: Any) -> Tournament:
    drawn, table = tournament.rounds[data["round"] - 1], data["table"]
    results = list(drawn.results)
    results[table - 1] = Result(drawn.tables[table - 1], tuple(data["places"]))
    rulings = {**drawn.rulings, table: event["seq"]}
    arena = tournament.arena
    if arena is not None and drawn.results[table - 1] is None:
        tournament = replace(
            tournament, arena=arena.with_free(drawn.tables[table - 1], event["at"])
        )
    return tournament.with_round(replace(drawn, results=tuple(results), rulings=rulings))


def _decide_replay(it: Situation) -> JsonObject:
    drawn, table, game = _table(it)
    ground = _ground(it)
    if it.tournament.format.is_arena:
        raise not_now("in an arena no table plays again: its players may sit elsewhere by now")
    if drawn is not round_in_play(it.tournament):
        raise not_now("this is not the current round")
    if it.tournament.paused_at is None:
        require_before_last_date(drawn, it.at)
    seated = zip(drawn.tables[table - 1], drawn.players[table - 1], strict=True)
    if any(it.tournament.number_of(player) != number for number, player in seated):
        raise not_now("a player of this table takes part no more")
    id, before = it.tournament.id, it.tournament.hash
    return {
        "round": drawn.number,
        "table": table,
        "game": game,
        **ground,
        "replay": draws.game_id(id, drawn.number, table, before),
    }


def _apply_replay(tournament: Tournament, event: TournamentEvent, data: Any) -> Tournament:
    drawn, table = tournament.rounds[data["round"] - 1], data["table"]
    results, games = list(drawn.results), list(drawn.games)
    results[table - 1], games[table - 1] = None, data["replay"]
    former = (*drawn.former_games.get(table, ()), data["game"])
    return tournament.with_round(
        replace(
            drawn,
            results=tuple(results),
            games=tuple(games),
            former_games={**drawn.former_games, table: former},
            replays={**drawn.replays, table: event["hash"]},
            rulings={other: seq for other, seq in drawn.rulings.items() if other != table},
        )
    )


RULINGS: Final = (
    Change(
        data=TableRuled,
        chosen=("round", "table", "seq", "places"),
        supplied=("hash",),
        decide=_decide_ruling,
        apply=_apply_ruling,
    ),
    Change(
        data=TableReplayed,
        chosen=("round", "table", "seq"),
        supplied=("hash",),
        decide=_decide_replay,
        apply=_apply_replay,
    ),
)
