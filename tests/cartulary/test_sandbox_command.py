"""The command sandbox: output and exit status."""

from collections.abc import Callable
from pathlib import Path

import orjson
import pytest
from click.testing import Result

from ledger.record import read

Run = Callable[..., Result]
GAMES = Path(__file__).parent.parent / "games"
AGREEMENT = GAMES / "agreement.jsonl"
BATTLES = GAMES / "baron-battles.jsonl"


def test_sandbox_shows_what_happens_and_the_position(run: Run) -> None:
    result = run("sandbox", AGREEMENT, 30, "--action", "move -4,0>-5,1", "--seed", "00")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith("   1  seat 0  moves a knight -4,0>-5,1\n")
    assert "Barony, round" in result.stdout
    assert "legal for seat" not in result.stdout


def test_sandbox_lists_legal_actions_that_it_accepts(run: Run) -> None:
    result = run("sandbox", AGREEMENT, 30, "--seed", "00", "--legal")
    _, _, legal = result.stdout.partition("legal for seat 0:\n")
    action = legal.splitlines()[0].strip()
    assert run("sandbox", AGREEMENT, 30, "--action", action).exit_code == 0


def test_sandbox_lets_bots_act_the_same_for_the_same_seed(run: Run) -> None:
    arguments = ("sandbox", BATTLES, 20, "--as", 0, "--bots", "0,1,2", "--turns", 3, "--json")
    first = orjson.loads(run(*arguments, "--seed", "0011").stdout)
    assert first == orjson.loads(run(*arguments, "--seed", "0011").stdout)
    assert (first["seq"], first["as"], first["seed"]) == (20, 0, "0011")
    assert {action["bot"] for action in first["actions"]} == {"sensible"}
    assert first["position"]["to_act"] == first["to_act"]
    assert first["legal_actions"]
    unseeded = run(*arguments)
    assert unseeded.stderr.startswith("seed ")


def test_sandbox_as_a_seat_uses_no_secret_of_others(run: Run, tmp_path: Path) -> None:
    """The record that only this seat's player can download leads to the same sandbox."""
    with BATTLES.open("rb") as file:
        record = read(file)
    lines = BATTLES.read_bytes().splitlines(keepends=True)[: len(record.events) + 1]
    own = {"reserve/1": record.openings[5]["reserve/1"]}
    opening = orjson.dumps({"open": own, "seq": 5}, option=orjson.OPT_SORT_KEYS) + b"\n"
    partial = tmp_path / "partial.jsonl"
    partial.write_bytes(b"".join(lines) + opening)
    arguments = ("--as", 1, "--bots", "0,1,2", "--turns", 4, "--seed", "00", "--json")
    expected = run("sandbox", BATTLES, 20, *arguments).stdout
    assert run("sandbox", partial, 20, *arguments).stdout == expected


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        ((999,), 2, "there is no event 999"),
        ((2,), 1, "the game had not started"),
        ((30, "--as", 7), 2, "the seats are 0 to 2"),
        ((30, "--seed", "xyz"), 2, "not bytes in hex"),
        ((30, "--bots", "a"), 2, "must be seats"),
        ((30, "--bots", "7"), 2, "seats: must be among 0 to 2"),
        ((30, "--bots", "1", "--bot", "clever"), 2, "bot: must be one of"),
        ((30, "--action", "fly"), 2, "cannot be read as an action"),
        ((30, "--action", "move 9,9>9,8"), 1, "move 9,9>9,8: BY-"),
    ],
)
def test_sandbox_reports_what_is_wrong(
    run: Run, arguments: tuple[object, ...], status: int, message: str
) -> None:
    result = run("sandbox", AGREEMENT, *arguments)
    assert result.exit_code == status
    assert message in result.stderr
