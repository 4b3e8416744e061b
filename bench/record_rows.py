"""A row about records: reading one and checking its chain."""

import io
from collections.abc import Iterator
from hashlib import sha256

import orjson

from bench.measure import Row, compared
from bench.our_games import Played
from domain.game import fold
from ledger.keys import SigningKey
from ledger.record import Record, header, scan, write
from replay.audit.chain import check_chain


def rows(long: Played) -> Iterator[Row]:
    """The rows, one after the other."""
    key = SigningKey.from_seed(bytes(32))
    game = fold(long.events)
    assert game is not None
    published = {"key": key.id, "public": key.public, "from": long.events[0]["at"], "until": None}
    head = header(game, [published], key.sign_head)
    data = b"".join(write(head, long.lines, {}))

    def chain_alone() -> int:
        lines = data.splitlines()[1:]
        check = check_chain(Record({}, [orjson.loads(line) for line in lines], lines))
        assert not check.findings
        return check.looked_at

    def ours() -> int:
        record, faults = scan(io.BytesIO(data))
        check = check_chain(record)
        assert not faults
        assert not check.findings
        return check.looked_at

    def theirs() -> int:
        lines = io.BytesIO(data).read().splitlines()[1:]
        for line in lines:
            event = orjson.loads(line)
            claimed = event.pop("hash")
            assert sha256(orjson.dumps(event, option=orjson.OPT_SORT_KEYS)).hexdigest() == claimed
        return len(lines)

    yield compared(
        "chain check of a record",
        "orjson + SHA-256 alone",
        chain_alone,
        theirs,
        least=0.5,
        unit="events/s",
        pairs=15,
    )
    yield compared(
        "… the form of every line checked as well",
        "orjson + SHA-256 alone",
        ours,
        theirs,
        least=0.5,
        unit="events/s",
        pairs=15,
    )
