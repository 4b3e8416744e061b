"""Audits the record on standard input: `python -m service.audits.process LANGUAGE SECONDS`.

The first line of the input is the list of the public keys that the reader trusts, as the server publishes
them, each with the `log` of the server or null; the record follows. The output is the report as JSON, with
sentences in the language.

`audits.py` runs this in a separate process. It has a lower priority than the processes that serve play, and
ends after the given CPU time, even if the process that started it has ended.
"""

import os
import resource
import sys
from io import BytesIO
from typing import Final

import orjson

from replay.audit import TrustedKey, TrustedKeys, audit
from replay.language.renderer import renderer

OUT_OF_MEMORY: Final = 12
"""The exit status of an audit that has reached the bound of its memory."""
_PRIORITY: Final = 10
_MAX_MEMORY: Final = 1 << 30
_SOURCE: Final = "server"


def main() -> None:
    """Audit one record."""
    language, seconds = sys.argv[1], int(sys.argv[2])
    os.nice(_PRIORITY)
    # At the first limit, the kernel sends SIGXCPU; at the second one it sends SIGKILL, which may have other
    # causes.
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_AS, (_MAX_MEMORY, _MAX_MEMORY))
    keys = orjson.loads(sys.stdin.buffer.readline())
    trusted = TrustedKeys.of(
        [
            TrustedKey(
                entry["public"],
                _SOURCE,
                since=entry["from"],
                until=entry["until"],
                log=entry["log"],
            )
            for entry in keys
        ]
    )
    report = audit(BytesIO(sys.stdin.buffer.read()), trusted=trusted)
    sys.stdout.buffer.write(orjson.dumps(report.as_json(renderer(language))))


if __name__ == "__main__":
    try:
        main()
    except MemoryError:
        sys.exit(OUT_OF_MEMORY)
