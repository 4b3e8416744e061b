"""The webhooks of players and clubs: URLs to which notifications are posted.

    cartulary:webhooks:PLAYER         hash: id of a webhook -> JSON of the webhook, with its secret
    cartulary:webhook-tokens:PLAYER   hash: id of a webhook -> SHA256 of the personal token with which it was
                                      registered; without that token, there is no webhook
    cartulary:webhook-tests           set: PLAYER/ID of the webhooks to which a test is to be posted

PLAYER is `club-ID` for the webhook of a club (service/notifications/channels.py), of which there is one at
most (service/clubs/webhooks.py).

A webhook is disabled after a number of failures in a row, or when its receiver responds that it is gone.
Before that, its circuit breaker pauses it after each failure (service/notifications/circuit_breakers.py).
"""

import secrets
from base64 import b64encode
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, TypeAlias, get_args

import orjson
import redis

from domain.errors import Malformed
from domain.json_types import JsonObject
from domain.messages import plural_message
from service import wall_clock
from service.accounts.personal_tokens import PersonalTokens
from service.bounded_collections import store_if_fewer
from service.bounds import Bounds
from service.connection import to_text, unavailable_on_error
from service.entered_text import trim
from service.errors import NotFound, TooManyWebhooks
from service.notifications.circuit_breakers import CircuitBreakers, Receiver
from service.notifications.endpoints import Endpoint
from service.notifications.webhooks.receivers import InvalidUrl, Receivers
from service.stored_objects import decode_object, members_of

SECRET_PREFIX: Final = "whsec_"  # noqa: S105 # what secrets begin with
_SECRET_BYTES: Final = 32
Format: TypeAlias = Literal["plain", "discord", "slack"]
FORMATS: Final[tuple[Format, ...]] = get_args(Format)
"""The format of posts: signed JSON for programs, or a message in the format of these services."""
_TESTS: Final = "cartulary:webhook-tests"
_REPLACE: Final = """
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then redis.call('HSET', KEYS[1], ARGV[1], ARGV[2]) end
"""


@dataclass(frozen=True, slots=True)
class Webhook:
    """A webhook. `failures` counts the attempts that have failed since the last success."""

    id: str
    url: str = field(repr=False)
    secret: str = field(repr=False)
    created: str
    failures: int = 0
    tried_at: str | None = None
    result: str | None = None
    """The result of the last attempt, as a stored message; None if it was accepted."""
    disabled_at: str | None = None
    format: Format = "plain"
    later_members: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def as_json(self) -> JsonObject:
        """Return the webhook as its player sees it, without the secret, which is shown only once."""
        return {
            "id": self.id,
            "url": self.url,
            "created": self.created,
            "failures": self.failures,
            "tried_at": self.tried_at,
            "disabled_at": self.disabled_at,
        }


