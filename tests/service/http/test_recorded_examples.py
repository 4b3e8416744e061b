"""The recorded examples: every operation has one that its schemas allow, and nothing secret is in them."""

import json
import re
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from service.http.client_generator import operations_of
from service.http.examples import FILE
from tests.support import recorded_examples
from tests.support.example_values import SECRETS, redacted
from tests.support.http_contract import Contract, Json
from tests.support.recorded_examples import exchange_of, fits, quality, write

MAX_FILE_BYTES: Final = 300_000
EXAMPLES: Final[dict[str, Json]] = json.loads(FILE.read_text())


def test_every_operation_has_an_example_that_its_schemas_allow(contract: Contract) -> None:
    operations = {operation.id: operation for operation in operations_of(contract.document)}
    assert sorted(operations.keys() - EXAMPLES.keys()) == [], "run `make examples`"
    assert sorted(EXAMPLES.keys() - operations.keys()) == []
    unfit = [id for id, example in EXAMPLES.items() if not fits(contract, operations[id], example)]
    assert unfit == []


def test_the_document_shows_the_examples(contract: Contract) -> None:
    for operation in operations_of(contract.document):
        example = EXAMPLES[operation.id]
        request, status = example["request"], example["status"]
        assert operation.description["x-example"] == {"request": request, "status": status}
        content = operation.description["responses"][str(status)].get("content", {})
        for body in content.values():
            if "response" in example:
                assert body["example"] == example["response"]


def test_an_example_that_its_schemas_do_not_allow_is_noticed(contract: Contract) -> None:
    operations = {operation.id: operation for operation in operations_of(contract.document)}
    operation, example = operations["register_player"], EXAMPLES["register_player"]
    assert fits(contract, operation, example)
    changes: tuple[Json, ...] = (
        {"body": {**example["body"], "handle": 1}},
        {"response": {}},
        {"status": 299},
        {"request": "POST /api/v1/clubs"},
        {"request": "GET /api/v1/players"},
    )
    for change in changes:
        assert not fits(contract, operation, {**example, **change}), change


def test_the_examples_are_short() -> None:
    assert FILE.stat().st_size <= MAX_FILE_BYTES


def test_nothing_of_the_tests_is_shown_that_is_secret_or_random() -> None:
    text = FILE.read_text()
    assert not re.search(r"127\.0\.0\.1|Traceback|Bearer |<script", text)
    assert '"correct horse"' not in text
    for example in EXAMPLES.values():
        assert redacted(redacted(example)) == redacted(redacted(redacted(example)))


def exchange(**changes: Any) -> Json:
    """Return the exchange of a registration at a server of the tests."""
    fields = {"handle": "player-7", "password": "the real one", **changes}
    request = httpx.Request("POST", "http://127.0.0.1:3000/api/v1/players", json=fields)
    player = {"id": "PABCDEFG2345", "handle": "player-7", "created": "2031-01-02T03:04:05.678Z"}
    body = {"player": player, "token": "q83vEjRWeJASNFZ4kBI0Vn" * 2}
    found = exchange_of("/api/v1/players", httpx.Response(201, json=body, request=request))
    assert found is not None
    return found


def test_secrets_and_random_values_are_replaced_by_values_of_their_form() -> None:
    found = exchange()
    assert found == exchange()
    assert found["request"] == "POST /api/v1/players"
    assert found["body"] == {"handle": "ada", "password": SECRETS["password"]}
    player, token = found["response"]["player"], found["response"]["token"]
    assert (player["handle"], player["created"]) == ("ada", "2026-11-22T10:53:12.345Z")
    assert re.fullmatch("[A-Z2-7]{12}", player["id"])
    assert "PABCDEFG2345" not in json.dumps(found)
    assert len(token) == 44
    assert not token.startswith("q83v")


def test_equal_values_stay_equal_and_times_stay_in_order() -> None:
    digest, times = "0f" * 32, [f"2031-01-02T03:04:0{n}.000Z" for n in (5, 3)]
    found = redacted(
        {"hash": digest, "prev": digest, "times": times, "at": "http://localhost:80/x"}
    )
    assert found["hash"] == found["prev"] != digest
    assert re.fullmatch("[0-9a-f]{64}", found["hash"])
    assert found["times"][0] > found["times"][1]
    assert found["at"] == "https://play.example.org/x"


def test_what_nobody_would_send_is_no_example() -> None:
    request = httpx.Request("GET", "http://127.0.0.1:3000/api/v1/clubs")
    response = httpx.Response(200, json={"name": "<script>"}, request=request)
    assert exchange_of("/api/v1/clubs", response) is None


def test_the_better_example_has_more_fields_and_is_not_long() -> None:
    empty, full = exchange(), exchange(email="ada@example.org")
    assert quality(full) > quality(empty)
    assert quality(exchange(email="x" * recorded_examples.MAX_BYTES)) < quality(empty)


def test_examples_that_still_fit_are_kept(
    contract: Contract, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorded_examples, "document_of_code", lambda: contract.document)
    good = EXAMPLES["list_clubs"]
    monkeypatch.setattr(
        recorded_examples, "_best", {"list_clubs": {**good, "request": "GET /api/v1/clubs?limit=7"}}
    )
    file = tmp_path / "examples.json"
    file.write_text(json.dumps({"list_clubs": good, "gone": good}))
    write(file, is_anew=False)
    assert json.loads(file.read_text()) == {"list_clubs": good}
    file.write_text(json.dumps({"list_clubs": {**good, "response": {"clubs": 1}}}))
    write(file, is_anew=False)
    assert json.loads(file.read_text())["list_clubs"]["request"] == "GET /api/v1/clubs?limit=7"
