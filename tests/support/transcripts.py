"""Transcripts: what the games say about positions and actions, in every language, compared as a whole.

Each game has transcripts, such as `tests/domain/barony/transcripts/events.txt`: examples of positions with
questions, each of which is followed by what the game answers. A line of an answer begins with `|`. If it
depends on the language, its translations follow, which begin with `es|` and `fr|`. After a change to a
sentence or a question, write the answers again and read the changes:

    .venv/bin/python -m tests.support.transcripts && git diff tests/domain

A blank line stands between two examples. Each begins with a line `# TITLE`. A line `names` follows if players
are called by names instead of seats, then the text diagram of a position, if there is one, and questions,
each about this position:

    > SEAT ACTION        an action in short form, which may be refused
    > clock              the time of the player to act is up
    > arbiter SEAT       the arbiter removes a seat
    > start SEATS        the game starts
    > scores             a round is scored
    > finish             the game ends
    > event TYPE DATA    an event with these data (JSON) takes place
    > message TYPE DATA  the same, without an explanation
    > choices VALUE ...  what the player to act can choose after these values
    > scene [SEAT|all]   what there is to draw, for everybody, for a seat, or with all secrets
    > scene after ...    what there is to draw after the event of one of the questions above

A line that begins with `+` asks the same, and the questions after it are about the position that it leads to.
"""

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

from domain.chance import Chance
from domain.contract import ALL_SECRETS, AnyRuleSystem, DomainEvent, evolve
from domain.errors import Refused
from domain.hexes import hex_text
from domain.registry import BARON, BARONY, SORCERY
from domain.scene import Piece
from replay.language.build import compile_catalogues
from replay.language.renderer import NO_NAMES, Names, Renderer, renderer
from tests.support import baron_positions, barony_positions
from tests.support.choices import step_after
from tests.support.events import data_of, event_of, recorded
from tests.support.given_when import (
    Outcome,
    diagram,
    rule_system_for,
    when,
    when_removed,
    when_scored,
    when_time_is_up,
)

GAMES: Final[dict[str, AnyRuleSystem]] = {"baron": BARON, "barony": BARONY, "sorcery": SORCERY}
TRANSLATIONS: Final = ("es", "fr")
_ANSWER: Final = re.compile(r"^(?:es|fr)?\|.*\n", re.MULTILINE)
HANDLES: Final = {"a": "Ada", "b": "Hugo", "c": "Inés", "d": "Olga", "e": "Éloi"}
FOLDER: Final = Path(__file__).parents[1] / "domain"


def transcripts() -> list[Path]:
    """Return the files of all transcripts."""
    return sorted(FOLDER.glob("*/transcripts/*.txt"))


def answered(file: Path) -> str:
    """Return the text of a transcript with the answers of today."""
    examples = _ANSWER.sub("", file.read_text()).strip("\n").split("\n\n")
    game = file.parents[1].name
    return "\n\n".join("\n".join(_transcribe(game, text.splitlines())) for text in examples) + "\n"


def _transcribe(game: str, example: list[str]) -> Iterator[str]:
    """Yield the lines of an example, each question with its answer."""
    answers = zip(
        *(_answers(game, example, language) for language in ("en", *TRANSLATIONS)), strict=True
    )
    for line in example:
        yield line
        if _is_question(line):
            for english, *translated in zip(*next(answers), strict=True):
                yield f"| {english}"
                if {*translated} != {english}:
                    for language, text in zip(TRANSLATIONS, translated, strict=True):
                        yield f"{language}| {text}"


def _is_question(line: str) -> bool:
    return line.startswith(("> ", "+ "))


def _answers(game: str, example: list[str], language: str) -> Iterator[list[str]]:
    """Yield the lines of the answer to each question of an example."""
    lines = example[1:]
    names = Names(HANDLES, [*HANDLES]) if "names" in lines else NO_NAMES
    positions = barony_positions if game != "baron" else baron_positions
    drawn = [line for line in lines if not _is_question(line) and line != "names"]
    state: Any = positions.given("\n".join(drawn)) if any(drawn) else None
    rules = GAMES[game] if state is None else rule_system_for(state)
    render = renderer(language, names)
    for line in filter(_is_question, lines):
        word, *rest = line[2:].split()
        if word == "choices":
            yield [*_choices(rules, state, rest, render)]
            continue
        if word == "scene":
            what = line[2:].removeprefix("scene").strip()
            yield [*_scene(rules, state, what, render)]
            continue
        try:
            event = _event(rules, state, line[2:])
        except Refused as refused:
            yield [f"refused by {refused.clause}: {render(refused.why)}"]
            continue
        yield [*_told(rules, state, event, render, word == "message")]
        if line.startswith("+"):
            state = evolve(rules, state, [event])


