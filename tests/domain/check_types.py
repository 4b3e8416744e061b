"""Runs mypy once, on the checkout and on faults in the domain, all of which it must report.

Each fault is a wrong field of an event or a position in one of the rule systems. mypy reads the modules that
have faults from copies (`--shadow-file`). `python -m tests.domain.check_types` prints the errors that are not
due to a fault, and the faults that mypy has missed, and fails if there are any.
"""

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

ROOT: Final = Path(__file__).parents[2]
CACHE: Final = ".mypy_cache/faults"
"""A cache of its own: mypy compares the files with those of its last run, and not the copies."""


@dataclass(frozen=True)
class Fault:
    """A correct piece of a module, and a wrong piece in its place."""

    description: str
    module: str
    correct: str
    wrong: str

    def explains(self, module: str, line: int, message: str) -> bool:
        """Whether this fault is the reason for an error. mypy reports a wrong dict where the dict begins."""
        source = (ROOT / self.module).read_text()
        own_line = source[: source.index(self.correct)].count("\n") + 1
        words = {*re.findall(r"\w+", f"{self.correct} {self.wrong}")}
        return (
            module == self.module
            and own_line - 20 < line <= own_line
            and not words.isdisjoint(re.findall(r'"(\w+)"', message))
        )


FAULTS: Final = (
    Fault(
        "Baron, decide builds an event with a wrong field",
        "domain/baron/decide.py",
        '"slot": slot,',
        '"slots": slot,',
    ),
    Fault(
        "Baron, decide builds an event with a value of a wrong type",
        "domain/baron/decide.py",
        '"touches": len(adjacent),',
        '"touches": adjacent,',
    ),
    Fault(
        "Baron, apply reads a wrong field",
        "domain/baron/state.py",
        'player.honour -= data["cost"]',
        'player.honour -= data["costs"]',
    ),
    Fault(
        "Baron, position has a wrong field",
        "domain/baron/state.py",
        '"pile": state.pile_left,',
        '"piles": state.pile_left,',
    ),
    Fault(
        "Barony, decide builds an event with a wrong field",
        "domain/barony/recruitment.py",
        '"knights": action.knights,',
        '"knight": action.knights,',
    ),
    Fault(
        "Barony, decide builds an event with a value of a wrong type",
        "domain/barony/construction.py",
        '"points": POINTS_A_CITY,',
        '"points": str(POINTS_A_CITY),',
    ),
    Fault(
        "Barony, decide builds an event without a field",
        "domain/barony/titles.py",
        '"rank": RANKS[rank + 1],',
        "",
    ),
    Fault(
        "Barony, decide builds a wrong turn order",
        "domain/barony/turn_order.py",
        '"to_act": to_act}',
        '"act": to_act}',
    ),
    Fault(
        "Barony, apply reads a wrong field",
        "domain/barony/state.py",
        'data["seat"], data["knights"]',
        'data["seat"], data["knight"]',
    ),
    Fault(
        "Barony, position has a wrong field",
        "domain/barony/state.py",
        '"score": state.score[seat],',
        '"scores": state.score[seat],',
    ),
    Fault(
        "Barony, a text reads a wrong field",
        "domain/barony/event_messages.py",
        'RANKS[data["rank"]]',
        'RANKS[data["title"]]',
    ),
    Fault(
        "Barony, an explanation reads a wrong field",
        "domain/barony/explain.py",
        'data["built"], state.bank',
        'data["builds"], state.bank',
    ),
    Fault(
        "Barony, a scene reads a wrong field",
        "domain/barony/scene.py",
        'return changes_at(data["to"])',
        'return changes_at(data["at"])',
    ),
    Fault(
        "Sorcery, decide builds an event with a wrong field",
        "domain/barony/sorcery/recruitment.py",
        '"recruits": [{"at"',
        '"recruit": [{"at"',
    ),
    Fault(
        "Sorcery, decide adds a wrong field to an event",
        "domain/barony/sorcery/movement.py",
        'move["swept"] = swept',
        'move["sweeps"] = swept',
    ),
    Fault(
        "Sorcery, apply reads a wrong field",
        "domain/barony/sorcery/state.py",
        '-= data["cost"]',
        '-= data["costs"]',
    ),
    Fault(
        "Sorcery, position has a wrong field",
        "domain/barony/sorcery/state.py",
        'whole["spells"] =',
        'whole["spell"] =',
    ),
    Fault(
        "the life cycle builds an event with a wrong field",
        "domain/lifecycle.py",
        '{"player": player, "nonce"',
        '{"player": player, "nonces"',
    ),
    Fault(
        "folding reads a wrong field",
        "domain/fold.py",
        'game.rounds_scored = data["round"]',
        'game.rounds_scored = data["rounds"]',
    ),
)


def write_faulty_modules(folder: Path) -> list[str]:
    """Write the modules with their faults into a folder; returns the options with which mypy reads them."""
    sources = {fault.module: (ROOT / fault.module).read_text() for fault in FAULTS}
    for fault in FAULTS:
        occurrences = sources[fault.module].count(fault.correct)
        assert occurrences == 1, f"{fault.module} has changed: {fault.correct}"
        sources[fault.module] = sources[fault.module].replace(fault.correct, fault.wrong)
    options = []
    for number, (module, source) in enumerate(sources.items()):
        copy = folder / f"{number}.py"
        copy.write_text(source)
        options += ["--shadow-file", module, str(copy)]
    return options


def run_mypy() -> list[str]:
    """Run mypy on the checkout with the faults, and return the lines that it prints."""
    with TemporaryDirectory() as folder:
        options = write_faulty_modules(Path(folder))
        command = [
            sys.executable,
            "-m",
            "mypy",
            "--no-error-summary",
            "--cache-dir",
            CACHE,
            *options,
        ]
        completed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return [*completed.stdout.splitlines(), *completed.stderr.splitlines()]


def problems(lines: list[str]) -> list[str]:
    """Return the lines of mypy's output that no fault explains, and a line for each fault that it missed."""
    result = []
    missed = list(FAULTS)
    for line in lines:
        match = re.match(r"(.+?):(\d+): (?:error|note): (.+)", line)
        faults = [
            fault for fault in FAULTS if match and fault.explains(match[1], int(match[2]), match[3])
        ]
        if not faults:
            result.append(line)
        missed = [fault for fault in missed if fault not in faults]
    return result + [
        f"{fault.module}: mypy does not report this fault: {fault.description}" for fault in missed
    ]


if __name__ == "__main__":
    lines = problems(run_mypy())
    print("\n".join([*lines, f"{len(FAULTS)} faults were put in; {len(lines)} problems"]))  # noqa: T201 # a program
    sys.exit(1 if lines else 0)
