"""Clubs: groups of players with an owner and officers, and what these do.

A private club is visible only to its members and to players who are invited. A public club is on a
list; players ask to join it. Membership is a state of the service, not an event of a game. A game names its
club permanently in `options` (docs/clubs.md).
"""

import re
import secrets
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cache
from typing import Any, Final

import redis

from domain.errors import NotNow
from domain.json_types import CLUB_ID
from domain.messages import Text, message, plural_message
from service import wall_clock
from service.accounts.account_reader import AccountReader
from service.accounts.mutes import Mutes
from service.bounds import Bounds
from service.clubs.links import LINK_DAYS, club_of_token, is_valid_link, link_not_valid
from service.clubs.model import RIGHTS, Club, ClubWithPeople, Person, Relation, Right
from service.clubs.names import normalized_name
from service.clubs.permissions import (
    NOT_A_MEMBER,
    require_another_than_owner,
    require_can_remove,
    require_owner,
    require_right,
    require_visible,
)
from service.clubs.store import ClubStore, club_not_found
from service.clubs.texts import checked_answer, require_valid
from service.errors import NotFound, TooManyClubs

_SECRET_BYTES: Final = 16


@dataclass(frozen=True, slots=True)
class ClubOfPlayer:
    """A club with the relation of a player to it. `inviter` is who has invited an invited player."""

    club: Club
    relation: Relation
    inviter: str


