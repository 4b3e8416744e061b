"""Passwords: hashed in a bounded pool, whose threads give way to those that serve play."""

import os
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Semaphore

import pytest

from domain.errors import Malformed
from service.accounts import accounts
from service.accounts import passwords as module
from service.accounts.passwords import Passwords, is_easy_to_guess, is_outdated
from service.bootstrap import Service
from service.errors import Unavailable
from tests.support.faults import raises
from tests.support.password_hashes import HASH_OF_NO_PASSWORD, HASHER, QUICK_HASHER
from tests.support.processes import HANG_SECONDS, run_program

PASSWORD = "correct horse"


@pytest.fixture(autouse=True)
def usual_hasher(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hash passwords with as much work as a service does."""
    monkeypatch.setattr(module, "_HASHER", HASHER)


@pytest.fixture
def slow_hasher(monkeypatch: pytest.MonkeyPatch) -> Iterator["SlowHasher"]:
    hasher = SlowHasher()
    monkeypatch.setattr(module, "_HASHER", hasher)
    yield hasher
    hasher.finish.set()


class SlowHasher:
    """Hashes that take until `finish` is set; `started` counts those under way."""

    def __init__(self) -> None:
        self.started = Semaphore(0)
        self.finish = Event()
        self.niceness: list[int] = []

    def hash(self, _: bytes) -> str:
        self.niceness.append(os.getpriority(os.PRIO_PROCESS, 0))
        self.started.release()
        assert self.finish.wait(HANG_SECONDS)
        return "hash"


def test_a_password_has_its_own_hash_and_no_other() -> None:
    passwords = Passwords(1, 1)
    first, second = passwords.hash(PASSWORD), passwords.hash(PASSWORD)
    assert first != second
    assert first.startswith("$argon2id$v=19$m=19456,t=2,p=1$")
    assert passwords.is_password(first, PASSWORD)
    assert not passwords.is_password(first, PASSWORD + "x")
    assert not passwords.is_password(None, PASSWORD)


def test_a_password_may_contain_a_lone_surrogate() -> None:
    passwords = Passwords(1, 1)
    assert passwords.is_password(passwords.hash("\ud800" * 8), "\ud800" * 8)


def test_a_missing_hash_takes_as_long_as_a_wrong_password() -> None:
    assert not is_outdated(HASH_OF_NO_PASSWORD)
    assert is_outdated(QUICK_HASHER.hash(PASSWORD))


def test_no_more_passwords_are_hashed_or_wait_than_the_bounds_allow(
    slow_hasher: SlowHasher,
) -> None:
    passwords = Passwords(threads=2, max_waiting=3)
    with ThreadPoolExecutor(5) as callers:
        results = [callers.submit(passwords.hash, PASSWORD) for _ in range(5)]
        for _ in range(2):
            assert slow_hasher.started.acquire(timeout=HANG_SECONDS)
        wait_for_waiting(passwords, 3)
        with raises(Unavailable, match="too many passwords") as error:
            passwords.is_password(None, PASSWORD)
        assert error.value.retry_after > 0
        # Only as many as there are threads have started; the others wait for one.
        assert not slow_hasher.started.acquire(blocking=False)
        slow_hasher.finish.set()
        assert [result.result(HANG_SECONDS) for result in results] == ["hash"] * 5
    assert passwords.hash(PASSWORD) == "hash"


def wait_for_waiting(passwords: Passwords, number: int) -> None:
    """Wait until so many passwords wait for a thread of the pool."""
    for _ in range(10_000):
        if passwords._pool._work_queue.qsize() == number:
            return
        Event().wait(0.001)
    pytest.fail(f"{number} passwords do not wait")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has priorities of threads")
def test_hashing_threads_have_a_lower_priority_than_the_others(slow_hasher: SlowHasher) -> None:
    slow_hasher.finish.set()
    before = os.getpriority(os.PRIO_PROCESS, 0)
    Passwords(1, 1).hash(PASSWORD)
    assert slow_hasher.niceness == [min(19, before + 10)]
    assert os.getpriority(os.PRIO_PROCESS, 0) == before


def test_passwords_are_not_hashed_in_the_thread_of_the_request(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[str] = []

    class RecordingHasher:
        def hash(self, _: bytes) -> str:
            threads.append(threading.current_thread().name)
            return "$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ$aGFzaA"

    monkeypatch.setattr(module, "_HASHER", RecordingHasher())
    service.accounts.players.register("Ada", PASSWORD)
    assert [name.rpartition("_")[0] for name in threads] == ["hashing"]


@pytest.mark.parametrize(
    "password",
    ["12345678", "aaaaaaaa", "password1", "qwertyuiop", "barony2024", "zoezoe12", "a" * 1024],
)
def test_a_password_that_many_people_would_guess_is_easy_to_guess(password: str) -> None:
    assert is_easy_to_guess(password, ["zoe"])


@pytest.mark.parametrize(
    "password",
    [PASSWORD, "battery staple", "q7!Lp9#w", "d9a1f07b33", "père noël à skis", "Q7!Lp9#\ud800w"],
)
def test_other_passwords_are_not_easy_to_guess(password: str) -> None:
    assert not is_easy_to_guess(password, ["zoe"])


def test_a_process_that_estimates_no_password_does_not_load_the_estimator() -> None:
    code = "import sys, service.accounts.accounts; sys.exit('zxcvbn' in sys.modules)"
    assert run_program([sys.executable, "-c", code]).returncode == 0


def test_a_password_from_before_stays_valid(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    players = service.accounts.players
    with monkeypatch.context() as context:
        context.setattr(accounts, "is_easy_to_guess", lambda *_: False)
        players.register("ada", "12345678")
    token = players.login("ada", "12345678")
    owner = players.tokens.owner(token)
    assert owner is not None
    with pytest.raises(Malformed):
        players.change_password(owner.id, token, "12345678", "aaaaaaaa")
