"""The renderer: values, plurals, forms of terms, lists, names and contractions."""

from collections.abc import Mapping
from gettext import GNUTranslations
from io import BytesIO

import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo

from domain.messages import (
    PlayerAt,
    PlayerWithId,
    Value,
    comma_list,
    counted,
    hex_at,
    hex_path,
    listing,
    message,
    plural_message,
    semicolon_list,
    term,
)
from replay.language.catalogue import Catalogue
from replay.language.renderer import NO_NAMES, Names, Renderer, english, renderer

CITY = term("city; plural: cities; a: a city; the: the city")


def catalogue_with(translations: Mapping[str, str | tuple[str, str]], grammar: str) -> Catalogue:
    """Return a catalogue, compiled by Babel, in which numbers above one are plural, as in French."""
    catalog = Catalog(locale="fr", fuzzy=False)
    for template, translation in translations.items():
        catalog.add(template, translation)
    catalog.add("contractions", grammar, context="grammar")
    file = BytesIO()
    write_mo(file, catalog)
    file.seek(0)
    return Catalogue("fr", GNUTranslations(file))


def render(
    value: Value, translations: Mapping[str, str] = {}, grammar: str = "", names: Names = NO_NAMES
) -> str:
    """Render a value with these translations."""
    return Renderer(catalogue_with(translations, grammar), names)(value)


def test_values_are_shown_by_kind() -> None:
    at = hex_at([2, -1])
    assert english(message("{count} on {hex}", count=3, hex=at)) == "3 on 2,-1"
    assert english(message("{path}", path=hex_path([(0, 0), (1, 0)]))) == "0,0>1,0"
    assert english(message("{gain:signed}, {loss:signed}", gain=3, loss=-1)) == "+3, -1"
    assert english(message("{inner}!", inner=message("{text}", text="as it is"))) == "as it is!"


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 cities"), (1, "1 city"), (2, "2 cities"), (-1, "-1 city")]
)
def test_an_amount_has_the_form_for_its_number(count: int, text: str) -> None:
    assert english(counted(count, CITY)) == text


@pytest.mark.parametrize(("count", "text"), [(0, "0 cité"), (1, "1 cité"), (2, "2 cités")])
def test_a_translated_amount_follows_the_plural_rule_of_the_language(count: int, text: str) -> None:
    forms = {CITY.forms: "cité; plural: cités; a: une cité; the: la cité; gender: f"}
    assert render(counted(count, CITY), forms) == text


def test_a_template_chooses_the_form_of_a_term() -> None:
    assert english(message("builds {building:a}", building=CITY)) == "builds a city"
    assert english(message("{building:the}", building=CITY)) == "the city"
    assert english(message("{building}", building=CITY)) == "city"


def test_a_form_that_a_term_does_not_have_is_the_bare_one() -> None:
    assert english(message("{spell:the}", spell=term("Celerity"))) == "Celerity"


@pytest.mark.parametrize(
    ("forms", "text"),
    [("cité; gender: f", "détruite"), ("village; gender: m", "détruit"), ("ville", "détruit")],
)
def test_a_translation_chooses_words_by_the_gender_of_a_term(forms: str, text: str) -> None:
    translations = {
        "{pawn} is destroyed": "{pawn} : {pawn:m=détruit|f=détruite}",
        CITY.forms: forms,
    }
    rendered = render(message("{pawn} is destroyed", pawn=CITY), translations)
    assert rendered.partition(" : ")[2] == text


@pytest.mark.parametrize(("count", "text"), [(1, "1 hex is left"), (2, "2 hexes are left")])
def test_a_plural_message_has_the_wording_for_its_count(count: int, text: str) -> None:
    value = plural_message("{count} hex is left", "{count} hexes are left", count=count)
    assert english(value) == text


@pytest.mark.parametrize(
    ("items", "text"),
    [((), "nothing"), (("a",), "a"), (("a", "b"), "a and b"), (("a", "b", "c"), "a, b and c")],
)
def test_a_listing_has_an_and_before_its_last_item(items: tuple[str, ...], text: str) -> None:
    assert english(listing(items)) == text


def test_other_lists_are_separated_by_commas_or_semicolons() -> None:
    assert english(comma_list("abc")) == "a, b, c"
    assert english(comma_list("")) == "none"
    assert english(semicolon_list("abc")) == "a; b; c"


def test_players_are_shown_by_handle_or_else_by_seat_or_id() -> None:
    names = Names({"p1": "ada"}, players=["p0", "p1"])
    value = listing([PlayerAt(0), PlayerAt(1), PlayerAt(7), PlayerWithId("p0"), PlayerWithId("p1")])
    assert render(value, names=names) == "seat 0, ada, seat 7, p0 and ada"


def test_a_handle_that_two_players_have_is_not_shown() -> None:
    names = Names({"p0": "ada", "p1": "ada"}, players=["p0", "p1"])
    assert render(PlayerAt(1), names=names) == "seat 1"


@pytest.mark.parametrize("name", ["a\x1b[31mb", "a\u202eb", "a\nb", "a\ue000b", "a\x00b"])
def test_names_and_other_text_cannot_control_the_terminal(name: str) -> None:
    for value in (PlayerWithId("p0"), name):
        text = render(message("{value}", value=value), names=Names({"p0": name}))
        assert text.isprintable()
        assert "\u202e" not in text


CONTRACTIONS = "de ¦le  => du \nde ¦(?=[aeéiou]) => d'"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Ada", "le village d'Ada"),
        ("éva", "le village d'éva"),
        ("Bea", "le village de Bea"),
        (None, "le village du siège 1"),
    ],
)
def test_contractions_join_a_value_to_the_words_before_it(name: str | None, text: str) -> None:
    translations = {
        "{player}'s village": "le village de {player}",
        "seat {number}": "le siège {number}",
    }
    names = Names({"p1": name} if name else {}, players=["p0", "p1"])
    value = message("{player}'s village", player=PlayerAt(1))
    assert render(value, translations, CONTRACTIONS, names) == text


def test_contractions_change_nothing_elsewhere() -> None:
    translations = {"{text} of {name}": "grande le {text} de abc de {name}"}
    value = message("{text} of {name}", text="de le de a", name="x")
    assert render(value, translations, CONTRACTIONS) == "grande le de le de a de abc de x"


@pytest.mark.parametrize("language", ["en", "fr", "es"])
def test_what_is_not_translated_is_shown_in_english(language: str) -> None:
    assert renderer(language)(message("certainly not translated")) == "certainly not translated"
