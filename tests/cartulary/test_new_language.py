"""A fourth language needs a catalogue and no code: here a tiny one, in Esperanto."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from click.testing import CliRunner

from cartulary.cli import cartulary
from domain.barony.terms import KNIGHT
from domain.messages import PlayerAt, counted, message
from replay.language.catalogue import choose_language, languages
from replay.language.maintenance import untranslated, update
from replay.language.renderer import renderer
from service.http.language import accepted_language
from tests.support.catalogues import catalogues_in, write_language

RECORD = Path(__file__).parents[1] / "games" / "duke-of-three.jsonl"
TRANSLATIONS = {
    KNIGHT.forms: "kavaliro; plural: kavaliroj; a: kavaliro; the: la kavaliro",
    "takes a place": "prenas lokon",
    "seat {number}": "la sidloko {number}",
    "{clause}: {why}": "laŭ {clause}, {why}",
}


@pytest.fixture(autouse=True)
def esperanto(tmp_path: Path) -> Iterator[None]:
    catalog = Catalog(locale="eo", fuzzy=False)
    for template, translation in TRANSLATIONS.items():
        catalog.add(template, translation)
    write_language(tmp_path, "eo", catalog)
    with catalogues_in(tmp_path):
        yield


def test_the_language_is_available_beside_the_others() -> None:
    assert languages() == ("en", "eo", "es", "fr")
    assert choose_language(["eo_XX.UTF-8"]) == "eo"
    assert accepted_language("de, eo;q=0.8, en;q=0.5") == "eo"


def test_translations_and_forms_of_terms_are_used_and_the_rest_is_english() -> None:
    render = renderer("eo")
    assert render(PlayerAt(1)) == "la sidloko 1"
    assert render(message("{clause}: {why}", clause="BY-1", why=counted(2, KNIGHT))) == (
        "laŭ BY-1, 2 kavaliroj"
    )
    assert render(message("certainly not translated")) == "certainly not translated"


def test_the_command_line_speaks_it() -> None:
    result = CliRunner().invoke(cartulary, ["--lang", "eo", "log", str(RECORD)])
    assert "prenas lokon" in result.output
    assert "la sidloko" not in result.output.splitlines()[0]
    assert CliRunner().invoke(cartulary, ["log", str(RECORD)]).output != result.output


@pytest.mark.nightly
def test_a_new_catalogue_has_every_message_and_the_plural_rule_of_its_language(
    tmp_path: Path,
) -> None:
    path = tmp_path / "pl" / "LC_MESSAGES" / "messages.po"
    catalog = update(path)
    assert len(untranslated(catalog)) == len(catalog) > 1000
    assert catalog.num_plurals == 3
    assert "nplurals=3" in path.read_text()
