"""Every operation of the API has a test for each of its statuses, and docs/http.md lists every operation.

The marks of the tests name the statuses; conftest.py checks that a marked test really gets them.
"""

import ast
import re
from functools import cache
from pathlib import Path

from tests.support.http_contract import Contract

HERE = Path(__file__).parent
PAGE = HERE.parent.parent.parent / "docs" / "http.md"
EVERYWHERE = {429, 500, 503}
"""Statuses that every operation may have; it is enough to test each with one operation."""


@cache
def marked_statuses() -> set[tuple[str, int]]:
    """Return the operations and statuses that tests are marked with."""
    marked = set()
    for path in HERE.parent.rglob("test_*.py"):
        text = path.read_text()
        for node in ast.walk(ast.parse(text)) if "pytest.mark.http" in text else ():
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.http":
                operation, *statuses = [ast.literal_eval(word) for word in node.args]
                marked |= {(operation, status) for status in statuses}
    return marked


def test_every_status_of_every_operation_has_a_test(contract: Contract) -> None:
    documented = {
        (operation, status)
        for operation, statuses in contract.statuses().items()
        for status in statuses - EVERYWHERE
        # test_personal_tokens.py checks these with every operation.
        if (operation, status) not in contract.scope_refusals()
    }
    assert documented - marked_statuses() == set()


def test_every_status_that_all_operations_share_has_a_test() -> None:
    assert {status for _, status in marked_statuses()} >= EVERYWHERE


def test_the_page_lists_every_operation_and_no_other(contract: Contract) -> None:
    table = re.search(r"^\| call .*?\n\n", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert table is not None
    listed = set(re.findall(r"`((?:GET|POST|PUT|DELETE) /[A-Za-z/.-]*)", table.group()))
    assert listed == set(contract.statuses())


def test_the_page_lists_every_status(contract: Contract) -> None:
    table = re.search(r"^\| status .*?\n\n", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert table is not None
    listed = {int(word) for word in re.findall(r"^\| (\d{3})", table.group(), re.MULTILINE)}
    refusals = {
        status for statuses in contract.statuses().values() for status in statuses if status >= 400
    }
    # These refuse requests before they reach an operation.
    assert listed == refusals | {405, 408, 431}
