"""A witness keeps and cosigns what continues the log, and has a proof of everything that does not."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from client.errors import InvalidResponse, NotFound, ServerUnreachable
from client.witness import calls
from client.witness import follow as follow_module
from client.witness.folder import CHECKPOINTS, LEAVES, FolderInUse, WitnessFolder
from client.witness.follow import Follower, KeyChanged, LogBroken
from client.witness.split_view import SplitView
from domain.errors import Unreadable
from ledger.keys import SigningKey
from ledger.transparency.merkle import HASH_BYTES
from ledger.transparency.signed_note import COSIGNATURE, SignedNote, note_key
from tests.support.faults import raises
from tests.support.log_server import LogServer

OTHER_KEY = SigningKey.from_seed(b"o" * 32)


@contextmanager
def following(server: LogServer, path: Path) -> Iterator[Follower]:
    with WitnessFolder.locked(path) as folder, server.client() as client:
        yield Follower(client, folder, now=lambda: 1_700_000_000.5, format_time=lambda _: "now")


def observe(server: LogServer, path: Path) -> int:
    """Check the server once, as a new process does, and return the number of new entries."""
    with following(server, path) as follower:
        return follower.observe().new_entries


def proof_in(broken: LogBroken) -> SplitView:
    assert broken.evidence is not None
    return SplitView.parse(broken.evidence.read_bytes())


def test_a_growing_log_is_copied_and_cosigned(tmp_path: Path) -> None:
    server = LogServer()
    assert observe(server, tmp_path) == 0
    server.add("a", "b", "c")
    assert observe(server, tmp_path) == 3
    assert observe(server, tmp_path) == 0
    server.add("d")
    assert observe(server, tmp_path) == 1
    folder = WitnessFolder.read(tmp_path)
    assert [kept.checkpoint.size for kept in folder.checkpoints] == [0, 3, 4]
    assert folder.tree.root() == server.tree.root()
    key = folder.witness_key()
    cosigning_key = note_key(f"witness-{key.id}", key, COSIGNATURE)
    for kept in folder.checkpoints:
        assert kept.note.verified_keys([cosigning_key])[cosigning_key].timestamp == 1_700_000_000
        kept.note.check_signed_by(note_key(server.origin, server.key))


def test_a_log_of_many_pages_is_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "PAGE_LEAVES", 2)
    monkeypatch.setattr(follow_module, "PAGE_LEAVES", 3)
    server = LogServer(*map(str, range(10)))
    assert observe(server, tmp_path) == 10
    assert WitnessFolder.read(tmp_path).tree.root() == server.tree.root()


def test_the_cosignature_is_submitted(tmp_path: Path) -> None:
    server = LogServer("a")
    with following(server, tmp_path) as follower:
        follower.observe()
        follower.submit()
        assert server.submitted[0].verified_keys([follower.cosigning_key])


class TestContradictions:
    def test_another_log_of_the_same_size_is_proven(self, tmp_path: Path) -> None:
        server = LogServer("a", "b")
        observe(server, tmp_path)
        server.show("a", "x")
        with raises(LogBroken, match="two logs") as raised:
            observe(server, tmp_path)
        assert raised.value.is_proof
        assert proof_in(raised.value).check()

    def test_another_log_that_has_grown_is_proven(self, tmp_path: Path) -> None:
        for size in range(1, 9):
            server = LogServer(*"abcdefgh"[:size])
            folder = tmp_path / str(size)
            observe(server, folder)
            server.show(*"abcdefgh"[: size - 1], "x", "y", "z")
            with raises(LogBroken, match="two logs") as raised:
                observe(server, folder)
            assert proof_in(raised.value).check()

    def test_another_log_that_has_shrunk_is_proven(self, tmp_path: Path) -> None:
        for size in range(1, 8):
            server = LogServer(*"abcdefgh")
            folder = tmp_path / str(size)
            observe(server, folder)
            server.show("x", *"bcdefgh"[: size - 1])
            with raises(LogBroken, match="two logs") as raised:
                observe(server, folder)
            assert proof_in(raised.value).check()

    def test_a_contradiction_is_not_cosigned_and_leaves_the_copy_as_it_was(
        self, tmp_path: Path
    ) -> None:
        server = LogServer("a", "b")
        observe(server, tmp_path)
        before = {name: (tmp_path / name).read_bytes() for name in (CHECKPOINTS, LEAVES)}
        server.show("a", "x", "y")
        evidence = set()
        for _ in range(2):
            with pytest.raises(LogBroken) as raised:
                observe(server, tmp_path)
            assert raised.value.evidence is not None
            evidence.add(raised.value.evidence.name)
        assert evidence == {"split-view-3.json", "split-view-3-2.json"}
        assert before == {name: (tmp_path / name).read_bytes() for name in before}

    def test_an_older_checkpoint_of_the_same_log_is_not_a_contradiction(
        self, tmp_path: Path
    ) -> None:
        server = LogServer("a", "b", "c")
        observe(server, tmp_path)
        server.show("a", "b")
        with following(server, tmp_path) as follower:
            assert follower.observe().is_older
        assert len(WitnessFolder.read(tmp_path).checkpoints) == 1

    def test_a_server_that_withholds_everything_leaves_two_signed_checkpoints(
        self, tmp_path: Path
    ) -> None:
        server = LogServer("a", "b")
        observe(server, tmp_path)
        server.show("x", "y", "z")
        server.withheld = {"/log/proofs/consistency", "/log/leaves"}
        with raises(LogBroken, match="does not prove") as raised:
            observe(server, tmp_path)
        assert not raised.value.is_proof
        assert not proof_in(raised.value).check()

    def test_leaves_that_are_not_those_of_the_checkpoint_are_refused(self, tmp_path: Path) -> None:
        server = LogServer("a")
        observe(server, tmp_path)
        server.add("b")
        server.signed_note = server.note()
        server.show("a", "x")
        with pytest.raises(LogBroken):
            observe(server, tmp_path)
        assert WitnessFolder.read(tmp_path).tree.size == 1


class TestKeys:
    def test_a_changed_key_is_named_until_it_is_accepted(self, tmp_path: Path) -> None:
        server = LogServer("a")
        observe(server, tmp_path)
        server.key = OTHER_KEY
        new_key = note_key(server.origin, OTHER_KEY)
        with raises(KeyChanged, match=new_key.id.hex()):
            observe(server, tmp_path)
        with following(server, tmp_path) as follower:
            follower.accept_key(str(new_key))
        server.add("b")
        assert observe(server, tmp_path) == 1
        assert WitnessFolder.read(tmp_path).server_key == new_key

    def test_another_origin_is_another_log(self, tmp_path: Path) -> None:
        observe(LogServer("a"), tmp_path)
        with raises(KeyChanged, match="second"):
            observe(LogServer("a", origin="second"), tmp_path)

    def test_a_key_that_was_named_beforehand_must_have_signed(self, tmp_path: Path) -> None:
        server = LogServer("a")
        with following(server, tmp_path) as follower:
            follower.accept_key(OTHER_KEY.public)
            with pytest.raises(KeyChanged):
                follower.observe()

    @pytest.mark.parametrize("key", ["", "00", "x+y+z", "zz" * 32])
    def test_an_invalid_key_is_refused(self, tmp_path: Path, key: str) -> None:
        with following(LogServer("a"), tmp_path) as follower, pytest.raises(Unreadable):
            follower.accept_key(key)

    def test_the_key_of_a_witness_is_not_a_key_of_a_log(self, tmp_path: Path) -> None:
        with following(LogServer("a"), tmp_path) as follower, raises(Unreadable, match="wit"):
            follower.accept_key(str(follower.cosigning_key))

    def test_a_checkpoint_of_an_unpublished_key_is_refused(self, tmp_path: Path) -> None:
        server = LogServer("a")
        server.signed_note = LogServer("a", key=OTHER_KEY).note()
        with raises(InvalidResponse, match="none of the keys"):
            observe(server, tmp_path)

    def test_a_signature_that_is_not_valid_is_reported(self, tmp_path: Path) -> None:
        server = LogServer("a")
        observe(server, tmp_path)
        server.signed_note = SignedNote(LogServer("x").note().text, server.note().signatures)
        with raises(LogBroken, match="not valid"):
            observe(server, tmp_path)


class TestResponses:
    def test_a_server_that_is_down_is_unreachable(self, tmp_path: Path) -> None:
        server = LogServer("a")
        server.is_down = True
        with pytest.raises(ServerUnreachable):
            observe(server, tmp_path)

    @pytest.mark.parametrize("path", ["/log/checkpoint", "/keys", "/log/leaves"])
    def test_a_server_without_a_log_is_refused(self, tmp_path: Path, path: str) -> None:
        server = LogServer("a")
        server.withheld = {path}
        with pytest.raises((NotFound, LogBroken)):
            observe(server, tmp_path)

    @pytest.mark.parametrize(
        "body", [b"", b"[]", b"x" * (1 << 21), b'{"keys":1}', b'{"keys":[{"public":"0"}]}']
    )
    def test_responses_of_another_form_are_refused(self, tmp_path: Path, body: bytes) -> None:
        server = LogServer("a")
        server.bodies["/keys"] = body
        with pytest.raises(InvalidResponse):
            observe(server, tmp_path)

    def test_a_log_that_is_too_large_is_not_copied(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(follow_module, "MAX_LEAVES", 2)
        with raises(InvalidResponse, match="too many"):
            observe(LogServer("a", "b", "c"), tmp_path)


class TestFolder:
    def test_two_processes_cannot_use_one_folder(self, tmp_path: Path) -> None:
        again = WitnessFolder.locked(tmp_path)
        with WitnessFolder.locked(tmp_path), pytest.raises(FolderInUse), again:
            pass

    def test_what_a_crash_has_left_is_cut_off(self, tmp_path: Path) -> None:
        server = LogServer("a", "b")
        observe(server, tmp_path)
        with (tmp_path / LEAVES).open("ab") as file:
            file.write(b"half")
        with (tmp_path / CHECKPOINTS).open("ab") as file:
            file.write(b'{"checkpoint":')
        server.add("c")
        assert observe(server, tmp_path) == 1
        assert (tmp_path / LEAVES).stat().st_size == 3 * HASH_BYTES
        assert WitnessFolder.read(tmp_path).tree.root() == server.tree.root()

    @pytest.mark.parametrize(
        ("name", "data"),
        [
            (LEAVES, b"\0" * HASH_BYTES * 2),
            (LEAVES, b"\0"),
            (CHECKPOINTS, b"{}\n"),
            (CHECKPOINTS, b"x" * (1 << 20)),
            ("server-keys", b"no key\n"),
            ("server-keys", b"\xff\n"),
        ],
    )
    def test_a_damaged_copy_is_reported(self, tmp_path: Path, name: str, data: bytes) -> None:
        observe(LogServer("a", "b"), tmp_path)
        (tmp_path / name).write_bytes(data)
        with pytest.raises(Unreadable):
            WitnessFolder.read(tmp_path)