def _told(
    rules: AnyRuleSystem, state: Any, event: DomainEvent, render: Renderer, is_message: bool
) -> Iterator[str]:
    """Yield the text of an event, and the clauses that explain it."""
    yield render(rules.event_message(event.type, event.data))
    if not is_message:
        for clause, sentence in rules.explain(state, data_of(event).get("seat"), event):
            yield f"    {clause} {render(sentence)}"


def _choices(
    rules: AnyRuleSystem, state: Any, values: list[str], render: Renderer
) -> Iterator[str]:
    """Yield the question after these values with its options, or the action to which they lead."""
    step = step_after(state, *values)
    if step.question is None:
        assert step.action is not None
        yield f"leads to: {rules.action_text(step.action)}"
        options = step.alternatives
    else:
        yield render(rules.QUESTIONS[step.question])
        options = step.options
    position = rules.position(state, state.to_act)
    for option in options:
        yield f"    {option.value}: {render(rules.choice_message(position, option, step.path))}"


def _scene(rules: AnyRuleSystem, state: Any, what: str, render: Renderer) -> Iterator[str]:
    """Yield what a scene has, without its legend and the fields that are empty."""
    question, event = what.removeprefix("after "), None
    if question != what:
        happened = _event(rules, state, question)
        state = evolve(rules, state, [happened])
        word = question.split()[0]
        event = recorded(
            happened, {"seat": int(word)} if word.isdecimal() else {"system": "arbiter"}
        )
        what = ""
    viewer = {"": None, "all": ALL_SECRETS}.get(what, what)
    position = rules.position(state, int(viewer) if isinstance(viewer, str) else viewer)
    scene = rules.scene(position, event)
    yield render(scene.title)
    if scene.caption is not None:
        yield render(scene.caption)
    for panel in scene.panels:
        marks = ", to act" * panel.is_to_act + ", out" * panel.is_out
        yield f"    seat {panel.seat}: {render(panel.heading)}, {panel.score}{marks}"
        yield from (f"        {render(label)}: {render(value)}" for label, value in panel.rows)
    yield from (f"    {render(label)}: {render(value)}" for label, value in scene.common_rows)
    for cell in scene.cells:
        yield f"    {_fields(cell)}"
    for part in (*scene.arrows, *scene.outlines):
        yield f"    {type(part).__name__.lower()} {_fields(part)}"


def _fields(part: Any) -> str:
    """Return the fields of a part of a scene that are not empty, as text."""
    texts = []
    for field in fields(part):
        value = getattr(part, field.name)
        if value is True:
            texts.append(field.name)
        elif value is not False and value is not None and value not in ("", ()):
            texts.append(f"{field.name} {_text(value)}")
    return ", ".join(texts)


def _text(value: Any) -> str:
    """Return a value of a field as text: pieces such as `2 knight of 1`, hexes such as `0,-1`."""
    match value:
        case Piece():
            note = f" ({value.note})" if value.note else ""
            return f"{value.count} {value.kind} of {value.seat}{note}"
        case (int(), int()):
            return hex_text(value)
        case tuple():
            return " ".join(map(_text, value))
        case _:
            return str(value)


def _event(rules: AnyRuleSystem, state: Any, question: str) -> DomainEvent:
    """Return the event that a question is about. Raises Refused."""
    word, _, rest = question.partition(" ")
    outcome: Outcome[Any]
    match word:
        case "event" | "message":
            type, _, data = rest.partition(" ")
            return event_of(type, json.loads(data))
        case "start":
            seats = int(rest)
            options = {"sorcery": True} if rules is SORCERY else {}
            set_up = rules.set_up(seats, rules.check_options(seats, options), Chance(bytes(32)))
            return event_of(set_up.type, {**set_up.data, "players": [*HANDLES][:seats]})
        case "scores":
            standings = rules.standings(state)
            return event_of("RoundScored", {"round": state.round, "standings": standings})
        case "clock":
            outcome = when_time_is_up(state)
        case "arbiter":
            outcome = when_removed(state, int(rest))
        case "finish":
            outcome = when_scored(state)
        case _:
            outcome = when(state, int(word), rest)
            before = diagram(state)
            try:
                return outcome.event
            except Refused:
                assert diagram(state) == before
                assert outcome.action not in rules.legal_actions(state, int(word))
                raise
    return outcome.event


def main() -> int:
    """Write the answers of all transcripts again, with the translations as they are now."""
    compile_catalogues()
    for file in transcripts():
        file.write_text(answered(file))
    return 0


if __name__ == "__main__":
    sys.exit(main())
