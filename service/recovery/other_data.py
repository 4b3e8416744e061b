"""Repairs the consistency of data other than the logs of games, after some writes were lost.

If the creation of an object is lost but later changes are not, a fragment of it is left, such as an account
without a handle. Fragments are removed, counters are counted again, and indexes are completed. The jobs in
the queue are removed, because the outbox has all pending work.
"""

from dataclasses import dataclass
from typing import Any, Final

import orjson
import redis

from domain.errors import Unreadable
from ledger.envelope import is_hash
from service.accounts.account_reader import account_key
from service.accounts.handle_index import HandleIndex
from service.administration.log import AdministrationLog
from service.connection import to_text, unavailable_on_error
from service.keyring import KEYS
from service.notifications.deliveries import DUE, PREFIX

EXPIRING: Final = (
    "cartulary:account-mail:",
    "cartulary:bounce:",
    "cartulary:confirmation-mails:",
    "cartulary:email-confirmation:",
    "cartulary:known-networks:",
    "cartulary:password-guesses:",
    "cartulary:password-reset-mails:",
    "cartulary:password-reset:",
    "cartulary:personal-token:",
    "cartulary:reply-address:",
    "cartulary:reply-counts:",
    "cartulary:reply:",
    "cartulary:sandbox:",
    "cartulary:token:",
    "LIMITS:",
)
"""The prefixes of keys that always expire: tokens, and counts of attempts. In a rewritten file, the expiry of
a key is a separate command, so it alone can be lost.
"""
_PAGE: Final = 500
_QUEUE_KEYS: Final = "rq:*"
_NEVER: Final = -1
"""The time to live of a key that does not expire."""


@dataclass(frozen=True, slots=True)
class OtherLosses:
    """The losses besides events: ids of players whose accounts are lost, and the number of deliveries.

    `keys` are the ids of the public keys of the service whose entries are damaged. `administration` is the
    seq of the first entry of the administration log that does not continue the one before it; None if all do.
    """

    accounts: tuple[str, ...]
    deliveries: int
    keys: tuple[str, ...]
    administration: int | None


def restore_order(client: redis.Redis, handles: HandleIndex) -> OtherLosses:
    """Remove fragments, count again and complete indexes; return the losses. Raises Unavailable.

    Tokens whose expiry is lost are removed, because they would be valid for ever.
    """
    with unavailable_on_error():
        for key in client.scan_iter(_QUEUE_KEYS, count=_PAGE):
            client.delete(key)
        for prefix in EXPIRING:
            for key in client.scan_iter(f"{prefix}*", count=_PAGE):
                if client.ttl(key) == _NEVER:
                    client.delete(key)
        for key in client.scan_iter("cartulary:{*}:messages", count=_PAGE):
            _count_messages(client, to_text(key))
        deliveries = _remove_parts_of_deliveries(client)
        accounts = _restore_accounts(client, handles)
        keys = _remove_damaged_public_keys(client)
    return OtherLosses(accounts, deliveries, keys, _first_administration_fault(client))


def remove_unreadable_names(client: redis.Redis) -> None:
    """Remove the keys whose names are damaged and not text: nothing reads them.

    Raises Unavailable.
    """
    with unavailable_on_error():
        for key in client.scan_iter(count=_PAGE):
            if isinstance(key, bytes) and to_text(key).encode() != key:
                client.delete(key)


def _remove_parts_of_deliveries(client: redis.Redis) -> int:
    """Remove the fragments of deliveries whose creation is lost, and return their number."""
    count = 0
    prefix = f"{PREFIX}record:"
    for key in client.scan_iter(f"{prefix}*", count=_PAGE):
        if None in client.hmget(key, "content", "status", "attempts"):
            client.delete(key)
            client.zrem(DUE, to_text(key).removeprefix(prefix))
            count += 1
    return count


def _remove_damaged_public_keys(client: redis.Redis) -> tuple[str, ...]:
    """Remove the entries of public keys that cannot be read, and return their ids.

    The entry of the current signing key is published again when a web process starts.
    """
    damaged = []
    stored: Any = client.hgetall(KEYS)
    for id, value in stored.items():
        try:
            entry = orjson.loads(value)
            is_sound = is_hash(entry["public"]) and entry["key"] == to_text(id) and entry["from"]
        except (ValueError, KeyError, TypeError):
            is_sound = False
        if not is_sound:
            damaged.append(to_text(id))
            client.hdel(KEYS, id)
    return tuple(damaged)


def _count_messages(client: redis.Redis, key: str) -> None:
    """Set the number of the last message of a game, and the numbers of messages of its players."""
    counts: dict[str, int] = {}
    last = 0
    fields: Any = client.hgetall(key)
    for name, value in ((to_text(name), value) for name, value in fields.items()):
        if name.isdigit():
            last = max(last, int(name))
            author = _author(value)
            if author is not None:
                counts[f"count/{author}"] = counts.get(f"count/{author}", 0) + 1
        elif name.startswith("read/") and to_text(value).isdigit():
            # A message that was read did exist, even if it is lost.
            last = max(last, int(value))
    if last:
        client.hset(key, "last", str(last))
        for name, count in counts.items():
            client.hset(key, name, str(count))


def _author(stored: bytes) -> str | None:
    try:
        author = orjson.loads(stored)["author"]
    except (ValueError, KeyError, TypeError):
        return None
    return author if isinstance(author, str) else None


def _restore_accounts(client: redis.Redis, handles: HandleIndex) -> tuple[str, ...]:
    """Remove fragments of accounts, and free or take handles; return the ids of lost accounts."""
    lost: set[str] = set()
    prefix = account_key("")
    for key in map(to_text, client.scan_iter(f"{prefix}*", count=_PAGE)):
        handle, created = client.hmget(key, "handle", "created")
        if handle is None or created is None:
            client.delete(key)
            lost.add(key.removeprefix(prefix))
        else:
            seconds = client.ttl(key)  # negative for an account that does not expire
            handles.restore(
                to_text(handle), key.removeprefix(prefix), seconds if seconds > 0 else None
            )
    lost |= handles.release_of_missing(lambda player: bool(client.exists(account_key(player))))
    return tuple(sorted(lost))


def _first_administration_fault(client: redis.Redis) -> int | None:
    try:
        return AdministrationLog(client).first_fault()
    except Unreadable:
        return 0
