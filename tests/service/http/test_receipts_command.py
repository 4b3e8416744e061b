"""The command receipts, with a real server."""

from pathlib import Path

import orjson
import pytest
from click.testing import CliRunner, Result

from cartulary.cli import cartulary
from cartulary.commands.receipts import receipts
from client.receipts import read_receipts, receipts_by_game
from ledger.canonical import canonical
from tests.support.accounts import Accounts


def run(*arguments: object, token: str | None = None) -> Result:
    """Run the command with the token in its environment variable."""
    environment = {"CARTULARY_TOKEN": token}
    result = CliRunner().invoke(receipts, [str(word) for word in arguments], env=environment)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def test_receipts_are_fetched_into_a_folder(accounts: Accounts, tmp_path: Path) -> None:
    game, (ada, _) = accounts.start_game()
    receipt = ada.act(game).json()["receipt"]
    result = run(accounts.url, "--out", tmp_path, token=ada.token)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == f"1 new receipt, 0 already there, in {tmp_path}\n"
    assert read_receipts(tmp_path / f"{game}.receipts") == [receipt]
    token_file = tmp_path / "token"
    token_file.write_text(ada.token + "\n")
    arguments = (accounts.url, "--out", tmp_path, "--game", game, "--token-file", token_file)
    report = orjson.loads(run(*arguments, "--json").stdout)
    assert report == {"new": 0, "existing": 1, "left_out": 0, "conflicts": []}


def test_receipts_are_added_to_those_that_programs_have_kept_and_exported(
    accounts: Accounts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CARTULARY_EVIDENCE", str(tmp_path / "evidence"))
    monkeypatch.setenv("CARTULARY_TRUSTED_KEYS", str(tmp_path / "trusted-keys.jsonl"))
    (game, (ada, _)), (other, (bea, _)) = accounts.start_game(), accounts.start_game()
    kept = [ada.act(game).json()["receipt"], bea.act(other).json()["receipt"]]
    for player in (ada, bea):
        assert run(accounts.url, token=player.token).exit_code == 0
    path = tmp_path / "all.receipts"
    result = run("--export", path)
    assert (result.exit_code, result.stderr) == (0, f"2 receipts written to {path}\n")
    assert receipts_by_game(path) == {receipt["game"]: [receipt] for receipt in kept}
    assert "--force overwrites it" in run("--export", path).stderr
    assert run("--export", path, "--game", game, "--force").exit_code == 0
    assert read_receipts(path) == kept[:1]
    run("--export", path, "--force")
    monkeypatch.setenv("CARTULARY_EVIDENCE", str(tmp_path / "elsewhere"))
    address = f"{accounts.url}/games/{game}"
    words = ["audit", address, "--receipts", str(path), "--json"]
    report = orjson.loads(CliRunner().invoke(cartulary, words).stdout)["records"][0]
    (check,) = (check for check in report["checks"] if check["name"] == "receipts")
    assert (check["looked_at"], check["verdict"]) == (1, "holds")
    for arguments in ((), (accounts.url, "--export", path)):
        assert "give either URL or --export" in run(*arguments, token="t").stderr


def test_a_conflict_is_named(accounts: Accounts, tmp_path: Path) -> None:
    game, (ada, _) = accounts.start_game()
    receipt = ada.act(game).json()["receipt"]
    path = tmp_path / f"{game}.receipts"
    earlier = canonical({"receipt": {**receipt, "hash": "0" * 64}}) + b"\n"
    path.write_bytes(earlier)
    result = run(accounts.url, "--out", tmp_path, token=ada.token)
    assert result.exit_code == 1
    assert f"two different events {receipt['seq']} of game {game}" in result.stderr
    assert path.read_bytes() == earlier
    assert read_receipts(tmp_path / f"{game}.conflicts.receipts") == [receipt]


@pytest.mark.parametrize(
    ("url", "token", "status", "message"),
    [
        (None, None, 2, "set CARTULARY_TOKEN"),
        (None, "two words", 2, "characters that no token has"),
        (None, "wrong", 1, "the server responds with 401: the token is invalid"),
        ("ftp://server", "t", 2, "must be a URL such as https://games.example.org"),
        ("http://[::1", "t", 2, "must be a URL such as https://games.example.org"),
        ("http://127.0.0.1:1", "t", 1, "does not respond"),
    ],
)
def test_what_is_wrong_is_reported_without_the_token(
    accounts: Accounts,
    tmp_path: Path,
    url: str | None,
    token: str | None,
    status: int,
    message: str,
) -> None:
    from cartulary.cli import cartulary

    arguments = ["receipts", url or accounts.url, "--out", str(tmp_path / "new")]
    result = CliRunner().invoke(cartulary, arguments, env={"CARTULARY_TOKEN": token})
    assert result.exit_code == status
    assert message in result.output
    assert token is None or token not in result.output or len(token) < 3
    assert not (tmp_path / "new").exists()
