"""The commands that write records: export and playout."""

from collections.abc import Callable
from pathlib import Path

import orjson
import pytest
from click.testing import Result

from ledger.record import read as read_record

Run = Callable[..., Result]


def test_export_writes_the_record_of_a_live_game(run: Run, path: Path) -> None:
    data = path.read_bytes()
    assert run("export", "game-1", live=lambda *_: data).stdout_bytes == data
    assert run("export", "game-1", "--out", "out.jsonl", live=lambda *_: data).stdout == ""
    assert Path("out.jsonl").read_bytes() == data
    assert run("export", "game-1", "--out", "no/such/out", live=lambda *_: data).exit_code == 1
    assert run("export", "game-1").exit_code == 2


def test_export_overwrites_a_file_only_when_forced(run: Run, path: Path) -> None:
    data = path.read_bytes()
    Path("out.jsonl").write_text("something else")
    result = run("export", "game-1", "--out", "out.jsonl", live=lambda *_: data)
    assert result.exit_code == 1
    assert "out.jsonl exists already; --force overwrites it" in result.stderr
    assert Path("out.jsonl").read_text() == "something else"
    forced = run("export", "game-1", "--out", "out.jsonl", "--force", live=lambda *_: data)
    assert forced.exit_code == 0
    assert Path("out.jsonl").read_bytes() == data


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (["--rules", "baron", "--seats", "9"], "--seats: must be 2 to 5"),
        (["--rules", "baron", "--sorcery"], "--sorcery: is not an option of this game"),
        (
            ["--rules", "baron", "--round-limit", "3"],
            "--round-limit: is not an option of this game",
        ),
        (["--bots", "clever"], "--bots: must be one of beginner, casual, random, sensible, strong"),
    ],
)
def test_playout_names_only_options_that_were_given(
    run: Run, options: list[str], error: str
) -> None:
    result = run("playout", *options)
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1] == f"Error: {error}"


def test_playout_writes_records_that_pass_their_audit(run: Run, tmp_path: Path) -> None:
    command = ["playout", "--seats", 3, "--games", 2, "--seed", "00ff", "--round-limit", 2]
    result = run(*command, "--out", "games")
    assert result.exit_code == 0
    assert "seed 00ff" in result.stderr
    files = sorted(Path("games").iterdir())
    assert len(files) == len(result.stdout.splitlines()) == 2
    assert run("audit", *files).exit_code == 0
    records = [file.read_bytes() for file in files]
    summaries = [orjson.loads(line) for line in run(*command, "--json").stdout.splitlines()]
    assert sorted(summary["file"] for summary in summaries) == [file.name for file in files]
    assert [summary["rounds"] for summary in summaries] == [2, 2]
    assert [Path(file.name).read_bytes() for file in files] == records
    with files[0].open("rb") as file:
        assert len(read_record(file).header["keys"]) == 1


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_playout_with_the_expansion_plays_another_game_than_without(run: Run, seats: int) -> None:
    """Both records have names of their own, since the same seed leads to different games."""
    command = ["playout", "--seats", seats, "--seed", "00ff", "--round-limit", 3]
    result = run(*command, "--sorcery")
    assert result.exit_code == 0
    assert run(*command).exit_code == (0 if seats < 5 else 2)
    files = [path.name for path in Path().iterdir()]
    assert sorted(name.rsplit("-", 2)[0] for name in files) == [
        *([f"barony-{seats}"] if seats < 5 else []),
        f"barony-sorcery-{seats}",
    ]
    assert run("audit", *files).exit_code == 0
    (name,) = (name for name in files if "sorcery" in name)
    position = orjson.loads(run("replay", name, "--format", "json").stdout)
    assert (position["sorcery"], len(position["players"])) == (True, seats)


def test_playout_draws_a_seed_and_prints_it(run: Run) -> None:
    first = run("playout", "--round-limit", 1)
    seed = first.stderr.split()[1]
    assert len(bytes.fromhex(seed)) == 32
    again = run("playout", "--round-limit", 1, "--seed", seed, "--force")
    assert again.stdout == first.stdout
    assert run("playout", "--round-limit", 1).stdout != first.stdout


@pytest.mark.parametrize(
    "options",
    [
        ["--rules", "chess"],
        ["--seats", "9"],
        ["--seats", "x"],
        ["--sorcery", "--seats", "6"],
        ["--seats", "5"],
        ["--seed", "xyz"],
        ["--games", "0"],
        ["--bots", "clever"],
        ["--bots", ""],
        ["--round-limit", "-1"],
        ["--jobs", "0"],
    ],
)
def test_playout_of_a_game_that_cannot_be_played_is_bad_usage(run: Run, options: list[str]) -> None:
    result = run("playout", *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert list(Path().iterdir()) == []


def test_playout_into_a_path_that_is_not_a_folder_is_an_error(run: Run, path: Path) -> None:
    assert run("playout", "--out", path).exit_code == 2
    assert run("playout", "--out", path / "deeper").exit_code == 1
