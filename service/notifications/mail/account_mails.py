"""Mails about accounts, such as confirmations, until a worker has sent them.

    cartulary:account-mails     sorted set: id -> time of the next attempt, in ms since 1970
    cartulary:account-mail:ID   JSON of the mail; it expires after three days

The stored mail contains neither a secret nor an address: the token of a confirmation is made when the mail is
sent, to the current address of the account. Notifications of games are not among these mails
(service/notifications/deliveries.py).
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final, Literal, TypeAlias, get_args

import orjson
import redis

from domain.json_types import JsonObject
from service import wall_clock
from service.accounts.accounts import Players
from service.connection import to_text, unavailable_on_error
from service.shared_secret import MailTokens
from service.stored_objects import decode_object, members_of

AccountMailKind: TypeAlias = Literal[
    "confirmation",
    "webhook_disabled",
    "club_webhook_disabled",
    "password_reset",
    "password_changed",
    "token_created",
    "club_invited",
    "club_changed",
    "reply_answer",
]

RETRY_PAUSES: Final = (10, 60, 300, 1800, 7200, 21600)
"""Seconds before each further attempt to send a mail. After the last attempt, the mail is given up."""
CLAIM: Final = timedelta(seconds=60)
"""The time for which an attempt prevents others; it is longer than the job of an attempt may take."""
_DUE: Final = "cartulary:account-mails"
_SECONDS_KEPT: Final = 3 * 24 * 3600


@dataclass(frozen=True, slots=True)
class AccountMail:
    """A mail to a player. `attempts` is the number of attempts so far.

    `address` is the digest of the address for which the mail is meant (tokens.py). If the player has another
    address when it is due, it is not sent. A mail of kind `password_reset` has neither a player nor an
    address, but the handle that was entered, whose account is looked up when the mail is sent
    (password_resets.py).
    """

    id: str
    kind: AccountMailKind
    player: str
    address: str
    data: JsonObject = field(default_factory=dict)
    attempts: int = 0
    later_members: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


class AccountMails:
    """The waiting mails. Every method raises Unavailable if Redis does not respond."""

    def __init__(self, client: redis.Redis) -> None:
        self._redis = client

    def add(
        self,
        kind: AccountMailKind,
        player: str,
        address: str,
        data: JsonObject | None = None,
        id: str | None = None,
    ) -> AccountMail:
        """Add a mail to send. `id` prevents that it is sent twice; the default is a new id."""
        mail = AccountMail(id or secrets.token_hex(16), kind, player, address, data or {})
        self._store(mail, wall_clock.now())
        return mail

    def due(self, now: datetime, limit: int) -> list[str]:
        """Return the ids of up to `limit` mails whose next attempt is due, the earliest first."""
        with unavailable_on_error():
            # redis-py declares a type that covers other forms of the command as well.
            members: list[Any] = self._redis.zrange(
                _DUE, "-inf", wall_clock.milliseconds(now), byscore=True, offset=0, num=limit
            )
        return [to_text(member) for member in members]

    def take_due(self, now: datetime, limit: int) -> list[tuple[str, str]]:
        """Return the ids of up to `limit` mails whose next attempt is due, each with its player.

        They are due again after CLAIM, unless an attempt is made before. Mails of a kind that a later version
        has added are left to the processes that know it.
        """
        ids = self.due(now, limit)
        if not ids:
            return []
        with unavailable_on_error():
            self._redis.zadd(
                _DUE, dict.fromkeys(ids, wall_clock.milliseconds(now + CLAIM)), xx=True
            )
            stored: list[Any] = self._redis.mget([_key(id) for id in ids])
        mails = {
            id: None if value is None else decode_object(AccountMail, value)
            for id, value in zip(ids, stored, strict=True)
        }
        return [
            (id, "" if mail is None else mail.player)
            for id, mail in mails.items()
            if mail is None or mail.kind in get_args(AccountMailKind)
        ]

    def begin(self, id: str) -> AccountMail | None:
        """Return a mail and count an attempt; None if the mail has been sent or given up."""
        key = _key(id)
        with unavailable_on_error():
            stored = self._redis.get(key)
        if stored is None:
            self.remove(id)
            return None
        mail = decode_object(AccountMail, stored)
        mail = replace(mail, attempts=mail.attempts + 1)
        self._store(mail, wall_clock.now() + CLAIM)
        return mail

    def retry(self, mail: AccountMail) -> bool:
        """Schedule the next attempt after a pause; return False after the last attempt."""
        if mail.attempts > len(RETRY_PAUSES):
            self.remove(mail.id)
            return False
        self._store(mail, wall_clock.now() + timedelta(seconds=RETRY_PAUSES[mail.attempts - 1]))
        return True

    def remove(self, id: str) -> None:
        """Remove a mail that has been sent, or that will never be sent."""
        with unavailable_on_error():
            self._redis.zrem(_DUE, id)
            self._redis.delete(_key(id))

    def _store(self, mail: AccountMail, due_at: datetime) -> None:
        with unavailable_on_error():
            self._redis.set(_key(mail.id), orjson.dumps(members_of(mail)), ex=_SECONDS_KEPT)
            self._redis.zadd(_DUE, {mail.id: wall_clock.milliseconds(due_at)})


def _key(id: str) -> str:
    return f"cartulary:account-mail:{id}"


@dataclass(eq=False, repr=False)
class AccountNotices:
    """Sends notices to players with confirmed addresses, on a server that sends mail.

    Methods raise Unavailable without Redis.
    """

    _players: Players
    _mails: AccountMails
    _tokens: MailTokens
    is_mail_configured: bool

    def report(self, kind: AccountMailKind, player_id: str, data: JsonObject | None = None) -> None:
        """Notify a player by a mail of this kind."""
        (player,) = self._players.get([player_id])
        address = None if player is None else player.confirmed_email
        if self.is_mail_configured and address is not None:
            self._mails.add(kind, player_id, self._tokens.digest(address), data)
