"""Programs in processes that are forked from one that has imported Cartulary already.

To import everything takes a second of processor time, and a run of the tests starts a hundred processes
of the service, which would also compile the same templates. A fork server does both once for each process of
pytest. A process that it forks is like one that was started in the ordinary way: a child of the test with a
pid, an environment, files and handlers of signals of its own, in which the interpreter runs a module or code
from its beginning to its end.

`python -m tests.support.fork_server FD` is the fork server, which `start` runs.
"""

import ctypes
import fcntl
import importlib
import inspect
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

_ROOT: Final = Path(__file__).parents[2]
_PR_SET_CHILD_SUBREAPER: Final = 36
_OF_INTERPRETER: Final = ("PYTHON", "LC_", "LANG", "LD_")
"""How the names of variables begin that an interpreter or a library reads when it starts."""
_IMPORTED: Final = (
    "cartulary.cli",
    "cartulary.serve",
    "service.server.processes",
    "tests.support.chance",
    "tests.support.password_hashes",
    "workers.run",
)
_MAX_REQUEST_BYTES: Final = 1 << 20
_MAX_FILES: Final = 16
_FIRST_FREE_FILE: Final = 100
_TITLE_BYTES: Final = 200
_PAUSE_SECONDS: Final = 0.001

_environ: dict[str, str] = {}


def prepare() -> None:
    """Start the fork server with the present environment when it is needed. Before, nothing is forked."""
    _environ.update(os.environ)


def start(arguments: Sequence[str], **options: Any) -> "subprocess.Popen[Any]":
    """Start `python ARGUMENTS`, with these options of `subprocess.Popen`.

    The arguments begin with -m MODULE or -c CODE. The process is forked from a fork server, unless its
    environment asks for another kind of interpreter.
    """
    environ: Mapping[str, str] = options.get("env") or os.environ
    if not _environ or _of_interpreter(environ) != _of_interpreter(_environ):
        return start_interpreter(arguments, **options)
    return _ForkedPopen([sys.executable, *arguments], **options)


def start_interpreter(arguments: Sequence[str], **options: Any) -> "subprocess.Popen[Any]":
    """Start `python ARGUMENTS` in the ordinary way."""
    return subprocess.Popen([sys.executable, *arguments], **options)


def stop() -> None:
    """Stop the fork server of this process, if there is one. What it has forked goes on."""
    _ForkServer.stop_current()


def _of_interpreter(environ: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environ.items() if name.startswith(_OF_INTERPRETER)}


class _ForkServer:
    """The fork server of this process, from its first use until it is stopped."""

    _current: "_ForkServer | None" = None
    _lock: Final = threading.Lock()

    def __init__(self) -> None:
        self._connection, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [
                    *(sys.executable, "-m", "tests.support.fork_server", str(theirs.fileno())),
                    # The title of a forked process can only be as long as this command line.
                    "x" * _TITLE_BYTES,
                ],
                env=_environ,
                cwd=_ROOT,
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )

    @classmethod
    def fork(cls, request: Mapping[str, Any], files: Sequence[int]) -> int:
        """Fork a process that becomes a child of this one, and return its id."""
        with cls._lock:
            if cls._current is None:
                cls._current = cls()
            return cls._current._fork(request, files)

    @classmethod
    def stop_current(cls) -> None:
        """Stop it, if it was used."""
        with cls._lock:
            if cls._current is not None:
                cls._current._connection.close()
                cls._current._process.wait()
                cls._current = None

    def _fork(self, request: Mapping[str, Any], files: Sequence[int]) -> int:
        _adopt_orphans(is_on=True)
        try:
            socket.send_fds(self._connection, [json.dumps(request).encode()], files)
            answer = self._connection.recv(100)
        finally:
            _adopt_orphans(is_on=False)
        assert answer, "the fork server has ended"
        return int(answer)


class _ForkedPopen(subprocess.Popen[Any]):
    """A program whose process is forked from the fork server."""

    def _execute_child(self, *values: Any) -> None:
        """Start the process: what `subprocess.Popen` calls with everything that describes it."""
        names = list(inspect.signature(subprocess.Popen._execute_child).parameters)[1:]  # type: ignore[attr-defined] # a private method of the standard library
        call = dict(zip(names, values, strict=True))
        pipes = [
            call[name]
            for name in ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")
        ]
        streams = (call["p2cread"], call["c2pwrite"], call["errwrite"])
        request = {
            "arguments": [os.fspath(argument) for argument in call["args"]][1:],
            "environ": dict(os.environ if call["env"] is None else call["env"]),
            "cwd": os.fspath(call["cwd"] or Path.cwd()),
            "umask": call["umask"],
            "is_session": call["start_new_session"],
            "targets": [0, 1, 2, *call["pass_fds"]],
        }
        files = [number if file == -1 else file for number, file in enumerate(streams)]
        try:
            self.pid = _ForkServer.fork(request, [*files, *call["pass_fds"]])
            self._child_created = True
        finally:
            self._close_pipe_fds(*pipes)  # type: ignore[attr-defined] # as above


