"""The table in docs/threats.md and the tests of the attacks belong together, row by row."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.mutations.explanations import ROWS

FOLDER: Final = Path(__file__).parent
TABLE: Final = FOLDER.parent.parent / "docs" / "threats.md"
COLUMNS: Final = 6
NOTHING: Final = "\N{EN DASH}"


def rows() -> list[list[str]]:
    """The cells of every row of the table, without its head."""
    table = TABLE.read_text().split("\n## ")[0]
    lines = [line for line in table.splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def ids() -> list[str]:
    return [cells[0].strip("`") for cells in rows()]


def rows_with_tests() -> Iterator[str]:
    """The arguments of the markers `threat` on the tests in this folder."""
    for path in FOLDER.glob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                for decorator in node.decorator_list:
                    text = ast.unparse(decorator)
                    if text.startswith("pytest.mark.threat("):
                        yield from ast.literal_eval("(" + text.partition("(")[2][:-1] + ",)")


def test_every_row_has_all_columns_and_an_id_of_its_own() -> None:
    assert len(rows()) > 40
    for cells in rows():
        assert len(cells) == COLUMNS
        assert all(cells), cells
        assert re.fullmatch("`[a-z-]+`", cells[0])
        detection, limit = cells[3], cells[5]
        assert (detection, limit) != (NOTHING, NOTHING), f"{cells[0]} says nothing"
    assert [id for id, count in Counter(ids()).items() if count > 1] == []


def test_every_row_has_a_test_and_every_test_a_row() -> None:
    assert set(rows_with_tests()) == set(ids())


def test_every_row_that_explains_a_sound_mutant_says_what_cannot_be_detected() -> None:
    limits = {cells[0].strip("`"): cells[5] for cells in rows()}
    assert limits.keys() >= ROWS
    assert all(limits[row] != NOTHING for row in ROWS)
