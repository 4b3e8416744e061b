"""The command witness: output, messages and exit status."""

import functools
import signal
from collections.abc import Callable
from pathlib import Path

import httpx
import orjson
import pytest
from click.testing import CliRunner, Result

from cartulary.cli import cartulary
from client import clients
from client.witness.folder import WitnessFolder
from ledger.canonical import canonical
from ledger.keys import SigningKey
from ledger.transparency.signed_note import COSIGNATURE, NoteKey, note_key
from tests.support.log_server import LogServer

Run = Callable[..., Result]
URL = "http://log.test:8000"
OTHER_KEY = SigningKey.from_seed(b"o" * 32)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> LogServer:
    """The server that every URL leads to."""
    server = LogServer("a", "b")
    with_transport = functools.partial(clients.Client, transport=server.transport)
    monkeypatch.setattr(clients, "Client", with_transport)
    return server


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run `cartulary witness` in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object) -> Result:
        result = CliRunner().invoke(cartulary, ["witness", *map(str, arguments)])
        assert result.exception is None or isinstance(result.exception, SystemExit)
        return result

    return run


def test_a_server_is_followed_once(run: Run, server: LogServer) -> None:
    result = run(URL, "--once")
    assert result.exit_code == 0
    assert result.stdout == "log.test: 2 entries, 2 new, consistent\n"
    key = note_key("log.test", server.key)
    assert f"the server's key is remembered: {key} ({server.key.public})" in result.stderr
    copy = WitnessFolder.read(Path("witness-log.test-8000"))
    own_key = copy.witness_key()
    assert str(note_key(f"witness-{own_key.id}", own_key, COSIGNATURE)) in result.stderr
    server.add("c")
    again = run("follow", URL, "--once", "--json")
    assert orjson.loads(again.stdout) == {
        "origin": "log.test",
        "size": 3,
        "root": server.tree.root().hex(),
        "new": 1,
        "older": False,
    }


def test_a_server_is_followed_until_an_interrupt(run: Run, server: LogServer) -> None:
    respond = server.respond
    requests = 0

    def interrupt_later(request: httpx.Request) -> httpx.Response:
        nonlocal requests
        if request.url.path.endswith("/checkpoint"):
            requests += 1
            server.is_down = requests == 2
            if requests == 3:
                signal.raise_signal(signal.SIGINT)
        return respond(request)

    server.respond = interrupt_later  # type: ignore[method-assign] # a server with a fault
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        result = run(URL, "--interval", "0.1")
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "log.test: 2 entries, 2 new, consistent",
        "log.test: 2 entries, 0 new, consistent",
    ]
    assert "the server does not respond" in result.stderr


def test_cosignatures_are_submitted_under_a_name(run: Run, server: LogServer) -> None:
    assert run(URL, "--once", "--submit", "--name", "w", "--dir", "copy").exit_code == 0
    key = WitnessFolder.read(Path("copy")).witness_key()
    assert server.submitted[0].verified_keys([note_key("w", key, COSIGNATURE)])
    server.withheld = {"/log/cosignatures"}
    refused = run(URL, "--once", "--submit", "--dir", "copy")
    assert refused.exit_code == 0
    assert "the cosignature was not accepted: the server responds with 404" in refused.stderr


def test_a_second_history_is_reported_with_a_proof_that_is_verified_alone(
    run: Run, server: LogServer
) -> None:
    run(URL, "--once", "--dir", "copy")
    server.show("a", "x", "y")
    result = run(URL, "--once", "--dir", "copy")
    assert result.exit_code == 1
    assert "the server has shown two logs" in result.stderr
    (proof,) = Path("copy").glob("split-view-*.json")
    assert f"`cartulary witness verify {proof}`" in result.stderr
    verified = run("verify", proof)
    assert verified.exit_code == 0
    assert "proven: this key signed two checkpoints of different logs: 2 entries" in verified.stdout
    assert "pass the key that you know" in verified.stderr
    assert run("verify", proof, "--key", server.key.public).stderr == ""
    assert run("verify", proof, "--key", OTHER_KEY.public).exit_code == 1


def test_a_server_that_withholds_its_log_leaves_no_proof(run: Run, server: LogServer) -> None:
    run(URL, "--once", "--dir", "copy")
    server.show("x", "y", "z")
    server.withheld = {"/log/proofs/consistency", "/log/leaves"}
    assert run(URL, "--once", "--dir", "copy").exit_code == 1
    (file,) = Path("copy").glob("unproven-*.json")
    verified = run("verify", file)
    assert verified.exit_code == 3
    assert "cannot be known" in verified.stdout


def test_a_changed_key_is_named(run: Run, server: LogServer) -> None:
    run(URL, "--once", "--dir", "copy")
    server.key = OTHER_KEY
    changed = run(URL, "--once", "--dir", "copy")
    assert changed.exit_code == 1
    assert "the server's key has changed" in changed.stderr
    new_key: NoteKey = note_key("log.test", OTHER_KEY)
    assert run(URL, "--once", "--dir", "copy", "--key", new_key).exit_code == 0
    assert run(URL, "--once", "--dir", "copy").exit_code == 0


