"""Checkpoints: signed when they are asked for, cosigned by listed witnesses, and never of a shrunk log."""

from dataclasses import replace
from pathlib import Path

import pytest

from domain.errors import Malformed, Unreadable
from ledger.keys import SigningKey
from ledger.transparency.checkpoint import Checkpoint, head_leaf_hash
from ledger.transparency.merkle import verify_consistency, verify_inclusion
from ledger.transparency.signed_note import COSIGNATURE, SignedNote, cosign_text, note_key
from service.bootstrap import Service, build
from service.bounds import Bounds
from service.errors import Forbidden, NotFound
from service.settings import Settings
from service.transparency import store as store_module
from service.transparency.checkpoints import CheckpointNotKept, LogIncomplete
from service.transparency.store import TransparencyStore
from tests.support.faults import raises
from tests.support.redis_contents import digest
from tests.support.service_games import start_game, take_action
from tests.support.witnesses import WITNESS_KEY, cosigned

STRANGER = SigningKey.from_seed(b"s" * 32)


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """Settings with a witness, and checkpoints that are replaced as soon as the log grows."""
    return replace(
        settings,
        witnesses=(str(note_key("test-witness", WITNESS_KEY, COSIGNATURE)),),
        bounds=Bounds(max_clock_jump_seconds=1e12, checkpoint_seconds=0.001),
    )


def log_action(service: Service, game_id: str) -> None:
    take_action(service, game_id)
    service.transparency.head_log.log([game_id])


def checkpoint_now(service: Service) -> SignedNote:
    """Return a checkpoint of the whole log, also if one was signed a millisecond ago."""
    return service.transparency.checkpoints.latest(TransparencyStore(service.redis).size())


def restarted(service: Service, **changes: object) -> Service:
    return build(replace(service.settings, **changes))  # type: ignore[arg-type] # fields of different types


def test_a_checkpoint_is_signed_by_the_key_of_the_server(service: Service) -> None:
    empty = Checkpoint.of_note(service.transparency.checkpoints.latest())
    assert (empty.origin, empty.size) == (f"cartulary-{service.keyring.signing_key.id}", 0)
    game = start_game(service)
    service.transparency.head_log.log([game.id])
    note = service.transparency.checkpoints.latest()
    note.check_signed_by(service.keyring.note_key(empty.origin))
    assert Checkpoint.of_note(note).size == 1
    assert Checkpoint.of_note(note).root == head_leaf_hash(game.id, game.seq, game.hash)


def test_a_checkpoint_is_served_for_a_while_before_a_new_one_is_signed(service: Service) -> None:
    patient = build(replace(service.settings, bounds=Bounds(checkpoint_seconds=600)))
    game = start_game(service)
    service.transparency.head_log.log([game.id])
    first = patient.transparency.checkpoints.latest()
    log_action(service, game.id)
    assert patient.transparency.checkpoints.latest() == first
    # A proof for the new head needs a checkpoint that covers it.
    proof = patient.transparency.proofs.inclusion(game.id)
    assert Checkpoint.of_note(SignedNote.parse(proof["checkpoint"])).size == 2


def test_the_proofs_lead_to_the_checkpoints(service: Service) -> None:
    game = start_game(service)
    checkpoints = []
    for _ in range(6):
        log_action(service, game.id)
        checkpoints.append(Checkpoint.of_note(checkpoint_now(service)))
    last = checkpoints[-1]
    for earlier in checkpoints:
        proof = service.transparency.proofs.consistency(earlier.size, last.size)
        path = [bytes.fromhex(hash) for hash in proof["path"]]
        verify_consistency(earlier.size, last.size, earlier.root, last.root, path)
    proof = service.transparency.proofs.inclusion(game.id)
    path = [bytes.fromhex(hash) for hash in proof["path"]]
    leaf = head_leaf_hash(proof["game"], proof["seq"], proof["hash"])
    verify_inclusion(leaf, proof["index"], last.size, path, last.root)
    assert proof["seq"] == service.store.head(game.id)


