"""The push subscriptions of players: browsers that show notifications (RFC 8030).

    cartulary:push-subscriptions:PLAYER    hash: id of a subscription -> JSON of it
    cartulary:push-registration:ID         JSON {"player", "session", "created"}: who registered the
                                           endpoint of this subscription last; `session` is the SHA256 of
                                           the token

A subscription belongs to the session in which it was registered, and ends with it. An endpoint is one
browser, so it belongs to the last player who registered it. Both are checked when subscriptions are read,
since a session may end in a process that does not know about subscriptions.

Processes of earlier versions write no registration. A subscription that they have stored since the
registration (`created`) does not belong to a session: it ends when all sessions of its player are ended, or
with the next registration.
"""

from base64 import urlsafe_b64decode
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from typing import Any, Final

import orjson
import redis
from cryptography.hazmat.primitives.asymmetric import ec
from redis.client import Pipeline

from domain.errors import Malformed
from domain.json_types import JsonObject
from domain.messages import Text, message
from service import wall_clock
from service.accounts.tokens import Tokens
from service.bounds import Bounds
from service.connection import to_text, unavailable_on_error
from service.errors import NotFound
from service.notifications.endpoints import Endpoint
from service.notifications.webhooks.receivers import InvalidUrl, Receivers

_AUTH_BYTES: Final = 16


@dataclass(frozen=True, slots=True)
class PushSubscription:
    """A subscription: the URL of a push service, and the keys for encrypting messages to the browser."""

    id: str
    endpoint: str = field(repr=False)
    p256dh: str = field(repr=False)
    auth: str = field(repr=False)
    created: str
    session: str | None = None
    """The hash of the token with which it was registered; None if an earlier version has stored it."""

    def as_json(self, session: str) -> JsonObject:
        """Return the subscription as its player sees it, in the session of a token with this hash."""
        return {"id": self.id, "created": self.created, "current": self.session == session}


@dataclass(frozen=True, slots=True)
class _Registration:
    """The last registration of an endpoint: the player, the session and the time."""

    player: str
    session: str
    created: str


