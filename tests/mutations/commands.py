"""Runs the commands that read records on changed records: none may fail with a traceback.

A command ends with status 0, or reports what is wrong, within bounded time and memory.
"""

import random
import signal
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Final, NamedTuple

from click.testing import CliRunner

from cartulary.cli import Program
from cartulary.commands import RECORD_COMMANDS
from tests.games.records import FOLDER
from tests.games.scripted_game import KEY
from tests.mutations import changes
from tests.mutations.changes import Lines
from tests.mutations.repairs import seal_again

GROUP: Final = Program(
    "cartulary", help=(), commands={command.name or "": command for command in RECORD_COMMANDS}
)
SECONDS: Final = 20
"""Time that a command may take for a small record, on a busy machine."""
STATUSES: Final = frozenset({0, 1, 2, 3})
CHANGES: Final = {**changes.BYTES, **changes.LINES, **changes.VALUES}
RECORDS: Final = (
    *("everybody-left", "clock-leaves-one", "abandoned-in-play", "blocked-round"),
    *("sorcery-clock-abandons", "sorcery-imprints-decide", "round-limit"),
    *("baron-clock-abandons", "baron-nothing-can-be-laid", "baron-one-left"),
    *("disputes", "sorcery-disputes", "baron-disputes", "signed-actions"),
)
"""The recorded games that are changed: small ones of every rule system, some with receipts."""


class Case(NamedTuple):
    """A changed record: which change, and whether the hashes were repaired afterwards."""

    name: str
    change: str
    is_repaired: bool
    data: bytes


class TooSlow(Exception):  # not an error: the result of a command
    """A command took more than `SECONDS`."""


def case(number: int) -> Case | None:
    """Return the changed record of this number, which determines everything about it."""
    chance = random.Random(number)
    name = chance.choice(RECORDS)
    change = chance.choice(list(CHANGES))
    lines: Lines = (FOLDER / f"{name}.jsonl").read_bytes().splitlines()
    for _ in range(chance.choice([1, 1, 1, 2, 4])):
        try:
            changed = CHANGES[change](lines, chance)
        except ValueError:
            break  # an earlier change of the same case has left lines that are not JSON
        if changed is None:
            return None
        lines = changed
    is_repaired = change in changes.VALUES or change in changes.LINES
    if is_repaired and chance.random() < 0.7:
        lines = seal_again(lines, key=KEY)
    return Case(name, change, is_repaired, b"\n".join(lines) + b"\n")


def command_lines(number: int, path: Path, original: Path) -> Sequence[Sequence[str]]:
    """Return the commands to run on the changed record of this number."""
    chance = random.Random(number)
    seq = str(chance.randrange(1, 60))
    file = str(path)
    return (
        ["audit", file],
        ["log", file],
        ["replay", file, "--format", chance.choice(["text", "json", "svg"])],
        ["replay", file, "--seq", seq],
        ["inspect", file, seq, *chance.choice([[], ["--json"]])],
        ["diff", file, str(chance.randrange(1, 60)), seq],
        ["compare", *chance.sample([file, str(original)], 2)],
        ["timeline", file, "--format", chance.choice(["text", "json", "svg"])],
        ["replay", file, "--branch", "1"],
        ["log", file, "--filter", chance.choice(["seat=0", "clause=BY-MOV", "hex=0,0", "from=5"])],
        ["audit", file, "--against", str(original)],
        ["sandbox", file, seq, "--bots", "0", "--turns", "1", "--seed", "00"],
    )


def failures(number: int, folder: Path) -> Iterator[str]:
    """Run every command on the changed record of this number, and yield what must not happen."""
    mutated = case(number)
    if mutated is None:
        return
    path = folder / "changed.jsonl"
    path.write_bytes(mutated.data)
    original = FOLDER / f"{mutated.name}.jsonl"
    for arguments in command_lines(number, path, original):
        where = f"case {number} ({mutated.change} in {mutated.name}): {' '.join(arguments)}"
        try:
            with time_limit():
                result = CliRunner().invoke(GROUP, arguments)
        except TooSlow:
            yield f"{where}: takes more than {SECONDS} seconds"
            continue
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            yield f"{where}: {type(result.exception).__name__}: {result.exception}"
        elif result.exit_code not in STATUSES:
            yield f"{where}: exit status {result.exit_code}"
        elif result.exit_code == 1 and not result.output.strip():
            yield f"{where}: fails without a message"


def failures_of(numbers: range) -> tuple[list[str], Counter[str]]:
    """Return what must not happen with the changed records of these numbers, and counts of nothing."""
    with tempfile.TemporaryDirectory() as folder:
        failed = [failure for number in numbers for failure in failures(number, Path(folder))]
    return failed, Counter()


@contextmanager
def time_limit() -> Iterator[None]:
    """Raise TooSlow in the main thread when the code in the context takes more than `SECONDS`."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise TooSlow

    previous = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, previous)