def test_what_is_not_published_yet_is_not_proven(service: Service) -> None:
    game = start_game(service)
    with pytest.raises(NotFound):
        service.transparency.proofs.inclusion(game.id)
    service.transparency.head_log.log([game.id])
    with pytest.raises(NotFound):
        service.transparency.proofs.inclusion(game.id, game.seq + 1)
    with pytest.raises(NotFound):
        service.transparency.proofs.consistency(1, 1)
    with pytest.raises(Malformed):
        service.transparency.proofs.consistency(2, 1)
    assert service.transparency.proofs.leaf_hashes(0, 10) == {"leaves": [], "next": None}


def test_leaves_are_listed_in_pages(service: Service) -> None:
    games = [start_game(service) for _ in range(5)]
    service.transparency.head_log.log([game.id for game in games])
    service.transparency.checkpoints.latest()
    pages = [service.transparency.proofs.leaf_hashes(after, 2) for after in (0, 2, 4)]
    assert [page["next"] for page in pages] == [2, 4, None]
    leaves = [leaf for page in pages for leaf in page["leaves"]]
    assert leaves == [head_leaf_hash(game.id, game.seq, game.hash).hex() for game in games]
    assert service.transparency.proofs.leaf_hashes(99, 2) == {"leaves": [], "next": None}


