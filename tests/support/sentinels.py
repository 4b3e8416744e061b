"""A Redis with replicas, watched by a Sentinel that fails it over: real processes on this machine."""

import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import redis

from service.operation.engine import find_engine
from tests.support.processes import wait_until

NAME: Final = "games"
"""The name of the master."""
_DOWN_AFTER: Final = 60_000
"""Milliseconds after which a silent server counts as failed: none does because the machine is slow."""
_DURABLE: Final = ("--appendonly", "yes", "--appendfsync", "always", "--save", "")


@dataclass
class Replicated:
    """The servers by their ports, and the Sentinel."""

    folder: Path
    sentinel_port: int
    servers: dict[int, "subprocess.Popen[bytes]"] = field(default_factory=dict)

    @property
    def url(self) -> str:
        """The URL of the master, through the Sentinel."""
        return f"redis+sentinel://127.0.0.1:{self.sentinel_port}/{NAME}"

    def master_port(self) -> int:
        """Return the port of the server that the Sentinel takes for the master."""
        with redis.Redis(port=self.sentinel_port) as sentinel:
            address: Any = sentinel.execute_command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", NAME)
        return int(address[1])

    def start_server(self, port: int, master: int | None = None) -> None:
        """Start a server, as a replica of another one if that is given."""
        folder = self.folder / str(port)
        folder.mkdir(exist_ok=True)
        replica = () if master is None else ("--replicaof", "127.0.0.1", str(master))
        self.servers[port] = _start(
            folder, "--port", str(port), *_DURABLE, "--repl-diskless-sync-delay", "0", *replica
        )
        wait_until(lambda: _responds(port))

    def fail_over(self) -> None:
        """Kill the master, wait for the new one, and start the killed one again as its replica."""
        former = self.master_port()
        self.kill(former)
        self.complete_failover(former)

    def kill(self, port: int) -> None:
        """Kill a server (SIGKILL)."""
        self.servers[port].send_signal(signal.SIGKILL)
        self.servers[port].wait()

    def replica_of(self, master: int) -> int:
        """Return the port of the only other server."""
        (replica,) = self.servers.keys() - {master}
        return replica

    def complete_failover(self, former: int) -> None:
        """Have the Sentinel replace a killed master, and start it again as the replica of the new one."""
        wait_until(self._begins_failover)
        wait_until(lambda: self.master_port() != former)
        master = self.master_port()
        wait_until(lambda: _role(master) == "master")
        self.start_server(former, master)
        self.wait_for_replica()
        # The Sentinel lists the former master until it has ended the failover, and redis-py reads the list.
        wait_until(lambda: self._listed_master_port() == master)

    def _listed_master_port(self) -> int:
        with redis.Redis(port=self.sentinel_port) as sentinel:
            master: Any = sentinel.sentinel_master(NAME)
        return int(master["port"])

    def _begins_failover(self) -> bool:
        """Have the Sentinel fail the master over, as it does by itself after a time."""
        with redis.Redis(port=self.sentinel_port) as sentinel, suppress(redis.ResponseError):
            sentinel.execute_command("SENTINEL", "FAILOVER", NAME)
            return True
        return False

    def wait_for_replica(self) -> None:
        """Wait until the replica has everything that the master has, and the Sentinel knows it."""

        def is_complete() -> bool:
            with redis.Redis(port=self.sentinel_port) as sentinel:
                replicas: Any = sentinel.sentinel_slaves(NAME)
            usable = [
                replica
                for replica in replicas
                if not replica["is_disconnected"] and not replica["is_sdown"]
            ]
            return bool(usable) and has_complete_replica(self.master_port())

        wait_until(is_complete)


def debug_options() -> list[str]:
    """Return the options that allow DEBUG, which tests.support.redis_contents.digest uses."""
    return ["--enable-debug-command", "local"] if find_engine().version >= (7, 0, 0) else []


def has_complete_replica(port: int) -> bool:
    """Return whether a server is a master, and its replica has all of its data.

    Later engines call a replica online while it still receives the data, so it is asked to confirm a write.
    """
    with redis.Redis(port=port) as client:
        info = client.info("replication")
        if info["role"] != "master" or info.get("slave0", {}).get("state") != "online":
            return False
        with client.pipeline(transaction=False) as pipeline:
            pipeline.set("cartulary:{tests}:replication", 1, px=1)
            pipeline.wait(1, 1000)
            return bool(pipeline.execute()[1])


@contextmanager
def replicated_redis(folder: Path) -> Iterator[Replicated]:
    """Run a master, a replica and a Sentinel; all are killed at the end."""
    sentinel_port, master, replica = _free_ports(3)
    cluster = Replicated(folder, sentinel_port)
    sentinel: subprocess.Popen[bytes] | None = None
    try:
        cluster.start_server(master)
        cluster.start_server(replica, master)
        configuration = folder / "sentinel.conf"
        configuration.write_text(
            f"port {sentinel_port}\n"
            f"sentinel monitor {NAME} 127.0.0.1 {master} 1\n"
            f"sentinel down-after-milliseconds {NAME} {_DOWN_AFTER}\n"
            f"sentinel failover-timeout {NAME} 3000\n"
        )
        sentinel = _start(folder, str(configuration), "--sentinel")
        wait_until(lambda: _responds(sentinel_port))
        cluster.wait_for_replica()
        yield cluster
    finally:
        for process in (*cluster.servers.values(), *([] if sentinel is None else [sentinel])):
            process.kill()
            process.wait()


def _start(folder: Path, *options: str) -> "subprocess.Popen[bytes]":
    # The file of the configuration comes before the options.
    command = [*(find_engine().executable, *options), "--dir", str(folder), "--bind", "127.0.0.1"]
    command += debug_options()
    with (folder / "log").open("ab") as log:
        return subprocess.Popen(command, stdout=log, stderr=log, env=os.environ)


def _responds(port: int) -> bool:
    try:
        with redis.Redis(port=port) as client:
            return bool(client.ping())
    except redis.RedisError:
        return False


def _role(port: int) -> str:
    with redis.Redis(port=port) as client:
        return str(client.info("replication")["role"])


def _free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [int(it.getsockname()[1]) for it in sockets]
    for it in sockets:
        it.close()
    return ports
