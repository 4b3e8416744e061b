"""The agenda of a club: the meetings that its owner and officers enter, beside its games and tournaments.

    cartulary:{club:ID}:meetings   hash: id of a meeting -> JSON of a `Meeting`

Everybody who sees the club sees its meetings. One that began long ago is deleted when another is entered.
"""

import secrets
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final

import orjson
import redis
from redis.client import Pipeline

from domain.errors import NotNow
from domain.json_types import Timestamp
from domain.messages import Text, message
from ledger.envelope import is_timestamp
from service import wall_clock
from service.bounded_collections import store_if_fewer
from service.clubs.clubs import Clubs
from service.clubs.store import meetings_key
from service.clubs.texts import raise_faults, text_fault
from service.connection import read_field, unavailable_on_error
from service.errors import NotFound
from service.stored_objects import decode_object, members_of

MAX_TITLE_CHARACTERS: Final = 80
MAX_DETAILS_CHARACTERS: Final = 1_000
FURTHEST: Final = timedelta(days=366)
"""The longest time from now at which a meeting can be entered."""
KEPT: Final = timedelta(days=30)
"""The time for which a meeting is kept after its beginning."""
_UNDER_WAY: Final = timedelta(hours=6)
"""The time for which a meeting stays on the agenda after its beginning."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """A meeting of a club: when it begins, its title, and what else there is to know."""

    id: str
    at: Timestamp
    title: str
    details: str = ""
    later_members: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)


class ClubAgenda:
    """The agendas of all clubs. Thread-safe.

    Methods raise NotFound if there is no such club or meeting, or the player may not see the club; Forbidden
    if the player may not edit it; Unavailable if Redis does not respond.
    """

    def __init__(self, client: redis.Redis, clubs: Clubs, most: int) -> None:
        """Keep at most `most` meetings in a club, those included that are over and still kept."""
        self._redis = client
        self._clubs = clubs
        self._most = most

    def meetings(self, club_id: str, viewer: str | None) -> list[Meeting]:
        """Return the meetings of a club that are not over, the next one first."""
        self._clubs.visible(club_id, viewer)
        since = wall_clock.format(wall_clock.now() - _UNDER_WAY)
        return [meeting for meeting in self._all(club_id) if meeting.at >= since]

    def enter(
        self,
        club_id: str,
        player: str,
        title: str,
        at: str,
        details: str = "",
        meeting_id: str | None = None,
        new_id: str | None = None,
    ) -> Meeting:
        """Enter a meeting, which may get `new_id`, or change one, and return it.

        Raises Malformed, and NotNow (as many meetings as are allowed).
        """
        self._clubs.with_right(club_id, player, "edit")
        if meeting_id is not None:
            self._require(club_id, meeting_id)
        raise_faults(meeting_faults(title, at, details))
        meeting = Meeting(meeting_id or new_id or secrets.token_hex(8), at, title, details)
        kept_since = wall_clock.format(wall_clock.now() - KEPT)
        former = [each.id for each in self._all(club_id) if each.at < kept_since]
        key = meetings_key(club_id)

        def count(pipeline: Pipeline) -> int:
            ids = {*pipeline.hkeys(key)} - {id.encode() for id in (*former, meeting.id)}
            return len(ids)

        def store(pipeline: Pipeline) -> None:
            if former:
                pipeline.hdel(key, *former)
            pipeline.hset(key, meeting.id, orjson.dumps(members_of(meeting)))

        if not store_if_fewer(self._redis, key, self._most, count, store):
            raise NotNow(None, message("the club has as many meetings as are allowed"))
        if not self._clubs.exists(club_id):
            # It was closed in the meantime.
            with unavailable_on_error():
                self._redis.delete(key)
        return meeting

    def cancel(self, club_id: str, player: str, meeting_id: str) -> None:
        """Delete a meeting."""
        self._clubs.with_right(club_id, player, "edit")
        self._require(club_id, meeting_id)
        with unavailable_on_error():
            self._redis.hdel(meetings_key(club_id), meeting_id)

    def _require(self, club_id: str, meeting_id: str) -> None:
        if read_field(self._redis, meetings_key(club_id), meeting_id) is None:
            raise NotFound.with_message(
                "the club has no meeting {meeting}", meeting=meeting_id[:64]
            )

    def _all(self, club_id: str) -> list[Meeting]:
        with unavailable_on_error():
            values: Any = self._redis.hvals(meetings_key(club_id))
        meetings = [decode_object(Meeting, value) for value in values]
        return sorted(meetings, key=lambda meeting: (meeting.at, meeting.id))


def meeting_faults(title: str, at: str, details: str) -> dict[str, Text | None]:
    """Return what is wrong with the fields of a new meeting; None for a field that is right."""
    faults: dict[str, Text | None] = {
        "title": text_fault(title, MAX_TITLE_CHARACTERS) if title else message("must not be empty"),
        "details": text_fault(details, MAX_DETAILS_CHARACTERS),
    }
    if "\n" in title:
        faults["title"] = message("must be one line")
    if not is_timestamp(at):
        faults["at"] = message("must be a time such as 2026-12-31T18:00:00.000Z")
    elif wall_clock.parse(at) <= wall_clock.now():
        faults["at"] = message("must be in the future")
    elif wall_clock.parse(at) > wall_clock.now() + FURTHEST:
        faults["at"] = message("must be at most {days} days from now", days=FURTHEST.days)
    return faults
