"""The choice of a language: by tags of languages and locales, and by the locale of the process."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replay.language.catalogue import choose_language, languages, locale_tags


@pytest.mark.parametrize(
    ("tags", "language"),
    [
        (["fr"], "fr"),
        (["FR"], "fr"),
        (["fr-CH"], "fr"),
        (["es_MX.UTF-8"], "es"),
        (["ca@valencia", "es"], "es"),
        (["de", "fr"], "fr"),
        (["en", "fr"], "en"),
        (["de"], "en"),
        (["french"], "en"),
        ([""], "en"),
        ([], "en"),
    ],
)
def test_the_first_tag_of_an_available_language_is_chosen(tags: list[str], language: str) -> None:
    assert choose_language(tags) == language


@given(st.lists(st.text()))
def test_any_tags_choose_an_available_language(tags: list[str]) -> None:
    assert choose_language(tags) in languages()


@pytest.mark.parametrize(
    ("environment", "tags"),
    [
        ({}, []),
        ({"LANG": "fr_FR.UTF-8"}, ["fr_FR.UTF-8"]),
        ({"LANG": "fr_FR.UTF-8", "LC_MESSAGES": "es_ES"}, ["es_ES"]),
        ({"LC_MESSAGES": "es_ES", "LC_ALL": "en_GB"}, ["en_GB"]),
        ({"LANG": "fr_FR", "LANGUAGE": "de:es"}, ["de", "es", "fr_FR"]),
        ({"LC_ALL": "C", "LANGUAGE": "fr"}, []),
        ({"LANG": "C.UTF-8"}, []),
        ({"LANG": ""}, []),
    ],
)
def test_the_locale_is_that_of_gettext(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], tags: list[str]
) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG", "LANGUAGE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert [tag for tag in locale_tags() if tag] == tags
