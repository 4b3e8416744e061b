"""A Postgres of its own for a measurement, with its default durability: every commit is synced."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from bench.http_rows import running_server

_DEBIAN: Final = Path("/usr/lib/postgresql")
"""Where Debian's packages have the programs, which are not on the PATH there."""
_USER: Final = "postgres"
"""The user of Debian's packages. Postgres refuses to run as root."""


class Postgres(NamedTuple):
    """A running server, with the URL of an empty database of it."""

    url: str
    pid: int
    version: str


def has_postgres() -> bool:
    """Return whether this machine has the programs of Postgres."""
    return _programs() is not None


@contextmanager
def running_postgres(port: int) -> Iterator[Postgres]:
    """Run a server with an empty database until the end of the block.

    Raises RuntimeError if this machine has no Postgres, or if it does not start.
    """
    programs = _programs()
    if programs is None:
        raise RuntimeError(f"no Postgres on the PATH or in {_DEBIAN}")
    version = subprocess.check_output([programs / "postgres", "--version"], text=True).strip()
    with tempfile.TemporaryDirectory(prefix="bench-postgres-") as parent:
        data = Path(parent) / "data"
        as_user: list[str] = []
        if os.geteuid() == 0:
            owner = pwd.getpwnam(_USER)
            os.chown(parent, owner.pw_uid, owner.pw_gid)
            as_user = ["setpriv", f"--reuid={_USER}", f"--regid={owner.pw_gid}", "--clear-groups"]
        create = [*as_user, str(programs / "initdb"), "--auth=trust", "--username=bench", str(data)]
        subprocess.run(create, check=True, stdout=subprocess.DEVNULL)
        run = [*as_user, str(programs / "postgres"), "-D", str(data), "-p", str(port)]
        run += ["-h", "127.0.0.1", "-k", "", "-c", "synchronous_commit=on", "-c", "fsync=on"]
        with (
            tempfile.TemporaryDirectory() as folder,
            running_server(run, port, Path(folder) / "postgres.log") as pid,
        ):
            yield Postgres(f"postgres://bench@127.0.0.1:{port}/postgres", pid, version)


def _programs() -> Path | None:
    """Return the folder of the programs, the latest of Debian's if none is on the PATH; None without any."""
    initdb = shutil.which("initdb")
    if initdb is not None:
        return Path(initdb).resolve().parent
    folders = sorted(_DEBIAN.glob("*/bin"), key=lambda path: int(path.parent.name))
    return folders[-1] if folders else None
