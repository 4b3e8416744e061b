"""The verifier of the pages agrees with the audit, as far as that needs no rules.

They agree about a record if these statements are true:

- Both find the form broken, or neither does. The verifier may also find that a field of `data` has the wrong
  form; the audit then finds the record broken wherever it uses the field.
- If the form is right, the checks of `SAME` have the same verdict in both, and `chain` finds the same faults:
  the first one of each code is in the same line, about the same event. So does `secrets` if `chain` holds:
  otherwise the events may have other numbers than places.
- If the audit finds nothing broken, `chance` has the same verdict in both.
- `signatures` and `receipts` are broken in the verifier if they are broken in the audit. The receipts are
  compared only if the header, which has the keys, is right.
- If the verifier finds any check broken, the audit finds the record broken. It may be another check, because
  the audit does not look at signatures and seats after an event that it cannot apply.
"""

from collections.abc import Iterable
from io import BytesIO

import pytest

from domain.json_types import JsonObject
from ledger import commands
from ledger.keys import SigningKey
from ledger.player_signatures import sign_action
from replay.audit import Report, TrustedKey, TrustedKeys, audit
from replay.language.renderer import english
from tests.games.records import FOLDER, record_of
from tests.mutations import audits
from tests.mutations.subjects import subjects
from tests.support.local_game import LocalGame
from tests.support.records import KEY, STRANGER, TRUSTED, Table, signed_again, trusting_signer
from tests.support.running_games import RunningGame
from tests.support.verifier import Verification, Verifier
from tests.support.witnesses import ORIGIN, inclusion_of

SAME = ("chain", "head", "secrets", "inclusion")


def disagreements(
    verifier: Verifier, record: bytes, receipts: list[JsonObject] | None = None
) -> list[str]:
    """Return how the verifier and the audit contradict each other, for a reader who trusts `KEY`."""
    report = audit(BytesIO(record), trusted=TRUSTED, receipts=receipts or [])
    verification = verifier.verify(record, receipts=receipts or [])
    audited: dict[str, str] = {check.name: check.verdict for check in report.checks}
    verified = verification.verdicts
    wrong = []
    if verification.broken and report.verdict != "broken":
        wrong.append(f"only the verifier finds {verification.broken} broken")
    codes = verification.codes("form")
    has_wrong_data = codes <= {"field-missing", "field-invalid"} and audited["form"] != "broken"
    if verified["form"] != audited["form"] and not has_wrong_data:
        wrong.append(f"form is {verified['form']}, and {audited['form']} in the audit")
    if "broken" in (verified["form"], audited["form"]):
        return wrong
    wrong.extend(
        f"{name} is {verified[name]}, and {audited[name]} in the audit"
        for name in SAME
        if verified[name] != audited[name]
    )
    for name in ("chain",) if audited["chain"] == "broken" else ("chain", "secrets"):
        (check,) = (check for check in report.checks if check.name == name)
        by_audit: dict[str | None, tuple[int | None, int | None]] = {}
        for finding in check.findings:
            by_audit.setdefault(finding.code, (finding.line, finding.seq))
        if (found := verification.faults(name)) != by_audit:
            wrong.append(f"{name}: {found}, and {by_audit} in the audit")
    if report.verdict != "broken" and verified["chance"] != audited["chance"]:
        wrong.append(f"chance is {verified['chance']}, and {audited['chance']} in the audit")
    compared = ("signatures", "receipts") if verified["head"] != "broken" else ("signatures",)
    wrong.extend(
        f"only the audit finds {name} broken"
        for name in compared
        if audited[name] == "broken" != verified[name]
    )
    return wrong


@pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.nightly)])
def test_every_recorded_game_is_verified_as_it_is_audited(verifier: Verifier, step: int) -> None:
    """Every third one in a default run."""
    paths = sorted(FOLDER.glob("*.jsonl"))
    assert len(paths) > 40
    for path in paths[::step]:
        data = path.read_bytes()
        trusted = trusting_signer(data)
        report = audit(BytesIO(data), trusted=trusted)
        verification = verifier.verify(data, [{"public": key.public} for key in trusted.keys])
        audited: dict[str, str] = {check.name: check.verdict for check in report.checks}
        verified = {
            name: verification.verdicts[name] for name in audited if name in verification.verdicts
        }
        assert verified == {name: audited[name] for name in verified}, path.stem
        assert len(verified) == 8
        check_summary(verification, report, path.stem)


