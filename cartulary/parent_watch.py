"""The tether: a child process ends when whoever started it is gone, however that came about.

The parent keeps the writing end of a pipe that nobody ever writes to, its children have the reading end.
When the parent dies, by SIGKILL too, the kernel closes its end, and who reads sees the end of the file.
It needs no polling, and nothing that only Linux has.
"""

import os
import signal
import threading
import time
from collections.abc import Mapping
from typing import Final

TETHER: Final = "CARTULARY_TETHER"
"""Environment variable with the number of the reading end."""

SECONDS_TO_END = 5.0


class ParentWatch:
    """The parent's end. Children get `fd` (pass it on) and `environment`."""

    def __init__(self) -> None:
        self.fd, self._held = os.pipe()

    @property
    def environment(self) -> dict[str, str]:
        """What a child needs in its environment to find its end."""
        return {TETHER: str(self.fd)}

    def let_go(self) -> None:
        """Close both ends: whoever is still tethered ends."""
        os.close(self.fd)
        os.close(self._held)


def hold_on(environ: Mapping[str, str]) -> None:
    """Be tethered to the parent, if it has put a tether in the environment.

    When it is gone this process is asked to end (SIGTERM), and ended with all its group if it does not.
    """
    named = environ.get(TETHER, "")
    if not named.isdigit():
        return
    fd = int(named)
    # Not for the children that this process may start: they end with it.
    os.set_inheritable(fd, False)  # noqa: FBT003 (it takes no name)
    threading.Thread(target=_watch, args=(fd,), name="tether", daemon=True).start()


def _watch(fd: int) -> None:
    while os.read(fd, 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(SECONDS_TO_END)
    if os.getpgrp() == os.getpid():
        os.killpg(os.getpgrp(), signal.SIGKILL)
    os._exit(1)