def test_a_server_that_does_not_respond_leaves_the_question_open(
    run: Run, server: LogServer
) -> None:
    server.is_down = True
    result = run(URL, "--once")
    assert result.exit_code == 3
    assert "the server does not respond" in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("ftp://log.test",),
        ("http://",),
        ("http://log.test:port",),
        (URL, "--interval", "0"),
        (URL, "--name", "a name"),
        (URL, "--dir", "/dev/null/x"),
        (URL, "--once", "--key", "no key"),
        ("compare", "missing", "missing"),
        ("verify", "missing"),
    ],
)
def test_invalid_arguments_are_refused(
    run: Run, server: LogServer, arguments: tuple[object, ...]
) -> None:
    result = run(*arguments)
    assert result.exit_code in {1, 2}
    assert result.stderr.count("Error: ") == 1


def test_help_names_the_subcommands(run: Run) -> None:
    for arguments in (("--help",), ()):
        output = run(*arguments).output
        assert all(name in output for name in ("follow", "compare", "verify"))


class TestCompare:
    def test_parties_that_saw_one_log(self, run: Run, server: LogServer) -> None:
        run(URL, "--once", "--dir", "ada")
        server.add("c")
        run(URL, "--once", "--dir", "bea")
        result = run("compare", "ada", "bea")
        assert result.exit_code == 0
        assert result.stdout == "the server has shown one log to both: 1 checkpoint compared\n"

    def test_parties_that_saw_two_logs(self, run: Run, server: LogServer) -> None:
        run(URL, "--once", "--dir", "ada")
        server.show("a", "x", "y")
        run(URL, "--once", "--dir", "bea")
        result = run("compare", "ada", "bea", "--out", "proof.json")
        assert result.exit_code == 1
        assert "the server has shown two logs: 2 entries" in result.stdout
        assert run("verify", "proof.json").exit_code == 0
        again = run("compare", "ada", "bea", "--out", "proof.json")
        assert "proof.json exists already; --force overwrites it" in again.stderr

    def test_parties_of_different_servers(self, run: Run, server: LogServer) -> None:
        run(URL, "--once", "--dir", "ada")
        server.key = OTHER_KEY
        run(URL, "--once", "--dir", "bea")
        result = run("compare", "ada", "bea")
        assert result.exit_code == 3
        assert "no checkpoints that the same key has signed" in result.stderr

    def test_two_checkpoints_without_a_copy(self, run: Run, server: LogServer) -> None:
        run(URL, "--once", "--dir", "ada")
        server.add("c")
        Path("note").write_text(str(server.note()))
        result = run("compare", "ada", "note")
        assert result.exit_code == 3
        assert "cannot be known: 1 checkpoint cannot be compared" in result.stdout


def test_a_declared_epoch_is_reported_with_what_is_lost(run: Run, server: LogServer) -> None:
    server.add("c", "d")
    assert run(URL, "--once", "--dir", "old").exit_code == 0
    server.begin_epoch("log.test/epoch-1f2e3d4c", "a", "b")
    for _ in range(2):
        result = run(URL, "--once", "--dir", "old")
        assert result.exit_code == 1
        assert "declared a new epoch of its log after a restore" in result.stderr
        assert (
            "log.test/epoch-1f2e3d4c. 2 entries that this witness has seen are lost"
            in result.stderr
        )
    assert [path.name for path in Path("old").glob("*.note")] == ["epoch-1f2e3d4c.note"]
    server.add("e", "f", "g")
    assert run(URL, "--once", "--dir", "new").exit_code == 0
    result = run("compare", "old", "new")
    assert result.exit_code == 3
    assert "new is about a new epoch of the log of old" in result.stderr
    assert "2 entries were lost" in result.stderr


def test_an_epoch_that_begins_with_other_entries_is_a_contradiction(
    run: Run, server: LogServer
) -> None:
    assert run(URL, "--once").exit_code == 0
    server.begin_epoch("log.test/epoch-1f2e3d4c", "x")
    result = run(URL, "--once")
    assert result.exit_code == 1
    assert "does not begin with the entries that this witness has seen" in result.stderr


def test_an_epoch_that_another_key_declares_is_a_changed_log(run: Run, server: LogServer) -> None:
    assert run(URL, "--once").exit_code == 0
    server.begin_epoch("log.test/epoch-1f2e3d4c", "a", key=OTHER_KEY)
    result = run(URL, "--once")
    assert result.exit_code == 1
    assert "now serves the log log.test/epoch-1f2e3d4c" in result.stderr


def test_a_witness_begins_with_what_a_browser_has_seen(run: Run, server: LogServer) -> None:
    def write(name: str) -> Path:
        file = {
            "format": "cartulary-witness/1",
            "server": URL,
            "heads": [],
            "events": [],
            "checkpoints": [str(server.note())],
            "consistency": None,
            "keys": [server.key.public_entry("2026-01-01T00:00:00.000Z")],
        }
        path = Path(name)
        path.write_bytes(canonical(file))
        return path

    seen = write("seen.witness")
    server.add("c")
    result = run(URL, "--once", "--since", seen)
    assert result.exit_code == 0
    assert "the log continues the checkpoint in seen.witness" in result.stdout
    later = write("later.witness")
    server.show("a", "x")
    assert run(URL, "--once", "--since", later, "--dir", "new").exit_code == 3
    server.show("a", "x", "y", "z")
    broken = run(URL, "--once", "--since", seen, "--dir", "other")
    assert broken.exit_code == 1
    assert run("verify", Path("other") / "split-view.json").exit_code == 0
