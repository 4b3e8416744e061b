"""Bounces: finds the mail that a report of a mail server is about, and records the failure.

    cartulary:bounce:TOKEN   JSON {"player", "address", "delivery"}; the address is a digest; it expires after
                             30 days, or with the first report

Each mail has a different envelope sender (VERP): `games+TOKEN@example.org`. Reports are sent to this address,
so only the recipients of the mail, and the servers on its way, know the token.
"""

import re
from dataclasses import asdict, dataclass
from email.headerregistry import Address
from typing import Final

import orjson
import redis

from domain.messages import message
from service import wall_clock
from service.accounts.account_reader import AccountReader
from service.connection import unavailable_on_error
from service.notifications.deliveries import Deliveries
from service.notifications.mail.delivery_status import DeliveryStatus
from service.notifications.mail.email_addresses import EmailAddresses
from service.shared_secret import CODE_DIGITS, MailTokens
from service.stored_objects import decode_object

SECONDS_KEPT: Final = 30 * 24 * 3600
"""The time in which a report about a mail can arrive. Servers usually give up after five days at most."""
_TOKEN: Final = re.compile(rf"\+([0-9a-f]{{{CODE_DIGITS}}})@")


@dataclass(frozen=True, slots=True)
class SentMail:
    """A mail that may bounce.

    `address` is the digest of the recipient's address. `delivery` is the id of the delivery of a
    notification, "" for another mail.
    """

    player: str
    address: str
    delivery: str = ""


@dataclass(eq=False, repr=False)
class Bounces:
    """Remembers mails that may bounce, and records bounces. Methods raise Unavailable without Redis."""

    _redis: redis.Redis
    _accounts: AccountReader
    _addresses: EmailAddresses
    _deliveries: Deliveries
    _tokens: MailTokens

    def envelope_sender(self, sender: Address, player: str, address: str, mail: str) -> str:
        """Return the envelope sender of a mail with an id to a player, and remember the mail.

        `mail` is the id of the delivery of a notification, or of another mail. The sender is the same if the
        mail is sent again.
        """
        token = self._tokens.code("bounce", mail, player, address)
        sent_mail = SentMail(player, self._tokens.digest(address), mail)
        with unavailable_on_error():
            self._redis.set(_key(token), orjson.dumps(asdict(sent_mail)), ex=SECONDS_KEPT)
        return f"{sender.username}+{token}@{sender.domain}"

    def record(self, report: DeliveryStatus) -> SentMail | None:
        """Record the bounce in a report, and return it; None if it is not about a mail, or was recorded
        before.

        The delivery is marked as bounced, and if the address is at fault, the bounce is counted for it.
        """
        for recipient in report.recipients:
            match = _TOKEN.search(recipient.lower())
            if match is None:
                continue
            with unavailable_on_error():
                stored = self._redis.getdel(_key(match[1]))
            if stored is None:
                continue
            sent_mail = decode_object(SentMail, stored)
            self._mark_bounced(sent_mail, report)
            if report.is_about_address:
                self._count(sent_mail)
            return sent_mail
        return None

    def _mark_bounced(self, sent_mail: SentMail, report: DeliveryStatus) -> None:
        delivery = self._deliveries.find(sent_mail.delivery)
        if delivery is not None:
            result = message(
                "a mail server reports: {status} {text}",
                status=report.status,
                text=report.diagnostic,
            )
            self._deliveries.mark_bounced(delivery, wall_clock.now(), result)

    def _count(self, sent_mail: SentMail) -> None:
        (player,) = self._accounts.get([sent_mail.player])
        if player is None or player.email is None:
            return
        if self._tokens.digest(player.email) == sent_mail.address:
            self._addresses.count_bounce(player.id, player.email)


def _key(token: str) -> str:
    return f"cartulary:bounce:{token}"
