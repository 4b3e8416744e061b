"""Challenges between clubs: a public club asks another one to a match of teams, which accepts or declines.

    cartulary:{club:ID}:challenges   hash: `from` or `to`, a space and the id of a challenge -> JSON of a
                                     `Challenge`, which the club has received (`from`) or sent (`to`);
                                     `accepted` and the id -> the player who has accepted it, a space, and
                                     whether both want the match to be public (`1`)

What a club has received counts; what it has sent is a copy, which is ignored without the former. A challenge
ends when it is accepted, declined or withdrawn, when a club is closed, and when registration for the match
would close. `service/tournaments/club_matches.py` makes the match.
"""

import secrets
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

import orjson
import redis
from redis.client import Pipeline

from domain.errors import Malformed, NotNow
from domain.json_types import JsonObject, Timestamp
from domain.messages import message
from service import wall_clock
from service.bounded_collections import store_if_fewer
from service.clubs.clubs import Clubs
from service.clubs.model import ClubWithPeople
from service.clubs.permissions import require_member
from service.clubs.store import challenges_key
from service.connection import to_text, unavailable_on_error
from service.errors import Forbidden, NotFound
from service.stored_objects import decode_object, members_of

MAX_SENT: Final = 10
"""The most challenges of a club that wait for an answer."""
MAX_RECEIVED: Final = 20
"""The most challenges that wait for the answer of a club, of each other club one."""
_Direction: TypeAlias = Literal["from", "to"]


@dataclass(frozen=True, slots=True)
class Challenge:
    """A challenge of a club to another one, by their ids. `by` is the player who has sent it.

    `match` has the fields of `CreateTournament` that the challenge decides about.
    """

    id: str
    challenger: str
    challenged: str
    by: str
    at: Timestamp
    closes: Timestamp
    match: JsonObject
    is_public: bool
    """Whether the challenger wants everybody to see the match."""
    later_members: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Acceptance:
    """Who has accepted a challenge, and whether both clubs want everybody to see the match."""

    player: str
    is_public: bool


