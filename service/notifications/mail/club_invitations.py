"""Invites players to clubs, and has a mail about it sent to those who want mails about invitations."""

from service.accounts.accounts import Players
from service.clubs.clubs import Clubs
from service.notifications.mail.account_mails import AccountMails
from service.notifications.preferences import PreferenceStore
from service.shared_secret import MailTokens


class ClubInvitations:
    """Invites to clubs. Thread-safe. Raises Unavailable without Redis."""

    def __init__(
        self,
        clubs: Clubs,
        players: Players,
        preferences: PreferenceStore,
        mails: AccountMails,
        tokens: MailTokens,
        *,
        is_mail_configured: bool,
    ) -> None:
        self._clubs = clubs
        self._players = players
        self._preferences = preferences
        self._mails = mails
        self._tokens = tokens
        self._is_mail_configured = is_mail_configured

    def invite(self, club_id: str, owner: str, player: str) -> None:
        """Invite a player to a club, as its owner; see `Clubs.invite`.

        A player with a confirmed address gets a mail, unless the player wants no mails about invitations or
        has muted the owner.
        """
        if not self._clubs.invite(club_id, owner, player) or not self._is_mail_configured:
            return
        (account,) = self._players.get([player])
        if account is None or account.email is None or account.email_status != "confirmed":
            return
        if self._preferences.of(player).includes("email", "invited"):
            digest = self._tokens.digest(account.email)
            self._mails.add("club_invited", player, digest, {"club": club_id})
