"""Ends the streams of players who have logged out, have deleted their accounts, or have left the club whose
private game they watch.
"""

import asyncio
import logging
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, TypeAlias

import redis
import redis.asyncio

from service.accounts.account_reader import account_key
from service.clubs.store import club_key, is_member_entry, person_field
from service.connection import to_text
from service.server.stream_listener import Listener

log = logging.getLogger(__name__)

BATCH: Final = 500
"""Tokens that are checked in one round trip."""

Credential: TypeAlias = tuple[str, str, str | None]
"""The key of a token in Redis, the id of its player, and the club of which the player must be a member."""


@dataclass(eq=False, repr=False)
class TokenCheck:
    """Checks the tokens with which streams were opened, at intervals. Belongs to one event loop.

    The listeners are the open streams, in a collection that the caller maintains.
    """

    _redis: redis.asyncio.Redis
    _listeners: Collection[Listener]
    _interval: float
    """The time between two checks, in seconds."""

    async def run(self) -> None:
        """Check all tokens at intervals until the task is cancelled."""
        while True:
            await asyncio.sleep(self._interval)
            try:
                await self._end_invalid()
            except (redis.RedisError, OSError) as error:
                log.warning("the tokens of streams are not checked: %s", type(error).__name__)

    async def _end_invalid(self) -> None:
        listeners: dict[Credential, list[Listener]] = {}
        for listener in self._listeners:
            request = listener.request
            if request is not None and request.token_key is not None and request.player is not None:
                credential = (request.token_key, request.player, request.club)
                listeners.setdefault(credential, []).append(listener)
        for batch in _batches(listeners):
            for credential in await self._invalid(batch):
                for listener in listeners[credential]:
                    listener.end()

    async def _invalid(self, credentials: list[Credential]) -> list[Credential]:
        # `Any`: redis-py declares that each command of a pipeline must be awaited.
        pipeline: Any
        async with self._redis.pipeline(transaction=False) as pipeline:
            for token_key, player, club in credentials:
                pipeline.get(token_key)
                pipeline.exists(account_key(player))
                if club is not None:
                    pipeline.hget(club_key(club), person_field(player))
            replies = iter(await pipeline.execute())
        invalid = []
        for credential in credentials:
            owner, has_account = next(replies), next(replies)
            is_valid = owner is not None and to_text(owner) == credential[1] and has_account
            if credential[2] is not None:
                is_valid = is_member_entry(next(replies)) and is_valid
            if not is_valid:
                invalid.append(credential)
        return invalid


def _batches(credentials: Iterable[Credential]) -> Iterator[list[Credential]]:
    remaining = iter(credentials)
    while batch := [*islice(remaining, BATCH)]:
        yield batch