def _adopt_orphans(*, is_on: bool) -> None:
    """Let this process become the parent of its descendants whose parent has ended, or do so no longer."""
    status = ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, int(is_on), 0, 0, 0)
    assert status == 0, "prctl has failed"


def _serve(connection: socket.socket) -> dict[str, Any]:
    """Fork processes until the connection ends, which ends this process.

    Returns, in each process that was forked, the request for it.
    """
    while True:
        content, files, _, _ = socket.recv_fds(connection, _MAX_REQUEST_BYTES, _MAX_FILES)
        if not content:
            sys.exit()
        request: dict[str, Any] = json.loads(content)
        reader, writer = os.pipe()
        parent = os.fork()
        if parent == 0:
            # The process whose parent ends is adopted by the test.
            parent = os.getpid()
            if pid := os.fork():
                os.write(writer, str(pid).encode())
                os._exit(0)
            while os.getppid() == parent:
                time.sleep(_PAUSE_SECONDS)
            connection.detach()
            _take_place(request, files)
            return request
        os.close(writer)
        os.waitpid(parent, 0)
        connection.send(os.read(reader, 100))
        for file in (reader, *files):
            os.close(file)


def _take_place(request: Mapping[str, Any], files: Sequence[int]) -> None:
    """Give this process the files, the environment and the folder of a request."""
    if request["is_session"]:
        os.setsid()
    # Out of the way of the numbers that the files are to have.
    moved = [fcntl.fcntl(file, fcntl.F_DUPFD, _FIRST_FREE_FILE) for file in files]
    targets: list[int] = request["targets"]
    for file, target in zip(moved, targets, strict=True):
        os.dup2(file, target)
    first = 3
    for target in sorted(targets[3:]):
        if first < target:
            os.closerange(first, target)
        first = target + 1
    os.closerange(first, os.sysconf("SC_OPEN_MAX"))
    _open_standard_streams()
    os.environ.clear()
    os.environ.update(request["environ"])
    time.tzset()
    if request["umask"] >= 0:
        os.umask(request["umask"])
    os.chdir(request["cwd"])
    _set_command_line(request["arguments"])
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _set_command_line(arguments: Sequence[str]) -> None:
    """Have ps show an interpreter with these arguments."""
    # Otherwise, the title takes the place of the environment, which is then missing in /proc/PID/environ.
    os.environ["SPT_NOENV"] = "1"
    from setproctitle import setproctitle

    setproctitle(" ".join([sys.executable, *arguments])[:_TITLE_BYTES])


def _open_standard_streams() -> None:
    """Open the standard streams as the interpreter does: those of the fork server know what its files are."""
    stdin, stdout, stderr = (
        open(  # noqa: SIM115 # a file descriptor, which stays open
            number,
            "w" if number else "r",
            # Lines are written at once to a terminal and to standard error.
            buffering=1 if number == 2 or os.isatty(number) else -1,
            encoding=stream.encoding,
            errors=stream.errors,
            closefd=False,
        )
        for number, stream in enumerate((sys.stdin, sys.stdout, sys.stderr))
    )
    sys.stdin, sys.stdout, sys.stderr = stdin, stdout, stderr
    vars(sys).update(__stdin__=stdin, __stdout__=stdout, __stderr__=stderr)


def _import_everything() -> None:
    from cartulary.imports import quick_imports

    with quick_imports():
        for name in _IMPORTED:
            importlib.import_module(name)
    from tests.support.template_cache import keep_compiled_templates

    keep_compiled_templates()


if __name__ == "__main__":
    _import_everything()
    # This finds the place of the command line by the environment that the process has started with.
    _set_command_line(sys.argv[:2])
    assert threading.active_count() == 1, "a process with threads must not be forked"
    _request = _serve(socket.socket(fileno=int(sys.argv[1])))
    # From here on, this is a program of its own, which ends as any other program ends.
    _kind, _program, *_arguments = _request["arguments"]
    if _kind == "-m":
        import runpy

        sys.argv = [_program, *_arguments]
        runpy.run_module(_program, run_name="__main__", alter_sys=True)
    else:
        sys.argv = ["-c", *_arguments]
        exec(compile(_program, "<string>", "exec"), {"__name__": "__main__"})  # noqa: S102 # as `python -c` does
