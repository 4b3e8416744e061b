"""Attacks on the log of a server and on its keys: rows of docs/threats.md."""

import functools
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cartulary.cli import cartulary
from client import clients
from domain.json_types import JsonObject
from ledger.canonical import canonical
from replay.audit import TrustedKey, TrustedKeys
from replay.language.renderer import english
from tests.support.log_server import LogServer
from tests.support.records import KEY, STRANGER, Table, audit_record, read
from tests.support.witnesses import WITNESS, inclusion_of

URL = "http://log.test:8000"
ORIGIN = "game.test"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> LogServer:
    """A server with two entries in its log."""
    server = LogServer("a", "b")
    with_transport = functools.partial(clients.Client, transport=server.transport)
    monkeypatch.setattr(clients, "Client", with_transport)
    return server


@pytest.fixture
def witness(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Run `cartulary witness`."""
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: CliRunner().invoke(cartulary, ["witness", *map(str, arguments)])


def follow(witness: Callable[..., Result]) -> Result:
    return witness(URL, "--once", "--dir", "copy")


@pytest.mark.threat("log-rewritten")
def test_a_server_that_rewrites_its_log_gives_its_witness_a_proof(
    server: LogServer, witness: Callable[..., Result]
) -> None:
    follow(witness)
    server.show("a", "x", "y")
    assert follow(witness).exit_code == 1
    (proof,) = Path("copy").glob("split-view-*.json")
    verified = witness("verify", proof, "--key", server.key.public)
    assert verified.exit_code == 0
    assert "proven" in verified.stdout


@pytest.mark.threat("log-withheld")
def test_a_server_that_withholds_its_log_is_noticed_without_a_proof(
    server: LogServer, witness: Callable[..., Result]
) -> None:
    follow(witness)
    server.show("x", "y", "z")
    server.withheld = {"/log/proofs/consistency", "/log/leaves"}
    assert follow(witness).exit_code == 1
    (file,) = Path("copy").glob("unproven-*.json")
    assert witness("verify", file).exit_code == 3


@pytest.mark.threat("inclusion-made-up")
@pytest.mark.parametrize("field", ["path", "index", "seq", "hash", "game", "checkpoint"])
def test_a_proof_of_inclusion_that_was_made_up_is_found(field: str) -> None:
    table = Table().start().play_out()
    genuine = inclusion_of(table)
    other = {
        "path": genuine["path"][::-1],
        "index": 4,
        "seq": 5,
        "hash": "0" * 64,
        "game": "game-2",
        "checkpoint": inclusion_of(table, key=STRANGER)["checkpoint"],
    }
    forged: JsonObject = {**genuine, field: other[field]}
    report = audit_record(table.record(inclusion=forged))
    assert [finding.check for finding in report.findings] == ["inclusion"]


@pytest.mark.threat("history-not-logged")
def test_a_history_that_no_witness_saw_is_not_sound_for_those_who_know_one() -> None:
    table = Table(options={"seating": "joined"}).start()
    table.take(1)
    logged = inclusion_of(table.play_out())
    other = Table(options={"seating": "joined"}).start()
    other.take(2)
    other.play_out()
    claimed = audit_record(other.record(inclusion=logged), witnesses=[WITNESS])
    assert "inclusion" in {finding.check for finding in claimed.findings}
    without = audit_record(other.record(), witnesses=[WITNESS])
    assert without.verdict == "unknown"
    assert audit_record(table.record(inclusion=logged), witnesses=[WITNESS]).is_sound


@pytest.mark.threat("server-key-unknown")
def test_a_key_that_nobody_has_accepted_leaves_the_question_open() -> None:
    data = Table().start().play_out().record(key=STRANGER)
    report = audit_record(data, trusted=TrustedKeys())
    assert report.verdict == "unknown"
    assert {unknown.check for unknown in report.unknowns} == {"head"}


@pytest.mark.threat("server-key-changed")
def test_a_server_whose_key_has_changed_is_named() -> None:
    data = Table().start().play_out().record(key=STRANGER)
    line, rest = data.split(b"\n", 1)
    header = read(data).header
    head = {name: header["head"][name] for name in ("seq", "hash")}
    signed = STRANGER.sign_head({**header, "head": head, "origin": ORIGIN})
    trusted = TrustedKeys((TrustedKey(KEY.public, "test", ORIGIN),))
    report = audit_record(canonical(signed) + b"\n" + rest, trusted=trusted)
    assert report.verdict == "unknown"
    assert f"the key of that server has changed, it was {KEY.id}" in english(
        report.unknowns[0].problem
    )
    assert line != canonical(signed)


@pytest.mark.threat("key-retired")
def test_a_head_that_a_retired_key_has_signed_is_found() -> None:
    """The header does not mention the retirement, but the reader has learned of it before."""
    table = Table().start().play_out()
    retired = "2026-11-01T00:00:00.000Z"
    trusted = TrustedKeys((TrustedKey(KEY.public, "test", until=retired),))
    report = audit_record(table.record(), trusted=trusted)
    assert any("was retired on" in english(finding.problem) for finding in report.findings)