class Clubs:
    """All clubs. Thread-safe. Methods raise Unavailable if Redis does not respond.

    Methods with a club raise NotFound if it does not exist, or the player may not see it; methods for its
    owner, and for officers with a right, raise Forbidden for anybody else.
    """

    def __init__(
        self, client: redis.Redis, bounds: Bounds, players: AccountReader, mutes: Mutes
    ) -> None:
        self._store = ClubStore(client)
        self._bounds = bounds
        self._players = players
        self._mutes = mutes
        self._deletions: list[Callable[[str], object]] = []

    def register_deletion(self, delete: Callable[[str], object]) -> None:
        """Register a function to call with the id of a club that is closed, or gets another owner.

        It deletes the belongings of the club, and may be called more than once.
        """
        self._deletions.append(delete)

    def exists(self, club_id: str) -> bool:
        """Return whether there is a club with this id that has not been closed."""
        return self._store.get_each([club_id]) != [None]

    def is_owner(self, club_id: object, player: str) -> bool:
        """Return whether a player owns a club; False if there is no club with this id."""
        if not isinstance(club_id, str) or not _is_id(club_id):
            return False
        (entry,) = self._store.get_each([club_id])
        return entry is not None and entry[0].owner == player

    def is_member(self, club_id: str, player: str) -> bool:
        """Return whether a player is a member of a club, in one round trip."""
        return self._store.relation(club_id, player) == "member"

    def relation(self, club_id: str, player: str) -> Relation | None:
        """Return the relation of a player to a club; None without one, and if there is no such club."""
        return self._store.relation(club_id, player)

    def members_among(self, club_id: str, players: Sequence[str]) -> frozenset[str]:
        """Return the players, of these, who are members of a club; none if there is no such club."""
        try:
            entry = self._store.load(club_id)
        except NotFound:
            return frozenset()
        return frozenset(player for player in players if entry.relation(player) == "member")

    def option_faults(self, options: Mapping[str, Any], player: str) -> dict[str, Text]:
        """Return the reasons why a player cannot create a game with these options for a club, by field.

        The form of the option is not checked.
        """
        club_id = options.get("club")
        if not isinstance(club_id, str) or not _is_id(club_id):
            return {}
        (entry,) = self._store.get_each([club_id], player)
        if entry is None or entry[1] is None or entry[1].relation != "member":
            fault = message("must be the id of a club of which you are a member")
            return {"options.club": fault}
        if entry[0].is_private and options.get("private") is not True:
            return {"options.private": message("the games of a private club are private")}
        return {}

    def create(self, player: str, name: str, about: str = "", *, is_private: bool = False) -> Club:
        """Create a club whose owner and first member is this player, and return it.

        Raises Malformed (naming every wrong field), ClubNameTaken, TooManyClubs, NotNow (a guest).
        """
        name = normalized_name(name)
        require_valid(name, about)
        now = wall_clock.format(wall_clock.now())
        club = Club(secrets.token_hex(8), name, about, player, now, is_private)
        with self._room(player, club.id):
            self._store.add(club, {player: Person("member", now)})
        return club

    def edit(
        self,
        club_id: str,
        player: str,
        name: str | None = None,
        about: str | None = None,
        question: str | None = None,
    ) -> Club:
        """Change what is given: as the owner or an officer who may edit, but the name as the owner only.

        An empty `question` removes it. Raises Malformed, ClubNameTaken.
        """
        before = self.with_right(club_id, player, "edit").club
        new_name = before.name if name is None else normalized_name(name)
        new_about = before.about if about is None else about
        new_question = before.question if question is None else question or None
        require_valid(new_name, new_about, new_question or "")
        is_renamed = new_name != before.name

        def require_allowed(entry: ClubWithPeople) -> None:
            require_right(entry, player, "edit")
            if is_renamed:
                require_owner(entry, player)

        def change(entry: ClubWithPeople) -> ClubWithPeople:
            require_allowed(entry)
            # An administrator may have renamed the club in the meantime.
            kept_name = new_name if is_renamed else entry.club.name
            edited = replace(entry.club, name=kept_name, about=new_about, question=new_question)
            return replace(entry, club=edited)

        require_allowed(self._store.load(club_id))
        if not is_renamed:
            return self._store.change(club_id, change).club
        return self._store.rename(club_id, new_name, change).club

    def close(self, club_id: str, player: str) -> None:
        """Delete a club, as its owner. Its games continue."""
        _require_id(club_id)
        self._store.delete(club_id, lambda entry: require_owner(entry, player))
        self._delete_belongings(club_id)

    def find(self, club_id: str) -> Club:
        """Return a club, without checking who may see it."""
        _require_id(club_id)
        return self._store.load(club_id).club

    def rename(self, club_id: str, name: str, record: Callable[[str], None]) -> Club:
        """Rename a club, as an administrator. Raises Malformed, ClubNameTaken.

        `record` is called with the name to be stored, once all checks have passed.
        """
        name = normalized_name(name)
        require_valid(name, "")
        _require_id(club_id)
        record_once = cache(record)

        def change(entry: ClubWithPeople) -> ClubWithPeople:
            # The change is tried again if the club changes in the meantime.
            record_once(name)
            return replace(entry, club=replace(entry.club, name=name))

        return self._store.rename(club_id, name, change).club

    def close_for_all(self, club_id: str) -> None:
        """Delete a club, as an administrator."""
        _require_id(club_id)
        self._store.delete(club_id)
        self._delete_belongings(club_id)

    def visible(self, club_id: str, viewer: str | None) -> ClubWithPeople:
        """Return a club with its people for a viewer (None: without an account)."""
        _require_id(club_id)
        entry = self._store.load(club_id)
        require_visible(entry, viewer)
        return entry

    def of_owner(self, club_id: str, player: str) -> ClubWithPeople:
        """Return a club with its people for its owner."""
        _require_id(club_id)
        entry = self._store.load(club_id)
        require_owner(entry, player)
        return entry

    def with_right(self, club_id: str, player: str, right: Right) -> ClubWithPeople:
        """Return a club with its people for its owner, or for an officer with a right."""
        _require_id(club_id)
        entry = self._store.load(club_id)
        require_right(entry, player, right)
        return entry

    def visible_name(self, club_id: str, viewer: str | None) -> str | None:
        """Return the name of a club; None if the viewer may not see it, or there is no such club."""
        try:
            return self.visible(club_id, viewer).club.name
        except NotFound:
            return None

    def with_name(self, name: str) -> str | None:
        """Return the id of the public club that has a name, or one that looks like it; None without one."""
        return self._store.with_name(normalized_name(name))

    def public_page(
        self, cursor: str | None = None, limit: int = 50
    ) -> tuple[list[Club], str | None]:
        """Return a page of the public clubs by name, and the next cursor. Raises Malformed (cursor)."""
        return self._store.public_page(cursor, limit)

    def of(self, player: str) -> list[ClubOfPlayer]:
        """Return the clubs of a player by name, including those to which they are invited, or ask to join.

        Invitations by players whom this one has muted are left out.
        """
        clubs = [
            ClubOfPlayer(club, person.relation, person.inviter or club.owner)
            for club, person in self._store.of(player)
        ]
        inviters = {each.inviter for each in clubs if each.relation == "invited"}
        muted = self._mutes.has_muted(player, sorted(inviters))
        return [each for each in clubs if each.relation != "invited" or each.inviter not in muted]

    def shown_on_profile(self, player: str, viewer: str | None) -> list[Club]:
        """Return the clubs of which a player is a member and that a viewer may see, by name."""
        clubs = self._memberships(player)
        shared: set[str] = set()
        if viewer is not None:
            shared = {club.id for club in self._memberships(viewer)}
        return [club for club in clubs if not club.is_private or club.id in shared]

    def _memberships(self, player: str) -> list[Club]:
        return [club for club, person in self._store.of(player) if person.relation == "member"]

    def join(
        self, club_id: str, player: str, token: str | None = None, answer: str | None = None
    ) -> Relation:
        """Accept an invitation to a club, by handle or by the token of its link, or ask to join it.

        Returns the new relation of the player. Raises TooManyClubs, NotNow (a guest, or the club is full),
        Malformed (no answer to its question).
        """
        _require_id(club_id)
        before = self._store.relation(club_id, player)
        if before == "member":
            return "member"
        is_request = token is None and before != "invited"

        def change(entry: ClubWithPeople) -> ClubWithPeople:
            relation = entry.relation(player)
            if token is not None and not is_valid_link(entry.club, token):
                raise link_not_valid()
            if relation == "member":
                return entry
            if token is None:
                require_visible(entry, player)
            if relation == "invited" or token is not None:
                return self._with(entry, player, Person("member", _now()))
            given = checked_answer(entry.club, answer)
            return self._with(entry, player, Person("requesting", _now(), answer=given))

        try:
            with self._room(player, club_id), self._room_to_ask(player, club_id, is_request):
                after = self._store.change(club_id, change, joining=player)
        except NotFound:
            if token is None:
                raise
            # The error must not reveal whether there is such a club.
            raise link_not_valid() from None
        relation = after.relation(player)
        assert relation is not None, "the change has added the player"
        return relation

    def leave(self, club_id: str, player: str) -> None:
        """Leave a club, decline an invitation to it, or withdraw the request to join it. Idempotent.

        The link of the club is revoked when an officer leaves who has seen it. Raises NotNow for the owner.
        """
        _require_id(club_id)

        def change(entry: ClubWithPeople) -> ClubWithPeople:
            require_visible(entry, player)
            require_another_than_owner(entry, player)
            if entry.has_right(player, "invite"):
                entry = entry.without_link()
            return entry.with_person(player, None)

        self._store.change(club_id, change)

    def invite(self, club_id: str, inviter: str, player: str) -> bool:
        """Invite a player, as the owner or an officer; return whether the player is to be notified.

        A player who asks to join becomes a member. Raises NotNow (a member, a guest, too many invitations).
        """
        self.with_right(club_id, inviter, "invite")
        self._require_account(player)
        is_new = self._store.relation(club_id, player) != "invited"

        def count_invitations() -> int:
            # Invitations that the player does not see do not count: the player could not decline them.
            return sum(each.relation == "invited" for each in self.of(player))

        def change(entry: ClubWithPeople) -> ClubWithPeople:
            require_right(entry, inviter, "invite")
            match entry.relation(player):
                case "member":
                    raise NotNow(None, message("this player is a member of the club already"))
                case "invited":
                    return entry
                case "requesting":
                    return self._with(entry, player, Person("member", _now()))
                case None:
                    by = None if inviter == entry.club.owner else inviter
                    return self._with(entry, player, Person("invited", _now(), inviter=by))

        most = self._bounds.max_clubs_per_player
        with self._store.reserve("invited", player, club_id, most, count_invitations) as has_room:
            if is_new and not has_room:
                raise NotNow(None, message("this player has too many invitations to clubs"))
            after = self._store.change(club_id, change, joining=player)
        has_muted = inviter in self._mutes.has_muted(player, [inviter])
        return is_new and after.relation(player) == "invited" and not has_muted

    def admit(self, club_id: str, answerer: str, player: str) -> bool:
        """Admit a player who has asked to join, as the owner or an officer who may invite. Idempotent.

        Returns whether the player was no member before. Raises NotFound (the player has not asked), NotNow
        (the club is full).
        """
        _require_id(club_id)
        is_new = False

        def change(entry: ClubWithPeople) -> ClubWithPeople:
            nonlocal is_new
            require_right(entry, answerer, "invite")
            relation = entry.relation(player)
            is_new = relation != "member"
            if not is_new:
                return entry
            if relation != "requesting":
                raise NotFound.with_message("this player has not asked to join the club")
            return self._with(entry, player, Person("member", _now()))

        self._store.change(club_id, change)
        return is_new

    def remove(self, club_id: str, remover: str, player: str) -> Relation | None:
        """Remove a member, revoke an invitation or decline a request, as the owner or an officer.

        Returns the relation that has ended. The link of the club is revoked when a member is removed, who
        could come back with it. Raises NotFound, NotNow (the owner).
        """
        _require_id(club_id)
        ended: Relation | None = None

        def change(entry: ClubWithPeople) -> ClubWithPeople:
            nonlocal ended
            require_can_remove(entry, remover, player)
            ended = entry.relation(player)
            if ended == "member":
                entry = entry.without_link()
            return entry.with_person(player, None)

        self._store.change(club_id, change)
        return ended

    def appoint(self, club_id: str, owner: str, player: str, rights: Collection[Right]) -> bool:
        """Give a member these rights, and no others, as the owner; a member with rights is an officer.

        Returns whether the member has become an officer.

        With none, the member is no officer any more. The link of the club is revoked when a member may no
        longer see it. Raises NotNow (not a member, or the owner).
        """
        _require_id(club_id)
        is_new = False
        chosen = tuple(right for right in RIGHTS if right in rights)

        def change(entry: ClubWithPeople) -> ClubWithPeople:
            nonlocal is_new
            require_owner(entry, owner)
            if entry.relation(player) != "member":
                raise NotNow(None, NOT_A_MEMBER)
            is_new = bool(chosen) and not entry.people[player].rights
            if player == owner:
                raise NotNow(None, message("the owner of a club has every right in it"))
            if entry.has_right(player, "invite") and "invite" not in chosen:
                entry = entry.without_link()
            return entry.with_person(player, replace(entry.people[player], rights=chosen))

        self._store.change(club_id, change)
        return is_new

    def hand_on(self, club_id: str, owner: str, player: str) -> None:
        """Make another member the owner. Raises NotNow if the player is not a member.

        The invitation link and the webhook end: what the former owner set up tells them nothing any more.
        Officers keep their rights, and the former owner becomes a member without any.
        """
        _require_id(club_id)

        def change(entry: ClubWithPeople) -> ClubWithPeople:
            require_owner(entry, owner)
            if entry.relation(player) != "member":
                raise NotNow(None, NOT_A_MEMBER)
            # Nothing is left over if the process dies after the change.
            self._delete_belongings(club_id)
            return entry.owned_by(player)

        self._store.change(club_id, change)
        # A request of the former owner may have set something in the meantime.
        self._delete_belongings(club_id)

    def create_link(self, club_id: str, inviter: str) -> str:
        """Return the token of a new invitation link, which replaces the one before."""
        _require_id(club_id)
        secret = secrets.token_urlsafe(_SECRET_BYTES)
        ends = wall_clock.format(wall_clock.now() + timedelta(days=LINK_DAYS))
        self._change_link(club_id, inviter, f"{ends} {secret}")
        return f"{club_id}-{secret}"

    def revoke_link(self, club_id: str, inviter: str) -> None:
        """Revoke the invitation link, if there is one."""
        _require_id(club_id)
        self._change_link(club_id, inviter, None)

    def by_link(self, token: str) -> Club:
        """Return the club to which a link invites. Raises NotFound if it is not valid, or no longer valid."""
        club_id = club_of_token(token)
        if _is_id(club_id):
            (entry,) = self._store.get_each([club_id])
            if entry is not None and is_valid_link(entry[0], token):
                return entry[0]
        raise link_not_valid()

    def erase(self, player: str) -> None:
        """Delete every relation of a player. Their clubs pass to others (`heir`), or are deleted.

        The belongings of their clubs are deleted in both cases, because the player entered them.
        """
        for club_id in self._store.ids_of(player):
            with suppress(NotFound):
                self._erase_from(club_id, player)
            if not self.exists(club_id):
                # The process that closed the club may have died before it deleted these.
                self._delete_belongings(club_id)
            self._store.forget(player, club_id)

    def reindex(self) -> None:
        """Rebuild the derived data of clubs: their list, their names, and the clubs of each player."""
        self._store.reindex()

    def _erase_from(self, club_id: str, player: str) -> None:
        def change(entry: ClubWithPeople) -> ClubWithPeople | None:
            remaining = entry.with_person(player, None)
            if entry.club.owner != player:
                return remaining.without_link() if entry.has_right(player, "invite") else remaining
            heir = remaining.heir()
            return None if heir is None else remaining.owned_by(heir)

        is_owner = self._store.load(club_id).club.owner == player
        if is_owner:
            # Nothing is left over if the process dies after the change.
            self._delete_belongings(club_id)
        self._store.change(club_id, change)
        if is_owner:
            # A request of the player may have set something in the meantime.
            self._delete_belongings(club_id)

    def _delete_belongings(self, club_id: str) -> None:
        for delete in self._deletions:
            delete(club_id)

    def _change_link(self, club_id: str, inviter: str, link: str | None) -> None:
        def change(entry: ClubWithPeople) -> ClubWithPeople:
            require_right(entry, inviter, "invite")
            return replace(entry, club=replace(entry.club, link=link))

        self._store.change(club_id, change)

    def _with(self, entry: ClubWithPeople, player: str, person: Person) -> ClubWithPeople:
        """Return a club in which a player has a relation. Raises NotNow if too many have it."""
        is_member = person.relation == "member"
        limit = (
            self._bounds.max_members_per_club if is_member else self._bounds.max_candidates_per_club
        )
        others = [id for id in entry.with_relation(person.relation) if id != player]
        if len(others) >= limit:
            raise NotNow(
                None,
                message("the club is full")
                if is_member
                else message("too many players are invited to this club, or ask to join it"),
            )
        return entry.with_person(player, person)

    @contextmanager
    def _room(self, player: str, club_id: str) -> Iterator[None]:
        """Reserve a club for a player while it is stored.

        Raises TooManyClubs if the player cannot have another club, NotNow for a guest.
        """
        self._require_account(player)
        most = self._bounds.max_clubs_per_player

        def count() -> int:
            return sum(
                person.relation != "invited" and club.id != club_id
                for club, person in self._store.of(player)
            )

        with self._store.reserve("member", player, club_id, most, count) as has_room:
            if not has_room:
                raise TooManyClubs(
                    plural_message(
                        "a player can be in one club, or ask to join one",
                        "a player can be in at most {count} clubs, those included that they ask to join",
                        count=most,
                    )
                )
            yield

    @contextmanager
    def _room_to_ask(self, player: str, club_id: str, is_request: bool) -> Iterator[None]:  # noqa: FBT001 # the caller names it
        """Reserve a request to join a club, if it is one. Raises TooManyClubs."""
        if not is_request:
            yield
            return
        most = self._bounds.max_club_requests_per_player

        def count() -> int:
            return sum(
                person.relation == "requesting" and club.id != club_id
                for club, person in self._store.of(player)
            )

        with self._store.reserve("requesting", player, club_id, most, count) as has_room:
            if not has_room:
                raise TooManyClubs(
                    plural_message(
                        "a player can ask to join one club at a time",
                        "a player can ask to join {count} clubs at a time",
                        count=most,
                    )
                )
            yield

    def _require_account(self, player: str) -> None:
        (account,) = self._players.get([player])
        if account is None or account.is_guest or account.bot is not None:
            raise NotNow(None, message("guests and bots of the server cannot be members of clubs"))


def _is_id(club_id: str) -> bool:
    return re.fullmatch(CLUB_ID, club_id) is not None


def _require_id(club_id: str) -> None:
    """Raise NotFound unless a text can be the id of a club."""
    if not _is_id(club_id):
        raise club_not_found(club_id)


def _now() -> str:
    return wall_clock.format(wall_clock.now())
