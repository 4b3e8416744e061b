"""A client that gets receipts which prove nothing, or contradict each other, says so, and plays on."""

from pathlib import Path

import httpx
import pytest

from cartulary.client import Client, Evidence
from client.evidence import server_name
from client.receipts import read_receipts, receipts_of_game
from domain.json_types import JsonObject
from domain.messages import Text
from ledger.keys import SigningKey
from replay.language.renderer import english
from tests.support.records import KEY, STRANGER

URL = "http://server.test"
AT = "2026-11-20T09:15:00.000Z"


def event(seq: int, hash: str) -> JsonObject:
    return {
        "game": "g",
        "seq": seq,
        "type": "Passed",
        "at": AT,
        "by": {"seat": 0},
        "action": {"type": "pass"},
        "data": {},
        "prev": "0" * 64,
        "hash": hash,
    }


def receipt(seq: int, hash: str, key: SigningKey = KEY, game: str = "g") -> JsonObject:
    return key.sign({"game": game, "seq": seq, "hash": hash, "at": AT})


class Server:
    """Accepts every action with the event and the receipt that a test has set."""

    event: JsonObject
    receipt: JsonObject

    def __init__(self, folder: Path) -> None:
        self.reported: list[str] = []
        self.evidence = Evidence(folder, signs=False, report=self._report)

    def _report(self, text: Text) -> None:
        self.reported.append(english(text))

    def _respond(self, request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/keys"):
            return httpx.Response(200, json={"keys": [{"key": KEY.id, "public": KEY.public}]})
        return httpx.Response(201, json={"events": [self.event], "receipt": self.receipt})

    def act(self, event: JsonObject, receipt: JsonObject) -> None:
        """Let a client submit an action, which gets these."""
        self.event, self.receipt = event, receipt
        transport = httpx.MockTransport(self._respond)
        with Client(URL, "token", evidence=self.evidence, transport=transport) as client:
            assert (
                client.submit("g", {"type": "pass"}, expected_seq=4).events[0].seq == event["seq"]
            )


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (receipt(5, "a" * 64, STRANGER), "is not in the list of keys"),
        ({**receipt(5, "a" * 64), "seq": 6}, "is not valid"),
        (receipt(5, "b" * 64), "it is for another event"),
        (receipt(5, "a" * 64, game="h"), "it is for another game"),
    ],
)
def test_a_receipt_that_proves_nothing_is_reported_and_not_kept(
    tmp_path: Path, given: JsonObject, reason: str
) -> None:
    server = Server(tmp_path)
    server.act(event(5, "a" * 64), given)
    (report,) = server.reported
    assert report.startswith("the server gave no valid receipt: ")
    assert reason in report
    assert receipts_of_game(tmp_path, "g") == []


def test_two_receipts_for_one_event_are_both_kept_and_reported(tmp_path: Path) -> None:
    server = Server(tmp_path)
    first, second = receipt(5, "a" * 64), receipt(5, "b" * 64)
    server.act(event(5, "a" * 64), first)
    assert server.reported == []
    server.act(event(5, "b" * 64), second)
    (report,) = server.reported
    assert report.startswith("the server has signed two different events 5 of game g")
    folder = tmp_path / server_name(URL)
    assert read_receipts(folder / "g.receipts") == [first]
    assert read_receipts(folder / "g.conflicts.receipts") == [second]
    assert receipts_of_game(tmp_path, "g") == [second, first]