class Webhooks:
    """The webhooks of all players. Every method raises Unavailable if Redis does not respond."""

    channel = "webhook"

    def __init__(
        self,
        client: redis.Redis,
        bounds: Bounds,
        receivers: Receivers,
        breakers: CircuitBreakers,
        personal_tokens: PersonalTokens,
    ) -> None:
        self._redis = client
        self._personal_tokens = personal_tokens
        self._breakers = breakers
        self._receivers = receivers
        self._max = bounds.max_webhooks_per_player
        self._max_failures = bounds.max_webhook_failures
        self._replace = client.register_script(_REPLACE)

    def of(self, player: str) -> list[Webhook]:
        """Return the webhooks of a player, the oldest first."""
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            pipeline.hvals(_key(player))
            pipeline.hgetall(_tokens_key(player))
            stored, tokens = pipeline.execute()
        webhooks = self._without_revoked(
            player, [decode_object(Webhook, value) for value in stored], tokens
        )
        return sorted(webhooks, key=lambda webhook: (webhook.created, webhook.id))

    def endpoints(self, player: str) -> Sequence[Endpoint]:
        """Return the webhooks of a player that are not disabled, as endpoints for notifications."""
        return [
            Endpoint(self.channel, webhook.id, webhook.url)
            for webhook in self.of(player)
            if webhook.disabled_at is None
        ]

    def find(self, player: str, id: str) -> Webhook:
        """Return a webhook of a player. Raises NotFound."""
        for webhook in self.of(player):
            if webhook.id == id:
                return webhook
        raise NotFound.with_message("this player has no webhook {webhook}", webhook=id[:64])

    def _without_revoked(
        self, player: str, webhooks: Sequence[Webhook], stored: Mapping[Any, Any]
    ) -> list[Webhook]:
        """Return the webhooks, and remove those whose personal token is no longer valid."""
        tokens = {to_text(id): to_text(digest) for id, digest in stored.items()}
        valid = self._personal_tokens.valid(sorted(set(tokens.values())))
        revoked = [id for id, digest in tokens.items() if digest not in valid]
        for id in revoked:
            self._delete(player, id)
        return [webhook for webhook in webhooks if webhook.id not in revoked]

    def add(self, player: str, url: str, token_digest: str | None = None) -> Webhook:
        """Register a webhook, and return it with its secret. Raises Malformed, TooManyWebhooks.

        `token_digest` is the hash of the personal token that registers it; the webhook ends with the token.
        """
        webhook = self._new(url)
        self.of(player)  # removes those of revoked tokens
        key = _key(player)
        self._store_token(player, webhook, token_digest)
        is_stored = store_if_fewer(
            self._redis,
            key,
            self._max,
            lambda pipeline: pipeline.hlen(key),
            lambda pipeline: pipeline.hset(key, webhook.id, _encode(webhook)),
        )
        if not is_stored:
            self._delete(player, webhook.id)
            raise TooManyWebhooks(
                plural_message(
                    "a player can have one webhook: remove it first",
                    "a player can have at most {count} webhooks: remove one of them first",
                    count=self._max,
                )
            )
        return webhook

    def replace_all(
        self, player: str, url: str, format: Format, token_digest: str | None = None
    ) -> Webhook:
        """Register a webhook that replaces all others, and return it with its secret. Raises Malformed."""
        webhook = replace(self._new(url), format=format)
        before = self.of(player)
        self._store_token(player, webhook, token_digest)
        with unavailable_on_error():
            self._redis.hset(_key(player), webhook.id, _encode(webhook))
        for each in before:
            self._delete(player, each.id)
        return webhook

    def _new(self, url: str) -> Webhook:
        """Return a new webhook, which is not stored. Raises Malformed."""
        url = trim(url)
        try:
            self._receivers.check_url(url)
        except InvalidUrl as error:
            raise Malformed({"url": error.message}) from None
        secret = SECRET_PREFIX + b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()
        return Webhook(secrets.token_hex(8), url, secret, wall_clock.format(wall_clock.now()))

    def _store_token(self, player: str, webhook: Webhook, token_digest: str | None) -> None:
        """Store the token with which a webhook ends, before the webhook itself."""
        if token_digest is not None:
            with unavailable_on_error():
                self._redis.hset(_tokens_key(player), webhook.id, token_digest)

    def remove(self, player: str, id: str) -> None:
        """Remove a webhook. Raises NotFound."""
        self.find(player, id)
        self._delete(player, id)

    def _delete(self, player: str, id: str) -> None:
        with unavailable_on_error():
            self._redis.hdel(_key(player), id)
            self._redis.hdel(_tokens_key(player), id)
        self._breakers.forget(Receiver(self.channel, player, id))

    def enable(self, player: str, id: str) -> Webhook:
        """Enable a webhook again, and forget its failures. Raises NotFound."""
        self._breakers.forget(Receiver(self.channel, player, id))
        return self._store(player, replace(self.find(player, id), failures=0, disabled_at=None))

    def paused_until(self, player: str, webhooks: Sequence[Webhook]) -> list[str | None]:
        """Return the time until which each webhook is paused after failures; None if it is not paused."""
        now = wall_clock.now()
        breakers = self._breakers.of_each(
            [Receiver(self.channel, player, webhook.id) for webhook in webhooks]
        )
        return [
            None
            if webhook.disabled_at is not None or breaker.pause_after(now) is None
            else breaker.paused_until
            for webhook, breaker in zip(webhooks, breakers, strict=True)
        ]

    def record_success(self, player: str, id: str) -> None:
        """Record that a webhook has accepted a notification, or a test."""
        now = wall_clock.format(wall_clock.now())
        with suppress(NotFound):
            webhook = self.find(player, id)
            self._store(player, replace(webhook, failures=0, tried_at=now, result=None))

    def record_failure(self, player: str, id: str, result: str, *, is_gone: bool) -> Webhook | None:
        """Record a failed attempt; return the webhook if that disables it.

        `result` is a stored message; `is_gone` is True if the receiver wants no more requests.
        """
        try:
            webhook = self.find(player, id)
        except NotFound:
            return None
        now = wall_clock.format(wall_clock.now())
        failures = webhook.failures + 1
        is_last = webhook.disabled_at is None and (is_gone or failures >= self._max_failures)
        changed = replace(webhook, failures=failures, tried_at=now, result=result)
        if is_last:
            changed = replace(changed, disabled_at=now)
        self._store(player, changed)
        return changed if is_last else None

    def request_test(self, player: str, id: str) -> None:
        """Request a test of a webhook, which may be disabled. Raises NotFound."""
        self.find(player, id)
        with unavailable_on_error():
            self._redis.sadd(_TESTS, f"{player}/{id}")

    def take_tests(self, limit: int) -> list[tuple[str, str]]:
        """Take up to `limit` requested tests, and return the player and the id of each webhook."""
        with unavailable_on_error():
            members: Any = self._redis.spop(_TESTS, limit)
        pairs = [to_text(member).partition("/") for member in members or ()]
        return [(player, id) for player, _, id in pairs]

    def delete_all_of(self, player: str) -> None:
        """Delete all webhooks of a player."""
        with unavailable_on_error():
            self._redis.delete(_key(player))
            self._redis.delete(_tokens_key(player))

    def _store(self, player: str, webhook: Webhook) -> Webhook:
        """Store a changed webhook unless it was removed in the meantime."""
        with unavailable_on_error():
            self._replace(keys=[_key(player)], args=[webhook.id, _encode(webhook)])
        return webhook


def _encode(webhook: Webhook) -> bytes:
    """Return a webhook in the stored form, with its format only if that is not `plain`."""
    fields = members_of(webhook)
    if webhook.format == "plain":
        # Processes of the previous version do not know this field.
        del fields["format"]
    return orjson.dumps(fields)


def _key(player: str) -> str:
    return f"cartulary:webhooks:{player}"


def _tokens_key(player: str) -> str:
    return f"cartulary:webhook-tokens:{player}"
