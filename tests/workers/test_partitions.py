"""Partitions between Redis and processes of a service lose and double nothing, and heal by themselves."""

import random
import time
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Final

import pytest

from service.connection import SECONDS_TO_RESPOND
from service.operation.data_folder import embedded_redis_socket
from tests.support.acknowledgements import Acknowledgements
from tests.support.crash_checks import check_everything
from tests.support.partitions import BOTH, Direction, Link, links
from tests.support.receiver import webhook_receiver
from tests.support.service_processes import ServiceProcesses
from tests.workers.test_kill import playing, wait_for_play

SIDES: Final = ("web", "worker 0", "sender 0", "scheduler 0")
SECONDS: Final = SECONDS_TO_RESPOND + 1
"""How long a partition lasts: longer than a process waits for a reply."""


@pytest.fixture
def network(tmp_path: Path) -> Iterator[dict[str, Link]]:
    """The link of each process to Redis."""
    with links(embedded_redis_socket(tmp_path / "data"), SIDES) as network:
        yield network


@pytest.fixture
def processes(tmp_path: Path, network: dict[str, Link]) -> Iterator[ServiceProcesses]:
    """A service whose processes reach Redis through their links."""
    urls = {name: link.url for name, link in network.items()}
    processes = ServiceProcesses(tmp_path, redis_urls=urls)
    try:
        processes.start()
        yield processes
    finally:
        for link in network.values():
            link.restore()
        processes.stop()


@pytest.mark.nightly
def test_partitions_of_each_side_lose_and_double_nothing(
    processes: ServiceProcesses, network: dict[str, Link]
) -> None:
    modes: list[Sequence[Direction]] = [BOTH, ["replies"], ["requests"]]
    sides = [*((side,) for side in SIDES), SIDES]
    acknowledgements, chance = Acknowledgements(), random.Random(1)
    with webhook_receiver() as receiver:
        with playing(processes.url, acknowledgements, 3, 1, receiver.url) as check_bots:
            for directions, names in product(modes, sides):
                wait_for_play(acknowledgements, chance, check_bots)
                for name in names:
                    network[name].interrupt(directions)
                time.sleep(SECONDS)
                for name in names:
                    network[name].restore()
        check_everything(processes.data, acknowledgements, receiver, must_have_ended=False)
    assert acknowledgements.repeated_requests
