"""A bare client for many connections at once: packed commands in, one at a time on each, answers counted.

It costs next to nothing beside Redis, so that Redis is what is measured.
"""

import selectors
import socket
from collections.abc import Callable, Sequence

import redis


class Recorder(redis.Redis):
    """Packs what it is told to send instead of sending it, and answers with `answer`."""

    packed: list[bytes]
    answer: object

    def execute_command(self, *args: object, **options: object) -> object:  # noqa: ARG002
        """See the class."""
        self.packed.append(b"".join(redis.connection.Connection().pack_command(*args)))
        return self.answer


def recorded(call: Callable[[Recorder], object], answer: object) -> bytes:
    """The bytes of the one command that `call` sends."""
    recorder = Recorder()
    recorder.packed, recorder.answer = [], answer
    call(recorder)
    (command,) = recorder.packed
    return command


def converse(path: str, conversations: Sequence[Sequence[bytes]]) -> int:
    """Send each conversation's commands over a connection of its own; the number of answers.

    An answer may be one line, or an array of integers. Raises RuntimeError for an error.
    """
    selector = selectors.DefaultSelector()
    for commands in conversations:
        link = socket.socket(socket.AF_UNIX)
        link.connect(path)
        pending = iter(commands)
        link.sendall(next(pending))
        selector.register(link, selectors.EVENT_READ, pending)
    open_links, answers = len(conversations), 0
    while open_links:
        for key, _ in selector.select():
            link, pending = key.fileobj, key.data
            assert isinstance(link, socket.socket)
            answer = link.recv(65536)
            if answer[:1] == b"-" or not answer.endswith(b"\r\n"):
                raise RuntimeError(answer.decode())
            answers += 1
            command = next(pending, None)
            if command is None:
                selector.unregister(link)
                link.close()
                open_links -= 1
            else:
                link.sendall(command)
    return answers
