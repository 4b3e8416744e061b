"""Every message of the recorded games is rendered in every language, completely and with good typography.

The messages are those of events, explanations, clauses, refusals, choices and pictures. Each different one is
checked once, with the players shown by name or by seat in turn.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain
from typing import Any, Final

import pytest

from domain.contract import AnyRuleSystem
from domain.messages import Amount, Listing, Message, Term, Value
from domain.registry import BARON, BARONY, SORCERY
from replay.language.catalogue import SEAM, catalogue, parse_forms
from replay.language.renderer import NO_NAMES, Names, english, renderer
from tests.games.records import course_of
from tests.replay.language.test_typography import faults
from tests.support.recorded_messages import (
    NAMES,
    choice_messages,
    event_messages,
    explanations,
    parts,
    refusals,
    refused_forms,
    scene_messages,
    values_of,
)

HANDLES: Final = {"a": "Ada", "b": "Inés", "c": "Olga", "d": "Bob", "e": "Éloi"}
PLAYERS: Final = Names(HANDLES, tuple(HANDLES))
SYSTEMS: Final[tuple[AnyRuleSystem, ...]] = (BARONY, SORCERY, BARON)
TRANSLATIONS: Final = ("fr", "es")
each_translation = pytest.mark.parametrize("language", TRANSLATIONS)

COMMON_FAULTS: Final = r"  |\( | \)|[{}]|Message\(|Term\(|Listing\(| ,|,,|;;|::"
GRAMMATICAL_FAULTS: Final = {
    "en": r"\ba (?=[aeio]\w)|\ban (?=[bcdfgjklmnpqrstvwxyz])",
    "fr": r"\b(?:de|à) les? |\b(?:de|que|le|la|ne|se|je) (?=[aàâeéèêiîoôuû])",
    "es": r"\b(?:de|a) el |\by (?=h?i(?!e))|\bo (?=h?o)",
}
"""Articles before the wrong sound, and contractions and elisions that are missing."""

NUMBER: Final = re.compile(r"[+-]?\d+(?:,-?\d+)?")
SAME_IN_ENGLISH: Final = {
    "fr": {"Baron", "Barony", "Illusion", "construction", "place", "score"},
    "es": {"Baron", "Barony", "Portal", "Tornado"},
}
"""Templates and terms that are the same words in a translation."""

TIME: Final = re.compile(r"\d{1,2}(?: [a-zûé.]+ |, )\d{4}, [\d:.,]+(?:\u202f[AP]M)? \(UTC\)")
IDENTIFIERS: Final = re.compile(
    r"""
    [A-Z]{2}-[A-Z]{3,4}-\d+                       # clauses
    | [0-9a-f]{16,64}                             # players, keys, hashes
    """,
    re.VERBOSE,
)
PLACES_OF_STRINGS: Final = {
    "another action is legal: {action}",
    "creates a game of {rules} for {players} with this clock: {clock}",
    "creates a game of {rules} for {players}",
    "creates a game of {rules} for {players}, with {time} a turn",
    "must be one of {words}",
    "need exactly one of these fields: {fields}",
    "“{text}” cannot be read as an action",
}
"""Templates with values that are words of JSON, short forms of actions or names of games, or that a person
wrote.
"""


def clause_texts() -> Iterator[Any]:
    for rules in SYSTEMS:
        yield rules.SCORE_NAME
        yield from rules.CLAUSES.values()


@cache
def messages() -> dict[str, Value]:
    """Return all different messages, by their English text."""
    different: dict[str, Value] = {}
    for source in (event_messages, explanations, scene_messages, choice_messages):
        for name in NAMES:
            _add(different, source(name))
    _add(different, clause_texts())
    refused = chain(
        chain.from_iterable(map(refusals, NAMES)), chain.from_iterable(map(refused_forms, SYSTEMS))
    )
    for refusal in refused:
        _add(different, values_of(refusal))
    return different


def _add(different: dict[str, Value], values: Iterable[Any]) -> None:
    for value in values:
        assert isinstance(value, Message | Listing | Term | Amount), value
        different.setdefault(english(value), value)


def test_the_messages_are_those_of_all_games() -> None:
    assert set(SYSTEMS) == {course_of(name)[-1].rules for name in NAMES}
    assert len(messages()) > 10_000
    parts = [part for part in all_parts() if isinstance(part, Message)]
    assert len({part.template for part in parts}) > 500
    refusing = {part.values["clause"] for part in parts if part.template == "{clause}: {why}"}
    assert len(refusing) > 35


@cache
def all_parts() -> tuple[Value, ...]:
    """Return the different messages with everything in them."""
    return tuple(chain.from_iterable(map(parts, messages().values())))


@pytest.mark.parametrize("language", ["en", *TRANSLATIONS])
def test_every_message_is_a_text_without_faults(language: str) -> None:
    problems: list[str] = []
    expression = f"{COMMON_FAULTS}|{SEAM}|{GRAMMATICAL_FAULTS[language]}"
    pattern = re.compile(expression, re.IGNORECASE)
    for names, value in with_names():
        text = renderer(language, names)(value)
        if fault := pattern.search(text):
            problems.append(f"{fault.group()!r} in {text}")
        if language in TRANSLATIONS:
            problems += faults(language, text)
        if not text.strip():
            problems.append(f"nothing for {value}")
    assert not problems


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "a expedition"),
        ("en", "an barony"),
        ("fr", "le chevalier de le siège 1"),
        ("fr", "le chevalier de Inés"),
        ("fr", "il ne reste que Ada"),
        ("fr", "la expédition"),
        ("es", "el caballero de el asiento 1"),
        ("es", "Ada y Inés"),
        ("es", "Ada o Olga"),
    ],
)
def test_grammatical_faults_are_noticed(language: str, text: str) -> None:
    assert re.search(GRAMMATICAL_FAULTS[language], text, re.IGNORECASE)


def test_a_player_whose_name_is_known_is_not_shown_by_seat() -> None:
    for value in messages().values():
        if not any("seat" in part.template for part in parts(value) if isinstance(part, Message)):
            text = renderer("en", PLAYERS)(value)
            assert "seat" not in text, text


@each_translation
def test_a_translated_message_has_the_numbers_and_hexes_of_the_english_one(language: str) -> None:
    changed = []
    for names, value in with_names():
        original, text = renderer("en", names)(value), renderer(language, names)(value)
        expected, numbers = (Counter(NUMBER.findall(TIME.sub("", t))) for t in (original, text))
        # English may have a word for one.
        if expected - numbers or {*(numbers - expected)} - {"1"}:
            changed.append((original, text))
    assert not changed


def with_names() -> Iterator[tuple[Names, Value]]:
    """Yield the different messages, with and without names in turn."""
    for index, value in enumerate(messages().values()):
        yield (PLAYERS if index % 2 else NO_NAMES), value


@each_translation
def test_no_template_or_term_stays_english(language: str) -> None:
    translations, same = catalogue(language), set()
    for part in all_parts():
        match part:
            case Message(template=template):
                words = re.sub("{[^}]*}", "", template)
                if translations.template(part) == template and re.search("[A-Za-z]", words):
                    same.add(template)
            case Term(forms=forms):
                if translations.forms(part) == parse_forms(forms):
                    same.add(forms)
            case _:
                pass
    assert same == SAME_IN_ENGLISH[language]


def test_the_strings_in_messages_are_identifiers() -> None:
    strings = {
        (part.template, text)
        for part in all_parts()
        if isinstance(part, Message)
        for text in strings_in(part)
        if not IDENTIFIERS.fullmatch(text)
    }
    assert {template for template, _ in strings} == PLACES_OF_STRINGS


def strings_in(message: Message) -> Iterator[str]:
    """Yield the values of a message that are strings or lists of strings."""
    for value in message.values.values():
        for item in value.items if isinstance(value, Listing) else (value,):
            if isinstance(item, str):
                yield item
