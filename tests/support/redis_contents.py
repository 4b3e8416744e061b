"""The whole content of a Redis, to check that something has changed nothing."""

from typing import Any

import redis

from service.cluster import ClusterClient

_COUNTS = ("cartulary:password-guesses:", "cartulary:mail-secret")
"""Counts of wrong passwords, and the secret from which their names are made when it is first needed."""


def contents(client: redis.Redis) -> dict[str, Any]:
    """Return every key with its value as dumped by Redis; sets and hashes, which have no order, as in Python.

    Counts of wrong passwords are left out: it is their purpose to change.
    """
    values: dict[str, Any] = {}
    for key in client.keys("*"):
        name = key.decode() if isinstance(key, bytes) else key
        if name.startswith(_COUNTS):
            continue
        match client.type(name):
            case b"set":
                values[name] = client.smembers(name)
            case b"hash":
                values[name] = client.hgetall(name)
            case b"zset":
                values[name] = client.zrange(name, 0, -1, withscores=True)
            case _:
                values[name] = client.dump(name)
    return values


def digest(client: redis.Redis) -> bytes:
    """Return the digest of the whole content that Redis computes itself: quicker than `contents`."""
    servers = (
        [node.redis_connection for node in client.masters()]
        if isinstance(client, ClusterClient)
        else [client]
    )
    return b" ".join(server.execute_command("DEBUG", "DIGEST") for server in servers)
