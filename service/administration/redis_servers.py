"""Checks of the Redis servers: that they keep what they must, and have memory left."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import redis

from domain.messages import message
from service.administration.finding import Finding
from service.connection import connect, to_text, unavailable_on_error
from service.operation.engine import OLDEST_VERSION, EngineName, find_holes, vulnerability
from service.operation.redis_risks import eviction_policy, keeps_file, masters_of
from service.settings import Settings

FULL: Final = 0.8
"""Part of the memory of Redis from which on it is nearly full."""


def check_logs(client: redis.Redis) -> Iterator[Finding]:
    """The Redis of the logs must keep every write that it has acknowledged."""
    for master in masters_of(client):
        yield from _check_master(master)


def _check_master(client: redis.Redis) -> Iterator[Finding]:
    with unavailable_on_error():
        info = client.info()
    yield from check_engine(info)
    if info.get("role") != "master":
        yield Finding(
            "fault",
            message("it is a replica, which accepts no writes"),
            message("let CARTULARY_REDIS_URL name the master"),
        )
    yield from _check_durability(client, info)
    yield from _check_memory(client, info)


def check_engine(info: Mapping[str, Any]) -> Iterator[Finding]:
    """Whether the engine that INFO describes is recent enough, and has no published holes."""
    # A Valkey says which Redis it is compatible with, too.
    name: EngineName = "Valkey" if info.get("server_name") == "valkey" else "Redis"
    release = str(info.get("valkey_version") or info["redis_version"])
    yield Finding("ok", message("{engine} responds", engine=f"{name} {release}"))
    match = re.match(r"(\d+)\.(\d+)\.(\d+)", release)
    if match is None:
        return
    version = (int(match[1]), int(match[2]), int(match[3]))
    if version < OLDEST_VERSION:
        yield Finding(
            "warning",
            message("this version of Redis is old"),
            message("upgrade to Redis 7 or Valkey 8, or later"),
        )
    if holes := find_holes(name, version):
        yield Finding(
            "warning",
            vulnerability(f"{name} {release}", holes),
            message("upgrade to the latest version of its series, or to a later series"),
        )


def _check_durability(client: redis.Redis, info: Mapping[str, Any]) -> Iterator[Finding]:
    if not keeps_file(info):
        yield Finding(
            "fault",
            message("it does not write every event to disk: events are lost when it ends"),
            message("set `appendonly yes` and `appendfsync always` in its configuration"),
        )
    else:
        match _configuration(client, "appendfsync"):
            case "always":
                yield Finding("ok", message("every write is on disk before its response"))
            case None:
                yield Finding(
                    "warning",
                    message("it does not show how often it writes to disk"),
                    message("make sure that `appendfsync` is `always`"),
                )
            case value:
                yield Finding(
                    "warning",
                    message(
                        "with `appendfsync {value}`, a power cut loses events that were acknowledged",
                        value=value,
                    ),
                    message("set `appendfsync always` in its configuration"),
                )
    for name in ("aof_last_write_status", "aof_last_bgrewrite_status", "rdb_last_bgsave_status"):
        if info.get(name, "ok") != "ok":
            yield Finding(
                "fault",
                message("it could not write its file ({name})", name=name),
                message("look at its log; usually the disk is full"),
            )


def _check_memory(client: redis.Redis, info: Mapping[str, Any]) -> Iterator[Finding]:
    limit = info.get("maxmemory") or 0
    policy = eviction_policy(info)
    if policy is not None:
        yield Finding(
            "fault",
            message("it deletes data when its memory is full ({policy})", policy=policy),
            message("set `maxmemory-policy noeviction` in its configuration"),
        )
    limit = limit or info.get("total_system_memory") or 0
    used = info.get("used_memory", 0)
    if limit:
        is_nearly_full = used > FULL * limit
        yield Finding(
            "warning" if is_nearly_full else "ok",
            message("{used} of {limit} MiB of memory are used", used=used >> 20, limit=limit >> 20),
            message("give it more memory before it refuses writes") if is_nearly_full else None,
        )


def _configuration(client: redis.Redis, name: str) -> str | None:
    """Return a value of the configuration; None if this Redis does not show it."""
    try:
        with unavailable_on_error():
            values = client.config_get(name)
    except redis.ResponseError:
        return None
    value = values.get(name)
    return None if value is None else to_text(value)


def check_queue(settings: Settings) -> Iterator[Finding]:
    """The Redis of the queue may lose all its data together, but must not evict single keys."""
    if settings.queue_url == settings.redis_url:
        return
    client = connect(settings.queue_url)
    try:
        with unavailable_on_error():
            info = client.info()
        yield from check_engine(info)
        yield from _check_memory(client, info)
    finally:
        client.close()
