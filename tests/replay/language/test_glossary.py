"""Every message has the terms of the page on languages; words with two meanings are explained."""

from functools import cache

import pytest
from babel.messages.catalog import Message

from replay.language.maintenance import NOTES, notes_for
from tests.replay.language.test_catalogues import LANGUAGES, catalogue_of, translations
from tests.support.glossary import GlossaryTerm, faults_of_terms, glossary_terms


@cache
def terms() -> tuple[GlossaryTerm, ...]:
    """Return the terms of the glossary with translations."""
    return tuple(glossary_terms())


def terms_for(entry: Message) -> tuple[GlossaryTerm, ...]:
    """Return the terms that apply to a message, by the files in which it is."""
    return terms_in(frozenset(path for path, _ in entry.locations))


@cache
def terms_in(files: frozenset[str]) -> tuple[GlossaryTerm, ...]:
    """Return the terms that apply to a message in these files."""
    return tuple(term for term in terms() if all(path.startswith(term.folder) for path in files))


def test_the_glossary_has_the_terms_of_the_games_and_of_the_project() -> None:
    english = {term.english for term in terms()}
    assert len(english) > 120
    project = {
        "hash",
        "operator",
        "record",
        "check",
        "broken",
        "sound",
        "cosign",
        "sandbox",
        "superseded",
    }
    assert project | {"out of the game", "removed from the game", "knight", "imprint"} <= english
    assert all(term.forms[language] for term in terms() for language in LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_translation_has_the_terms_of_the_glossary(language: str) -> None:
    faults = [
        f"{fault}\n  {templates[-1]}\n  {texts[-1]}"
        for entry, templates, texts in translations(language)
        if entry.context != "grammar" and {path for path, _ in entry.locations} != {"click"}
        for fault in faults_of_terms(terms_for(entry), language, templates[-1:], texts[-1])
    ]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(
    ("language", "template", "translation", "fault"),
    [
        ("fr", "the hash of event {seq}", "le hachage de l'événement {seq}", "hash"),
        ("es", "the hash of event {seq}", "el resumen del evento {seq}", "hash"),
        ("fr", "Abandon the game: it ends", "Abandonner la partie", "abandon the game"),
        ("es", "Abandon the game: it ends", "Abandonar la partida", "abandon the game"),
        ("fr", "ask the operator", "demandez à l'administrateur", "operator"),
        ("es", "superseded by event {event}", "descartado por el evento {event}", "superseded"),
        ("es", "{arbiter} rules", "resuelve {arbiter}", ""),
        ("fr", "the record is broken off", "l'enregistrement s'interrompt", ""),
    ],
)
def test_a_wrong_term_is_noticed(
    language: str, template: str, translation: str, fault: str
) -> None:
    faults = [*faults_of_terms(terms(), language, [template], translation)]
    assert any(text.startswith(fault) for text in faults) if fault else not faults


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_with_two_meanings_are_explained_to_translators(language: str) -> None:
    explained = set()
    for entry in catalogue_of(language):
        if entry.id and entry.locations[0][0] != "click":
            template = entry.id if isinstance(entry.id, str) else entry.id[0]
            notes = notes_for(template)
            comments = " ".join(entry.auto_comments)
            assert all(note in comments for note in notes), template
            explained |= {*notes}
    assert explained == {*NOTES.values()}
