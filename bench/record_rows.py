"""Rows on records: reading a record and checking its hash chain."""

import io
from collections.abc import Iterator
from hashlib import sha256

import orjson

from bench.measure import Row, compare
from bench.our_games import PlayedGame
from domain.fold import fold
from ledger.keys import SigningKey
from ledger.record import Record, header, scan, write
from replay.audit.chain import check_chain


def measure(played: PlayedGame) -> Iterator[Row]:
    """Measure the rows of this group with the record of a long game."""
    data = record_bytes(played)

    def check_hashes() -> int:
        lines = data.splitlines()[1:]
        check = check_chain(Record({}, [orjson.loads(line) for line in lines], lines))
        assert not check.findings
        return len(lines)

    def scan_and_check_hashes() -> int:
        record, faults = scan(io.BytesIO(data))
        check = check_chain(record)
        assert not faults
        assert not check.findings
        return len(record.events)

    def check_hashes_alone() -> int:
        lines = data.splitlines()[1:]
        for line in lines:
            event = orjson.loads(line)
            claimed = event.pop("hash")
            assert sha256(orjson.dumps(event, option=orjson.OPT_SORT_KEYS)).hexdigest() == claimed
        return len(lines)

    for label, ours in (
        ("check the hash chain of a record", check_hashes),
        ("… and the form of every line", scan_and_check_hashes),
    ):
        yield compare(
            label,
            "orjson and SHA-256 alone",
            ours,
            check_hashes_alone,
            least=0.5,
            unit="events/s",
            pairs=15,
        )


def record_bytes(played: PlayedGame) -> bytes:
    """Return the signed record of a game, without openings of secrets."""
    key = SigningKey.from_seed(bytes(32))
    game = fold(played.events)
    assert game is not None
    signed_header = header(game, [key.public_entry(played.events[0]["at"])], key.sign_head)
    return b"".join(write(signed_header, played.lines, {}))
