"""Polls for dates in a club: members vote among dates for a meeting, and an officer fixes one of them.

    cartulary:{club:ID}:polls       hash: id of a poll -> JSON of a `Poll`; the id, a space and the id of a
                                    member -> the numbers of the dates for which the member votes, from 0 and
                                    with spaces between them
    cartulary:poll-votes:PLAYER     set: the ids of the clubs in which the player has voted

Only members see polls and votes, and only the votes of current members count. A poll ends when a date is
fixed, when it is withdrawn, and when all its dates are over.
"""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import orjson
import redis
from redis.client import Pipeline

from domain.errors import Malformed, NotNow
from domain.json_types import Timestamp
from domain.messages import message
from service import wall_clock
from service.bounded_collections import store_if_fewer
from service.clubs.agenda import ClubAgenda, Meeting, meeting_faults
from service.clubs.clubs import Clubs
from service.clubs.model import ClubWithPeople
from service.clubs.permissions import require_member
from service.clubs.store import polls_key
from service.clubs.texts import raise_faults
from service.connection import read_members, to_text, unavailable_on_error
from service.errors import NotFound
from service.stored_objects import decode_object, members_of

MAX_POLLS: Final = 10
"""The most polls of a club at the same time."""
MIN_DATES: Final = 2
MAX_DATES: Final = 8
_CLUBS_OF: Final = "cartulary:poll-votes:"


@dataclass(frozen=True, slots=True)
class Poll:
    """A poll: what the meeting is about, and the dates at which it may begin, in order."""

    id: str
    title: str
    dates: Sequence[Timestamp]
    details: str = ""
    later_members: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class CountedPoll:
    """A poll with the ids of the members who vote for each date."""

    poll: Poll
    votes: tuple[tuple[str, ...], ...]


