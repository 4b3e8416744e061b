"""docs/http.md lists every operation and status, and every one of them must have a response in the tests."""

import re
from pathlib import Path

from tests.support.api_coverage import expected_statuses, without_response
from tests.support.http_contract import Contract

HERE = Path(__file__).parent
PAGE = HERE.parent.parent.parent / "docs" / "http.md"


def test_a_status_that_no_response_has_is_found(contract: Contract) -> None:
    expected = expected_statuses(contract)
    assert ("GET /games/ID", 404) in expected
    everywhere = {("GET /games", status) for status in (429, 500, 503)}
    assert without_response(expected, expected) == set()
    assert without_response(expected, expected - {("GET /games/ID", 404)}) == {
        ("GET /games/ID", 404)
    }
    assert without_response(expected, everywhere) == {
        (operation, status) for operation, status in expected if status not in {429, 500, 503}
    }
    assert {status for _, status in without_response(expected, set())} >= {429, 500, 503}


def test_the_page_lists_every_operation_and_no_other(contract: Contract) -> None:
    table = re.search(r"^\| call .*?\n\n", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert table is not None
    listed = set(re.findall(r"`((?:GET|POST|PUT|PATCH|DELETE) /[A-Za-z/.-]*)", table.group()))
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
