"""Who answers for a fault: each row of the table in docs/threats.md, by everything that judges."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from io import BytesIO
from typing import Final

import orjson
import pytest

from domain.event import Event
from ledger.canonical import canonical, digest
from ledger.record import scan
from replay.audit import TrustedKey, TrustedKeys, audit
from replay.audit.kept_evidence import KeptEvidence
from replay.audit.responsibility import Responsible
from replay.audit.signatures import is_signed_as_it_is
from replay.audit.summary import ANSWERS
from replay.compare.comparison import compare
from replay.language.renderer import english
from service.pages.view_models.verifier_texts import FINDINGS
from tests.support.explanations import explain
from tests.support.records import KEY, SINCE, STRANGER, Table, forge_record, read, signed_again
from tests.support.verifier import NODE, Verifier
from tests.threats.test_seen_in_a_browser import (
    DOCS,
    Evidence,
    Game,
    acted,
    logged,
    sent_nonces,
    show_a_proof_of_another_history,
)

HEADING: Final = "## Who answers for a fault"
WORDS: Final[dict[str, Responsible]] = {
    "the server": "server",
    "anybody": "anybody",
    "only the reader knows": "reader",
}
"""The words of the last column of the table."""
TIME: Final = "2026-11-20T21:00:00.007Z"


def honest() -> Evidence:
    """A game whose record, receipts and proof are right."""
    return replace(Game().finish().evidence(), receipts=())


def with_tiles() -> Evidence:
    """A game with hidden tiles, all of which the record opens."""
    table = Table("baron", 2, {"seating": "joined"})
    table.join("player-1", b"a nonce")
    return Evidence(logged(table.act_at_random(24).abandon().record()))


def with_lines(
    change: Callable[[list[bytes]], None], original: Callable[[], Evidence] = honest
) -> Evidence:
    """A record with other lines, which nobody has hashed or signed again."""
    evidence = original()
    lines = evidence.record.splitlines(keepends=True)
    change(lines)
    return replace(evidence, record=b"".join(lines))


def with_event(
    change: Callable[[Event], None], seq: int = -1, *, is_hashed: bool = False
) -> Evidence:
    """The honest record with another event (-1: the last one), which keeps its hash unless `is_hashed`."""

    def replace_line(lines: list[bytes]) -> None:
        count = len(read(b"".join(lines)).events)
        number = count if seq == -1 else seq
        event: Event = orjson.loads(lines[number])
        change(event)
        if is_hashed:
            unsealed = {name: value for name, value in event.items() if name != "hash"}
            event["hash"] = digest(canonical(unsealed))
        lines[number] = canonical(event) + b"\n"

    return with_lines(replace_line)


def turn_back(event: Event) -> None:
    event["at"] = event["at"][:-4] + "007Z"


def reverse_ranking(event: Event) -> None:
    event["data"]["ranking"].reverse()


def hashed_again(change: Callable[[list[Event]], None]) -> bytes:
    """The honest record with other events, all hashes repaired, without a proof of the log."""
    return forge_record(Game().finish().record(), change)


def with_old_head() -> Evidence:
    """All hashes are repaired, and the header is the one that the server had signed."""
    evidence = honest()
    forged = hashed_again(lambda events: turn_back(acted(events, 0)))
    header = evidence.record.split(b"\n", 1)[0]
    return replace(evidence, record=header + b"\n" + forged.split(b"\n", 1)[1])


def signed(change: Callable[[list[Event]], None]) -> Evidence:
    return Evidence(logged(hashed_again(change)))


def signed_by_stranger() -> Evidence:
    forged = hashed_again(lambda events: reverse_ranking(events[-1]))
    data = signed_again(forged, STRANGER, keys=[STRANGER.public_entry(SINCE)])
    return Evidence(logged(data, STRANGER))


def remove_event(lines: list[bytes]) -> None:
    del lines[12]


def repeat_event(lines: list[bytes]) -> None:
    lines.insert(12, lines[12])


def cut_off_events(lines: list[bytes]) -> None:
    del lines[-4:]


def add_event(lines: list[bytes]) -> None:
    lines.insert(len(read(b"".join(lines)).events) + 1, lines[12])


def damage_line(lines: list[bytes]) -> None:
    lines[12] = lines[12].replace(b":", b": ", 1)


def edit_header(lines: list[bytes]) -> None:
    lines[0] = lines[0].replace(b'"engine":"', b'"engine":"9', 1)


def is_opening(line: bytes) -> bool:
    return line.startswith(b'{"open"')


def edit_opening(lines: list[bytes]) -> None:
    number = next(number for number, line in enumerate(lines) if is_opening(line))
    opening = orjson.loads(lines[number])
    for secret in opening["open"].values():
        secret["salt"] = "ab" * (len(secret["salt"]) // 2)
    lines[number] = canonical(opening) + b"\n"


def remove_openings(lines: list[bytes]) -> None:
    lines[:] = [line for line in lines if not is_opening(line)]


def with_receipt(evidence: Evidence, **fields: object) -> Evidence:
    """The evidence, and the receipt of an action of Ada, with other fields that nobody has signed."""
    receipt = Game().finish().receipts()[2]
    return replace(evidence, receipts=({**receipt, **fields},))


def other_receipt(**fields: object) -> Evidence:
    """A receipt that the server has signed, with other fields."""
    event = acted(read(honest().record).events, 0)
    return replace(honest(), receipts=(KEY.receipt({**event, **fields}),))  # type: ignore[typeddict-item] # of an event


def repeat_signature(events: list[Event]) -> None:
    acted(events, 0, 4)["signature"] = acted(events, 0, 2)["signature"]


def go_back_in_time(events: list[Event]) -> None:
    event = acted(events, 0)
    event["at"] = events[event["seq"] - 4]["at"]


ROWS: Final[dict[str, Callable[[], Evidence]]] = {
    "time-edited": lambda: with_event(turn_back, 12),
    "last-event-edited": lambda: with_event(turn_back),
    "event-hashed-again": lambda: with_event(turn_back, 12, is_hashed=True),
    "all-hashed-again": with_old_head,
    "rules-broken-in-copy": lambda: with_event(reverse_ranking),
    "event-removed": lambda: with_lines(remove_event),
    "event-repeated": lambda: with_lines(repeat_event),
    "events-cut-off": lambda: with_lines(cut_off_events),
    "events-added": lambda: with_lines(add_event),
    "line-damaged": lambda: with_lines(damage_line),
    "header-edited": lambda: with_lines(edit_header),
    "signed-by-stranger": signed_by_stranger,
    "opening-edited": lambda: with_lines(edit_opening, with_tiles),
    "openings-removed": lambda: with_lines(remove_openings, with_tiles),
    "receipt-edited": lambda: with_receipt(honest(), at=TIME),
    "receipt-of-other-game": lambda: other_receipt(game="another"),
    "edited-beside-receipt": lambda: with_receipt(
        with_event(turn_back, acted(read(honest().record).events, 0)["seq"])
    ),
    "result-signed": lambda: signed(lambda events: reverse_ranking(events[-1])),
    "time-signed": lambda: signed(go_back_in_time),
    "secret-signed": lambda: signed(lambda events: events[-1]["data"].update(secret="ab" * 32)),
    "signature-repeated-signed": lambda: signed(repeat_signature),
    "proof-signed": show_a_proof_of_another_history,
    "receipt-contradicts": lambda: with_receipt(signed(lambda events: turn_back(acted(events, 0)))),
    "receipt-omitted": lambda: other_receipt(seq=999),
    "nonce-kept": lambda: replace(honest(), nonces=("ab" * 16,)),
}


def table() -> dict[str, Responsible]:
    """Who could have done it, by row."""
    text = (DOCS / "threats.md").read_text()
    section = text[text.index(HEADING) + 1 :].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| `")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert all(len(row) == 4 and all(row) for row in cells)
    assert len({row[0] for row in cells}) == len(cells)
    return {row[0].strip("`"): WORDS[row[3]] for row in cells}


@pytest.fixture(scope="module")
def verifier() -> Iterator[Verifier]:
    if not NODE.exists():
        pytest.skip("there is no Node for this machine")
    with Verifier() as running:
        yield running


def test_the_table_has_a_row_for_each_test() -> None:
    assert [*table()] == [*ROWS]


@pytest.mark.parametrize(("row", "who"), table().items())
def test_everything_that_judges_says_who_answers(
    row: str, who: Responsible, verifier: Verifier
) -> None:
    evidence = ROWS[row]()
    nonces = sent_nonces(evidence) if evidence.nonces else []
    trusted = TrustedKeys((TrustedKey(KEY.public, "test", log=evidence.log),))
    report = audit(
        BytesIO(evidence.record),
        trusted=trusted,
        receipts=evidence.receipts,
        kept_evidence=lambda _: KeptEvidence(nonces=[{**nonce, "seq": 3} for nonce in nonces]),
    )
    assert report.verdict == "broken"
    assert report.conclusion.meaning[-1] == ANSWERS[who], [
        english(f.problem) for f in report.findings
    ]

    page = verifier.verify(
        evidence.record,
        receipts=evidence.receipts,
        log=evidence.log,
        nonces=[{**nonce, "isAccepted": True} for nonce in nonces],
    )
    if page.summary["fault"] is not None:  # A browser does not know the rules.
        assert page.summary["responsible"] == who, page.findings

    original = with_tiles() if row.startswith("opening") else honest()
    comparison = compare(BytesIO(original.record), BytesIO(evidence.record), trusted=[KEY.public])
    if who == "anybody":
        assert not [proof for proof in comparison.proofs if proof.is_trusted and not proof.player]
    elif comparison.relation == "diverged":
        assert [proof for proof in comparison.proofs if proof.is_trusted]

    record, _ = scan(BytesIO(evidence.record))
    is_accusing = explain(record, 1)["conclusion"]["meaning"][-1:] != [english(ANSWERS["anybody"])]
    assert is_accusing == is_signed_as_it_is(record)
    if who == "server":
        assert is_accusing
    if report.checks[2].findings and who == "anybody":
        assert not is_accusing


def test_the_page_knows_what_shows_each_fault(verifier: Verifier) -> None:
    """A new code has to be looked at: the header and the events show those that nothing is said about."""
    codes = [code for code in FINDINGS if " " in code]
    bases = {code: verifier.call("basisOf", *code.split(" ", 1)) for code in codes}
    for code, basis in bases.items():
        check = code.split(" ")[0]
        assert basis in {
            "form": {"unsigned"},
            "chain": {"links", "record"},
            "secrets": {"unsigned", "record"},
            "chance": {"own", "record"},
            "receipts": {"unsigned", "receipt", "record"},
        }.get(check, {"record"})
    assert {code for code, basis in bases.items() if basis == "own"} == {
        code for code in codes if code.startswith("chance sent-")
    }