class ClubPolls:
    """The polls of all clubs. Thread-safe.

    Methods raise NotFound if there is no such club or poll, or the player may not see the club; Forbidden if
    the player is no member, or may not edit the agenda; Unavailable if Redis does not respond.
    """

    def __init__(self, client: redis.Redis, clubs: Clubs, agenda: ClubAgenda) -> None:
        self._redis = client
        self._clubs = clubs
        self._agenda = agenda

    def polls(self, club_id: str, player: str) -> list[CountedPoll]:
        """Return the polls of a club, as one of its members, that with the first date first."""
        entry = self._clubs.visible(club_id, player)
        require_member(entry, player)
        with unavailable_on_error():
            stored = self._redis.hgetall(polls_key(club_id))
        return _counted({to_text(name): to_text(value) for name, value in stored.items()}, entry)

    def open(
        self, club_id: str, player: str, title: str, dates: Sequence[str], details: str = ""
    ) -> CountedPoll:
        """Open a poll, as the owner or an officer who may edit, and return it.

        Raises Malformed, and NotNow (as many polls as are allowed).
        """
        self._clubs.with_right(club_id, player, "edit")
        chosen = sorted(set(dates))
        faults = {
            "dates" if name == "at" else name: fault
            for at in chosen
            for name, fault in meeting_faults(title, at, details).items()
            if fault is not None
        }
        if not MIN_DATES <= len(chosen) <= MAX_DATES:
            faults["dates"] = message(
                "must be {least} to {most} different dates", least=MIN_DATES, most=MAX_DATES
            )
        raise_faults(faults)
        poll, key = Poll(secrets.token_hex(8), title, chosen, details), polls_key(club_id)
        ended: list[str] = []

        def count(pipeline: Pipeline) -> int:
            stored = pipeline.hgetall(key)
            fields = {to_text(name): to_text(value) for name, value in stored.items()}
            open_ids = {each.poll.id for each in _counted(fields)}
            ended[:] = [name for name in fields if name.split(" ")[0] not in open_ids]
            return len(open_ids)

        def store(pipeline: Pipeline) -> None:
            if ended:
                pipeline.hdel(key, *ended)
            pipeline.hset(key, poll.id, orjson.dumps(members_of(poll)))

        if not store_if_fewer(self._redis, key, MAX_POLLS, count, store):
            raise NotNow(None, message("the club has as many polls as are allowed"))
        self._delete_if_closed(club_id)
        return CountedPoll(poll, ((),) * len(chosen))

    def vote(self, club_id: str, player: str, poll_id: str, dates: Sequence[str]) -> CountedPoll:
        """Vote for these dates of a poll, and for no others, as a member. Raises Malformed (`dates`)."""
        poll = self._require(club_id, player, poll_id).poll
        if not set(dates) <= set(poll.dates):
            raise Malformed({"dates": message("must be dates of the poll")})
        numbers = " ".join(str(n) for n, date in enumerate(poll.dates) if date in dates)
        key, name = polls_key(club_id), f"{poll_id} {player}"
        with unavailable_on_error():
            # The club is added before the vote exists, so that an erasure finds every vote.
            self._redis.sadd(_CLUBS_OF + player, club_id)
            if numbers:
                self._redis.hset(key, name, numbers)
            else:
                self._redis.hdel(key, name)
        self._delete_if_closed(club_id)
        return self._require(club_id, player, poll_id)

    def fix(self, club_id: str, player: str, poll_id: str, date: str) -> Meeting:
        """Enter the meeting at one of the dates, as the owner or an officer who may edit, and end the poll.

        The meeting has the id of the poll, so that two officers enter one. Raises Malformed (`date`), and
        NotNow (as many meetings as are allowed).
        """
        self._clubs.with_right(club_id, player, "edit")
        poll = self._require(club_id, player, poll_id).poll
        if date not in poll.dates:
            raise Malformed({"date": message("must be a date of the poll")})
        if date <= wall_clock.format(wall_clock.now()):
            raise Malformed({"date": message("must be in the future")})
        meeting = self._agenda.enter(
            club_id, player, poll.title, date, poll.details, new_id=poll_id
        )
        self._delete(club_id, poll_id)
        return meeting

    def withdraw(self, club_id: str, player: str, poll_id: str) -> None:
        """Delete a poll with its votes, as the owner or an officer who may edit."""
        self._clubs.with_right(club_id, player, "edit")
        self._require(club_id, player, poll_id)
        self._delete(club_id, poll_id)

    def erase_all_of(self, player: str) -> None:
        """Erase every vote of a player. Idempotent."""
        for club_id in read_members(self._redis, _CLUBS_OF + player):
            key = polls_key(club_id)
            with unavailable_on_error():
                names = [to_text(name) for name in self._redis.hkeys(key)]
                if votes := [name for name in names if name.endswith(f" {player}")]:
                    self._redis.hdel(key, *votes)
        with unavailable_on_error():
            self._redis.delete(_CLUBS_OF + player)

    def _require(self, club_id: str, player: str, poll_id: str) -> CountedPoll:
        for counted in self.polls(club_id, player):
            if counted.poll.id == poll_id:
                return counted
        raise NotFound.with_message("the club has no poll {poll}", poll=poll_id[:64])

    def _delete(self, club_id: str, poll_id: str) -> None:
        key = polls_key(club_id)
        with unavailable_on_error():
            names = [to_text(name) for name in self._redis.hkeys(key)]
            self._redis.hdel(
                key, poll_id, *(name for name in names if name.startswith(f"{poll_id} "))
            )

    def _delete_if_closed(self, club_id: str) -> None:
        """Delete what was stored for a club that was closed in the meantime."""
        if not self._clubs.exists(club_id):
            with unavailable_on_error():
                self._redis.delete(polls_key(club_id))


def _counted(stored: Mapping[str, str], entry: ClubWithPeople | None = None) -> list[CountedPoll]:
    """Return the stored polls that have a date in the future, with the votes of the members of a club."""
    now = wall_clock.format(wall_clock.now())
    members = [] if entry is None else entry.with_relation("member")
    counted = []
    for name, value in stored.items():
        if " " in name:
            continue
        poll = decode_object(Poll, value)
        if poll.dates[-1] <= now:
            continue
        chosen = {member: stored.get(f"{name} {member}", "").split() for member in members}
        votes = tuple(
            tuple(member for member in members if str(number) in chosen[member])
            for number in range(len(poll.dates))
        )
        counted.append(CountedPoll(poll, votes))
    return sorted(counted, key=lambda each: (each.poll.dates[0], each.poll.id))
