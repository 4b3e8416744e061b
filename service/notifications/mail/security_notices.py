"""Mails that tell players of changes to what lets somebody into their account."""

from domain.json_types import JsonObject
from service.accounts.accounts import Players
from service.notifications.mail.account_mails import AccountMailKind, AccountMails
from service.shared_secret import MailTokens


class SecurityNotices:
    """Has the mails sent, to confirmed addresses. Methods raise Unavailable without Redis."""

    def __init__(
        self, players: Players, mails: AccountMails, tokens: MailTokens, *, is_mail_configured: bool
    ) -> None:
        self._players = players
        self._mails = mails
        self._tokens = tokens
        self._is_mail_configured = is_mail_configured

    def report_password(self, player_id: str) -> None:
        """Have a player notified that the password was changed."""
        self._report("password_changed", player_id, {})

    def report_token(self, player_id: str, name: str) -> None:
        """Have a player notified that a personal token with this name was created."""
        self._report("token_created", player_id, {"name": name})

    def _report(self, kind: AccountMailKind, player_id: str, data: JsonObject) -> None:
        (player,) = self._players.get([player_id])
        if self._is_mail_configured and player is not None and player.email_status == "confirmed":
            assert player.email is not None
            self._mails.add(kind, player_id, self._tokens.digest(player.email), data)
