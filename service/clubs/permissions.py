"""Who may see a club, and who may do what in it: its owner everything, an officer what the owner allows."""

from collections.abc import Mapping
from typing import Final

from domain.errors import NotNow
from domain.messages import Message, message
from service.clubs.model import ClubWithPeople, Right
from service.clubs.store import club_not_found
from service.errors import Forbidden, NotFound

NOT_A_MEMBER: Final = message("this player is not a member of the club")
_WITHOUT_RIGHT: Final[Mapping[Right, Message]] = {
    "invite": message("only the owner of a club, and officers who may invite, do this"),
    "remove": message("only the owner of a club, and officers who may remove members, do this"),
    "moderate": message("only the owner of a club, and officers who may moderate, do this"),
    "edit": message("only the owner of a club, and officers who may edit its texts, do this"),
}


def require_visible(entry: ClubWithPeople, viewer: str | None) -> None:
    """Raise NotFound if a viewer may not see a club."""
    if entry.club.is_private and entry.relation(viewer) not in ("member", "invited"):
        raise club_not_found(entry.club.id)


def require_member(entry: ClubWithPeople, viewer: str | None) -> None:
    """Raise Forbidden unless a viewer who sees a club is a member of it."""
    if entry.relation(viewer) != "member":
        raise Forbidden.with_message("only the members of a club do this")


def require_owner(entry: ClubWithPeople, player: str) -> None:
    """Raise Forbidden unless a player owns a club; NotFound if they may not see it."""
    require_visible(entry, player)
    if entry.club.owner != player:
        raise Forbidden.with_message("only the owner of a club does this")


def require_right(entry: ClubWithPeople, player: str, right: Right) -> None:
    """Raise Forbidden unless a player has a right in a club; NotFound if they may not see it."""
    require_visible(entry, player)
    if not entry.has_right(player, right):
        raise Forbidden(_WITHOUT_RIGHT[right])


def require_any_right(entry: ClubWithPeople, player: str) -> None:
    """Raise Forbidden unless a player is the owner or an officer; NotFound if they may not see the club."""
    require_visible(entry, player)
    if not entry.rights(player):
        raise Forbidden.with_message("only the owner of a club and its officers do this")


def require_can_remove(entry: ClubWithPeople, remover: str, player: str) -> None:
    """Raise an error unless `remover` may end the relation of a player to a club.

    NotFound if there is none; NotNow for the owner's; Forbidden without the right, and for the membership of
    an officer, which ends by the owner only.
    """
    relation = entry.relation(player)
    require_visible(entry, remover)
    if relation != "member" and entry.rights(remover) and not entry.has_right(remover, "invite"):
        # Only those who answer requests know who has asked to join.
        raise NotFound(NOT_A_MEMBER)
    require_right(entry, remover, "remove" if relation == "member" else "invite")
    require_another_than_owner(entry, player)
    if relation is None:
        raise NotFound(NOT_A_MEMBER)
    if entry.people[player].rights:
        require_owner(entry, remover)


def require_another_than_owner(entry: ClubWithPeople, player: str) -> None:
    """Raise NotNow for the owner of a club, who cannot leave it."""
    if entry.club.owner == player:
        raise NotNow(None, message("the owner hands a club on, or closes it, before leaving it"))
