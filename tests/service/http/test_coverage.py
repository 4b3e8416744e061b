"""Every call has a test for every status that it promises, and the page on HTTP has every call.

Which tests see what is read from their marks; that they really do is checked where they run (conftest.py).
"""

import ast
import re
from pathlib import Path

from tests.support.http_contract import Contract

HERE = Path(__file__).parent
PAGE = HERE.parent.parent.parent / "docs" / "http.md"
EVERYWHERE = {429, 500, 503}
"""Statuses that any call may have: each has a test with some call."""


def marked() -> set[tuple[str, int]]:
    """The calls and statuses that tests are marked with."""
    found = set()
    for path in HERE.parent.rglob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.http":
                call, *statuses = [ast.literal_eval(word) for word in node.args]
                found |= {(call, status) for status in statuses}
    return found


def test_every_status_of_every_call_has_a_test(contract: Contract) -> None:
    promised = contract.promises()
    wanted = {
        (call, status) for call, statuses in promised.items() for status in statuses - EVERYWHERE
    }
    assert wanted - marked() == set()


def test_every_status_that_any_call_may_have_has_a_test() -> None:
    assert {status for _, status in marked()} >= EVERYWHERE


def test_the_page_lists_every_call_and_no_other(contract: Contract) -> None:
    table = re.search(r"^\| call .*?\n\n", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert table is not None
    listed = set(re.findall(r"`((?:GET|POST|DELETE) /[A-Za-z/-]*)", table.group()))
    assert listed == set(contract.promises())


def test_the_page_lists_every_status(contract: Contract) -> None:
    table = re.search(r"^\| status .*?\n\n", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert table is not None
    listed = {int(word) for word in re.findall(r"^\| (\d{3})", table.group(), re.MULTILINE)}
    refusals = {
        status for statuses in contract.promises().values() for status in statuses if status >= 400
    }
    assert listed == refusals | {405, 408}
