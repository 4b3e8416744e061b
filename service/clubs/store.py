"""Clubs in Redis.

    cartulary:{club:ID}           hash: name, about, owner, created, members (their number) and, where there
                                  is one, private (`1`), question and link (until when it is valid, a space,
                                  and the secret part of its token); by `person:PLAYER`, with spaces between
                                  them, the relation of a player to the club, since when and, if there is any,
                                  the rights of an officer, with commas, who has invited the player, or their
                                  answer to the question
    cartulary:{club:ID}:wall      its wall; see service/clubs/wall.py
    cartulary:{club:ID}:meetings  its meetings; see service/clubs/agenda.py
    cartulary:{club:ID}:polls     its polls for dates; see service/clubs/polls.py
    cartulary:{club:ID}:challenges   its challenges; see service/clubs/challenges.py
    cartulary:clubs-of:PLAYER     set: ids of the clubs to which a player has a relation
    cartulary:{clubs:N}           sorted set: the public clubs by name, in shards; a member is `NAME~ID`
    cartulary:club-name:SKELETON  id of the public club whose name has this skeleton
    cartulary:reserved-KIND-of:PLAYER   the clubs or invitations of a player that are being stored; see
                                  service/bounded_collections.py

The hash is authoritative. A player's set is extended before the hash and shortened after it, so it may name a
club to which the player has no relation, which is then removed; the same applies to the list of public clubs.
If a process takes a name and dies before it stores the club, the name becomes free again.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from typing import Any, Final, TypeAlias

import redis
from redis.client import Pipeline
from redis.typing import EncodableT, FieldT

from domain.errors import Malformed
from domain.messages import message
from service.bounded_collections import reserved_entry
from service.clubs.model import RIGHTS, Club, ClubWithPeople, Person, Relation
from service.clubs.names import skeletons_of_name, sorting_key
from service.connection import read_field, read_members, text_or_none, to_text, unavailable_on_error
from service.errors import ClubNameTaken, NotFound
from service.store.shards import Shards

_PERSON: Final = "person:"
_HEAD: Final = ("name", "about", "owner", "created", "members", "private", "link", "question")
_RESERVED_KINDS: Final[Mapping[Relation, str]] = {
    "invited": "invitations",
    "member": "clubs",
    "requesting": "requests",
}
_SECONDS_TO_TAKE: Final = 60
_BATCH_SIZE: Final = 500
_SHARDS: Final = Shards("clubs")


Change: TypeAlias = Callable[[ClubWithPeople], ClubWithPeople | None]
"""Returns a club after a change; None deletes it. It is called again if the club changes in the meantime."""


class ClubStore:
    """Reads and writes clubs. Thread-safe. Methods raise Unavailable if Redis does not respond."""

    def __init__(self, client: redis.Redis) -> None:
        self._redis = client

    def reserve(
        self, relation: Relation, player: str, club_id: str, maximum: int, count: Callable[[], int]
    ) -> AbstractContextManager[bool]:
        """Reserve a relation of a player to a club while it is stored; see `reserved_entry`."""
        key = _reserved_key(_RESERVED_KINDS[relation], player)
        return reserved_entry(self._redis, key, maximum, count, club_id)

    def _is_reserved(self, player: str, club_id: str) -> bool:
        """Return whether a relation of a player to a club is being stored."""
        with unavailable_on_error():
            return any(
                self._redis.zscore(_reserved_key(kind, player), club_id) is not None
                for kind in _RESERVED_KINDS.values()
            )

    def relation(self, club_id: str, player: str) -> Relation | None:
        """Return the relation of a player to a club; None without one, and if there is no such club."""
        return _relation(read_field(self._redis, club_key(club_id), person_field(player)))

    def get_each(
        self, club_ids: Sequence[str], player: str | None = None
    ) -> list[tuple[Club, Person | None] | None]:
        """Return clubs with the relation of a player to them, in order; None for one that does not exist."""
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            for id in club_ids:
                pipeline.hmget(club_key(id), [*_HEAD, person_field(player or "")])
            rows = pipeline.execute()
        clubs: list[tuple[Club, Person | None] | None] = []
        for id, row in zip(club_ids, rows, strict=True):
            *head, person = map(text_or_none, row)
            club = _club(id, dict(zip(_HEAD, head, strict=True)))
            relation = None if player is None or person is None else _person(person)
            clubs.append(None if club is None else (club, relation))
        return clubs

    def load(self, club_id: str) -> ClubWithPeople:
        """Return a club with its people. Raises NotFound."""
        with unavailable_on_error():
            return _decode(club_id, self._redis.hgetall(club_key(club_id)))

    def add(self, club: Club, people: Mapping[str, Person]) -> None:
        """Store a new club. Raises ClubNameTaken."""
        if not club.is_private:
            self._take_name(club)
        with unavailable_on_error():
            for player in people:
                self._redis.sadd(_clubs_of_key(player), club.id)
            if not club.is_private:
                self._list(club)
            self._redis.hset(club_key(club.id), mapping=_encode(ClubWithPeople(club, people)))
        self._keep_name(club)

    def change(self, club_id: str, change: Change, joining: str | None = None) -> ClubWithPeople:
        """Change a club atomically, and return the result. `joining` is a player whom the change may add.

        Raises NotFound, and the errors of `change`. A change of the name must be done by `rename`.
        """
        key = club_key(club_id)
        before = after = ClubWithPeople(Club("", "", "", "", ""))
        is_deleted = False

        def store(pipeline: Pipeline) -> None:
            nonlocal before, after, is_deleted
            before = _decode(club_id, pipeline.hgetall(key))
            changed = change(before)
            is_deleted = changed is None
            after = ClubWithPeople(before.club) if changed is None else _with_count(changed)
            old, new = _encode(before), {} if changed is None else _encode(after)
            pipeline.multi()
            if changed is None:
                belongings = (wall_key, meetings_key, polls_key, challenges_key)
                pipeline.delete(key, *(key_of(club_id) for key_of in belongings))
                return
            if removed := [name for name in old if name not in new]:
                pipeline.hdel(key, *removed)
            if written := {name: value for name, value in new.items() if old.get(name) != value}:
                pipeline.hset(key, mapping=written)

        if joining is not None:
            self._remember(joining, club_id)
        try:
            with unavailable_on_error():
                self._redis.transaction(store, key)
        finally:
            if joining is not None and joining not in after.people:
                self.forget(joining, club_id)
        if joining is not None and joining in after.people:
            # `forget` may have run between the previous two writes.
            self._remember(joining, club_id)
        for player in before.people.keys() - after.people.keys():
            self.forget(player, club_id)
        if is_deleted:
            self._unlist(before.club)
            self._release_names(before.club, skeletons_of_name(before.club.name))
        return after

    def delete(self, club_id: str, check: Callable[[ClubWithPeople], object] | None = None) -> None:
        """Delete a club after a check of its current state. Raises NotFound, and the errors of `check`."""

        def change(current: ClubWithPeople) -> None:
            if check is not None:
                check(current)

        self.change(club_id, change)

    def rename(self, club_id: str, name: str, change: Change) -> ClubWithPeople:
        """Rename a club. Raises ClubNameTaken, NotFound, and the errors of `change`."""
        before = self.load(club_id).club
        renamed = replace(before, name=name)
        if not before.is_private:
            self._take_name(renamed)
            with unavailable_on_error():
                self._list(renamed)
        after = self.change(club_id, change)
        if not before.is_private:
            self._keep_name(after.club)
            old, new = skeletons_of_name(before.name), skeletons_of_name(after.club.name)
            self._release_names(before, old - new)
            if _entry(before) != _entry(after.club):
                self._unlist(before)
        return after

    def ids_of(self, player: str) -> list[str]:
        """Return the ids of the clubs to which a player may have a relation."""
        return sorted(read_members(self._redis, _clubs_of_key(player)))

    def of(self, player: str) -> list[tuple[Club, Person]]:
        """Return the clubs to which a player has a relation, by name."""
        ids = self.ids_of(player)
        clubs: list[tuple[Club, Person]] = []
        for id, entry in zip(ids, self.get_each(ids, player), strict=True):
            if entry is None or entry[1] is None:
                # A request that stores the relation has listed the club already.
                if not self._is_reserved(player, id):
                    self.forget(player, id)
            else:
                clubs.append((entry[0], entry[1]))
        return sorted(clubs, key=lambda item: (sorting_key(item[0].name), item[0].id))

    def with_name(self, name: str) -> str | None:
        """Return the id of the public club whose name has a skeleton of this one; None if there is none."""
        for skeleton in sorted(skeletons_of_name(name)):
            with unavailable_on_error():
                stored = self._redis.get(_name_key(skeleton))
            if stored is not None and self._has(id := to_text(stored), skeleton):
                return id
        return None

    def public_page(self, cursor: str | None, limit: int) -> tuple[list[Club], str | None]:
        """Return a page of the public clubs by name, and the next cursor. Raises Malformed (cursor)."""
        if cursor is not None and "~" not in cursor:
            raise Malformed({"cursor": message("is not a cursor of this list")})
        start = "-" if cursor is None else f"({cursor}"
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            for key in _SHARDS.all:
                pipeline.zrangebylex(key, start, "+", start=0, num=limit + 1)
            replies = pipeline.execute()
        entries = sorted(to_text(member) for reply in replies for member in reply)
        page = entries[:limit]
        following = page[-1] if len(entries) > limit else None
        clubs: list[Club] = []
        for entry, club in zip(page, self.get_each([*map(_id_of, page)]), strict=True):
            if club is None or club[0].is_private or _entry(club[0]) != entry:
                with unavailable_on_error():
                    self._redis.zrem(_SHARDS.key(_id_of(entry)), entry)
            else:
                clubs.append(club[0])
        return clubs, following

    def reindex(self) -> None:
        """Rebuild the list of public clubs, their names, and the clubs of each player."""
        with unavailable_on_error():
            for key in self._redis.scan_iter(club_key("*"), count=_BATCH_SIZE):
                id = to_text(key).removeprefix("cartulary:{club:").removesuffix("}")
                with suppress(NotFound):
                    entry = self.load(id)
                    for player in entry.people:
                        self._redis.sadd(_clubs_of_key(player), id)
                    if not entry.club.is_private:
                        for skeleton in skeletons_of_name(entry.club.name):
                            self._redis.set(_name_key(skeleton), id, nx=True)
                        self._list(entry.club)

    def _take_name(self, club: Club) -> None:
        """Reserve the name of a public club for some time. Raises ClubNameTaken."""
        taken: list[str] = []
        for skeleton in sorted(skeletons_of_name(club.name)):
            key = _name_key(skeleton)
            with unavailable_on_error():
                if self._redis.set(key, club.id, nx=True, ex=_SECONDS_TO_TAKE):
                    taken.append(key)
                    continue
                if self._take_from_former(key, skeleton, club.id):
                    taken.append(key)
                    continue
                owner = self._redis.get(key)
            if owner is None or to_text(owner) != club.id:
                with unavailable_on_error():
                    for other in taken:
                        self._redis.delete(other)
                raise ClubNameTaken.with_message(
                    "another club is called {name}, or similarly", name=club.name
                )

    def _take_from_former(self, key: str, skeleton: str, club_id: str) -> bool:
        """Reserve a name of a club that is closed or has been renamed; return whether that was possible.

        It was not released because a process died, or because two processes renamed the club at the same
        time.
        """
        is_former = False

        def take(pipeline: Pipeline) -> None:
            nonlocal is_former
            owner: Any = pipeline.get(key)
            # A name with an expiry is being taken by a club that is not stored yet.
            is_former = (
                owner is not None
                and pipeline.ttl(key) == -1
                and not self._has(to_text(owner), skeleton)
            )
            pipeline.multi()
            if is_former:
                pipeline.set(key, club_id, ex=_SECONDS_TO_TAKE)

        self._redis.transaction(take, key)
        return is_former

    def _has(self, club_id: str, skeleton: str) -> bool:
        """Return whether there is a club with this id, and its name has this skeleton."""
        (entry,) = self.get_each([club_id])
        return entry is not None and skeleton in skeletons_of_name(entry[0].name)

    def _keep_name(self, club: Club) -> None:
        if not club.is_private:
            with unavailable_on_error():
                for skeleton in skeletons_of_name(club.name):
                    self._redis.set(_name_key(skeleton), club.id)

    def _release_names(self, club: Club, released: frozenset[str]) -> None:
        with unavailable_on_error():
            for skeleton in released:
                owner = self._redis.get(_name_key(skeleton))
                if owner is not None and to_text(owner) == club.id:
                    self._redis.delete(_name_key(skeleton))

    def _list(self, club: Club) -> None:
        self._redis.zadd(_SHARDS.key(club.id), {_entry(club): 0})

    def _unlist(self, club: Club) -> None:
        with unavailable_on_error():
            self._redis.zrem(_SHARDS.key(club.id), _entry(club))

    def _remember(self, player: str, club_id: str) -> None:
        with unavailable_on_error():
            self._redis.sadd(_clubs_of_key(player), club_id)

    def forget(self, player: str, club_id: str) -> None:
        """Remove a club from the clubs of a player, unless the player has a relation to it."""
        if self.relation(club_id, player) is not None:
            return
        with unavailable_on_error():
            self._redis.srem(_clubs_of_key(player), club_id)
        if self.relation(club_id, player) is not None:
            self._remember(player, club_id)


def _reserved_key(kind: str, player: str) -> str:
    return f"cartulary:reserved-{kind}-of:{player}"


def _with_count(entry: ClubWithPeople) -> ClubWithPeople:
    return replace(entry, club=replace(entry.club, members=len(entry.with_relation("member"))))


def _encode(entry: ClubWithPeople) -> dict[FieldT, EncodableT]:
    club = entry.club
    fields: dict[FieldT, EncodableT | None] = {
        "name": club.name,
        "about": club.about,
        "owner": club.owner,
        "created": club.created,
        "members": str(club.members),
        "private": "1" if club.is_private else None,
        "link": club.link,
        "question": club.question,
    }
    people: dict[FieldT, EncodableT] = {
        person_field(id): _stored_person(person) for id, person in entry.people.items()
    }
    return {name: value for name, value in fields.items() if value is not None} | people


def _decode(club_id: str, stored: Mapping[Any, Any]) -> ClubWithPeople:
    fields = {to_text(name): to_text(value) for name, value in stored.items()}
    club = _club(club_id, fields)
    if club is None:
        raise club_not_found(club_id)
    people = {
        name.removeprefix(_PERSON): person
        for name, value in fields.items()
        if name.startswith(_PERSON) and (person := _person(value)) is not None
    }
    return ClubWithPeople(club, people)


def club_not_found(club_id: str) -> NotFound:
    """Return the error for a club that does not exist, or that the viewer may not see."""
    return NotFound.with_message("there is no club {club}", club=club_id[:64])


def _club(id: str, fields: Mapping[str, str | None]) -> Club | None:
    name, owner, created = fields.get("name"), fields.get("owner"), fields.get("created")
    if name is None or owner is None or created is None:
        return None
    return Club(
        id=id,
        name=name,
        about=fields.get("about") or "",
        owner=owner,
        created=created,
        is_private=fields.get("private") == "1",
        members=int(fields.get("members") or 0),
        link=fields.get("link"),
        question=fields.get("question"),
    )


def _stored_person(person: Person) -> str:
    more = person.inviter or person.answer or ",".join(person.rights)
    return f"{person.relation} {person.since} {more}".rstrip()


def _person(stored: str) -> Person | None:
    name, _, rest = stored.partition(" ")
    since, _, more = rest.partition(" ")
    match name:
        case "member":
            return Person(
                "member", since, tuple(each for each in RIGHTS if each in more.split(","))
            )
        case "invited":
            return Person("invited", since, inviter=more or None)
        case "requesting":
            return Person("requesting", since, answer=more or None)
        case _:
            return None


def _relation(stored: str | None) -> Relation | None:
    person = None if stored is None else _person(stored)
    return None if person is None else person.relation


def _entry(club: Club) -> str:
    """Return the member for a club in the list of public clubs."""
    return f"{sorting_key(club.name)}~{club.id}"


def _id_of(entry: str) -> str:
    return entry.rpartition("~")[2]


def club_key(club_id: str) -> str:
    """Return the key in Redis of a club."""
    return f"cartulary:{{club:{club_id}}}"


def wall_key(club_id: str) -> str:
    """Return the key in Redis of the wall of a club."""
    return f"{club_key(club_id)}:wall"


def meetings_key(club_id: str) -> str:
    """Return the key in Redis of the meetings of a club."""
    return f"{club_key(club_id)}:meetings"


def polls_key(club_id: str) -> str:
    """Return the key in Redis of the polls of a club."""
    return f"{club_key(club_id)}:polls"


def challenges_key(club_id: str) -> str:
    """Return the key in Redis of the challenges of a club."""
    return f"{club_key(club_id)}:challenges"


def person_field(player: str) -> str:
    """Return the field of a club that has the relation of a player to it."""
    return _PERSON + player


def is_member_entry(stored: bytes | str | None) -> bool:
    """Return whether the value of such a field is that of a member."""
    return _relation(text_or_none(stored)) == "member"


def _clubs_of_key(player: str) -> str:
    return f"cartulary:clubs-of:{player}"


def _name_key(skeleton: str) -> str:
    return f"cartulary:club-name:{skeleton}"
