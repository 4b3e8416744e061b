"""A Redis Cluster of three masters with a replica each: real processes on this machine."""

import os
import random
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import redis

from service.operation.engine import find_engine
from tests.support.processes import wait_until
from tests.support.sentinels import debug_options

SLOTS: Final = 16384
MASTERS: Final = 3
_NODE_TIMEOUT: Final = 60_000
"""Milliseconds after which a node that is silent counts as failed: none does because the machine is slow."""
_BUS: Final = 10_000
"""The port on which nodes talk to each other, minus the port for clients."""


@dataclass
class Cluster:
    """The nodes by their ports."""

    folder: Path
    nodes: dict[int, "subprocess.Popen[bytes]"] = field(default_factory=dict)

    @property
    def url(self) -> str:
        """The URL of the cluster, with all of its nodes."""
        return "redis+cluster://" + ",".join(f"127.0.0.1:{port}" for port in self.nodes) + "/"

    def start_node(self, port: int) -> bool:
        """Start a node on the data that it had. Returns False if another process has the port."""
        folder = self.folder / str(port)
        folder.mkdir(exist_ok=True)
        executable = find_engine().executable
        command = [
            *(executable, "--dir", str(folder), "--bind", "127.0.0.1", "--port", str(port)),
            *("--save", "", "--appendonly", "yes", "--appendfsync", "no"),
            *("--repl-diskless-sync", "yes", "--repl-diskless-sync-delay", "0"),
            *("--cluster-enabled", "yes", "--cluster-config-file", "nodes.conf"),
            *("--cluster-node-timeout", str(_NODE_TIMEOUT)),
            *debug_options(),
        ]
        with (folder / "log").open("ab") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, env=os.environ)
        wait_until(lambda: process.poll() is not None or _process_at(port) == process.pid)
        if process.poll() is not None:
            return False
        self.nodes[port] = process
        return True

    def form(self) -> None:
        """Make a cluster of the nodes: the first MASTERS share the slots, and the others replicate them."""
        first, *others = self.nodes
        for port in others:
            _call(first, "CLUSTER MEET", "127.0.0.1", port)
        bounds = [SLOTS * number // MASTERS for number in range(MASTERS + 1)]
        masters = [*self.nodes][:MASTERS]
        for port, begin, end in zip(masters, bounds, bounds[1:], strict=False):
            _call(port, "CLUSTER ADDSLOTS", *range(begin, end))
        for port in self.nodes:
            wait_until(lambda port=port: len(_table(port)) == len(self.nodes))  # type: ignore[misc] # a default
        for master, port in zip(masters, [*self.nodes][MASTERS:], strict=True):
            id = _call(master, "CLUSTER MYID").decode()
            _replicate(port, id)
        self.wait_until_whole()

    def wait_until_whole(self) -> None:
        """Wait until all slots are served, and each master has a replica with all of its data."""
        for port in self.nodes:
            wait_until(lambda port=port: _is_whole(port, len(self.nodes)))  # type: ignore[misc] # a default
        for port in self.masters():
            wait_until(lambda port=port: _has_replica(port))  # type: ignore[misc] # the same
            replica = self.replica_of(port)
            wait_until(lambda port=replica: _has_data_of_master(port))  # type: ignore[misc] # the same

    def masters(self) -> list[int]:
        """Return the ports of the masters that have slots."""
        return _masters_known_to(self._alive()[0])

    def master_of(self, key: str) -> int:
        """Return the port of the master of a key."""
        for port in self.masters():
            with redis.Redis(port=port) as client, suppress(redis.exceptions.MovedError):
                client.exists(key)
                return port
        raise LookupError(key)

    def kill(self, port: int) -> None:
        """Kill a node (SIGKILL)."""
        self.nodes[port].send_signal(signal.SIGKILL)
        self.nodes[port].wait()

    def fail_over(self, port: int) -> None:
        """Kill a master, have its replica take its slots, and start it again as a replica."""
        self.kill(port)
        self.complete_failover(port)

    def complete_failover(self, port: int) -> None:
        """Have the replica of a killed master take its slots, and start the master again as a replica."""
        self.promote_replica(port)
        self.start_node(port)
        self.wait_until_whole()

    def replica_of(self, port: int) -> int:
        """Return the port of the replica of a master."""
        other = next(node for node in self._alive() if node != port)
        rows = [row.split() for row in _table(other)]
        id = next(row[0] for row in rows if _port(row) == port)
        return next(_port(row) for row in rows if row[3] == id)

    def promote_replica(self, port: int) -> None:
        """Have the replica of a killed master take its slots, as the nodes do by themselves after a time."""
        alive, replica = self._alive(), self.replica_of(port)
        for node in alive:
            # Nodes take a replica that they found failed as failed for long after its promotion.
            wait_until(lambda node=node: not _is_failing(node, replica))  # type: ignore[misc] # a default
        _call(replica, "CLUSTER FAILOVER", "TAKEOVER")
        for node in alive:
            wait_until(lambda node=node: replica in _masters_known_to(node))  # type: ignore[misc] # a default

    def _alive(self) -> list[int]:
        return [port for port, process in self.nodes.items() if process.poll() is None]

    def empty(self) -> None:
        """Delete everything."""
        for port in self.masters():
            with redis.Redis(port=port) as client:
                client.flushall()


@contextmanager
def redis_cluster(folder: Path) -> Iterator[Cluster]:
    """Run a cluster; all nodes are killed at the end."""
    cluster = Cluster(folder)
    try:
        chance = random.Random(f"{os.getpid()} {time.monotonic_ns()}")
        while len(cluster.nodes) < 2 * MASTERS:
            # Below the range from which the system takes ports of its own, as are those of the bus.
            port = chance.randrange(10_000, 20_000)
            if port not in cluster.nodes and _is_free(port) and _is_free(port + _BUS):
                cluster.start_node(port)
        cluster.form()
        yield cluster
    finally:
        for process in cluster.nodes.values():
            process.kill()
            process.wait()


def _call(port: int, *command: Any) -> Any:
    with redis.Redis(port=port) as client:
        return client.execute_command(*command)


def _is_failing(port: int, other: int) -> bool:
    """Return whether a node takes another one as failed, or as probably failed."""
    rows = [row.split() for row in _table(port)]
    return any("fail" in row[2] for row in rows if _port(row) == other)


def _replicate(port: int, master_id: str) -> None:
    """Make a node a replica, as soon as it knows the master."""

    def has_begun() -> bool:
        with suppress(redis.ResponseError):
            _call(port, "CLUSTER REPLICATE", master_id)
            return True
        return False

    wait_until(has_begun)


def _table(port: int) -> list[str]:
    """Return the lines of CLUSTER NODES, of which redis-py would make a dictionary."""
    with redis.Redis(port=port) as client:
        client.set_response_callback("CLUSTER NODES", lambda reply, **_: reply)
        reply: Any = client.execute_command("CLUSTER NODES")
    return [line for line in reply.decode().splitlines() if line]


def _port(row: list[str]) -> int:
    """Return the port in a row of CLUSTER NODES."""
    return int(row[1].split("@")[0].rpartition(":")[2])


def _masters_known_to(port: int) -> list[int]:
    """Return the ports of the masters that have slots, as a node knows them."""
    rows = [row.split() for row in _table(port)]
    return [_port(row) for row in rows if "master" in row[2] and len(row) > 8]


def _is_whole(port: int, count: int) -> bool:
    """Return whether a node takes all slots for served, and all nodes for connected."""
    with redis.Redis(port=port) as client:
        client.set_response_callback("CLUSTER INFO", lambda reply, **_: reply)
        info: Any = client.execute_command("CLUSTER INFO")
    rows = [row.split() for row in _table(port)]
    return (
        b"cluster_state:ok" in info
        and b"cluster_slots_ok:%d" % SLOTS in info
        and len(rows) == count
        and all(row[7] == "connected" and "fail" not in row[2] for row in rows)
        and sum("slave" in row[2] for row in rows) == count - MASTERS
    )


def _has_replica(port: int) -> bool:
    with redis.Redis(port=port) as client:
        info = client.info("replication")
    return bool(info["role"] == "master" and info.get("slave0", {}).get("state") == "online")


def _has_data_of_master(port: int) -> bool:
    """Return whether a replica has received the data of its master; later engines call it online before."""
    with redis.Redis(port=port) as client:
        info = client.info("replication")
    return bool(info["role"] == "slave" and info["master_link_status"] == "up")


def _process_at(port: int) -> int | None:
    """Return the id of the process that responds at a port."""
    try:
        with redis.Redis(port=port) as client:
            return int(client.info("server")["process_id"])
    except redis.RedisError:
        return None


def _is_free(port: int) -> bool:
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True
