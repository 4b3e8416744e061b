"""The kinds of Redis on which the tests of the service can run."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from replay.language.renderer import english
from service.operation.embedded_redis import EmbeddedRedis
from service.settings import SettingsError, load_settings
from tests.support.clusters import redis_cluster
from tests.support.sentinels import replicated_redis

KINDS: Final = ("single", "sentinel", "cluster")


@dataclass(frozen=True)
class RedisUrls:
    """The URLs of the Redis of the logs and of that of the queue."""

    logs: str
    queue: str


@contextmanager
def redis_of_kind(
    kind: str, single: EmbeddedRedis, folders: pytest.TempPathFactory
) -> Iterator[RedisUrls]:
    """Run what the kind needs beside a single Redis; that one has the queue if the logs are in a cluster."""
    match kind:
        case "cluster":
            with redis_cluster(folders.mktemp("cluster")) as cluster:
                yield RedisUrls(cluster.url, single.url)
        case "sentinel":
            with replicated_redis(folders.mktemp("replicated")) as servers:
                yield RedisUrls(servers.url, servers.url)
        case _:
            yield RedisUrls(single.url, single.url)


def assert_refused_by_settings(url: str, folder: Path) -> None:
    """Check that the settings refuse this URL of Redis, without showing the word `secret` in it."""
    with pytest.raises(SettingsError) as error:
        load_settings({"CARTULARY_DATA": str(folder), "CARTULARY_REDIS_URL": url})
    assert english(error.value.message).startswith("CARTULARY_REDIS_URL must")
    assert "secret" not in english(error.value.message)
