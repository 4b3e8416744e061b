"""All that a Redis holds, to see that something changed nothing."""

from typing import Any

import redis


def contents(client: redis.Redis) -> dict[str, Any]:
    """Every key with its value; but for sets, which have no order, as Redis itself writes it down."""
    found: dict[str, Any] = {}
    for key in client.keys("*"):
        name = key.decode() if isinstance(key, bytes) else key
        is_set = client.type(name) == b"set"
        found[name] = client.smembers(name) if is_set else client.dump(name)
    return found


def digest(client: redis.Redis) -> bytes:
    """Redis's own digest of all that it holds: as good as `contents` to see a change, and quick."""
    digest: bytes = client.execute_command("DEBUG", "DIGEST")  # type: ignore[no-untyped-call]
    return digest
