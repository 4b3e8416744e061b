"""The whole content of a Redis, to check that something has changed nothing."""

from typing import Any

import redis


def contents(client: redis.Redis) -> dict[str, Any]:
    """Return every key with its value as dumped by Redis; sets, which have no order, as Python sets."""
    values: dict[str, Any] = {}
    for key in client.keys("*"):
        name = key.decode() if isinstance(key, bytes) else key
        is_set = client.type(name) == b"set"
        values[name] = client.smembers(name) if is_set else client.dump(name)
    return values


def digest(client: redis.Redis) -> bytes:
    """Return the digest of the whole content that Redis computes itself: quicker than `contents`."""
    digest: bytes = client.execute_command("DEBUG", "DIGEST")  # type: ignore[no-untyped-call]
    return digest