def check_summary(verification: Verification, report: Report, name: str) -> None:
    """Check that the verifier sums up what it has found as the audit does."""
    summary = verification.summary
    assert bool(verification.broken) == (summary["fault"] is not None), name
    assert ("unknown" in verification.verdicts.values()) == bool(summary["topics"]), name
    assert set(summary["topics"]) == {unknown.topic for unknown in report.unknowns}, name
    is_sound = verification.is_sound and report.is_sound
    if is_sound and summary["actions"]:
        meaning = " ".join(map(english, report.conclusion.meaning))
        signed, actions = summary["signed"], summary["actions"]
        text = (
            "Every action was signed"
            if signed == actions
            else f"{signed} of {actions} actions"
            if signed
            else "No player has signed"
        )
        assert text in meaning, name


def test_records_of_running_games_are_verified_as_they_are_audited(verifier: Verifier) -> None:
    for name, length in (
        ("clock-runs-out", 33),
        ("baron-battles", 60),
        ("signed-actions", 20),
        ("disputes", 25),
    ):
        record = RunningGame.cut(name, record_of(name), length, ["reserve/1"]).record()
        assert disagreements(verifier, record) == []
        assert verifier.verify(record).verdicts["secrets"] == "unknown"


def test_forged_records_are_verified_as_they_are_audited(verifier: Verifier) -> None:
    for subject in subjects():
        assert disagreements(verifier, subject.data) == []
    check_mutants(verifier, [*range(60), 752, 1363, 4863, 8524])


@pytest.mark.soak
def test_thousands_of_forged_records_are_verified_as_they_are_audited(verifier: Verifier) -> None:
    check_mutants(verifier, range(60, 10_000))


def check_mutants(verifier: Verifier, numbers: Iterable[int]) -> None:
    for number in numbers:
        mutant = audits.mutant(number)
        if mutant is not None:
            assert disagreements(verifier, mutant.data) == [], number


def test_a_seat_that_an_administrator_has_moved_is_verified_as_it_is_audited(
    verifier: Verifier,
) -> None:
    """The new player signs with a key of their own; the key of the former one is not that of the seat."""
    keys = [SigningKey.from_seed(bytes([number]) * 32) for number in range(2)]
    for signer, is_right in ((keys[1], True), (keys[0], False)):
        game = LocalGame(2)
        commands.add_key(game.pending, "ada", keys[0].id, keys[0].public)
        key, public = keys[1].id, keys[1].public
        commands.move_seat(game.pending, "operator", 0, "zoe", {key: public})
        assert game.game.to_act == 0
        legal = game.game.rules.legal_actions(game.game.state, 0)[0]
        action: JsonObject = {**game.game.rules.action_to_json(legal)}
        signature = sign_action(signer, game.game.id, game.game.hash, action)
        game.pending.sign_next(signature)
        game.pending.act(0, legal)
        record = game.record()
        assert disagreements(verifier, record) == []
        verdict = verifier.verify(record).verdicts["signatures"]
        assert verdict == ("holds" if is_right else "broken")
        assert (audit(BytesIO(record), trusted=TRUSTED).verdict == "broken") != is_right


def test_an_action_signed_before_a_statement_of_its_player_is_verified_as_it_is_audited(
    verifier: Verifier,
) -> None:
    game = LocalGame(2, per_turn=60)
    key = SigningKey.from_seed(bytes(32))
    commands.add_key(game.pending, "ada", key.id, key.public)
    head = game.game.hash
    game.agree_to_pause(0)
    legal = game.game.rules.legal_actions(game.game.state, 0)[0]
    action: JsonObject = {**game.game.rules.action_to_json(legal)}
    game.pending.sign_next(sign_action(key, "local", head, action))
    game.pending.act(0, legal)
    record = game.record()
    assert disagreements(verifier, record) == []
    assert verifier.verify(record).verdicts["signatures"] == "holds"


