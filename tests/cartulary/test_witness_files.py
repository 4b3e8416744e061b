"""What browsers have seen, as files: what `compare` and `witness` make of them."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import orjson
import pytest
from click.testing import CliRunner, Result

from cartulary.cli import cartulary
from domain.json_types import JsonObject
from ledger.canonical import canonical
from ledger.keys import SigningKey, shown_head_payload
from ledger.transparency.checkpoint import Checkpoint
from ledger.transparency.merkle import MemoryTree, leaf_hash, prove_consistency
from ledger.transparency.signed_note import SignedNote, sign_text
from tests.support.records import KEY, STRANGER, Table

Run = Callable[..., Result]
ORIGIN = "log.test"
MORNING, EVENING = "2026-11-21T09:00:00.000Z", "2026-11-21T19:00:00.000Z"


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write a file as a browser saves it."""

    def write(name: str = "game", *, keys: Sequence[SigningKey] = (KEY,), **parts: Any) -> Path:
        path = tmp_path / f"{name}.witness"
        empty: JsonObject = {"heads": [], "events": [], "checkpoints": [], "consistency": None}
        entries = [key.public_entry("2026-01-01T00:00:00.000Z") for key in keys]
        file: JsonObject = {"format": "cartulary-witness/1", "server": "http://game.test"}
        path.write_bytes(canonical({**file, "keys": entries, **empty, **parts}) + b"\n")
        return path

    return write


def head(table: Table, at: str = MORNING, key: SigningKey = KEY) -> JsonObject:
    game = table.game
    return key.sign(shown_head_payload(game.id, game.seq, game.hash, at))


def events(table: Table, after: int) -> list[JsonObject]:
    return [{**made.event} for made in table.sealed[after:]]


def note(tree: MemoryTree) -> str:
    text = Checkpoint(ORIGIN, tree.size, tree.root()).text
    return str(SignedNote(text, (sign_text(text, ORIGIN, KEY),)))


def tree_of(names: str) -> MemoryTree:
    tree = MemoryTree()
    tree.append([leaf_hash(name.encode()) for name in names])
    return tree


def test_two_heads_for_one_event_are_a_proof(
    run: Run, write: Callable[..., Path], eventful: Table
) -> None:
    earlier, other = eventful.until(9), eventful.until(8)
    other.wait(5)
    other.take(1)
    assert other.game.seq == earlier.game.seq
    path = write(heads=[head(earlier), head(other, EVENING)])
    result = run("compare", path, "--key", KEY.public)
    assert result.exit_code == 1
    assert "who signed two histories of game game-1: in one, event 9" in " ".join(
        result.stdout.split()
    )
    report = orjson.loads(run("compare", path, "--key", KEY.public, "--json").stdout)
    assert [(proof["kind"], proof["trusted"]) for proof in report["heads"]] == [
        ("two_histories", True)
    ]
    one, two = write("one", heads=[head(earlier)]), write("two", heads=[head(other)])
    assert run("compare", one, two).exit_code == 1
    assert run("compare", one, one).exit_code == 0


def test_the_events_after_a_head_link_it_with_a_later_one(
    run: Run, write: Callable[..., Path], eventful: Table
) -> None:
    seen = eventful.until(9)
    heads = [head(seen), head(eventful, EVENING)]
    assert run("compare", write(heads=heads, events=events(eventful, 9))).exit_code == 0
    assert run("compare", write(heads=heads)).exit_code == 3
    other = eventful.until(8)
    other.wait(5)
    other.play_out()
    forked = [head(seen), head(other, EVENING)]
    assert run("compare", write(heads=forked, events=events(other, 9))).exit_code == 1
    made_up = events(other, 9)
    made_up[0]["prev"] = "0" * 64
    assert run("compare", write(heads=forked, events=made_up)).exit_code == 3


def test_a_server_cannot_take_back_the_last_event(
    run: Run, write: Callable[..., Path], eventful: Table
) -> None:
    earlier = eventful.until(9)
    path = write(heads=[head(eventful), head(earlier, EVENING)])
    result = run("compare", path)
    assert result.exit_code == 1
    assert "who took back events of game game-1" in " ".join(result.stdout.split())
    assert run("compare", write(heads=[head(earlier), head(eventful, EVENING)])).exit_code == 3
    a_moment_later = MORNING.replace("00:00.000", "00:30.000")
    path = write(heads=[head(eventful), head(earlier, a_moment_later)])
    assert run("compare", path).exit_code == 3


def test_what_the_server_has_not_signed_proves_nothing(
    run: Run, write: Callable[..., Path], eventful: Table
) -> None:
    earlier, other = eventful.until(9), eventful.until(8)
    other.wait(5)
    other.take(1)
    forged = {**head(other), "signature": head(earlier)["signature"]}
    result = run("compare", write(heads=[head(earlier), forged]))
    assert result.exit_code == 3
    assert "1 head is not signed by a key of its file" in result.stdout
    stranger = write(keys=[KEY, STRANGER], heads=[head(earlier), head(other, key=STRANGER)])
    assert run("compare", stranger).exit_code == 3
    both = ("--key", KEY.public, "--key", STRANGER.public)
    assert run("compare", stranger, *both).exit_code == 1


def test_a_head_that_a_browser_saw_is_compared_with_a_record(
    run: Run, write: Callable[..., Path], path: Path, eventful: Table
) -> None:
    seen = write(heads=[head(eventful.until(9))])
    assert run("compare", seen, path).exit_code == 0
    other = eventful.until(8)
    other.wait(5)
    other.take(1)
    lie = write("lie", heads=[head(other)])
    result = run("compare", path, lie, "--key", KEY.public)
    assert result.exit_code == 1
    assert f"Proof against the server that has the key {KEY.id}" in " ".join(result.stdout.split())


def test_a_file_that_is_none_is_refused(run: Run, write: Callable[..., Path], path: Path) -> None:
    assert run("compare", path).exit_code == 2
    faults: tuple[JsonObject, ...] = (
        {"heads": [{}]},
        {"events": 1},
        {"format": "x"},
        {"consistency": {}},
        {"x": 1},
    )
    for parts in faults:
        result = run("compare", write(**parts))
        assert result.exit_code == 1, parts
        assert "format" in result.stderr


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
def test_two_checkpoints_of_different_logs_are_a_proof(
    run: Run, write: Callable[..., Path], size: int
) -> None:
    def file(first: str, now: str) -> Path:
        old, new = tree_of(first), tree_of(now)
        path = prove_consistency(new, size, new.size)
        proof = {
            "from": size,
            "to": new.size,
            "root": new.root(size).hex(),
            "path": [hash.hex() for hash in path],
        }
        return write(checkpoints=[note(old), note(new)], consistency=proof)

    result = run("compare", file("abcdefg"[:size], "xbcdefg"))
    assert result.exit_code == 1
    assert "two checkpoints of different lists" in result.stdout
    assert run("compare", file("abcdefg"[:size], "abcdefg")).exit_code == 3


def test_two_browsers_with_different_logs_are_a_proof(
    run: Run, write: Callable[..., Path], tmp_path: Path
) -> None:
    one = write("one", checkpoints=[note(tree_of("abc"))])
    two = write("two", checkpoints=[note(tree_of("abx"))])
    assert run("compare", one, two).exit_code == 1
    compared = CliRunner().invoke(
        cartulary, ["witness", "compare", str(one), str(two), "--out", str(tmp_path / "out.json")]
    )
    assert compared.exit_code == 1
    same = CliRunner().invoke(cartulary, ["witness", "compare", str(one), str(one)])
    assert same.exit_code == 0