class PushSubscriptions:
    """The subscriptions of all players. Every method raises Unavailable if Redis does not respond."""

    channel = "push"

    def __init__(
        self, client: redis.Redis, bounds: Bounds, receivers: Receivers, tokens: Tokens
    ) -> None:
        self._redis = client
        self._receivers = receivers
        self._tokens = tokens
        self._max = bounds.max_push_subscriptions_per_player

    def of(self, player: str) -> list[PushSubscription]:
        """Return the subscriptions of a player, the oldest first, and remove those that have ended."""
        with unavailable_on_error():
            stored: list[Any] = self._redis.hvals(_key(player))
        if not stored:
            return []
        subscriptions = [_decode(value) for value in stored]
        registrations = self._registrations([item.id for item in subscriptions])
        own = {entry.session for entry in registrations if entry and entry.player == player}
        sessions = self._tokens.valid_sessions(player, own)
        remaining = []
        for item, registration in zip(subscriptions, registrations, strict=True):
            if registration is None or item.created > registration.created:
                if registration is not None and registration.player != player:
                    self._delete(registration.player, item.id)
                remaining.append(item)
            elif registration.player == player and registration.session in sessions:
                remaining.append(replace(item, session=registration.session))
            else:
                self._delete(player, item.id)
        return sorted(remaining, key=lambda item: (item.created, item.id))

    def _registrations(self, ids: Sequence[str]) -> list[_Registration | None]:
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            for id in ids:
                pipeline.get(_registration_key(id))
            stored = pipeline.execute()
        return [None if value is None else _registration(value) for value in stored]

    def endpoints(self, player: str) -> Sequence[Endpoint]:
        """Return the subscriptions of a player as endpoints for notifications."""
        return [Endpoint(self.channel, item.id, item.endpoint) for item in self.of(player)]

    def find(self, player: str, id: str) -> PushSubscription:
        """Return a subscription of a player. Raises NotFound."""
        for subscription in self.of(player):
            if subscription.id == id:
                return subscription
        raise NotFound.with_message("this player has no push subscription {id}", id=id[:64])

    def add(
        self,
        player: str,
        endpoint: str,
        p256dh: str,
        auth: str,
        *,
        session: str,
        is_only: bool = False,
    ) -> PushSubscription:
        """Add a subscription, or replace its keys. Above the bound, it replaces the oldest.

        Raises Malformed. `session` is the hash of the token with which it is registered. `is_only` is True
        for the session of a browser, which has one subscription, so that this one replaces the others of the
        session.
        """
        faults: dict[str, Text] = {}
        try:
            self._receivers.check_url(endpoint)
        except InvalidUrl as error:
            faults["endpoint"] = error.message
        try:
            ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), decode_base64(p256dh))
        except ValueError:
            faults["p256dh"] = message("must be a public key of the curve P-256 in base64url")
        try:
            is_valid = len(decode_base64(auth)) == _AUTH_BYTES
        except ValueError:
            is_valid = False
        if not is_valid:
            faults["auth"] = message("must be {count} bytes in base64url", count=_AUTH_BYTES)
        if faults:
            raise Malformed(faults)
        id = sha256(endpoint.encode()).hexdigest()[:16]
        now = wall_clock.format(wall_clock.now())
        added = PushSubscription(id, endpoint, p256dh, auth, now, session)
        registration = _Registration(player, session, now)
        others = [item for item in self.of(player) if item.id != id]
        replaced = [item.id for item in others if is_only and item.session == session]
        others = [item for item in others if item.id not in replaced]
        excess = [item.id for item in others[: max(0, len(others) + 1 - self._max)]]
        with unavailable_on_error():
            self._redis.hset(_key(player), id, _encode(added))
            before: Any = self._redis.set(
                _registration_key(id), orjson.dumps(asdict(registration)), get=True
            )
            if before is not None and (former := _registration(before).player) != player:
                self._redis.hdel(_key(former), id)
        for other in (*replaced, *excess):
            self._delete(player, other)
        return added

    def remove(self, player: str, id: str) -> None:
        """Remove a subscription, if it exists."""
        self._delete(player, id)

    def remove_without_session(self, player: str) -> None:
        """Remove the subscriptions of a player that do not belong to a session."""
        for item in self.of(player):
            if item.session is None:
                self._delete(player, item.id)

    def _delete(self, player: str, id: str) -> None:
        """Delete a subscription, and its registration unless another player has registered it since."""
        key = _registration_key(id)

        def delete(pipeline: Pipeline) -> None:
            stored: Any = pipeline.get(key)
            pipeline.multi()
            if stored is not None and _registration(stored).player == player:
                pipeline.delete(key)

        with unavailable_on_error():
            self._redis.hdel(_key(player), id)
            self._redis.transaction(delete, key)

    def delete_all_of(self, player: str) -> None:
        """Delete all subscriptions of a player."""
        with unavailable_on_error():
            ids: list[Any] = self._redis.hkeys(_key(player))
        for id in ids:
            self._delete(player, to_text(id))


def decode_base64(text: str) -> bytes:
    """Return the bytes of a text in base64url without padding. Raises ValueError."""
    if not text.isascii():
        raise ValueError("not base64url")
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _encode(subscription: PushSubscription) -> bytes:
    """Return a subscription in the stored form: without the session, which earlier versions do not know."""
    fields = asdict(subscription)
    del fields["session"]
    return orjson.dumps(fields)


def _decode(value: bytes | str) -> PushSubscription:
    """Return a stored subscription, without the members that a later version may have added."""
    stored = orjson.loads(value)
    return PushSubscription(
        stored["id"], stored["endpoint"], stored["p256dh"], stored["auth"], stored["created"]
    )


def _registration(value: bytes | str) -> _Registration:
    stored = orjson.loads(value)
    return _Registration(stored["player"], stored["session"], stored["created"])


def _registration_key(id: str) -> str:
    return f"cartulary:push-registration:{id}"


def _key(player: str) -> str:
    return f"cartulary:push-subscriptions:{player}"