class ClubChallenges:
    """The challenges of all clubs. Thread-safe.

    Methods raise NotFound if there is no such club or challenge, or the player may not see the club;
    Forbidden if the player is no member, or may not answer; Unavailable if Redis does not respond.
    """

    def __init__(self, client: redis.Redis, clubs: Clubs) -> None:
        self._redis = client
        self._clubs = clubs

    def waiting(self, club_id: str, player: str) -> list[Challenge]:
        """Return the challenges that a club has sent and received and that wait, the newest first, for one of
        its members.
        """
        require_member(self._clubs.visible(club_id, player), player)
        stored = self._stored(club_id)
        received = _current(stored, "from")
        sent = _current(stored, "to")
        others = {each.challenger for each in received} | {each.challenged for each in sent}
        by_club = {id: self._stored(id) for id in others if self._clubs.exists(id)}
        shown = [each for each in received if each.challenger in by_club]
        shown += [
            each for each in sent if _name("from", each.id) in by_club.get(each.challenged, {})
        ]
        return sorted(shown, key=lambda each: (each.at, each.id), reverse=True)

    def names(self, club_ids: Collection[str]) -> dict[str, str]:
        """Return the names of clubs by their ids; an empty one for a club that was closed."""
        return {id: self._clubs.visible_name(id, None) or "" for id in club_ids}

    def with_name(self, name: str) -> str | None:
        """Return the id of the public club that is called like this; None if there is none."""
        return self._clubs.with_name(name)

    def send(
        self, club_id: str, player: str, other_id: str, match: JsonObject, *, is_public: bool
    ) -> Challenge:
        """Challenge another club to a match, as the owner or an officer who may edit; return the challenge.

        The match is not checked. Raises Malformed (`club`), NotNow (too many wait, or one of these clubs).
        """
        if self._clubs.with_right(club_id, player, "edit").club.is_private:
            raise NotNow(None, message("only public clubs challenge each other"))
        self.require_other(club_id, other_id)
        now = wall_clock.format(wall_clock.now())
        id = secrets.token_hex(8)
        challenge = Challenge(id, club_id, other_id, player, now, match["closes"], match, is_public)
        if not self._store(club_id, "to", challenge, MAX_SENT):
            raise NotNow(None, message("the club has sent as many challenges as are allowed"))
        if not self._store(other_id, "from", challenge, MAX_RECEIVED):
            self._forget(club_id, "to", id)
            raise NotNow(
                None,
                message("a challenge to this club waits already, or as many wait as are allowed"),
            )
        for each in (club_id, other_id):
            if not self._clubs.exists(each):
                # It was closed in the meantime.
                with unavailable_on_error():
                    self._redis.delete(challenges_key(each))
        return challenge

    def received(self, club_id: str, player: str, challenge_id: str) -> Challenge:
        """Return a challenge that a club has received, for its owner or an officer who may edit."""
        self._clubs.with_right(club_id, player, "edit")
        for challenge in self.waiting(club_id, player):
            if challenge.id == challenge_id:
                if challenge.challenged != club_id:
                    raise Forbidden.with_message("the other club answers a challenge")
                return challenge
        raise _not_found(challenge_id)

    def accept(self, challenge: Challenge, player: str, *, is_public: bool) -> Acceptance:
        """Note who accepts a challenge. If somebody else has done so a moment before, it is theirs."""
        both = is_public and challenge.is_public
        name = f"accepted {challenge.id}"
        key = challenges_key(challenge.challenged)
        with unavailable_on_error():
            self._redis.hsetnx(key, name, f"{player} {'1' if both else ''}")
            stored = self._redis.hget(key, name)
        first, _, public = to_text(stored or b"").partition(" ")
        return Acceptance(first, public == "1")

    def reopen(self, challenge: Challenge) -> None:
        """Forget who has accepted a challenge, because no match can follow."""
        with unavailable_on_error():
            self._redis.hdel(challenges_key(challenge.challenged), f"accepted {challenge.id}")

    def end(self, challenge: Challenge) -> None:
        """Delete a challenge, and who has accepted it. Idempotent."""
        with unavailable_on_error():
            self._redis.hdel(
                challenges_key(challenge.challenged),
                _name("from", challenge.id),
                f"accepted {challenge.id}",
            )
        self._forget(challenge.challenger, "to", challenge.id)

    def refuse(self, club_id: str, player: str, challenge_id: str) -> Challenge:
        """Withdraw a challenge of a club, or decline one that it has received; return it.

        Raises NotNow if it has just been accepted.
        """
        self._clubs.with_right(club_id, player, "edit")
        for challenge in self.waiting(club_id, player):
            if challenge.id == challenge_id:
                self._end_unless_accepted(challenge)
                return challenge
        raise _not_found(challenge_id)

    def _end_unless_accepted(self, challenge: Challenge) -> None:
        key = challenges_key(challenge.challenged)
        is_accepted = False

        def delete(pipeline: Pipeline) -> None:
            nonlocal is_accepted
            is_accepted = bool(pipeline.hexists(key, f"accepted {challenge.id}"))
            pipeline.multi()
            if not is_accepted:
                pipeline.hdel(key, _name("from", challenge.id))

        with unavailable_on_error():
            self._redis.transaction(delete, key)
        if is_accepted:
            raise NotNow(None, message("the challenge has been accepted"))
        self._forget(challenge.challenger, "to", challenge.id)

    def require_other(self, club_id: str, other_id: str) -> ClubWithPeople:
        """Return the club that is challenged. Raises Malformed unless it is another public one."""
        fault = Malformed({"club": message("must be the id of another public club")})
        try:
            other = self._clubs.visible(other_id, None)
        except NotFound:
            raise fault from None
        if other_id == club_id:
            raise fault
        return other

    def _store(self, club_id: str, direction: _Direction, challenge: Challenge, most: int) -> bool:
        """Store a challenge with a club that has room for it, and none of the same club from another one."""
        key, ended = challenges_key(club_id), list[str]()

        def count(pipeline: Pipeline) -> int:
            found = pipeline.hgetall(key)
            stored = {to_text(name): to_text(value) for name, value in found.items()}
            current = _current(stored, direction)
            ids = {each.id for each in current}
            ended[:] = [
                name
                for name in stored
                if name.startswith(f"{direction} ") and name.partition(" ")[2] not in ids
            ]
            same = [each for each in current if each.challenger == challenge.challenger]
            return most if direction == "from" and same else len(current)

        def store(pipeline: Pipeline) -> None:
            if ended:
                pipeline.hdel(key, *ended)
            pipeline.hset(key, _name(direction, challenge.id), orjson.dumps(members_of(challenge)))

        return store_if_fewer(self._redis, key, most, count, store)

    def _forget(self, club_id: str, direction: _Direction, challenge_id: str) -> None:
        with unavailable_on_error():
            self._redis.hdel(challenges_key(club_id), _name(direction, challenge_id))

    def _stored(self, club_id: str) -> Mapping[str, str]:
        with unavailable_on_error():
            stored = self._redis.hgetall(challenges_key(club_id))
        return {to_text(name): to_text(value) for name, value in stored.items()}


def _name(direction: _Direction, challenge_id: str) -> str:
    return f"{direction} {challenge_id}"


def _current(stored: Mapping[str, str], direction: _Direction) -> list[Challenge]:
    """Return the stored challenges of a direction for whose match registration would still be open."""
    now = wall_clock.format(wall_clock.now())
    challenges = (
        decode_object(Challenge, value)
        for name, value in stored.items()
        if name.startswith(f"{direction} ")
    )
    return [each for each in challenges if each.closes > now]


def _not_found(challenge_id: str) -> NotFound:
    return NotFound.with_message(
        "the club has no challenge {challenge}", challenge=challenge_id[:64]
    )
