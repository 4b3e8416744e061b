"""Invitations to clubs, about which the invited players get a mail."""

from dataclasses import dataclass

from service.clubs.clubs import Clubs
from service.notifications.mail.account_mails import AccountNotices
from service.notifications.preferences import PreferenceStore


@dataclass(eq=False, repr=False)
class ClubInvitations:
    """Invites to clubs. Thread-safe. Raises Unavailable without Redis."""

    _clubs: Clubs
    _preferences: PreferenceStore
    _notices: AccountNotices

    def invite(self, club_id: str, inviter: str, player: str) -> None:
        """Invite a player to a club; see `Clubs.invite`.

        A player with a confirmed address gets a mail, unless the player wants no mails about invitations or
        has muted the inviter.
        """
        is_to_be_told = self._clubs.invite(club_id, inviter, player)
        if is_to_be_told and self._preferences.of(player).includes("email", "invited"):
            self._notices.report("club_invited", player, {"club": club_id})
