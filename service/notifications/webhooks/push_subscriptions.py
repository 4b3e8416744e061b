"""The push subscriptions of players: browsers that show notifications (RFC 8030).

cartulary:push-subscriptions:PLAYER    hash: id of a subscription -> JSON of it
"""

from base64 import urlsafe_b64decode
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from typing import Any, Final

import orjson
import redis
from cryptography.hazmat.primitives.asymmetric import ec

from domain.errors import Malformed
from domain.json_types import JsonObject
from domain.messages import Text, message
from service import clock
from service.bounds import Bounds
from service.connection import unavailable_on_error
from service.errors import NotFound
from service.notifications.endpoints import Endpoint
from service.notifications.webhooks.receivers import InvalidUrl, Receivers

_AUTH_BYTES: Final = 16


@dataclass(frozen=True, slots=True)
class PushSubscription:
    """A subscription: the URL of a push service, and the keys with which only the browser decrypts."""

    id: str
    endpoint: str = field(repr=False)
    p256dh: str = field(repr=False)
    auth: str = field(repr=False)
    created: str

    def as_json(self) -> JsonObject:
        """Return the subscription as its player sees it."""
        return {"id": self.id, "created": self.created}


class PushSubscriptions:
    """The subscriptions of all players. Every method raises Unavailable if Redis does not respond."""

    channel = "push"

    def __init__(self, client: redis.Redis, bounds: Bounds, receivers: Receivers) -> None:
        self._redis = client
        self._receivers = receivers
        self._max = bounds.max_push_subscriptions_per_player

    def of(self, player: str) -> list[PushSubscription]:
        """Return the subscriptions of a player, the oldest first."""
        with unavailable_on_error():
            stored: list[Any] = self._redis.hvals(_key(player))
        subscriptions = [PushSubscription(**orjson.loads(value)) for value in stored]
        return sorted(subscriptions, key=lambda item: (item.created, item.id))

    def endpoints(self, player: str) -> Sequence[Endpoint]:
        """Return the subscriptions of a player as endpoints for notifications."""
        return [Endpoint(self.channel, item.id, item.endpoint) for item in self.of(player)]

    def find(self, player: str, id: str) -> PushSubscription:
        """Return a subscription of a player. Raises NotFound."""
        for subscription in self.of(player):
            if subscription.id == id:
                return subscription
        raise NotFound.with_message("this player has no push subscription {id}", id=id[:64])

    def add(self, player: str, endpoint: str, p256dh: str, auth: str) -> PushSubscription:
        """Add a subscription, or replace its keys; one too many replaces the oldest. Raises Malformed."""
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
        added = PushSubscription(id, endpoint, p256dh, auth, clock.format(clock.now()))
        others = [item.id for item in self.of(player) if item.id != id]
        with unavailable_on_error():
            self._redis.hset(_key(player), id, orjson.dumps(asdict(added)))
            if excess := others[: max(0, len(others) + 1 - self._max)]:
                self._redis.hdel(_key(player), *excess)
        return added

    def remove(self, player: str, id: str) -> None:
        """Remove a subscription, if it exists."""
        with unavailable_on_error():
            self._redis.hdel(_key(player), id)

    def delete_all_of(self, player: str) -> None:
        """Delete all subscriptions of a player."""
        with unavailable_on_error():
            self._redis.delete(_key(player))


def decode_base64(text: str) -> bytes:
    """Return the bytes of a text in base64url without padding. Raises ValueError."""
    if not text.isascii():
        raise ValueError("not base64url")
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _key(player: str) -> str:
    return f"cartulary:push-subscriptions:{player}"
