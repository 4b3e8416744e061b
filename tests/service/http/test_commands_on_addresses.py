"""The commands that read records, with the address of a game on a real server."""

import os
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from types import MappingProxyType

import orjson
import pytest
from click.testing import CliRunner, Result
from typing_extensions import override

from cartulary.cli import cartulary
from cartulary.terminal_client.tokens import TokensFile
from ledger.canonical import canonical
from tests.support.accounts import Accounts

COMMANDS = {
    "audit": (),
    "inspect": ("4",),
    "replay": (),
    "log": (),
    "diff": ("4", "5"),
    "timeline": ("--format", "json"),
}
"""The commands that read one record, with the arguments that follow it."""


@pytest.fixture(autouse=True)
def nothing_is_trusted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CARTULARY_TRUSTED_KEYS", str(tmp_path / "trusted-keys.jsonl"))
    monkeypatch.setenv("CARTULARY_TOKENS", str(tmp_path / "tokens.json"))
    monkeypatch.delenv("CARTULARY_TOKEN", raising=False)


def run(*arguments: object) -> Result:
    result = CliRunner().invoke(cartulary, [str(word) for word in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


class Responses(BaseHTTPRequestHandler):
    """Responds to every request with what a test has set; `missing` bytes of the body are never sent."""

    address = ""
    status = 200
    headers_to_send: Mapping[str, str] = MappingProxyType({})
    body = b""
    missing = 0

    def do_GET(self) -> None:
        self.send_response(self.status)
        for name, value in self.headers_to_send.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(self.body) + self.missing))
        self.end_headers()
        self.wfile.write(self.body)

    @override
    def log_message(self, *_: object) -> None:
        """Write nothing."""


@pytest.fixture
def hostile() -> Iterator[type[Responses]]:
    """A server that responds as its class says; `address` is that of a game on it."""

    class Handler(Responses):
        pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Handler.address = f"http://127.0.0.1:{server.server_port}/games/g"
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield Handler
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("path", ["/games/{}", "/games/{}/proofs", "/api/v1/games/{}/record"])
def test_a_command_takes_the_address_of_a_game(accounts: Accounts, command: str, path: str) -> None:
    game, (ada, _) = accounts.start_game()
    ada.act(game)
    address = accounts.url + path.format(game)
    result = run(command, address, *COMMANDS[command])
    assert result.exit_code == (3 if command == "audit" else 0), result.output
    assert "is a key of a server that you trust" in " ".join(result.output.split())
    assert run("trust", address, "--yes").exit_code == 0
    result = run(command, address, *COMMANDS[command])
    assert result.exit_code == (3 if command == "audit" else 0), result.output
    assert "is a key of a server that you trust" not in " ".join(result.output.split())
    assert result.stdout


def test_two_addresses_are_compared(accounts: Accounts, tmp_path: Path) -> None:
    game, (ada, _) = accounts.start_game()
    address = f"{accounts.url}/games/{game}"
    before = tmp_path / "before.jsonl"
    before.write_bytes(ada.http.get(f"/api/v1/games/{game}/record").content)
    ada.act(game)
    assert run("compare", before, address).exit_code == 0
    other, _ = accounts.start_game()
    assert run("compare", address, f"{accounts.url}/games/{other}").exit_code == 1


@pytest.mark.parametrize("command", COMMANDS)
def test_a_private_game_needs_the_token_of_a_player(
    accounts: Accounts, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, bea = accounts.register(), accounts.register()
    game = ada.create_game(options={"private": True}, invite=[bea.handle])
    bea.join(game)
    ada.act(game)
    address = f"{accounts.url}/games/{game}"
    arguments = (command, address, *COMMANDS[command])
    refused = run(*arguments)
    assert refused.exit_code == 2
    assert "a private game needs the token of a player" in " ".join(refused.stderr.split())
    succeeds = 3 if command == "audit" else 0

    file = tmp_path / "token"
    file.write_text(f"{ada.token}\n")
    assert run(*arguments, "--token-file", file).exit_code == succeeds
    TokensFile(os.environ).keep(accounts.url, bea.token)
    assert run(*arguments).exit_code == succeeds
    TokensFile(os.environ).keep(accounts.url, None)
    monkeypatch.setenv("CARTULARY_TOKEN", bea.token)
    assert run(*arguments).exit_code == succeeds
    monkeypatch.setenv("CARTULARY_TOKEN", "wrong")
    assert run(*arguments).exit_code == 2
    monkeypatch.setenv("CARTULARY_TOKEN", "two words")
    assert "characters that no token has" in run(*arguments).stderr


def test_a_session_that_has_ended_does_not_prevent_reading(accounts: Accounts) -> None:
    game, _ = accounts.start_game()
    TokensFile(os.environ).keep(accounts.url, "ended")
    assert run("log", f"{accounts.url}/games/{game}").exit_code == 0


def test_what_the_server_sends_is_bounded_and_every_fault_is_named(
    hostile: type[Responses], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cartulary.source.MAX_RECORD_BYTES", 1000)

    def fails(fault: str, *arguments: str, status: int = 1) -> None:
        result = run(*(arguments or ("log", hostile.address)))
        assert result.exit_code == status
        assert fault in " ".join(result.stderr.split())

    hostile.body = b"x" * 1001
    fails("the server's response is too long")
    hostile.body = b"{}"
    hostile.status, hostile.headers_to_send = 302, {"Location": "http://elsewhere/"}
    fails("the server redirects to http://elsewhere/, which is not followed")
    hostile.status = 500
    fails("the server responds with 500")
    hostile.status = 404
    fails("the server responds with 404", status=2)
    hostile.status, hostile.body = 200, b"<html>"
    fails("line 1: not JSON")
    server = hostile.address.removesuffix("/games/g")
    fails("is not the address of a game", "log", server, status=2)
    fails("is not the address of a server", "log", f"{server}/rules", status=2)
    fails("does not respond", "log", "http://127.0.0.1:9/games/g")
    result = run("audit", hostile.address, "http://127.0.0.1:9/games/g")
    assert result.exit_code == 1
    assert "2 broken" in result.output


def test_a_record_that_breaks_off_is_read_up_to_there(
    accounts: Accounts, hostile: type[Responses]
) -> None:
    game, (ada, _) = accounts.start_game()
    ada.act(game)
    record = ada.http.get(f"/api/v1/games/{game}/record").content
    hostile.body, hostile.missing = record[:-10], 10
    for command, arguments in COMMANDS.items():
        result = run(command, hostile.address, *arguments)
        assert result.exit_code == 1, command
        assert "the connection is broken off" in result.stderr
        assert "line" in result.output
        assert result.stdout or command == "diff"


def test_a_record_that_was_changed_on_the_way_is_reported(
    accounts: Accounts, hostile: type[Responses]
) -> None:
    game, (ada, _) = accounts.start_game()
    ada.act(game)
    assert run("trust", accounts.url, "--yes").exit_code == 0
    record = ada.http.get(f"/api/v1/games/{game}/record").content
    *lines, last = record.splitlines()
    event = orjson.loads(last)
    event["by"] = {"seat": 1 - event["by"]["seat"]}
    hostile.body = b"".join(line + b"\n" for line in (*lines, canonical(event)))
    for command, arguments in COMMANDS.items():
        result = run(command, hostile.address, *arguments)
        assert result.exit_code == 1, command
        assert "hash" in result.output
