"""The supervisor, which starts several programs, restarts those that die, and stops all of them together."""

import signal
import time
from collections.abc import Callable, Sequence
from typing import Final, Protocol

from domain.errors import CartularyError
from domain.messages import Message, Value, message
from service.operation.retry import Backoff, wait_until
from service.operation.stop_signals import StopSignals

POLL_SECONDS: Final = 0.5
"""The time between two checks of the programs while all of them run."""
RESTART_POLL_SECONDS: Final = 0.1
"""The time between two checks while one of them waits for its restart."""
READINESS_POLL_SECONDS: Final = 0.02
"""The time between two checks of whether the programs are ready."""
SECONDS_TO_BE_READY: Final = 15.0
"""The interval at which the supervisor reports why the programs are not ready yet."""


class Program(Protocol):
    """A program that a supervisor can run, such as a `ChildProcess`."""

    name: str

    @property
    def is_running(self) -> bool:
        """Whether the program runs."""

    def start(self) -> None:
        """Start the program. Raises CartularyError or OSError if that is not possible now."""

    def terminate(self) -> None:
        """Ask the program to end."""

    def reap(self) -> int | None:
        """Kill the program with its processes; return its exit status, or None if it was not started."""


class Supervisor:
    """Runs programs until this process is asked to stop.

    `stages` are started in order and stopped in reverse order. `report` is called with a sentence whenever
    a program is started again, ends, or cannot be started. A program that has not ended `seconds_to_stop`
    after SIGTERM is killed.
    """

    def __init__(
        self,
        stages: Sequence[Sequence[Program]],
        report: Callable[[Message], None],
        *,
        seconds_to_stop: float,
    ) -> None:
        self._stages = stages
        self._report = report
        self._seconds_to_stop = seconds_to_stop
        self._restarts = [_Restart(program, report) for stage in stages for program in stage]

    def run(
        self,
        stop: StopSignals,
        problem: Callable[[], Value | None],
        on_ready: Callable[[], None],
        check: Callable[[], None] = lambda: None,
    ) -> None:
        """Run until `stop` is set; a second signal kills the programs that have not ended by then.

        `on_ready` is called once, as soon as `problem`, which returns why the programs are not ready yet,
        returns None. `check` is called before the last stage is started. Raises its error, and that of a
        program that does not start the first time; nothing is left running then.
        """
        try:
            for stage in self._stages:
                if stage is self._stages[-1] and not stop.wait(0):
                    check()
                for program in stage:
                    if stop.wait(0):
                        break
                    program.start()
            self._wait_until_ready(stop, problem, on_ready)
            while not stop.wait(self._pause()):
                self._poll()
            self._report(message("stopping"))
        finally:
            for stage in reversed(self._stages):
                self._stop(stage, stop)

    def _wait_until_ready(
        self, stop: StopSignals, problem: Callable[[], Value | None], on_ready: Callable[[], None]
    ) -> None:
        reported_at = time.monotonic()
        while not stop.wait(READINESS_POLL_SECONDS):
            self._poll()
            reason = problem()
            if reason is None:
                on_ready()
                return
            if time.monotonic() - reported_at >= SECONDS_TO_BE_READY:
                reported_at = time.monotonic()
                self._report(message("the service is not ready yet: {reason}", reason=reason))

    def _pause(self) -> float:
        is_waiting = any(restart.is_waiting for restart in self._restarts)
        return RESTART_POLL_SECONDS if is_waiting else POLL_SECONDS

    def _poll(self) -> None:
        for restart in self._restarts:
            restart.poll()

    def _stop(self, stage: Sequence[Program], stop: StopSignals) -> None:
        for program in stage:
            program.terminate()
        wait_until(
            lambda: stop.count > 1 or not any(program.is_running for program in stage),
            self._seconds_to_stop,
        )
        for program in stage:
            program.reap()


class _Restart:
    """Restarts one program whenever it has died, after increasing pauses."""

    def __init__(self, program: Program, report: Callable[[Message], None]) -> None:
        self._program = program
        self._report = report
        self._backoff = Backoff(first=0.2, longest=10.0, steady=30.0)
        self._restart_at: float | None = None

    @property
    def is_waiting(self) -> bool:
        """Whether the program has died and its pause is not over yet."""
        return self._restart_at is not None

    def poll(self) -> None:
        """Restart the program if it has died and its pause is over."""
        name = self._program.name
        if self._restart_at is None:
            if not self._program.is_running:
                status = self._program.reap()
                self._schedule(_describe_end(name, status))
        elif time.monotonic() >= self._restart_at:
            try:
                self._program.start()
            except (CartularyError, OSError) as error:
                reason = error.message if isinstance(error, CartularyError) else str(error)
                self._schedule(
                    message("{program} does not start: {reason}", program=name, reason=reason)
                )
            else:
                self._restart_at = None
                self._report(message("{program} was restarted", program=name))

    def _schedule(self, reason: Message) -> None:
        pause = self._backoff.next_pause()
        self._restart_at = time.monotonic() + pause
        self._report(
            message(
                "{reason}; it will be restarted in {seconds} s", reason=reason, seconds=f"{pause:g}"
            )
        )


def _describe_end(program: str, status: int | None) -> Message:
    if status is None:
        return message("{program} has ended", program=program)
    if status < 0:
        name = signal.Signals(-status).name
        return message("{program} was ended by {signal}", program=program, signal=name)
    return message("{program} ended with status {status}", program=program, status=status)
