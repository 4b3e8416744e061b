"""What organisers say to all players, or to those of one table (docs/tournaments.md, Announcements)."""

from dataclasses import replace
from typing import Any, Final

from domain.errors import not_now
from domain.json_types import JsonObject
from domain.messages import message
from domain.tournaments.change import Change, Situation
from domain.tournaments.events import AnnouncementMade, TournamentEvent
from domain.tournaments.tournament import Announcement, Tournament

MAX_ANNOUNCEMENT: Final = 1000
"""The most characters of an announcement."""
MAX_PER_DAY: Final = 6
"""The most announcements in one tournament within a day: each one notifies players."""
_DAY: Final = 24 * 3600


def _decide_announcement(it: Situation) -> JsonObject:
    raw, tournament = it.fields.raw, it.tournament
    text = raw.get("text")
    if not isinstance(text, str) or not 0 < len(text.strip()) <= MAX_ANNOUNCEMENT:
        it.fields.faults["text"] = message(
            "must be a text of at most {most} characters", most=MAX_ANNOUNCEMENT
        )
    data: JsonObject = {"text": text}
    if "round" in raw or "table" in raw:
        if not tournament.rounds:
            raise not_now("no round is drawn yet")
        number = it.fields.integer("round", 1, len(tournament.rounds))
        most = len(tournament.rounds[number - 1].tables)
        data |= {"round": number, "table": it.fields.integer("table", 1, max(1, most))}
    it.fields.check()
    recent = (each for each in tournament.announcements if it.dates.plus(each.at, _DAY) > it.at)
    if sum(1 for _ in recent) >= MAX_PER_DAY:
        raise not_now("at most {count} announcements are possible in a day", count=MAX_PER_DAY)
    return data


def _apply_announcement(tournament: Tournament, event: TournamentEvent, data: Any) -> Tournament:
    made = Announcement(
        event["seq"],
        event["at"],
        str(event["by"].get("player", "")),
        data["text"],
        data.get("round"),
        data.get("table"),
    )
    return replace(tournament, announcements=(*tournament.announcements, made))


ANNOUNCEMENTS: Final = (
    Change(
        data=AnnouncementMade,
        chosen=("text", "round", "table"),
        has_reason=False,
        decide=_decide_announcement,
        apply=_apply_announcement,
    ),
)
