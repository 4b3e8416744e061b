"""Sends mails to players: composes them, and passes them to the mail server of the settings.

The channel `email` sends notifications to the confirmed addresses of players.
"""

from typing import Final

from service import wall_clock
from service.accounts.account_reader import Player
from service.bootstrap import Service
from service.email_address import ascii_form, parse_sender
from service.notifications.delivery import Delivery
from service.notifications.notification import Notification
from service.smtp_server import parse_smtp_url
from workers.mail.layout import Content, Headers, compose, recipient_address
from workers.mail.notification_mail import NotificationMails
from workers.mail.smtp import MailNotSent, MailRefused, SmtpClient
from workers.notifications.channel import NotDelivered, Undeliverable

UNSUBSCRIBE_PATH: Final = "/unsubscribe"
RETRY_PAUSES: Final = (10, 60, 300, 1800, 7200, 21600, 43200)
"""Seconds before each further attempt: no mail is lost if a mail server is down for a day."""


class OutgoingMail:
    """Sends mails through the mail server in the settings, which must name one."""

    def __init__(self, service: Service) -> None:
        settings = service.settings
        assert settings.smtp_url is not None
        assert settings.mail_from is not None
        self._mail = service.notifications.mail
        self._public_url = settings.public_url
        self._client = SmtpClient(parse_smtp_url(settings.smtp_url), settings.bounds.mail_seconds)
        self.sender = parse_sender(settings.mail_from)

    def unsubscribe_url(self, player: str) -> str:
        """Return the URL at which a player can unsubscribe from all mails without logging in."""
        return f"{self._public_url}{UNSUBSCRIBE_PATH}/{self._mail.tokens.unsubscribe_token(player)}"

    def send(
        self,
        content: Content,
        reader: Player,
        id: str,
        *,
        thread: str | None = None,
        has_unsubscribe: bool = False,
    ) -> None:
        """Send a mail to the address of a player; `id` and `thread` are those of `Headers`.

        Raises MailNotSent, MailRefused and Unavailable. If the address is refused, that counts as a bounce.
        """
        assert reader.email is not None
        address = ascii_form(reader.email)
        mail = compose(
            content,
            Headers(
                sender=self.sender,
                recipient=recipient_address(reader.handle, address),
                id=id,
                date=wall_clock.now(),
                thread=thread,
                unsubscribe_url=self.unsubscribe_url(reader.id) if has_unsubscribe else None,
            ),
        )
        sender = self._mail.bounces.envelope_sender(self.sender, reader.id, reader.email, id)
        try:
            self._client.send(mail, sender, address)
        except MailRefused as error:
            if error.is_address_at_fault:
                self._mail.addresses.count_bounce(reader.id, reader.email)
            raise


class EmailChannel:
    """Sends a mail for each notification, and one for each digest."""

    name = "email"
    retry_pauses: tuple[int, ...] = RETRY_PAUSES
    is_operators = False
    has_breakers = False

    def __init__(self, service: Service, outgoing: OutgoingMail) -> None:
        self._players = service.accounts.players
        self._outgoing = outgoing
        self._mails = NotificationMails(service, outgoing.sender.domain)

    def send(self, delivery: Delivery, notification: Notification) -> None:
        """See `Channel.send`."""
        (reader,) = self._players.get([delivery.player])
        if reader is None or reader.confirmed_email is None:
            raise Undeliverable.with_message("the address is no longer confirmed")
        unsubscribe_url = self._outgoing.unsubscribe_url(reader.id)
        content = self._mails.content(notification, reader, unsubscribe_url)
        thread = f"game-{delivery.game_id}" if delivery.game_id else None
        try:
            self._outgoing.send(content, reader, delivery.id, thread=thread, has_unsubscribe=True)
        except MailRefused as error:
            raise Undeliverable(error.message) from error
        except MailNotSent as error:
            raise NotDelivered(error.message) from error
