"""What benchmarks of Redis need: a client that sends prepared commands over many connections and counts the
replies, at next to no cost compared with Redis; and the wait until a server has written its file again.
"""

import selectors
import socket
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

import redis
from typing_extensions import override

_PAUSE_SECONDS: Final = 0.2


class CommandRecorder(redis.Redis):
    """A client that keeps each command as bytes instead of sending it, and returns `reply`."""

    def __init__(self, reply: object) -> None:
        super().__init__()
        self.commands: list[bytes] = []
        self.reply = reply

    @override
    def execute_command(self, *args: Any, **options: Any) -> Any:
        """Keep the command."""
        connection = redis.connection.Connection()  # type: ignore[no-untyped-call] # it has no annotations
        packed: list[bytes] = connection.pack_command(*args)  # type: ignore[no-untyped-call] # the same
        self.commands.append(b"".join(packed))
        return self.reply


def command_bytes(call: Callable[[CommandRecorder], object], reply: object) -> bytes:
    """Return the bytes of the one command that `call` sends; the call receives `reply`."""
    recorder = CommandRecorder(reply)
    call(recorder)
    (command,) = recorder.commands
    return command


def send_commands(path: str, connections: Sequence[Sequence[bytes]]) -> int:
    """Send the commands of each connection to the socket `path`, each after the previous reply.

    Returns the number of replies. A reply may be one line or an array of integers; raises RuntimeError
    for an error.
    """
    selector = selectors.DefaultSelector()
    for commands in connections:
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(path)
        remaining = iter(commands)
        connection.sendall(next(remaining))
        selector.register(connection, selectors.EVENT_READ, (connection, remaining))
    replies = 0
    while selector.get_map():
        for key, _ in selector.select():
            connection, remaining = key.data
            reply = connection.recv(65536)
            if reply[:1] == b"-" or not reply.endswith(b"\r\n"):
                raise RuntimeError(reply.decode())
            replies += 1
            command = next(remaining, None)
            if command is None:
                selector.unregister(connection)
                connection.close()
            else:
                connection.sendall(command)
    return replies


def wait_for_rewrite(client: redis.Redis) -> None:
    """Wait until Redis has rewritten its file, which much data causes and which delays every write."""
    while True:
        info = client.info("persistence")
        if not (info["aof_rewrite_in_progress"] or info["aof_rewrite_scheduled"]):
            return
        time.sleep(_PAUSE_SECONDS)
