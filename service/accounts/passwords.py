"""Rejects passwords that are easy to guess, and computes argon2id hashes in a separate thread pool.

A hash takes about 40 ms of a core and 19 MiB of memory. The pool bounds the hashes that are computed at the
same time and those that wait. Its threads yield to those that serve play: argon2 releases the interpreter
lock while it computes, and the threads have a lower scheduling priority.
"""

import os
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import BoundedSemaphore
from typing import Final, TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import VerifyMismatchError

from domain.messages import message
from domain.registry import rule_systems
from service.errors import Unavailable

PASSWORD_LENGTHS: Final = (8, 1024)
"""The minimum and the maximum number of characters."""
SECONDS_TO_RETRY: Final = 5
MIN_GUESSES: Final = 10**6
"""The estimated number of guesses that a new password must withstand, which takes 11 hours of a core to hash.

Guesses over HTTP are bounded separately (password_guesses.py).
"""
ESTIMATED_CHARACTERS: Final = 24
"""The most characters of a password that are estimated; the time grows quickly with the length."""

# The smallest setting that OWASP recommends: 19 MiB, two passes, one lane.
_HASHER: Final = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
_HASH_OF_NO_PASSWORD: Final = f"$argon2id$v=19$m=19456,t=2,p=1${'A' * 22}${'A' * 43}"
"""A hash that is verified if the handle does not exist, so that the response time does not reveal that."""
_NICENESS: Final = 10
"""The increment of the nice value of the threads. With 19, a thread that waits for a core while it holds the
interpreter lock would delay the others for longer."""

_estimating: Final = threading.Lock()
"""Locked during an estimate, since the library keeps the owner's words in a global variable."""

T = TypeVar("T")


class Passwords:
    """Hashes and verifies passwords, `threads` of them at a time. Thread-safe.

    Both methods raise Unavailable if `max_waiting` passwords wait already.
    """

    def __init__(self, threads: int, max_waiting: int) -> None:
        self._pool = ThreadPoolExecutor(threads, "hashing", initializer=_lower_priority)
        self._places = BoundedSemaphore(threads + max_waiting)

    def hash(self, password: str) -> str:
        """Return the hash of a password, with a new salt."""
        return self._run(lambda: _HASHER.hash(_encode(password)))

    def is_password(self, password_hash: str | None, password: str) -> bool:
        """Return whether a password has this hash. None, which no password has, takes as long."""
        return self._run(lambda: _is_password(password_hash or _HASH_OF_NO_PASSWORD, password))

    def _run(self, task: Callable[[], T]) -> T:
        """Return the result of a task of the pool."""
        if not self._places.acquire(blocking=False):
            raise Unavailable(message("too many passwords wait to be hashed"), SECONDS_TO_RETRY)
        try:
            return self._pool.submit(task).result()
        finally:
            self._places.release()


def is_easy_to_guess(password: str, words: Sequence[str] = ()) -> bool:
    """Return whether somebody who knows these words can guess a new password too easily.

    The existing passwords of accounts stay valid.
    """
    # The library is imported late: its lists of words take 0.05 s and some megabytes, and few processes need
    # it.
    from zxcvbn import zxcvbn

    with _estimating:
        estimate = zxcvbn(password[:ESTIMATED_CHARACTERS], [*words, "cartulary", *rule_systems()])
    return bool(estimate["guesses"] < MIN_GUESSES)


def is_outdated(password_hash: str) -> bool:
    """Return whether a hash was made with parameters other than those for new passwords."""
    return _HASHER.check_needs_rehash(password_hash)


def _is_password(password_hash: str, password: str) -> bool:
    try:
        return _HASHER.verify(password_hash, _encode(password))
    except VerifyMismatchError:
        return False


def _encode(password: str) -> bytes:
    # JSON may contain a lone surrogate, which UTF-8 cannot encode.
    return password.encode("utf-8", "surrogatepass")


def _lower_priority() -> None:
    """Lower the scheduling priority of this thread. Only Linux has priorities of threads."""
    if sys.platform == "linux":
        thread = threading.get_native_id()
        current = os.getpriority(os.PRIO_PROCESS, thread)
        os.setpriority(os.PRIO_PROCESS, thread, min(current + _NICENESS, 19))