class TestCosignatures:
    def test_a_cosignature_is_added_and_replaced_by_a_later_one(self, service: Service) -> None:
        note = service.transparency.checkpoints.latest()
        for time in (1, 2):
            merged = service.transparency.checkpoints.add_cosignatures(str(cosigned(note, time)))
            assert [line.name for line in merged.signatures[1:]] == ["test-witness"]
            assert merged.signatures[1].timestamp == time
            assert service.transparency.checkpoints.latest() == merged

    def test_a_proof_leads_to_a_cosigned_checkpoint_if_it_can(self, service: Service) -> None:
        game = start_game(service)
        service.transparency.head_log.log([game.id])
        note = cosigned(service.transparency.checkpoints.latest())
        service.transparency.checkpoints.add_cosignatures(str(note))
        service.transparency.head_log.log([start_game(service).id])
        assert Checkpoint.of_note(checkpoint_now(service)).size == 2
        assert service.transparency.proofs.inclusion(game.id)["checkpoint"] == str(note)

    def test_the_cosigned_checkpoint_is_kept_when_others_are_dropped(
        self, service: Service, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(store_module, "KEPT_CHECKPOINTS", 3)
        game = start_game(service)
        log_action(service, game.id)
        note = cosigned(service.transparency.checkpoints.latest())
        service.transparency.checkpoints.add_cosignatures(str(note))
        for _ in range(5):
            log_action(service, game.id)
            checkpoint_now(service)
        kept = service.redis.hkeys("cartulary:{transparency}:checkpoints")
        assert sorted(map(int, kept)) == [1, 5, 6]

    def test_other_cosignatures_are_refused_and_change_nothing(self, service: Service) -> None:
        note = service.transparency.checkpoints.latest()
        line = cosign_text(note.text, "test-witness", STRANGER, 1)
        stranger = note.with_signatures([cosign_text(note.text, "stranger", STRANGER, 1)])
        forged = replace(line, key_id=note_key("test-witness", WITNESS_KEY, COSIGNATURE).id)
        other_tree = replace(note, text=Checkpoint("cartulary-x", 1, b"1" * 32).text)
        service.redis.delete("cartulary:{transparency}:fresh")
        before = digest(service.redis)
        for text, error in (
            (str(note), Forbidden),
            (str(stranger), Forbidden),
            (str(note.with_signatures([forged])), Malformed),
            (str(cosigned(other_tree)), CheckpointNotKept),
            ("no note", Malformed),
            (note.text, Malformed),
        ):
            with pytest.raises(error):
                service.transparency.checkpoints.add_cosignatures(text)
        assert digest(service.redis) == before


class TestLostEntries:
    """What happens when Redis has lost writes: `flushall` and a new history stand for a failover."""

    def test_a_log_that_has_shrunk_is_not_signed(self, service: Service) -> None:
        games = [start_game(service).id for _ in range(3)]
        service.transparency.head_log.log(games)
        service.transparency.checkpoints.latest()
        service.redis.flushall()
        again = restarted(service, origin=f"cartulary-{service.keyring.signing_key.id}")
        for _ in range(2):
            with pytest.raises(LogIncomplete):
                again.transparency.checkpoints.latest()
        again.redis.close()

    def test_a_log_with_other_entries_is_not_signed(self, service: Service) -> None:
        service.transparency.head_log.log([start_game(service).id])
        service.transparency.checkpoints.latest()
        service.redis.flushall()
        again = restarted(service)
        for _ in range(2):
            again.transparency.head_log.log([start_game(again).id])
        with pytest.raises(LogIncomplete):
            again.transparency.checkpoints.latest()
        again.redis.close()

    def test_a_machine_remembers_what_another_one_has_signed(
        self, service: Service, tmp_path: Path
    ) -> None:
        service.transparency.head_log.log([start_game(service).id])
        service.transparency.checkpoints.latest()
        key = tmp_path / "other" / "signing-key.pem"
        key.parent.mkdir()
        key.write_bytes(service.settings.signing_key.read_bytes())
        other = restarted(service, signing_key=key)
        assert other.transparency.checkpoints.latest() == service.transparency.checkpoints.latest()
        origin = other.transparency.checkpoints.origin
        service.redis.flushall()
        for _ in range(2):
            again = restarted(other, origin=origin)
            again.transparency.head_log.log([start_game(again).id])
            with pytest.raises(LogIncomplete):
                again.transparency.checkpoints.latest()
            again.redis.close()
        other.redis.close()

    def test_a_checkpoint_that_does_not_belong_to_the_tree_is_not_served(
        self, service: Service
    ) -> None:
        service.transparency.head_log.log([start_game(service).id])
        checkpoint = Checkpoint(service.transparency.checkpoints.origin, 1, b"1" * 32)
        line = service.keyring.sign_note(checkpoint.text, checkpoint.origin)
        forged = str(SignedNote(checkpoint.text, (line,)))
        TransparencyStore(service.redis).publish(checkpoint.origin, 1, forged, 600, 0)
        with pytest.raises(LogIncomplete):
            service.transparency.checkpoints.latest()

    def test_records_are_still_written_without_the_proof(self, service: Service) -> None:
        service.transparency.head_log.log([start_game(service).id])
        service.transparency.checkpoints.latest()
        service.redis.flushall()
        again = restarted(service)
        game = start_game(again)
        again.transparency.head_log.log([game.id])
        take_action(again, game.id)
        again.transparency.head_log.log([game.id])
        record = b"".join(again.games.queries.record(game.id))
        assert b"inclusion" not in record.splitlines()[0]
        again.redis.close()

    def test_a_new_origin_begins_a_new_log(self, service: Service) -> None:
        service.transparency.head_log.log([start_game(service).id for _ in range(2)])
        service.transparency.checkpoints.latest()
        service.redis.flushall()
        again = restarted(service, origin="example.org/second")
        checkpoint = Checkpoint.of_note(again.transparency.checkpoints.latest())
        assert (checkpoint.origin, checkpoint.size) == ("example.org/second", 0)
        again.redis.close()

    def test_a_damaged_file_of_the_last_checkpoint_is_reported(self, service: Service) -> None:
        service.settings.signing_key.with_suffix(".checkpoint").write_text("damaged")
        with raises(Unreadable, match="does not contain a checkpoint"):
            service.transparency.checkpoints.latest()

    def test_the_last_checkpoint_is_kept_in_memory_where_the_folder_cannot_be_written(
        self, service: Service, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        service.keyring.publish_key()

        def refuse(*_: object, **__: object) -> None:
            raise PermissionError(13, "not allowed")

        monkeypatch.setattr("service.transparency.last_signed.replace_file", refuse)
        service.transparency.head_log.log([start_game(service).id])
        service.transparency.checkpoints.latest()
        assert not Path(service.settings.signing_key).with_suffix(".checkpoint").exists()
        service.redis.flushall()
        service.redis.set(
            "cartulary:{transparency}:origin", service.transparency.checkpoints.origin
        )
        with pytest.raises(LogIncomplete):
            service.transparency.checkpoints.latest()


def test_the_checkpoints_of_another_origin_are_dropped(service: Service) -> None:
    service.transparency.head_log.log([start_game(service).id])
    note = cosigned(service.transparency.checkpoints.latest())
    service.transparency.checkpoints.add_cosignatures(str(note))
    renamed = restarted(service, origin="example.org/renamed")
    assert (
        Checkpoint.of_note(renamed.transparency.checkpoints.latest()).origin
        == "example.org/renamed"
    )
    assert service.redis.hlen("cartulary:{transparency}:checkpoints") == 1
    assert service.redis.get("cartulary:{transparency}:cosigned") is None
    renamed.redis.close()


def test_a_new_key_signs_the_same_checkpoint_again(service: Service, tmp_path: Path) -> None:
    service.transparency.head_log.log([start_game(service).id])
    note = service.transparency.checkpoints.latest()
    rotated = restarted(service, signing_key=tmp_path / "new-key.pem")
    again = rotated.transparency.checkpoints.latest()
    assert again.text == note.text
    assert len(again.signatures) == 2
    again.check_signed_by(rotated.keyring.note_key(service.transparency.checkpoints.origin))
    rotated.redis.close()


def test_a_retired_key_signs_the_latest_checkpoint_no_more(
    service: Service, tmp_path: Path
) -> None:
    checkpoints = service.transparency.checkpoints
    service.transparency.head_log.log([start_game(service).id])
    note = checkpoints.add_cosignatures(str(cosigned(checkpoints.latest())))
    cosignature = note.signatures[-1]
    old = service.keyring.note_key(checkpoints.origin)
    rotated = restarted(service, signing_key=tmp_path / "new-key.pem")
    new = rotated.keyring.note_key(checkpoints.origin)
    both = rotated.transparency.checkpoints.latest()
    assert both.verified_keys([old, new]).keys() == {old, new}
    rotated.keyring.retire(service.keyring.signing_key.id)
    for again in (
        rotated.transparency.checkpoints.latest(),
        rotated.transparency.checkpoints.covering(0),
        rotated.transparency.checkpoints.latest(),
    ):
        assert again.text == note.text
        assert again.verified_keys([old, new]).keys() == {new}
        assert cosignature in again.signatures
    rotated.redis.close()


def test_a_checkpoint_that_only_a_retired_key_has_signed_is_signed_again(
    service: Service, tmp_path: Path
) -> None:
    checkpoints = service.transparency.checkpoints
    service.transparency.head_log.log([start_game(service).id])
    note = checkpoints.latest()
    rotated = restarted(service, signing_key=tmp_path / "new-key.pem")
    rotated.keyring.publish_key()
    rotated.keyring.retire(service.keyring.signing_key.id)
    again = rotated.transparency.checkpoints.latest()
    assert again.text == note.text
    (line,) = again.signatures
    assert line.key_id == rotated.keyring.note_key(checkpoints.origin).id
    rotated.redis.close()


def test_a_service_that_is_only_read_signs_and_stores_nothing(service: Service) -> None:
    game = start_game(service)
    service.transparency.head_log.log([game.id])
    before = digest(service.redis)
    reader = build(service.settings, read_only=True)
    assert reader.transparency.proofs.inclusion_for_record(game) is None
    assert digest(service.redis) == before
    service.transparency.checkpoints.latest()
    assert reader.transparency.proofs.inclusion_for_record(
        game
    ) == service.transparency.proofs.inclusion(game.id)
    reader.redis.close()
