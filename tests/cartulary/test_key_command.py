"""The command key: keys and signatures for players who sign their actions with other programs."""

from collections.abc import Callable
from pathlib import Path

import orjson
import pytest
from click.testing import Result

from ledger.canonical import canonical
from ledger.keys import SigningKey, verify
from ledger.player_signatures import check_action, key_payload

Run = Callable[..., Result]
HEAD = "ab" * 32
ACTION = '{"type": "move", "moves": [[[0, 0], [1, 0]]]}'


@pytest.fixture
def file(run: Run, tmp_path: Path) -> Path:
    """The file of a generated key."""
    file = tmp_path / "player.pem"
    assert run("key", "generate", file).exit_code == 0
    return file


def test_a_key_is_generated_into_a_file_that_only_its_owner_may_read(
    run: Run, tmp_path: Path
) -> None:
    file = tmp_path / "new.pem"
    result = run("key", "generate", file)
    key = SigningKey.load(file)
    assert orjson.loads(result.stdout) == {"key": key.id, "public": key.public}
    assert file.stat().st_mode & 0o777 == 0o600
    before = file.read_bytes()
    again = run("key", "generate", file)
    assert (again.exit_code, again.stdout) == (1, "")
    assert "is not overwritten" in again.stderr
    assert file.read_bytes() == before


def test_the_body_that_registers_a_key_has_a_proof_for_the_player(run: Run, file: Path) -> None:
    body = orjson.loads(run("key", "register", file, "--player", "0123456789abcdef").stdout)
    key = SigningKey.load(file)
    assert body.keys() == {"public", "proof"}
    assert body["public"] == key.public
    statement = canonical(key_payload("0123456789abcdef", key.public))
    verify(bytes.fromhex(key.public), bytes.fromhex(body["proof"]), statement)


def test_an_action_is_signed_in_its_canonical_form(run: Run, file: Path) -> None:
    result = run("key", "sign", file, "--game", "game-1", "--head", HEAD, "--action", ACTION)
    signature = orjson.loads(result.stdout)
    key = SigningKey.load(file)
    assert signature.keys() == {"key", "signature"}
    signed = {"key": key.id, "head": HEAD, "signature": signature["signature"]}
    check_action(signed, key.public, "game-1", orjson.loads(ACTION))  # type: ignore[arg-type] # a dict with its fields


@pytest.mark.parametrize(
    ("option", "value", "problem"),
    [
        ("--game", "a/b", "not the id of a game"),
        ("--head", "AB", "64 digits of lowercase hex"),
        ("--action", "pass", "not JSON"),
        ("--action", "[]", "not a JSON object"),
    ],
)
def test_bad_usage_exits_with_status_2(
    run: Run, file: Path, option: str, value: str, problem: str
) -> None:
    options = {"--game": "game-1", "--head": HEAD, "--action": ACTION, option: value}
    result = run("key", "sign", file, *(word for pair in options.items() for word in pair))
    assert (result.exit_code, result.stdout) == (2, "")
    assert problem in result.stderr


def test_a_file_that_is_missing_or_no_key_is_reported(run: Run, tmp_path: Path) -> None:
    for name, content, status, problem in (
        ("missing.pem", None, 2, "does not exist"),
        ("other.pem", b"no key", 1, "does not contain a readable private key"),
    ):
        file = tmp_path / name
        if content is not None:
            file.write_bytes(content)
        result = run("key", "register", file, "--player", "0123456789abcdef")
        assert (result.exit_code, result.stdout) == (status, "")
        assert problem in result.stderr
    missing_folder = run("key", "generate", tmp_path / "missing" / "key.pem")
    assert (missing_folder.exit_code, "cannot write" in missing_folder.stderr) == (1, True)
