"""The lessons of tutorial games: complete, each once, and only where their rules matter."""

import io
from collections.abc import Sequence
from pathlib import Path

import pytest

from domain import lifecycle
from domain.errors import Malformed
from domain.game import Game
from domain.lessons import LESSONS_AT_ONCE, AnyLesson, Lesson, Moment, due_lessons
from domain.messages import message
from domain.registry import rule_systems
from ledger.record import read
from replay.bots.playout import plan, play
from replay.history.timeline import Transition, transitions
from replay.language.renderer import english
from service.games.lessons import introduced_lessons, lessons_at
from tests.support.seven_hexes import GAME as SEVEN_HEXES

GAMES = Path(__file__).parents[2] / "games"
SYSTEMS = list(rule_systems())
NOT_SHOWN_BY_ACTIONS = frozenset(
    {"opponents", "end", "price", "last_turns", "turn", "places_in_set_up", "imprints"}
)
"""Lessons about what is not possible, what others do, or what counts later: no own action shows them."""
OF_EXPANSIONS = frozenset({"BS-SPL"})
"""Groups of clauses that the base game only refuses by."""


def groups(clauses: Sequence[str]) -> set[str]:
    return {clause.rpartition("-")[0] for clause in clauses}


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_group_of_clauses_occurs_in_a_lesson_and_lessons_name_clauses(name: str) -> None:
    rules = rule_systems()[name].system
    clauses = [clause for lesson in rules.LESSONS for clause in lesson.clauses]
    assert set(clauses) <= rules.CLAUSES.keys()
    expected = groups(list(rules.CLAUSES))
    assert groups(clauses) == (expected if len(expected) > 15 else expected - OF_EXPANSIONS)
    names = [lesson.name for lesson in rules.LESSONS]
    assert len(set(names)) == len(names)
    assert all(set(lesson.after) <= set(names) for lesson in rules.LESSONS)


def tutorial_steps(name: str, seed: bytes) -> list[Transition]:
    entry = rule_systems()[name]
    options = {**entry.options, "tutorial": True}
    record = play(plan(entry.rules, 2, seed, options, ["sensible"])).record
    return list(transitions(read(io.BytesIO(record))))


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_whole_game_introduces_each_lesson_once_and_where_it_applies(name: str) -> None:
    game = tutorial_steps(name, b"lessons 4")
    for seat in (0, 1):
        introduced: list[str] = []
        for transition in game:
            before = transition.before
            if before is None or before.to_act != seat or transition.event["action"] is None:
                continue
            due = lessons_at(before, seat, introduced)
            assert len(due) <= LESSONS_AT_ONCE
            # The same lessons are due as long as the seat has not acted.
            assert due == lessons_at(before, seat, introduced)
            for lesson in due:
                assert lesson.name not in introduced
                if lesson.name not in NOT_SHOWN_BY_ACTIONS:
                    assert can_apply(before, seat, set(lesson.clauses)), lesson.name
            introduced += [lesson.name for lesson in due]
        assert tuple(introduced) == introduced_lessons(game, seat)
        assert len(introduced) >= 8


@pytest.mark.parametrize(
    ("record", "lesson_name"),
    [
        ("blocked-round", "passing"),
        ("baron-nothing-can-be-laid", "discard"),
        ("baron-battles", "battle"),
        ("baron-battles", "fight"),
        ("sorcery-movement", "tornado"),
    ],
)
def test_rare_lessons_apply_where_an_action_shows_their_rule(record: str, lesson_name: str) -> None:
    with (GAMES / f"{record}.jsonl").open("rb") as file:
        game_record = read(file)
    count = 0
    for transition in transitions(game_record):
        game = transition.before
        if game is None or game.state is None or game.to_act is None:
            continue
        (lesson,) = (lesson for lesson in game.rules.LESSONS if lesson.name == lesson_name)
        position = game.rules.position(game.state, game.to_act)
        legal = game.rules.legal_actions(game.state, game.to_act)
        if lesson.applies(Moment(position, legal, game.to_act)):
            count += 1
            assert can_apply(game, game.to_act, set(lesson.clauses))
    assert count


def test_a_game_of_another_distribution_has_no_lessons() -> None:
    assert SEVEN_HEXES.LESSONS == ()


def test_lessons_come_in_order_two_at_a_time_and_after_those_they_build_on() -> None:
    def lesson(name: str, *after: str) -> AnyLesson:
        return Lesson(name, (), message("a lesson"), lambda _: name != "never", after)

    lessons = [lesson("never"), lesson("c", "b"), lesson("a"), lesson("b"), lesson("d")]
    moment: Moment[object, object] = Moment({}, (), 0)

    def due(*introduced: str) -> list[str]:
        return [lesson.name for lesson in due_lessons(lessons, moment, introduced)]

    assert due() == ["a", "b"]
    assert due("a", "b") == ["c", "d"]
    assert due("a", "b", "c", "d") == []


@pytest.mark.parametrize(
    ("seats", "tutorial", "fault"),
    [(3, True, "a tutorial game has 2 seats"), (2, 1, "must be true or false")],
)
def test_a_tutorial_game_has_two_seats(seats: int, tutorial: object, fault: str) -> None:
    with pytest.raises(Malformed) as refused:
        lifecycle.check_options("barony", seats, {"tutorial": tutorial})
    assert english(refused.value.message) == f"FORMAT: options.tutorial: {fault}"
    assert "tutorial" not in lifecycle.check_options("barony", 2, {"tutorial": False})
    assert lifecycle.check_options("baron", 2, {"tutorial": True}).get("tutorial") is True


def can_apply(game: Game, seat: int, clauses: set[str]) -> bool:
    """Whether one of the clauses explains the outcome of a legal action."""
    rules = game.rules
    for action in rules.legal_actions(game.state, seat):
        event = rules.decide(game.state, seat, action)
        if clauses & {clause for clause, _ in rules.explain(game.state, seat, event)}:
            return True
    return False
