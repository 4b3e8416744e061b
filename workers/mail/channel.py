"""The channel `email`: sends notifications to the confirmed addresses of players."""

from typing import Final

from domain.messages import message
from service.bootstrap import Service
from service.notifications.delivery import Delivery
from service.notifications.notification import Notification
from workers.mail.notification_mail import NotificationMails
from workers.mail.outgoing import OutgoingMail
from workers.mail.smtp import MailNotSent, MailRefused
from workers.notifications.channel import NotDelivered, Undeliverable

RETRY_PAUSES: Final = (10, 60, 300, 1800, 7200, 21600, 43200)
"""Seconds before each further attempt: a mail server that is down for a day loses nothing."""


class EmailChannel:
    """Sends each notification as a mail of its own, and each digest as one."""

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
        if reader is None or reader.email_status != "confirmed":
            raise Undeliverable(message("the address is not confirmed any more"))
        unsubscribe_url = self._outgoing.unsubscribe_url(reader.id)
        content = self._mails.content(notification, reader, unsubscribe_url)
        thread = f"game-{delivery.game_id}" if delivery.game_id else None
        try:
            self._outgoing.send(content, reader, delivery.id, thread=thread, has_unsubscribe=True)
        except MailRefused as error:
            raise Undeliverable(error.message) from error
        except MailNotSent as error:
            raise NotDelivered(error.message) from error
