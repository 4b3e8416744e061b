"""The notes of an audit about actions after their deadline and turns that were forfeited late."""

from replay.audit.findings import Note, Report
from replay.language.renderer import english
from tests.support.records import ENGLISH, Table, audit_record


def notes_about_time(report: Report) -> list[Note]:
    return [note for note in report.notes if note.check == "decisions"]


def test_an_action_after_its_deadline_is_noted_to_the_millisecond() -> None:
    table = Table(clock={"per_turn": 60}).start()  # the turn begins at 09:15:03
    table.wait(59)
    table.take(1)  # the deadline itself
    table.take(1)
    report = audit_record(table.record())
    assert report.verdict != "broken"
    (note,) = notes_about_time(report)
    assert (note.check, note.seq) == ("decisions", 5)
    at = "Fri, Nov 20, 2026, 9:16:03.000\u202fAM (UTC)"
    assert f"{at}, 0.000 s late" in english(note.text)
    assert f"its deadline was {at}" in english(note.text)
    entry = {"check": "decisions", "seq": 5, "what": english(note.text)}
    assert entry in report.as_json(ENGLISH)["notes"]


def test_an_action_in_time_is_not_noted() -> None:
    table = Table(clock={"per_turn": 60}).start()
    table.wait(58)
    table.take(1)
    table.take(1)
    assert notes_about_time(audit_record(table.record())) == []


def test_a_turn_that_is_forfeited_a_minute_after_its_deadline_is_noted() -> None:
    for seconds, is_noted in ((118, False), (119, True)):
        table = Table(clock={"per_turn": 60}).start()
        table.wait(seconds)
        table.forfeit()
        report = audit_record(table.record())
        assert report.verdict != "broken"
        texts = [english(note.text) for note in notes_about_time(report)]
        assert len(texts) == is_noted
        assert all("ended the turn of seat 0" in text for text in texts)
        assert all("1 min 0.000 s late" in text for text in texts)


def test_games_without_a_clock_have_no_notes_about_time() -> None:
    table = Table().start()
    table.wait(10**7)
    table.take(1)
    assert notes_about_time(audit_record(table.record())) == []
