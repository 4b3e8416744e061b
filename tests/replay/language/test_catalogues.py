"""The catalogues: everything is translated, and a translation has the values and forms of its message."""

from collections.abc import Iterator
from functools import lru_cache

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po

from replay.language.catalogue import DOMAIN, FOLDER, languages, parse_forms
from replay.language.maintenance import untranslated
from tests.support.messages import extracted_messages, fields, term_templates

LANGUAGES = sorted(path.name for path in FOLDER.iterdir())


@lru_cache
def catalogue_of(language: str) -> Catalog:
    with (FOLDER / language / "LC_MESSAGES" / f"{DOMAIN}.po").open("rb") as file:
        return read_po(file)


def translations(language: str) -> Iterator[tuple[Message, list[str], list[str]]]:
    """Yield the messages of a catalogue with their templates and the translations of these."""
    for entry in catalogue_of(language):
        if entry.id:
            templates = [entry.id] if isinstance(entry.id, str) else list(entry.id)
            strings = [entry.string] if isinstance(entry.string, str) else list(entry.string or ())
            yield entry, templates, strings


def test_every_catalogue_is_compiled() -> None:
    assert languages() == ("en", *LANGUAGES)
    assert {"es", "fr"} <= {*LANGUAGES}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_message_is_translated(language: str) -> None:
    assert not [entry.id for entry in untranslated(catalogue_of(language))]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_catalogue_has_the_messages_in_the_source_code_and_no_others(language: str) -> None:
    messages = {(entry.id, entry.context) for entry in extracted_messages()}
    entries = {(entry.id, entry.context) for entry in catalogue_of(language) if entry.id}
    assert entries == messages, "run `make catalogues`"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_translation_has_the_values_of_its_message(language: str) -> None:
    for entry, templates, strings in translations(language):
        if entry.python_format:
            continue
        names = set().union(*map(fields, templates))
        # The number is left out where a plural form has a word for it.
        optional = set.intersection(*map(fields, templates)) ^ names | {"count"}
        for string in strings:
            assert fields(string) <= names, string
            assert entry.pluralizable or fields(string) == names, string
            assert names <= fields(string) | optional, string


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_translated_term_has_the_forms_of_the_english_one_and_a_gender(language: str) -> None:
    catalog = catalogue_of(language)
    terms = term_templates()
    for term in terms:
        entry = catalog.get(term)
        assert entry is not None
        forms = parse_forms(str(entry.string))
        assert all(forms.values()), f"{term}: a form is empty"
        missing = parse_forms(term).keys() - forms.keys()
        assert not missing, f"{term}: the forms {missing} are missing"
        if "a" in forms:
            assert forms.get("gender") in {"m", "f"}, f"{term}: no gender"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_beginning_and_the_end_of_a_message_stay_as_they_are(language: str) -> None:
    """A space at an end separates the message from something else; a line feed ends a line."""
    for entry, templates, strings in translations(language):
        if entry.context == "grammar" or entry.locations[0][0] == "click":
            continue
        for string in strings:
            for space in (" ", "\n"):
                assert string.startswith(space) == templates[0].startswith(space), string
                assert string.endswith(space) == templates[0].endswith(space), string
