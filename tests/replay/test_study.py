"""Studies: what is checked of their files, variations that the rules play, and what they say as text."""

from dataclasses import replace
from typing import Any

import pytest

from domain.errors import Malformed
from ledger.record import Record
from replay.analysis.positions import finished_game
from replay.language.renderer import renderer
from replay.render.styles import Styler
from replay.study import (
    MAX_CHARACTERS,
    MAX_ENTRIES,
    MAX_STEPS,
    NotStudied,
    Study,
    checked_study,
    study_text,
)
from tests.support.stored_games import recorded_game

SEQ = 9
"""After this event, the seat 0 places its last city."""


@pytest.fixture(scope="module")
def record() -> Record:
    return recorded_game("courtesy")


def raw(record: Record, **changes: Any) -> dict[str, Any]:
    return {
        "format": "cartulary-study",
        "version": 1,
        "game": record.game,
        "title": {"en": "Cities by lakes"},
        "notes": [{"seq": SEQ + 1, "text": {"en": "Far from the lake.", "fr": "Loin du lac."}}],
        "variations": [
            {"seq": SEQ, "steps": ["place 1,-4", "recruit 2 at 1,-4"], "text": {"en": "Beside it."}}
        ],
        **changes,
    }


def test_a_variation_is_played_by_the_rules(record: Record) -> None:
    study = checked_study(raw(record), record)
    (variation,) = study.variations
    assert [(step.seat, step.action) for step in variation.steps] == [
        (0, "place 1,-4"),
        (0, "recruit 2 at 1,-4"),
    ]
    assert [step.events[0].type for step in variation.steps] == ["CityPlaced", "KnightsRecruited"]
    assert dict(variation.steps[0].events[0].data)["at"] == [1, -4]


def test_what_is_written_is_read_again(record: Record) -> None:
    study = checked_study(raw(record), record)
    written = study.as_json()
    assert written["head"] == record.events[-1]["hash"]
    assert checked_study(written, record) == study
    assert checked_study(raw(record, notes=[], variations=[], title={}), record) == Study(
        record.game, written["head"], {}, [], []
    )


@pytest.mark.parametrize("name", ["baron-battles", "sorcery-duke-of-two", "disputes"])
def test_the_game_itself_is_a_variation(name: str) -> None:
    """Also in Baron, whose secrets are open after the game, and from before a branch."""
    record = recorded_game(name)
    start = next(event for event in record.events if event["type"] == "GameStarted")
    actions = [event for event in record.events[start["seq"] :] if event["action"] is not None][:6]
    rules = finished_game(record).rules
    steps = [rules.action_text(rules.parse_action(event["action"])) for event in actions]
    variations = [{"seq": start["seq"], "steps": steps}]
    (variation,) = checked_study(raw(record, notes=[], variations=variations), record).variations
    for step, event in zip(variation.steps, actions, strict=True):
        assert step.events[0].type == event["type"]
        assert dict(step.events[0].data) == event["data"]


def test_no_game_is_studied_before_its_end(record: Record) -> None:
    running = replace(record, lines=record.lines[:-1], events=record.events[:-1])
    abandoned = recorded_game("abandoned-in-play")
    for other in (running, abandoned):
        with pytest.raises(NotStudied):
            checked_study(raw(other), other)


def test_a_study_of_another_game_or_state_is_refused(record: Record) -> None:
    for changes in ({"game": "another"}, {"head": "0" * 64}):
        with pytest.raises(NotStudied):
            checked_study(raw(record, **changes), record)


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"format": "cartulary-analysis"}, "format"),
        ({"version": 2}, "version"),
        ({"author": "ada"}, "author"),
        ({"title": "Lakes"}, "title"),
        ({"title": {"de": "Seen"}}, "title"),
        ({"title": {"en": "x" * (MAX_CHARACTERS + 1)}}, "title.en"),
        ({"title": {"en": ""}}, "title.en"),
        ({"notes": {}}, "notes"),
        ({"notes": [{}] * (MAX_ENTRIES + 1)}, "notes"),
        ({"notes": [3]}, "notes.0"),
        ({"notes": [{"seq": 0, "text": {"en": "x"}}]}, "notes.0.seq"),
        ({"notes": [{"seq": True, "text": {"en": "x"}}]}, "notes.0.seq"),
        ({"notes": [{"seq": 10**9, "text": {"en": "x"}}]}, "notes.0.seq"),
        ({"notes": [{"seq": 1}]}, "notes.0.text"),
        ({"notes": [{"seq": 1, "text": {"en": "x"}, "by": "ada"}]}, "notes.0"),
        ({"variations": [{"seq": SEQ, "steps": []}]}, "variations.0.steps"),
        ({"variations": [{"seq": SEQ, "steps": [1]}]}, "variations.0.steps"),
        ({"variations": [{"seq": SEQ, "steps": ["pass"] * (MAX_STEPS + 1)}]}, "variations.0.steps"),
        ({"variations": [{"seq": SEQ, "steps": ["nonsense"]}]}, "variations.0.steps.0"),
        ({"variations": [{"seq": SEQ, "steps": ["place 99,0"]}]}, "variations.0.steps.0"),
        ({"variations": [{"seq": SEQ, "steps": ["place 1,-4"] * 2}]}, "variations.0.steps.1"),
        ({"variations": [{"seq": 1, "steps": ["pass"]}]}, "variations.0.steps"),
    ],
)
def test_a_fault_is_named_by_its_path(record: Record, changes: dict[str, Any], fault: str) -> None:
    with pytest.raises(Malformed) as caught:
        checked_study(raw(record, **changes), record)
    assert list(caught.value.fields) == [fault]


def test_no_json_breaks_the_check(record: Record) -> None:
    values: list[Any] = [None, [], "study", 3, {}]
    for value in values:
        with pytest.raises(Malformed):
            checked_study(value, record)


def test_the_text_has_the_notes_in_the_language_of_the_reader(record: Record) -> None:
    study = checked_study(raw(record), record)
    english, french = (
        study_text(study, record, renderer(language), Styler(is_on=False), 60)
        for language in ("en", "fr")
    )
    assert "Study: Cities by lakes" in english
    assert "  Far from the lake." in english.splitlines()
    assert "  Loin du lac." in french.splitlines()
    assert "    Beside it." in french.splitlines(), "there is no text in French"
    assert max(map(len, english.splitlines())) <= 60
