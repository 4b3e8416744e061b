"""The whole service on one machine: Redis, web server, worker and scheduler, started and stopped together.

This process serves nothing itself. It starts the others, starts again what dies and says so, and on
Ctrl-C or SIGTERM ends all of them within seconds. If it is killed, they end by themselves (tether.py).
"""

import errno
import signal
import socket
import sys
import time
from collections.abc import Callable, Mapping
from http.client import HTTPConnection, HTTPException
from threading import Event
from types import FrameType

from cartulary.child_process import FIRST_PAUSE, LONGEST_PAUSE, Child
from cartulary.parent_watch import ParentWatch
from domain.errors import CartularyError
from service.embedded_redis import EmbeddedRedis, EmbeddedRedisError
from service.settings import Settings

TENDING = 0.1
"""Seconds between two looks at the children."""
SECONDS_TO_END = 8.0
"""For all children together, before those that are left are killed."""
SECONDS_TO_BE_READY = 15.0
"""After which it is said what is being waited for."""

Say = Callable[[str], None]


class CannotListen(CartularyError):
    """The web server could not listen there."""


class Machine:
    """The processes of a service on one machine. `say` is told what happens to them, `ready` once that
    the first request was served.
    """

    def __init__(
        self,
        settings: Settings,
        environ: Mapping[str, str],
        place: tuple[str, int],
        say: Say,
        ready: Callable[[], None],
    ) -> None:
        self._place = place
        self._say = say
        self._ready = ready
        self._redis = EmbeddedRedis(settings.data) if settings.is_embedded else None
        self._redis_again = 0.0
        self._redis_pause = FIRST_PAUSE
        self._tether = ParentWatch()
        environment = {**environ, "CARTULARY_DATA": str(settings.data)}
        web = ["web", "--host", place[0], "--port", str(place[1])]
        self._children = [
            Child(words[0], [sys.executable, "-m", "cartulary", *words], environment, self._tether)
            for words in (web, ["worker"], ["scheduler"])
        ]

    def run(self, stop: Event, hurry: Event) -> None:
        """Run until told to stop. Raises EmbeddedRedisError when there is no Redis to begin with."""
        try:
            if self._redis is not None:
                self._redis.start()
            for child in self._children:
                child.start()
            self._wait_until_ready(stop)
            while not stop.wait(TENDING):
                self._tend()
        finally:
            self._end(hurry)

    def _wait_until_ready(self, stop: Event) -> None:
        patience = time.monotonic() + SECONDS_TO_BE_READY
        while not stop.wait(TENDING):
            self._tend()
            if _serves(*self._place):
                self._ready()
                return
            if time.monotonic() > patience:
                patience += SECONDS_TO_BE_READY
                self._say("the web server is not ready yet: does its Redis answer?")

    def _tend(self) -> None:
        self._tend_redis()
        for child in self._children:
            news = child.tend()
            if news is not None:
                self._say(news)

    def _tend_redis(self) -> None:
        if (
            self._redis is None
            or self._redis.pid is not None
            or time.monotonic() < self._redis_again
        ):
            return
        try:
            self._redis.start()
        except EmbeddedRedisError as error:
            self._redis_again = time.monotonic() + self._redis_pause
            self._say(f"redis does not come up: {error}; tried again in {self._redis_pause:g} s")
            self._redis_pause = min(2 * self._redis_pause, LONGEST_PAUSE)
        else:
            self._redis_pause = FIRST_PAUSE
            self._say("redis had ended and is started again")

    def _end(self, hurry: Event) -> None:
        for child in self._children:
            child.tell_to_end()
        patience = time.monotonic() + SECONDS_TO_END
        while not all(child.has_ended() for child in self._children):
            if time.monotonic() > patience or hurry.is_set():
                break
            time.sleep(0.02)
        for child in self._children:
            child.bury()
        # After those who use it. What was acknowledged is on disk already, however this ends.
        if self._redis is not None:
            self._redis.stop()
        self._tether.let_go()


def serve(
    settings: Settings, environ: Mapping[str, str], host: str, port: int, show: Say, say: Say
) -> None:
    """Run the whole service until Ctrl-C or SIGTERM; a second one makes the end quick.

    `port` 0 takes one that is free. `show` is given what to do next, `say` what happens. Raises
    CannotListen, EmbeddedRedisError.
    """
    place = (host, _port(host, port))
    stop, hurry = Event(), Event()

    def tell(signum: int, frame: FrameType | None) -> None:
        if stop.is_set():
            hurry.set()
        else:
            say("stopping")
        stop.set()

    signal.signal(signal.SIGTERM, tell)
    signal.signal(signal.SIGINT, tell)
    Machine(settings, environ, place, say, lambda: show(_banner(settings, *place))).run(stop, hurry)
    say("stopped")


def _port(host: str, port: int) -> int:
    """The port to listen on, of which it was seen a moment ago that it is free."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, address = found[0]
        with socket.socket(family, kind, protocol) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(address)
            free: int = trial.getsockname()[1]
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise CannotListen(
                f"port {port} of {host} is in use: choose another with --port, or stop what uses it"
            ) from None
        raise CannotListen(
            f"nothing can listen on port {port} of {host}: {error.strerror}"
        ) from error
    return free


def _serves(host: str, port: int) -> bool:
    """Whether the web server says that it is ready."""
    connection = HTTPConnection(_reached(host), port, timeout=1)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def _reached(host: str) -> str:
    """By what name this machine reaches itself where it listens on all its addresses."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(host, host)  # noqa: S104


def _banner(settings: Settings, host: str, port: int) -> str:
    reached = _reached(host)
    url = f"http://[{reached}]:{port}" if ":" in reached else f"http://{reached}:{port}"
    kept = f"in {settings.data}" if settings.is_embedded else "in the Redis of CARTULARY_REDIS_URL"
    return f"""
  Cartulary is at   {url}

  the calls         {url}/api/v1/docs
  its games         {kept}
  to begin          curl {url}/api/v1/players -H 'Content-Type: application/json' \\
                      -d '{{"handle": "ana", "password": "correct horse"}}'
  to end            Ctrl-C
"""
