"""What organisers decide about pairings: who does not meet, the seeding, and the release of rounds."""

from dataclasses import replace
from typing import Any, Final

from domain.errors import Malformed, NotNow, not_now
from domain.json_fields import one_of
from domain.json_types import JsonObject
from domain.messages import message
from domain.tournaments.change import Change, Situation
from domain.tournaments.decisions import PAUSED, tables_by_hand
from domain.tournaments.events import (
    PairingsAllowed,
    PairingsProhibited,
    ReviewChanged,
    RoundReleased,
    Seeding,
    SeedingChanged,
    TournamentEvent,
)
from domain.tournaments.format_settings import FORMATS_WITH_PROHIBITIONS, MAX_PLAYERS
from domain.tournaments.tournament import STATUS_CLAUSES, Release, Tournament

MAX_PROHIBITIONS: Final = 64
"""The most groups of players of whom no two meet."""
SEEDINGS: Final[tuple[Seeding, ...]] = ("lots", "rating", "hand")


def _decide_prohibition(it: Situation) -> JsonObject:
    players = it.fields.players("players", 2, MAX_PLAYERS)
    club = it.fields.raw.get("club")
    it.fields.check()
    if it.tournament.format.format not in FORMATS_WITH_PROHIBITIONS:
        raise not_now("in this format, it is known who meets whom")
    if tuple(sorted(players)) in it.tournament.prohibitions:
        raise not_now("nothing would change")
    if len(it.tournament.prohibitions) >= MAX_PROHIBITIONS:
        raise not_now("at most {count} prohibitions are possible", count=MAX_PROHIBITIONS)
    data: JsonObject = {"players": sorted(players)}
    return data if club is None else {**data, "club": club}


def _apply_prohibition(tournament: Tournament, event: TournamentEvent, data: Any) -> Tournament:
    group = tuple(data["players"])
    return replace(tournament, prohibitions=(*tournament.prohibitions, group))


def _decide_permission(it: Situation) -> JsonObject:
    players = sorted(it.fields.players("players", 2, MAX_PLAYERS))
    it.fields.check()
    if tuple(players) not in it.tournament.prohibitions:
        raise not_now("there is no such prohibition")
    return {"players": players}


def _apply_permission(tournament: Tournament, event: TournamentEvent, data: Any) -> Tournament:
    left = (group for group in tournament.prohibitions if group != tuple(data["players"]))
    return replace(tournament, prohibitions=tuple(left))


def _decide_seeding(it: Situation) -> JsonObject:
    seeding = it.fields.raw.get("seeding")
    if seeding not in SEEDINGS:
        it.fields.faults["seeding"] = one_of(SEEDINGS)
    data: JsonObject = {"seeding": seeding}
    if seeding == "hand":
        data["players"] = it.fields.players("players", 1, MAX_PLAYERS)
    elif "players" in it.fields.raw:
        it.fields.faults["players"] = message("are ordered by hand only")
    it.fields.check()
    if it.tournament.status != "open":
        raise NotNow(None, STATUS_CLAUSES[it.tournament.status])
    if it.tournament.format.is_arena:
        raise not_now("an arena has no starting order")
    return data


def _apply_seeding(tournament: Tournament, event: TournamentEvent, data: Any) -> Tournament:
    seeds = tuple(data.get("players", ()))
    return replace(tournament, seeding=data["seeding"], seeds=seeds)


def _decide_review(it: Situation) -> JsonObject:
    review = it.fields.raw.get("review")
    if not isinstance(review, bool):
        raise Malformed({"review": message("must be true or false")})
    if it.tournament.format.is_arena:
        raise not_now("in an arena, nobody waits for an organiser")
    if review == it.tournament.review:
        raise not_now("nothing would change")
    return {"review": review}


def _apply_review(tournament: Tournament, event: TournamentEvent, data: Any) -> Tournament:
    return replace(tournament, review=data["review"])


def _decide_release(it: Situation) -> JsonObject:
    tournament = it.tournament
    number = len(tournament.rounds) + 1
    if not tournament.waits_for_draw or not (tournament.review or tournament.has_no_pairing):
        raise not_now("no round waits for its release")
    if tournament.paused_at is not None:
        raise NotNow(None, PAUSED)
    if it.fields.raw.get("round", number) != number:
        raise not_now("this is not the next round")
    data: JsonObject = {"round": number}
    if (tables := it.fields.raw.get("tables")) is not None:
        if not isinstance(tables, list) or not all(
            isinstance(table, list) and all(isinstance(player, str) for player in table)
            for table in tables
        ):
            raise Malformed({"tables": message("must be lists of players")})
        tables_by_hand(tournament, tables)
        data["tables"] = tables
    elif tournament.has_no_pairing:
        raise not_now("no pairing was found: pair the players by hand, or allow pairings")
    return data


def _apply_release(tournament: Tournament, event: TournamentEvent, data: Any) -> Tournament:
    tables = data.get("tables")
    by_hand = None if tables is None else tuple(map(tuple, tables))
    return replace(tournament, released=Release(data["round"], by_hand))


PAIRING_CHANGES: Final = (
    Change(
        data=PairingsProhibited,
        chosen=("players", "club"),
        handles=("players",),
        decide=_decide_prohibition,
        apply=_apply_prohibition,
    ),
    Change(
        data=PairingsAllowed,
        chosen=("players",),
        handles=("players",),
        decide=_decide_permission,
        apply=_apply_permission,
    ),
    Change(
        data=SeedingChanged,
        chosen=("seeding", "players"),
        handles=("players",),
        decide=_decide_seeding,
        apply=_apply_seeding,
    ),
    Change(data=ReviewChanged, chosen=("review",), decide=_decide_review, apply=_apply_review),
    Change(
        data=RoundReleased,
        chosen=("round", "tables"),
        handles=("tables",),
        decide=_decide_release,
        apply=_apply_release,
    ),
)
