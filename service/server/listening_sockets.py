"""The sockets that a web process listens on: several on one port, among which the kernel chooses by address.

Each socket has a separate backlog, so a client that fills one delays only the clients that share it. All
sockets of the port, including those of other web processes, form a group (SO_REUSEPORT), and a program that
this module attaches to the group chooses the socket for a new connection. On Linux, this requires no
privileges.
"""

import ctypes
import fcntl
import secrets
import socket
import struct
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from service.server.shared_port import unusable_port

SOCKETS_BITS: Final = 6
SOCKETS: Final = 1 << SOCKETS_BITS
"""The number of sockets of a process, and of backlogs among which clients are distributed."""
BACKLOG: Final = 512
"""The number of connections that can wait in the kernel for one of the sockets."""
SEND_BUFFER: Final = 128 * 1024
"""The number of bytes that the kernel keeps for a connection; Linux doubles it for its own needs."""

SO_ATTACH_REUSEPORT_CBPF: Final = 51
"""A socket option of Linux that is missing in Python's module (include/uapi/asm-generic/socket.h)."""

# Instructions of the classic Berkeley Packet Filter (Linux, Documentation/networking/filter.rst). A is the
# accumulator, X the index register, and M[0] a word of memory.
_LOAD_BYTE: Final = 0x30  # A = the byte at k
_LOAD_WORD: Final = 0x20  # A = the word at k
_LOAD_MEMORY: Final = 0x60  # A = M[k]
_STORE_MEMORY: Final = 0x02  # M[k] = A
_COPY_TO_X: Final = 0x07  # X = A
_ADD_X: Final = 0x0C  # A += X
_MULTIPLY: Final = 0x24  # A *= k
_MODULO: Final = 0x94  # A %= k
_SHIFT_RIGHT: Final = 0x74  # A >>= k
_XOR: Final = 0xA4  # A ^= k
_JUMP: Final = 0x05  # skip k instructions
_JUMP_IF_EQUAL: Final = 0x15  # skip jt instructions if A == k, else jf
_RETURN_A: Final = 0x16

_NETWORK_HEADER: Final = 0xFFF00000  # k from here on: bytes of the IP header
_RANDOM_NUMBER: Final = 0xFFFFF000 + 56  # k: a random word instead of one of the packet
_IPV4_SOURCE: Final = _NETWORK_HEADER + 12
_IPV6_SOURCE: Final = _NETWORK_HEADER + 8
_HASH_MULTIPLIER: Final = 2654435761
"""2**32 divided by the golden ratio, for Knuth's multiplicative hash, whose highest bits are used."""


def open_sockets(
    address: str, port: int, processes: int = 1, lock: Path | None = None
) -> list[socket.socket]:
    """Listen on a port (0: a free one) with SOCKETS sockets, or one if the kernel cannot choose among them.

    The port is shared by this number of `processes`, each of which calls this with the same file `lock`,
    which keeps the sockets of a process together in the group. Raises PortError.
    """
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    opened: list[socket.socket] = []
    with ExitStack() as stack:
        if lock is not None:
            stack.enter_context(_hold(lock))
        on_error = stack.enter_context(ExitStack())
        for _ in range(SOCKETS):
            # asyncio sets TCP_NODELAY only if the socket names its protocol. Without it, each event of a
            # stream waits for the client to acknowledge the one before, which may take 40 ms.
            listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
            on_error.callback(listening.close)
            try:
                listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
                # Connections inherit this. Otherwise, Linux would keep megabytes for a client that does not
                # read.
                listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
                listening.settimeout(0)
                listening.bind((address, port))
                listening.listen(BACKLOG)
            except OSError as error:
                raise unusable_port(address, port, error) from error
            port = listening.getsockname()[1]
            opened.append(listening)
            if len(opened) == 1 and not _choose_by_address(listening, processes):
                break
        on_error.pop_all()
    return opened


@contextmanager
def _hold(lock: Path) -> Iterator[None]:
    """Hold a lock, which is released at the latest when this process ends."""
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _choose_by_address(listening: socket.socket, processes: int) -> bool:
    """Let the kernel choose among the sockets of the group by address; return False if it cannot."""
    if sys.platform != "linux":
        return False
    code = b"".join(struct.pack("=HBBI", *instruction) for instruction in _program(processes))
    memory = ctypes.create_string_buffer(code, len(code))
    # struct sock_fprog: the number of instructions, and their address.
    program = struct.pack("@HP", len(code) // 8, ctypes.addressof(memory))
    try:
        listening.setsockopt(socket.SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, program)
    except OSError:
        return False
    return True


def _program(processes: int) -> Iterable[tuple[int, int, int, int]]:
    """Return the instructions (code, jt, jf, k) that return the place of a socket in the group.

    Each process has SOCKETS places in a row. The network of the client (the address for IPv4, the /64 for
    IPv6, as in `network_of`) determines the place within a process. The process is random, so that the
    clients behind one address, such as that of a proxy, reach all processes. If there is no socket in the
    place, because a process is missing, the kernel chooses one by the hash of the connection.
    """
    return (
        (_LOAD_BYTE, 0, 0, _NETWORK_HEADER),
        (_SHIFT_RIGHT, 0, 0, 4),
        (_JUMP_IF_EQUAL, 0, 6, 6),
        # IPv6
        (_LOAD_WORD, 0, 0, _IPV6_SOURCE),
        (_MULTIPLY, 0, 0, _HASH_MULTIPLIER),
        (_COPY_TO_X, 0, 0, 0),
        (_LOAD_WORD, 0, 0, _IPV6_SOURCE + 4),
        (_ADD_X, 0, 0, 0),
        (_JUMP, 0, 0, 1),
        # IPv4
        (_LOAD_WORD, 0, 0, _IPV4_SOURCE),
        # A secret number, so that nobody can choose an address that shares the socket of somebody else.
        (_XOR, 0, 0, secrets.randbits(32)),
        (_MULTIPLY, 0, 0, _HASH_MULTIPLIER),
        (_SHIFT_RIGHT, 0, 0, 32 - SOCKETS_BITS),
        (_STORE_MEMORY, 0, 0, 0),
        (_LOAD_WORD, 0, 0, _RANDOM_NUMBER),
        (_MODULO, 0, 0, processes),
        (_MULTIPLY, 0, 0, SOCKETS),
        (_COPY_TO_X, 0, 0, 0),
        (_LOAD_MEMORY, 0, 0, 0),
        (_ADD_X, 0, 0, 0),
        (_RETURN_A, 0, 0, 0),
    )
