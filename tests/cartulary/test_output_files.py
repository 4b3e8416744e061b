"""No command overwrites a file without --force. The commands that write are found among all commands."""

from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest
from click.testing import Result

from cartulary.cli import cartulary
from client.receipts import SUFFIX, ReceiptFileError, ReceiptFolder
from ledger.files.output_files import write_file
from ledger.transparency.checkpoint import Checkpoint
from ledger.transparency.signed_note import SignedNote, sign_text
from tests.support.records import KEY, Table
from tests.support.stored_games import GAMES
from tests.support.witnesses import ORIGIN, inclusion_of

Run = Callable[..., Result]
FOREIGN = b"the only copy of something else\n"
READ = {
    "audit --receipt",
    "audit --receipts",
    "backup --data",
    "restore folder",
    "import records",
    "key register file",
    "key sign file",
    "witness follow --since",
    "witness compare first",
    "witness compare second",
    "witness verify file",
    "analyse --compare",
    "study --notes",
    "doctor --settings",
    *(
        f"{command} --token-file"
        for command in (
            "analyse",
            "audit",
            "compare",
            "diff",
            "inspect",
            "log",
            "play",
            "ratings",
            "receipts",
            "replay",
            "sandbox",
            "study",
            "timeline",
        )
    ),
}
"""The files and folders that commands only read."""
KEPT = {
    "analyse --state": "refuses a file that does not contain a part of this analysis",
    "ratings --save": "adds records, and replaces what the server says and records that lack their proof",
    "receipts --out": "only adds lines to files of receipts",
    "witness follow --dir": "only adds to the copy of a log",
    "serve --data": "the data of a service",
    "repair --data": "keeps what it replaces",
    "new-epoch --data": "the data of a service",
    "restore --data": "refuses a folder that contains data",
}
"""The folders that belong to a command, with what it does to them."""


def paths_of(group: click.Group, words: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield every option and argument of a command that is a file or a folder."""
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from paths_of(command, (*words, name))
        for parameter in command.params:
            if isinstance(parameter.type, click.Path | click.File):
                option = parameter.opts[0]
                yield " ".join((*words, name, option))


def export(run: Run, record: Path, folder: Path, *force: str) -> tuple[Result, Path]:
    def live(*_: object) -> bytes:
        return record.read_bytes()

    return run("export", "game-1", "--out", folder / "out", *force, live=live), folder / "out"


def timeline(run: Run, record: Path, folder: Path, *force: str) -> tuple[Result, Path]:
    return run("timeline", record, "--out", folder / "out", *force), folder / "out"


def playout(run: Run, _: Path, folder: Path, *force: str) -> tuple[Result, Path]:
    options = ("--seed", "00ff", "--round-limit", 1, "--out", folder)
    result = run("playout", *options, *force)
    return result, next(iter(folder.glob("*.jsonl")))


def witness_compare(run: Run, _: Path, folder: Path, *force: str) -> tuple[Result, Path]:
    table = Table().start()
    (folder / "first").write_bytes(table.record(inclusion=inclusion_of(table)))
    text = Checkpoint(ORIGIN, 7, bytes(32)).text
    (folder / "second").write_text(str(SignedNote(text, (sign_text(text, ORIGIN, KEY),))))
    out = folder / "out"
    result = run("witness", "compare", folder / "first", folder / "second", "--out", out, *force)
    return result, out


def receipts_export(run: Run, _: Path, folder: Path, *force: str) -> tuple[Result, Path]:
    receipt = KEY.receipt(Table().start().take(1))
    ReceiptFolder(folder / "evidence" / "server").add([receipt])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CARTULARY_EVIDENCE", str(folder / "evidence"))
        return run("receipts", "--export", folder / "out", *force), folder / "out"


def study(run: Run, _: Path, folder: Path, *force: str) -> tuple[Result, Path]:
    notes = GAMES / "baron-nothing-can-be-laid.study.json"
    record = GAMES / "baron-nothing-can-be-laid.jsonl"
    options = ("--notes", notes, "--pictures", folder)
    return run("study", record, *options, *force), folder / "0023.svg"


WRITERS = {
    "study --pictures": study,
    "export --out": export,
    "timeline --out": timeline,
    "playout --out": playout,
    "receipts --export": receipts_export,
    "witness compare --out": witness_compare,
}
"""By the option that names it, how a file is written."""
NEVER_FORCED = {"key generate file", "backup folder", "new-game --folder"}
"""Files and folders that are never overwritten, whatever the options."""


def test_the_files_of_all_commands_are_known() -> None:
    """Add a new option for a file or a folder to one of the tables; one that is written to WRITERS."""
    assert set(paths_of(cartulary)) == READ | KEPT.keys() | WRITERS.keys() | NEVER_FORCED


@pytest.mark.parametrize("name", WRITERS)
def test_a_file_is_overwritten_only_when_forced(
    run: Run, path: Path, tmp_path: Path, name: str
) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    first, out = WRITERS[name](run, path, folder)
    written = out.read_bytes()
    assert first.exit_code == (1 if name.startswith("witness") else 0)
    out.write_bytes(FOREIGN)
    refused, _ = WRITERS[name](run, path, folder)
    assert refused.exit_code == 1
    assert f"{out} exists already; --force overwrites it" in refused.stderr
    assert out.read_bytes() == FOREIGN
    forced, _ = WRITERS[name](run, path, folder, "--force")
    assert forced.exit_code == first.exit_code
    assert out.read_bytes() == written
    assert [file for file in folder.iterdir() if file.name.startswith(".")] == []


def test_a_record_is_not_overwritten_by_a_picture_of_it(run: Run, path: Path) -> None:
    record = path.read_bytes()
    assert run("timeline", path, "--out", path).exit_code == 1
    assert path.read_bytes() == record


def test_a_key_is_never_overwritten(run: Run, path: Path) -> None:
    record = path.read_bytes()
    assert run("key", "generate", path).exit_code == 1
    assert path.read_bytes() == record


def test_a_file_that_holds_no_receipts_is_not_added_to(tmp_path: Path) -> None:
    file = tmp_path / f"game-1{SUFFIX}"
    file.write_bytes(FOREIGN)
    with pytest.raises(ReceiptFileError):
        ReceiptFolder(tmp_path).add([{"game": "game-1", "seq": 1, "hash": "0" * 64, "at": ""}])
    assert file.read_bytes() == FOREIGN


def test_a_file_that_cannot_be_written_as_a_whole_stays_as_it_was(tmp_path: Path) -> None:
    file, folder = tmp_path / "file", tmp_path / "folder"
    file.write_bytes(FOREIGN)
    folder.mkdir()
    link = tmp_path / "link"
    link.symlink_to(file)
    with pytest.raises(FileExistsError):
        write_file(link, b"new", overwrite=False)
    with pytest.raises(FileExistsError):
        write_file(folder, b"new", overwrite=True)
    with pytest.raises(TypeError):
        write_file(file, "text", overwrite=True)  # type: ignore[arg-type] # writing has to fail
    assert file.read_bytes() == FOREIGN
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder", "link"]
    write_file(link, b"new", overwrite=True)
    assert (link.is_symlink(), file.read_bytes()) == (True, b"new")
