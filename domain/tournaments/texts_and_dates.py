"""Changes of texts and dates, and pauses (docs/tournaments.md, What organisers change)."""

from dataclasses import replace
from typing import Any, Final

from domain.errors import Malformed, NotNow, not_now
from domain.json_types import JsonObject
from domain.messages import message
from domain.tournaments.change import Change, Situation
from domain.tournaments.decisions import PAUSED, ROUND_SECONDS, TEXT_LENGTHS, can_begin, text_faults
from domain.tournaments.events import (
    ClosingDateChanged,
    RoundExtended,
    TextsChanged,
    TournamentEvent,
    TournamentPaused,
    TournamentResumed,
)
from domain.tournaments.tournament import STATUS_CLAUSES, DrawnRound, Tournament

LONGEST_SECONDS: Final = ROUND_SECONDS[1]
"""The longest time from a change to the date that it sets."""


def _decide_texts(it: Situation) -> JsonObject:
    given = {name: it.fields.raw[name] for name in TEXT_LENGTHS if name in it.fields.raw}
    it.fields.faults.update(text_faults(given))
    it.fields.check()
    changed = {name: text for name, text in given.items() if text != getattr(it.tournament, name)}
    if not changed:
        raise not_now("nothing would change")
    return changed


def _apply_texts(tournament: Tournament, event: TournamentEvent, data: Any) -> Tournament:
    return replace(tournament, **{name: data[name] for name in TEXT_LENGTHS if name in data})


def _decide_closing(it: Situation) -> JsonObject:
    tournament = it.tournament
    closes = (
        it.at if it.fields.raw.get("closes") is None else it.fields.timestamp("closes", it.dates)
    )
    it.fields.check()
    if tournament.status != "open":
        raise NotNow(None, STATUS_CLAUSES[tournament.status])
    _require_not_paused(tournament)
    if tournament.has_closed(it.at):
        raise not_now("registration has closed")
    if closes == tournament.closes:
        raise not_now("nothing would change")
    _require_date(it, "closes", closes)
    if closes < tournament.closes and not can_begin(tournament):
        raise not_now("too few players have registered to begin earlier")
    return {"closes": closes}


def _apply_closing(tournament: Tournament, event: TournamentEvent, data: Any) -> Tournament:
    return replace(tournament, closes=data["closes"])


def _decide_extension(it: Situation) -> JsonObject:
    ends = it.fields.timestamp("ends", it.dates)
    it.fields.check()
    _require_no_fixed_end(it.tournament)
    drawn = round_in_play(it.tournament)
    _require_not_paused(it.tournament)
    require_before_last_date(drawn, it.at)
    if it.fields.raw.get("round", drawn.number) != drawn.number:
        raise not_now("this is not the current round")
    if ends <= drawn.ends:
        raise Malformed({"ends": message("must be later than the last date so far")})
    _require_date(it, "ends", ends)
    return {"round": drawn.number, "ends": ends}


def _apply_extension(tournament: Tournament, event: TournamentEvent, data: Any) -> Tournament:
    drawn = tournament.rounds[data["round"] - 1]
    return tournament.with_round(replace(drawn, ends=data["ends"]))


def _decide_pause(it: Situation) -> JsonObject:
    tournament = it.tournament
    _require_not_paused(tournament)
    if tournament.status == "open":
        if tournament.has_closed(it.at):
            raise not_now("registration has closed")
        return {}
    _require_no_fixed_end(tournament)
    if (drawn := tournament.current_round) is not None and not drawn.is_closed:
        require_before_last_date(drawn, it.at)
    return {}


def _apply_pause(tournament: Tournament, event: TournamentEvent, data: Any) -> Tournament:
    return replace(tournament, paused_at=event["at"])


def _decide_resumption(it: Situation) -> JsonObject:
    tournament, since = it.tournament, it.tournament.paused_at
    if since is None:
        raise not_now("the tournament is not paused")
    if tournament.status == "open":
        return {"closes": it.dates.moved(tournament.closes, since, it.at)}
    drawn = tournament.current_round
    if drawn is None or drawn.is_closed:
        return {}
    return {"ends": it.dates.moved(drawn.ends, since, it.at)}


def _apply_resumption(tournament: Tournament, event: TournamentEvent, data: Any) -> Tournament:
    after = replace(tournament, paused_at=None, closes=data.get("closes", tournament.closes))
    drawn = tournament.current_round
    if "ends" not in data or drawn is None:
        return after
    return after.with_round(replace(drawn, ends=data["ends"]))


def round_in_play(tournament: Tournament) -> DrawnRound:
    """Return the round that is in progress. Raises NotNow if there is none."""
    drawn = tournament.current_round
    if tournament.status != "running":
        raise NotNow(None, STATUS_CLAUSES[tournament.status])
    if drawn is None or drawn.is_closed:
        raise not_now("no round is in progress")
    return drawn


def require_before_last_date(drawn: DrawnRound, at: str) -> None:
    """Raise NotNow if the last date of a round has come."""
    if at >= drawn.ends:
        raise not_now("the last date of the round has come")


def _require_no_fixed_end(tournament: Tournament) -> None:
    if tournament.format.is_arena:
        raise not_now("the end of an arena is fixed")


def _require_not_paused(tournament: Tournament) -> None:
    if tournament.paused_at is not None:
        raise NotNow(None, PAUSED)


def _require_date(it: Situation, name: str, date: str) -> None:
    """Raise Malformed unless a date is in the future and near enough."""
    if date < it.at:
        raise Malformed({name: message("must be in the future")})
    if date > it.dates.plus(it.at, LONGEST_SECONDS):
        days = LONGEST_SECONDS // (24 * 3600)
        raise Malformed({name: message("must be at most {days} days from now", days=days)})


TEXTS_AND_DATES: Final = (
    Change(data=TextsChanged, chosen=tuple(TEXT_LENGTHS), decide=_decide_texts, apply=_apply_texts),
    Change(
        data=ClosingDateChanged, chosen=("closes",), decide=_decide_closing, apply=_apply_closing
    ),
    Change(
        data=RoundExtended,
        chosen=("round", "ends"),
        decide=_decide_extension,
        apply=_apply_extension,
    ),
    Change(data=TournamentPaused, decide=_decide_pause, apply=_apply_pause),
    Change(data=TournamentResumed, decide=_decide_resumption, apply=_apply_resumption),
)
