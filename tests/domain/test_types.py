"""mypy reports a wrong field of an event or a position in every rule system.

The faults are put into a copy of `domain`, all at once; mypy must report each of them, and nothing else.
"""

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Fault:
    """A correct piece of a module, and a wrong piece in its place."""

    module: str
    correct: str
    wrong: str


FAULTS = {
    "Baron, decide builds an event with a wrong field": Fault(
        "domain/baron/decide.py", '"slot": slot,', '"slots": slot,'
    ),
    "Baron, decide builds an event with a value of a wrong type": Fault(
        "domain/baron/decide.py", '"touches": len(adjacent),', '"touches": adjacent,'
    ),
    "Baron, apply reads a wrong field": Fault(
        "domain/baron/apply.py", 'player.honour -= data["cost"]', 'player.honour -= data["costs"]'
    ),
    "Baron, position has a wrong field": Fault(
        "domain/baron/position.py", '"pile": state.pile_left,', '"piles": state.pile_left,'
    ),
    "Barony, decide builds an event with a wrong field": Fault(
        "domain/barony/recruitment.py", '"knights": action.knights,', '"knight": action.knights,'
    ),
    "Barony, decide builds an event with a value of a wrong type": Fault(
        "domain/barony/construction.py", '"points": POINTS_A_CITY,', '"points": str(POINTS_A_CITY),'
    ),
    "Barony, decide builds an event without a field": Fault(
        "domain/barony/titles.py", '"rank": RANKS[rank + 1],', ""
    ),
    "Barony, decide builds a wrong turn order": Fault(
        "domain/barony/turn_order.py", '"to_act": to_act}', '"act": to_act}'
    ),
    "Barony, apply reads a wrong field": Fault(
        "domain/barony/apply.py", 'data["seat"], data["knights"]', 'data["seat"], data["knight"]'
    ),
    "Barony, position has a wrong field": Fault(
        "domain/barony/position.py", '"score": state.score[seat],', '"scores": state.score[seat],'
    ),
    "Barony, a text reads a wrong field": Fault(
        "domain/barony/event_messages.py", 'RANKS[data["rank"]]', 'RANKS[data["title"]]'
    ),
    "Barony, an explanation reads a wrong field": Fault(
        "domain/barony/explain_construction.py",
        'data["built"], state.bank',
        'data["builds"], state.bank',
    ),
    "Barony, a scene reads a wrong field": Fault(
        "domain/barony/scene.py", 'return changes_at(data["to"])', 'return changes_at(data["at"])'
    ),
    "Sorcery, decide builds an event with a wrong field": Fault(
        "domain/barony/sorcery/recruitment.py", '"recruits": [{"at"', '"recruit": [{"at"'
    ),
    "Sorcery, decide adds a wrong field to an event": Fault(
        "domain/barony/sorcery/movement.py", 'move["swept"] = swept', 'move["sweeps"] = swept'
    ),
    "Sorcery, apply reads a wrong field": Fault(
        "domain/barony/sorcery/apply.py", '-= data["cost"]', '-= data["costs"]'
    ),
    "Sorcery, position has a wrong field": Fault(
        "domain/barony/sorcery/position.py", 'whole["spells"] =', 'whole["spell"] ='
    ),
    "the life cycle builds an event with a wrong field": Fault(
        "domain/lifecycle.py", '{"player": player, "nonce"', '{"player": player, "nonces"'
    ),
    "folding reads a wrong field": Fault(
        "domain/fold.py",
        'game.rounds_scored = data["round"]',
        'game.rounds_scored = data["rounds"]',
    ),
}


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, int]]:
    """The module and the line of each error that mypy reports for a copy with all faults."""
    copy = tmp_path_factory.mktemp("faulty")
    shutil.copytree(ROOT / "domain", copy / "domain")
    shutil.copy(ROOT / "pyproject.toml", copy)
    for fault in FAULTS.values():
        module = copy / fault.module
        source = module.read_text()
        assert source.count(fault.correct) == 1, f"{fault.module} has changed: {fault.correct}"
        module.write_text(source.replace(fault.correct, fault.wrong))
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--no-error-summary", "domain"],
        cwd=copy,
        capture_output=True,
        text=True,
        check=False,
    )
    assert not run.stderr
    errors = re.findall(r"^(.+?):(\d+): error: ", run.stdout, re.MULTILINE)
    assert errors, run.stdout
    return [(module, int(line)) for module, line in errors]


def reach_of(fault: Fault) -> tuple[str, range]:
    """The module of a fault, and the lines around it: mypy reports a wrong dict where it begins."""
    source = (ROOT / fault.module).read_text()
    line = source[: source.index(fault.correct)].count("\n") + 1
    return fault.module, range(line - 20, line + 1)


@pytest.mark.parametrize("name", FAULTS)
def test_mypy_reports(name: str, reports: list[tuple[str, int]]) -> None:
    module, lines = reach_of(FAULTS[name])
    assert any(module == reported and line in lines for reported, line in reports)


def test_mypy_reports_nothing_but_the_faults(reports: list[tuple[str, int]]) -> None:
    reaches = [reach_of(fault) for fault in FAULTS.values()]
    for reported, line in reports:
        assert any(module == reported and line in lines for module, lines in reaches)
