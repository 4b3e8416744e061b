"""A club and its people: members, officers with rights, invited players, and players who ask to join."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal, TypeAlias, get_args

Relation: TypeAlias = Literal["member", "invited", "requesting"]
"""The relation of a player to a club: a member (the owner is one too), an invited player, or a player who has
asked to join.
"""
RELATIONS: Final[tuple[Relation, ...]] = get_args(Relation)
Right: TypeAlias = Literal["invite", "remove", "moderate", "edit"]
"""What the owner of a club lets an officer do: invite players and answer requests, remove members, remove
posts from the wall, and edit what the club says about itself.
"""
RIGHTS: Final[tuple[Right, ...]] = get_args(Right)


@dataclass(frozen=True, slots=True)
class Person:
    """The relation of a player to a club, and since when.

    A member with `rights` is an officer. `inviter` is the player who has invited an invited one; None if that
    was the owner, or somebody who has left. `answer` is what a player who asks to join has answered to the
    question of the club, if anything.
    """

    relation: Relation
    since: str
    rights: tuple[Right, ...] = ()
    inviter: str | None = None
    answer: str | None = None


@dataclass(frozen=True, slots=True)
class Club:
    """A club without its people. `owner` is the id of a player."""

    id: str
    name: str
    about: str
    owner: str
    created: str
    is_private: bool = False
    members: int = 1
    link: str | None = field(default=None, repr=False)
    """The end of the validity of its invitation link, a space, and the secret part of the token."""
    question: str | None = None
    """What players who ask to join have to answer."""


@dataclass(frozen=True, slots=True)
class ClubWithPeople:
    """A club, and the players who have a relation to it, by id."""

    club: Club
    people: Mapping[str, Person] = field(default_factory=dict)

    def relation(self, player: str | None) -> Relation | None:
        """Return the relation of a player to the club; None without one."""
        person = None if player is None else self.people.get(player)
        return None if person is None else person.relation

    def with_relation(self, relation: Relation) -> list[str]:
        """Return the ids of the players with this relation, the earliest first."""
        relations = [
            (each.since, id) for id, each in self.people.items() if each.relation == relation
        ]
        return [id for _, id in sorted(relations)]

    def page(
        self, relation: Relation, after: str | None, limit: int
    ) -> tuple[list[str], str | None]:
        """Return the ids of a page of the players with a relation, and `after` of the next one or None.

        `after` is the id of a player; if they no longer have the relation, the list begins again.
        """
        ids = self.with_relation(relation)
        start = ids.index(after) + 1 if after in ids else 0
        page = ids[start : start + limit]
        return page, page[-1] if start + limit < len(ids) else None

    def has_right(self, player: str | None, right: Right) -> bool:
        """Return whether a player is the owner of the club, or an officer with this right."""
        person = None if player is None else self.people.get(player)
        return player == self.club.owner or (person is not None and right in person.rights)

    def rights(self, player: str | None) -> tuple[Right, ...]:
        """Return the rights of a player: all of them for the owner, none for a player who is no officer."""
        return tuple(right for right in RIGHTS if self.has_right(player, right))

    def officers(self) -> list[str]:
        """Return the ids of the officers, the longest member first. The owner is none."""
        return [
            id
            for id in self.with_relation("member")
            if self.people[id].rights and id != self.club.owner
        ]

    def inviter(self, player: str) -> str:
        """Return the id of the player in whose name an invited one is invited."""
        return self.people[player].inviter or self.club.owner

    def with_person(self, player: str, person: Person | None) -> "ClubWithPeople":
        """Return the club after a player got this relation to it; None removes the relation.

        An invitation by somebody who has no relation any more becomes one by the owner.
        """
        people = {id: each for id, each in self.people.items() if id != player}
        if person is not None:
            people[player] = person
        else:
            people = {
                id: replace(each, inviter=None) if each.inviter == player else each
                for id, each in people.items()
            }
        return ClubWithPeople(self.club, people)

    def without_link(self) -> "ClubWithPeople":
        """Return the club after its invitation link was revoked."""
        return replace(self, club=replace(self.club, link=None))

    def owned_by(self, player: str) -> "ClubWithPeople":
        """Return the club after one of its members became its owner, who needs no rights of an officer."""
        owned = replace(self, club=replace(self.club, owner=player, link=None))
        return owned.with_person(player, replace(self.people[player], rights=()))

    def heir(self) -> str | None:
        """Return who gets the club of an erased owner: the officer, else the member, of the longest standing.

        None if there is nobody.
        """
        return next(iter([*self.officers(), *self.with_relation("member")]), None)