def test_receipts_beside_a_record_are_verified_as_they_are_audited(verifier: Verifier) -> None:
    table = Table("barony", 2, {"round_limit": 2}).start().act_at_random(6)
    record = table.until(9).record()
    events = [sealed.event for sealed in table.sealed]
    own, later = KEY.receipt(events[8]), KEY.receipt(events[9])
    made_up = KEY.receipt({**events[8], "hash": "ab" * 32})
    stranger = STRANGER.receipt(events[8])
    of_another_game = KEY.receipt({**events[8], "game": "game-2"})
    for receipt, verdict in (
        (own, "holds"),
        (later, "unknown"),
        (made_up, "broken"),
        (stranger, "broken"),
        ({**own, "signature": "00" * 64}, "broken"),
        ({**own, "at": "2026-01-01T00:00:00.000Z"}, "broken"),
        ({"game": "game-1"}, "broken"),
    ):
        assert disagreements(verifier, record, [receipt]) == []
        assert verifier.verify(record, receipts=[receipt]).verdicts["receipts"] == verdict
    assert verifier.verify(record, receipts=[of_another_game]).verdicts["receipts"] == "holds"
    finished = table.play_out().record()
    omitted = KEY.receipt({**events[8], "seq": 999})
    assert disagreements(verifier, finished, [omitted]) == []
    assert verifier.verify(finished, receipts=[omitted]).codes("receipts") == {"omitted"}


def test_nonces_that_the_browser_of_the_reader_sent_must_be_in_the_record(
    verifier: Verifier,
) -> None:
    table = Table("baron", 2).start().play_out()
    record = table.record()
    created, *others = [sealed.event for sealed in table.sealed]
    place = [event for event in others if event["type"] == "SeatTaken"][-1]
    own = {
        "game": created["game"],
        "commitment": created["data"]["commitment"],
        "nonce": place["data"]["nonce"],
        "isAccepted": True,
    }
    lost = {**own, "nonce": "ab" * 16}
    unconfirmed = {**lost, "isAccepted": False}
    for nonces, codes in (
        ([own], set()),
        ([own, unconfirmed], set()),
        ([{**lost, "game": "game-2"}], set()),
        ([lost], {"sent-nonce"}),
        ([own, lost], {"sent-nonce"}),
        ([unconfirmed], {"sent-nonce-unconfirmed"}),
        ([{**own, "commitment": "00" * 32}], {"sent-commitment"}),
    ):
        verification = verifier.verify(record, nonces=nonces)
        assert verification.codes("chance") == codes, nonces
        (report,) = [report for report in verification.reports if report["kind"] == "sent-nonces"]
        assert report["count"] == nonces.count(own) + ("sent-commitment" in codes)


def test_missing_and_earlier_proofs_of_inclusion_are_verified_as_they_are_audited(
    verifier: Verifier,
) -> None:
    table = Table("barony", 2, {"round_limit": 1}).start().play_out()
    whole, plain = table.record(inclusion=inclusion_of(table)), table.record()
    earlier = table.record(inclusion=inclusion_of(table.until(table.game.seq - 1)))
    for data, log, verdict, codes in (
        (signed_again(whole, log=ORIGIN), None, "holds", set()),
        (signed_again(whole, log=ORIGIN), ORIGIN, "holds", set()),
        (signed_again(plain, log=ORIGIN), None, "unknown", {"missing"}),
        (plain, None, "holds", set()),
        (plain, ORIGIN, "unknown", {"missing"}),
        (earlier, None, "holds", set()),
        (earlier, ORIGIN, "unknown", {"earlier"}),
        (signed_again(whole, log="other.test"), None, "broken", {"other-log"}),
        (whole, "other.test", "unknown", {"new-log"}),
    ):
        verification = verifier.verify(data, log=log)
        trusted = TrustedKeys((TrustedKey(KEY.public, "test", log=log),))
        (check,) = [
            check
            for check in audit(BytesIO(data), trusted=trusted).checks
            if check.name == "inclusion"
        ]
        assert (verification.verdicts["inclusion"], check.verdict) == (verdict, verdict)
        assert verification.codes("inclusion") == codes
