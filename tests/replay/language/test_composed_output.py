"""What commands write in each language: wrapped at the widths of terminals, in tables, put together of parts.

A translation that is right by itself can still be broken before a colon, split in a table, lack its subject,
or follow a number that it does not agree with.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

import pytest
from click.testing import CliRunner

from cartulary.cli import cartulary
from domain.event import Event
from domain.life_cycle_messages import LIFE_CYCLE_MESSAGES
from domain.messages import Message, Text
from domain.scene import caption, outcome_of
from replay.history.event_text import actor_message
from replay.language.catalogue import parse_forms
from replay.language.renderer import renderer
from service.notifications.titles import title
from tests.games.records import FOLDER, course_of, record_of
from tests.replay.language.test_catalogues import LANGUAGES, translations
from tests.replay.language.test_recorded_games import messages
from tests.replay.language.test_typography import LOOSE_MARK
from tests.support.recorded_messages import NAMES
from tests.support.variants import nightly_except

WIDTHS: Final = ((40, 72, 100), (52, 60, 80))
UNLIMITED: Final = 2000
each_language = pytest.mark.parametrize("language", LANGUAGES)
at_each_width = pytest.mark.parametrize(
    "widths", nightly_except(WIDTHS[:1], WIDTHS), ids=lambda widths: " ".join(map(str, widths))
)

BARONY, SORCERY, BARON, DISPUTES = (
    str(FOLDER / f"{name}.jsonl")
    for name in ("duke-of-four", "sorcery-duke-of-five", "baron-five", "disputes")
)
WRAPPED: Final = [
    *(["replay", game, "--seq", seq] for game in (BARONY, SORCERY, BARON) for seq in ("40", "90")),
    *(["replay", game] for game in (BARONY, SORCERY, BARON, DISPUTES)),
    *(
        ["inspect", game, seq]
        for game in (BARONY, SORCERY, BARON, DISPUTES)
        for seq in ("16", "31")
    ),
    ["audit", DISPUTES],
]
"""Commands that lay out text for the width of the terminal."""
WORD: Final = re.compile(r"(?<!\w)(?!(\w)\1+\b)[^\W\d_]{4,}(?![\w…])")


@cache
def written(language: str, width: int, *arguments: str) -> str:
    """Return what a command writes in a language, in a terminal of this width."""
    environment = {"COLUMNS": str(width), "NO_COLOR": "1"}
    result = CliRunner().invoke(cartulary, ["--lang", language, *arguments], env=environment)
    assert result.exit_code in {0, 3}, result.output
    return result.output


def words_in(text: str) -> set[str]:
    """Return the words of a text that are not cut."""
    return {match[0] for match in WORD.finditer(text)}


@cache
def vocabulary(language: str) -> set[str]:
    """Return the words of the catalogue. A narrow board is explained by more sentences than a wide one."""
    return set().union(
        *(words_in(text) for _, _, texts in translations(language) for text in texts)
    )


@each_language
@at_each_width
@pytest.mark.parametrize("arguments", WRAPPED, ids=lambda words: " ".join(words)[-40:])
def test_no_line_begins_with_a_mark_that_belongs_to_the_word_before(
    language: str, arguments: list[str], widths: tuple[int, ...]
) -> None:
    for width in widths:
        for line in written(language, width, *arguments).splitlines():
            assert not LOOSE_MARK.match(line), f"{width}: {line}"


@each_language
@at_each_width
@pytest.mark.parametrize("arguments", WRAPPED, ids=lambda words: " ".join(words)[-40:])
def test_no_word_is_split(language: str, arguments: list[str], widths: tuple[int, ...]) -> None:
    whole = words_in(written(language, UNLIMITED, *arguments)) | vocabulary(language)
    for width in widths:
        narrow = words_in(written(language, width, *arguments))
        assert narrow <= whole, f"{width}: {narrow - whole}"


@each_language
def test_a_table_of_scores_is_broken_between_words(language: str) -> None:
    for width in (80, 100):
        table = written(language, width, "timeline", DISPUTES, "--format", "text")
        assert not [line for line in table.splitlines() if LOOSE_MARK.match(line)]
        assert words_in(table) <= vocabulary(language)


@cache
def disagreement(language: str) -> re.Pattern[str]:
    """Return a pattern of numbers before the wrong form of a noun, for the nouns that messages count."""
    pairs = set()
    for _, templates, texts in translations(language):
        if templates[0].partition(";")[2].strip().startswith("plural:"):
            forms = parse_forms(texts[0])
            pairs.add((forms[""], forms["plural"]))
        elif len(texts) == 2:
            nouns = [re.findall(r"{count} ([^\W\d_]{3,})", text) for text in texts]
            pairs |= set(zip(*nouns, strict=False))
    different = [pair for pair in pairs if pair[0] != pair[1]]
    singular, plural = ("|".join(map(re.escape, forms)) for forms in zip(*different, strict=True))
    begin = r"(?<![\w,.:+-])(?<!siège )(?<!asiento )(?<! ou )(?<! o )"
    return re.compile(rf"{begin}1 (?:{plural})\b|{begin}(?:[2-9]|\d\d+) (?:{singular})\b")


@each_language
def test_a_noun_agrees_with_the_number_before_it(language: str) -> None:
    render, pattern = renderer(language), disagreement(language)
    assert pattern.search({"fr": "il y a 1 tuiles", "es": "hay 3 caballero"}[language])
    texts = [render(value) for value in messages().values()]
    for game in (BARONY, SORCERY, BARON, DISPUTES):
        texts += [written(language, 80, "inspect", game, seq, "--no-board") for seq in ("16", "31")]
        texts.append(written(language, 80, "replay", game, "--seq", "2"))
    assert not [match[0] for text in texts for match in pattern.finditer(text)]


def recorded_events() -> Iterator[tuple[Any, Event]]:
    """Yield the events of all recorded games with the rules of their game."""
    for name in NAMES:
        for game, event in zip(course_of(name), record_of(name).events, strict=True):
            yield game.rules, event


def decided_by_administrators(rules: Any, event: Event) -> Iterator[tuple[Any, Event]]:
    """Yield what administrators can decide; recorded games have none of it."""
    for decision in (
        {"decision": "remove_seat", "seat": 1},
        {"decision": "move_seat", "seat": 1, "player": "zoe"},
        {"decision": "abandon"},
        {"decision": "extend_deadline", "seat": 1, "seconds": 86400},
    ):
        by: Any = {"system": "administrator"}
        changes: Any = {"type": "AdministratorDecided", "by": by, "data": decision, "action": None}
        yield rules, {**event, **changes}


def innermost(text: Text) -> str:
    """Return the template of the first part of a message, without what frames it."""
    if isinstance(text, Message):
        for name in ("outcome", "event"):
            if isinstance(inner := text.values.get(name), Message):
                return innermost(inner)
        return text.template
    return ""


def test_an_outcome_that_needs_a_subject_is_never_a_caption_by_itself() -> None:
    """`moves a knight` follows a player; `the game is over` is a sentence. No outcome is used as both."""
    events = [*recorded_events()]
    events += decided_by_administrators(*events[-1])
    phrases: set[str] = set()
    sentences: set[str] = set()
    for rules, event in events:
        outcome = outcome_of(event, rules.event_message)
        has_subject = caption(event, rules.event_message) != outcome
        (phrases if has_subject else sentences).add(innermost(outcome))
    assert len(phrases) > 40
    assert len(sentences) > 10
    assert not phrases & sentences


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "The administrator adds 1 day to the turn of seat 1"),
        ("fr", "L'administration accorde 1 jour de plus pour le tour du siège 1"),
        ("es", "La administración concede 1 día más para el turno del asiento 1"),
    ],
)
def test_the_caption_of_a_decision_of_administrators_has_a_subject(
    language: str, text: str
) -> None:
    rules, event = next(recorded_events())
    *_, (_, extended) = decided_by_administrators(rules, event)
    assert renderer(language).sentence(caption(extended, rules.event_message)) == text


def test_an_actor_is_not_repeated_in_the_outcome() -> None:
    for language in ("en", *LANGUAGES):
        render = renderer(language)
        for rules, event in recorded_events():
            actor, outcome = (
                render(actor_message(event)),
                render(outcome_of(event, rules.event_message)),
            )
            assert not outcome.lower().startswith(actor.split()[-1].lower()), f"{actor}: {outcome}"


@pytest.mark.parametrize(
    ("language", "label"),
    [
        ("en", "agreement of the players"),
        ("fr", "accord des joueurs"),
        ("es", "acuerdo de los jugadores"),
    ],
)
def test_a_ruling_by_agreement_is_credited_to_the_players(language: str, label: str) -> None:
    record = record_of("baron-rulings-by-agreement")
    ruled = [event for event in record.events if event["type"] == "DisputeRuled"]
    assert {renderer(language)(actor_message(event)) for event in ruled} == {label}
    by_arbiter = [
        event for event in record_of("disputes").events if event["type"] == "DisputeRuled"
    ]
    assert label not in {renderer(language)(actor_message(event)) for event in by_arbiter}


@pytest.mark.parametrize(
    ("language", "stem"), [("en", "abandon"), ("fr", "interromp"), ("es", "cancela")]
)
def test_the_subject_of_a_mail_has_the_word_of_its_body(language: str, stem: str) -> None:
    game = course_of("abandoned-in-play")[-1]
    event = record_of("abandoned-in-play").events[-1]
    subject = title("game_over", game, {"status": "abandoned"}, "nobody")
    body = LIFE_CYCLE_MESSAGES[event["type"]](event["data"])
    assert stem in renderer(language)(subject)
    assert stem in renderer(language)(body)
