"""The kinds of changes by organisers, by the type of their events, and the decision on each."""

from collections.abc import Mapping
from typing import Any, Final

from domain.errors import Malformed, NotNow, not_now
from domain.json_types import JsonObject
from domain.messages import message
from domain.tournaments.announcements import ANNOUNCEMENTS
from domain.tournaments.change import MAX_REASON, Change, ChangeFields, Dates, Situation
from domain.tournaments.events import Decided
from domain.tournaments.organisers import ORGANISER_CHANGES
from domain.tournaments.pairing_changes import PAIRING_CHANGES
from domain.tournaments.rulings import RULINGS
from domain.tournaments.texts_and_dates import TEXTS_AND_DATES
from domain.tournaments.tournament import STATUS_CLAUSES, Tournament

CHANGES: Final[Mapping[str, Change]] = {
    change.type: change
    for change in (*TEXTS_AND_DATES, *RULINGS, *PAIRING_CHANGES, *ORGANISER_CHANGES, *ANNOUNCEMENTS)
}
"""By event type."""
MAX_CHANGES: Final = 500
"""The most changes by organisers in one tournament."""
SINCE_VERSION: Final = 3
"""The first version of tournaments in which organisers change anything."""


def can_change(tournament: Tournament, player: str) -> bool:
    """Return whether a player may make changes: only those whom the log names as organisers may."""
    return player in tournament.organisers


def decide_change(
    tournament: Tournament, type: str, raw: JsonObject, reason: object, at: str, dates: Dates
) -> Decided:
    """The event of a change. `raw` has the fields that the organiser chooses and the server adds.

    Raises Malformed (type, reason, fields), NotNow (over, earlier version, too many changes, not possible).
    """
    change = CHANGES.get(type)
    if change is None:
        raise Malformed({"type": message("is not a change of a tournament")})
    faults: Any = {
        name: message("is not a field of this change") for name in raw if name not in change.given
    }
    if not change.has_reason:
        if reason:
            faults["reason"] = message("is not a field of this change")
    elif not isinstance(reason, str) or not reason.strip():
        faults["reason"] = message("is needed: everybody reads it")
    elif len(reason) > MAX_REASON:
        faults["reason"] = message("must be a text of at most {most} characters", most=MAX_REASON)
    if faults:
        raise Malformed(faults)
    if tournament.is_over:
        raise NotNow(None, STATUS_CLAUSES[tournament.status])
    if tournament.version < SINCE_VERSION:
        raise not_now("this tournament began before organisers could make changes")
    if len(tournament.changes) >= MAX_CHANGES:
        raise not_now("at most {count} changes are possible", count=MAX_CHANGES)
    decided = change.decide(Situation(tournament, ChangeFields(raw), at, dates))
    data: Any = {**decided, "reason": reason} if change.has_reason else decided
    return Decided(type, data)
