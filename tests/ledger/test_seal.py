"""Sealing: seq, chain, state and commitments of an event, checked with hashlib and json only."""

import hashlib
import json
from typing import Any

from domain.event import ZEROS
from domain.fold import fold
from ledger.canonical import canonical
from ledger.pending import commitment, hash_in
from tests.support.records import Table


def sha(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def test_an_event_is_hashed_with_the_previous_hash_and_the_state(eventful: Table) -> None:
    prev = ZEROS
    for seq, sealed in enumerate(eventful.sealed, 1):
        event: dict[str, Any] = json.loads(sealed.line)
        assert event == sealed.event
        assert (event["v"], event["game"], event["seq"], event["prev"]) == (1, "game-1", seq, prev)
        prev = event["hash"]
        unsealed = {name: value for name, value in event.items() if name != "hash"}
        assert prev == sha(unsealed) == hash_in(sealed.line, prev)
        position = sealed.game.position_while_on()
        assert event["state"] == (ZEROS if position is None else sha(position))
        assert (sealed.game.seq, sealed.game.hash, sealed.game.state_hash) == (
            seq,
            prev,
            event["state"],
        )


def test_lines_are_canonical_with_and_without_secrets(eventful: Table) -> None:
    assert {"secrets" in sealed.event for sealed in eventful.sealed} == {True, False}
    for sealed in eventful.sealed:
        assert sealed.line == canonical(sealed.event)


def test_secrets_are_committed_to_but_not_contained_in_the_line() -> None:
    table = Table(seats=2).start()
    start = table.sealed[-1]
    assert sorted(start.openings) == ["lucky/0", "lucky/1", "values"]
    assert start.event["secrets"].keys() == start.openings.keys()
    for name, opening in start.openings.items():
        content = bytes.fromhex(opening["salt"]) + canonical(opening["value"])
        assert start.event["secrets"][name] == hashlib.sha256(content).hexdigest()
        assert commitment(opening) == start.event["secrets"][name]
    assert str(start.openings["values"]["value"]).encode() not in start.line


def test_sealing_does_not_change_the_previous_game() -> None:
    table = Table(seats=2).start()
    before = table.game
    position, seq = canonical(before.position(None)), before.seq
    table.take(2)
    assert (canonical(before.position(None)), before.seq) == (position, seq)
    assert table.game is not before


def test_folding_the_sealed_events_gives_the_same_game(eventful: Table) -> None:
    events = [sealed.event for sealed in eventful.sealed]
    secrets = {
        sealed.event["seq"]: {name: opening["value"] for name, opening in sealed.openings.items()}
        for sealed in eventful.sealed
    }
    for count, sealed in enumerate(eventful.sealed, 1):
        folded = fold(events[:count], None, secrets)
        assert folded is not None
        assert (folded.seq, folded.hash, folded.state_hash) == (
            sealed.game.seq,
            sealed.game.hash,
            sealed.game.state_hash,
        )
        for viewer in (None, 0, 1):
            assert folded.position(viewer) == sealed.game.position(viewer)
