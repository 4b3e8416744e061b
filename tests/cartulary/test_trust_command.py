"""The command trust, and the keys that commands trust by themselves."""

from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import orjson
import pytest
from click.testing import CliRunner, Result
from typing_extensions import override

from cartulary.cli import cartulary
from ledger.canonical import canonical
from tests.support.records import KEY, SINCE, STRANGER, Table

Run = Callable[..., Result]
PLAYOUT = ("playout", "--rules", "barony", "--round-limit", "1", "--out", "games")


@pytest.fixture
def trusted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, run: Run) -> Path:
    """The file of trusted keys, which does not exist yet."""
    path = tmp_path / "trust" / "keys"
    monkeypatch.setenv("CARTULARY_TRUSTED_KEYS", str(path))
    return path


@pytest.fixture
def foreign(tmp_path: Path) -> Path:
    """The file of a record that a server with an unknown key has signed."""
    path = tmp_path / "foreign.jsonl"
    path.write_bytes(Table().start().play_out().record(key=STRANGER))
    return path


def publics(path: Path) -> list[str]:
    return [orjson.loads(line)["public"] for line in path.read_bytes().splitlines()]


def test_a_record_is_sound_once_its_key_is_accepted(run: Run, trusted: Path, foreign: Path) -> None:
    result = run("audit", foreign)
    assert result.exit_code == 3
    assert result.stdout.splitlines()[-1].startswith(f"cannot be known: whether key {STRANGER.id}")
    assert run("trust", foreign, "--yes").exit_code == 0
    assert publics(trusted) == [STRANGER.public]
    assert run("audit", foreign).exit_code == 0
    assert run("trust", "--remove", STRANGER.id).exit_code == 0
    assert run("audit", foreign).exit_code == 3
    assert run("audit", foreign, "--key", STRANGER.public).exit_code == 0
    assert run("audit", foreign).exit_code == 3  # --key was for one run


def test_keys_are_added_listed_and_removed(run: Run, trusted: Path) -> None:
    assert run("trust").stdout == ""
    assert run("trust", KEY.public.upper(), "--yes", "--origin", "a.example").exit_code == 0
    assert run("trust", KEY.public, "--yes").exit_code == 0  # adds nothing
    assert publics(trusted) == [KEY.public]
    assert trusted.stat().st_mode & 0o077 == 0
    (line,) = run("trust").stdout.splitlines()
    assert f"key {KEY.id} of the server a.example" in line
    (entry,) = orjson.loads(run("trust", "--json").stdout)["keys"]
    assert (entry["public"], entry["origin"]) == (KEY.public, "a.example")
    assert entry["fingerprint"].startswith(KEY.id)
    assert run("trust", "--remove", "a.example").exit_code == 0
    assert publics(trusted) == []
    assert run("trust", "--remove", "a.example").exit_code == 1
    assert run("trust", "--remove").exit_code == 2


def test_nothing_is_accepted_without_a_confirmation(run: Run, trusted: Path) -> None:
    result = run("trust", KEY.public)
    assert result.exit_code == 2
    assert "add --yes" in result.stderr
    assert KEY.id in result.stderr  # what it is about is shown all the same
    assert not trusted.exists()


def test_a_user_at_a_terminal_is_asked(
    run: Run, trusted: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("click.testing._NamedTextIOWrapper.isatty", lambda _: True)
    refused = run("trust", KEY.public, stdin=b"n\n")
    assert "Accept this key?" in refused.stderr
    assert (refused.exit_code, trusted.exists()) == (1, False)
    assert run("trust", KEY.public, stdin=b"y\n").exit_code == 0
    assert publics(trusted) == [KEY.public]


def test_a_record_whose_signature_is_not_valid_is_refused(
    run: Run, trusted: Path, foreign: Path
) -> None:
    data = foreign.read_bytes()
    foreign.write_bytes(data.replace(b'"engine":"', b'"engine":"9', 1))
    result = run("trust", foreign, "--yes")
    assert result.exit_code == 1
    assert "its signature is not valid" in result.stderr
    for source in ("missing.jsonl", "00"):
        assert run("trust", source, "--yes").exit_code == 2
    assert not trusted.exists()


def test_a_file_of_trusted_keys_that_cannot_be_read_is_named(
    run: Run, trusted: Path, foreign: Path
) -> None:
    run("trust", KEY.public, "--yes")
    for line in (b"nonsense", b"[]", b'{"public":"00","source":"x"}', b"\xff"):
        trusted.write_bytes(canonical({"public": KEY.public, "source": "x"}) + b"\n" + line + b"\n")
        for command in (["trust"], ["audit", str(foreign)]):
            result = CliRunner().invoke(cartulary, command)
            assert result.exit_code == 1
            assert f"{trusted}, line 2: not an entry of a trusted key" in result.stderr


class Server:
    """A server that responds to every request with the same body."""

    def __init__(self) -> None:
        self.body: object = {}
        self.paths: list[str] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.paths.append(self.path)
                content = orjson.dumps(outer.body)
                self.send_response(200 if outer.body else 404)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            @override
            def log_message(self, *arguments: object) -> None:
                pass

        self._server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.close()


def test_the_keys_that_a_server_publishes_are_accepted(
    run: Run, trusted: Path, server: Server
) -> None:
    retired = KEY.public_entry(SINCE, "2026-06-01T00:00:00.000Z")
    server.body = {"keys": [retired], "origin": "games.example.org", "next": None}
    assert run("trust", server.url + "/", "--yes").exit_code == 0
    assert server.paths == ["/api/v1/keys"]
    (entry,) = orjson.loads(run("trust", "--json").stdout)["keys"]
    assert (entry["origin"], entry["until"]) == ("games.example.org", retired["until"])
    # A second key of the same server is named as a change.
    server.body = {
        "keys": [STRANGER.public_entry(SINCE)],
        "origin": "games.example.org",
        "next": None,
    }
    result = run("trust", server.url, "--yes")
    assert f"the key of the server games.example.org has changed: it was {KEY.id}" in result.stderr


def test_a_server_without_a_valid_list_of_keys_is_refused(
    run: Run, trusted: Path, server: Server
) -> None:
    bodies: list[object] = [{}, {"keys": []}, {"keys": [{"public": "zz"}]}, {"keys": 1}, [1]]
    for server.body in bodies:
        result = run("trust", server.url, "--yes")
        assert (result.exit_code, server.url in result.stderr) == (1, True)
    assert run("trust", "http://127.0.0.1:9", "--yes").exit_code == 1  # nobody listens
    assert not trusted.exists()


def test_playout_trusts_its_own_key(run: Run, trusted: Path, tmp_path: Path) -> None:
    assert run(*PLAYOUT, "--seed", "00").exit_code == 0
    assert run("audit", "games").exit_code == 0
    (entry,) = orjson.loads(run("trust", "--json").stdout)["keys"]
    assert entry["source"] == "playout"


def test_playout_continues_if_the_key_cannot_be_remembered(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("CARTULARY_TRUSTED_KEYS", str(tmp_path / "file" / "keys"))
    result = run(*PLAYOUT)
    assert result.exit_code == 0
    assert "cannot read" in result.stderr or "cannot write" in result.stderr
    assert len([*(tmp_path / "games").iterdir()]) == 1
