"""The rules as pages: one for each rule system, in every language, with an anchor for every clause."""

import re
from html import unescape
from html.parser import HTMLParser
from types import SimpleNamespace

import pytest
from flask.testing import FlaskClient
from typing_extensions import override

from domain.messages import message
from domain.registry import rule_systems
from replay.language.catalogue import languages
from replay.language.renderer import renderer
from service.pages.rules import pages, source
from service.pages.rules.pages import introduction, rules_pages
from service.pages.rules.pictures import SOURCE, pictures_by_clause
from service.pages.rules.source import rules_url
from tests.games.make_rules_pictures import rules_pictures
from tests.support.pages import DOCS, anchors
from tests.support.svg import parsed

PAGES = ("", *rule_systems())


class Structure(HTMLParser):
    """What a page consists of: ids, headings, links and open elements."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.levels: list[int] = []
        self.links: list[str] = []
        self.images: list[dict[str, str | None]] = []
        self.feed(page)

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if "id" in values:
            self.ids.append(values["id"] or "")
        if re.fullmatch("h[1-6]", tag):
            self.levels.append(int(tag[1]))
        if tag == "a":
            self.links.append(values.get("href") or "")
        if tag == "img":
            self.images.append(values)
        assert "style" not in values
        assert not any(name.startswith("on") for name in values)


def structure(name: str, language: str = "en") -> Structure:
    return Structure(rules_pages(language)[name].content)


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_headings_in_order_and_no_id_twice(name: str, language: str) -> None:
    page = structure(name, language)
    assert page.levels[0] == 1
    assert page.levels.count(1) == 1
    for before, level in zip(page.levels, page.levels[1:], strict=False):
        assert level <= before + 1
    assert len(set(page.ids)) == len(page.ids)
    listed = {heading.anchor for heading in rules_pages(language)[name].headings}
    assert listed <= {*page.ids}
    assert len(listed) == len(page.levels) - 1


@pytest.mark.parametrize("language", languages())
def test_the_pages_together_have_every_anchor_of_the_text(language: str) -> None:
    ids = [id for name in PAGES for id in structure(name, language).ids]
    assert sorted(ids) == sorted(anchors((DOCS / "rules.md").read_text()))


@pytest.mark.parametrize("language", languages())
def test_every_link_leads_to_an_anchor(language: str) -> None:
    ids = {name: {*structure(name, language).ids} for name in PAGES}
    for name in PAGES:
        links = structure(name, language).links
        assert len(links) > 10 or not name
        for link in links:
            address, _, anchor = link.partition("#")
            target = address.removeprefix("/rules").removeprefix("/") if address else name
            assert anchor in ids[target], link


def test_every_clause_of_a_game_has_an_address_that_shows_it() -> None:
    ids = {f"/rules/{name}": {*structure(name).ids} for name in rule_systems()}
    for entry in rule_systems().values():
        for clause in entry.system.CLAUSES:
            address, anchor = rules_url(clause).split("#")
            assert anchor == clause
            assert clause in ids[address]


@pytest.mark.parametrize("clause", ["FORMAT", "XX-NONE-1", ""])
def test_an_id_that_is_not_a_clause_leads_to_the_page_of_all_rules(clause: str) -> None:
    assert rules_url(clause) == "/rules"


def test_a_game_without_a_chapter_has_the_summaries_of_its_clauses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    summaries = {"TT-TAK-1": message("Take one or two < three tokens.")}
    system = SimpleNamespace(CLAUSES=summaries, TITLE=message("Tokens"))
    systems = {**rule_systems(), "tokens": SimpleNamespace(system=system)}
    for module in (pages, source):
        monkeypatch.setattr(module, "rule_systems", lambda: systems)
    assert rules_url("TT-TAK-1") == "/rules/tokens#TT-TAK-1"
    content = rules_pages.__wrapped__("en")["tokens"].content
    assert Structure(content).ids == ["TT-TAK-1"]
    assert "Take one or two &lt; three tokens." in content


@pytest.mark.parametrize("language", languages())
def test_a_screen_reader_and_the_keyboard_reach_everything(language: str) -> None:
    for name in PAGES:
        content = rules_pages(language)[name].content
        assert "<th></th>" not in content
        assert content.count("<table") == content.count('<div class="scroll-x" tabindex="0">')
        assert content.count("<pre") == content.count('<pre tabindex="0">')


def test_the_heading_of_a_page_is_the_title_of_the_game() -> None:
    for name, entry in rule_systems().items():
        title = renderer("fr").sentence(entry.system.TITLE)
        page = rules_pages("fr")[name]
        assert page.title == title
        assert re.findall(r"<h1[^>]*>(.*)</h1>", page.content) == [title]


class TestPictures:
    def test_the_pictures_are_those_of_recorded_games(self) -> None:
        """Run `python -m tests.games.make_rules_pictures` after a change of the records or formats."""
        assert SOURCE.read_text() == rules_pictures()

    def test_every_picture_is_on_the_page_of_its_clause(self) -> None:
        addresses = [p.address for group in pictures_by_clause("en").values() for p in group]
        shown = [image["src"] for name in PAGES for image in structure(name).images]
        assert sorted(map(str, shown)) == sorted(addresses)
        assert len(addresses) >= 12

    @pytest.mark.parametrize("language", languages())
    def test_a_picture_is_described_in_the_language_of_the_page(self, language: str) -> None:
        for group in pictures_by_clause(language).values():
            for picture in group:
                assert parsed(picture.svg).attrib["lang"] == language
                assert picture.caption
                assert picture.description
                assert not re.search(
                    r"\b(seat|siège|asiento) \d", picture.caption + picture.description
                )
        captions = {p.caption for group in pictures_by_clause(language).values() for p in group}
        assert language == "en" or captions.isdisjoint(
            p.caption for group in pictures_by_clause("en").values() for p in group
        )


class TestOverHttp:
    @pytest.mark.parametrize("name", PAGES)
    def test_a_page_is_in_the_language_of_the_visitor(
        self, browser: FlaskClient, name: str
    ) -> None:
        address = f"/rules/{name}" if name else "/rules"
        titles = set()
        for language in languages():
            response = browser.get(address, headers={"Accept-Language": language})
            assert response.status_code == 200
            assert response.headers["Content-Language"] == language
            assert f'<html lang="{language}"' in response.text
            assert 'aria-current="page"' in response.text
            titles.add(unescape(response.text))
        assert len(titles) == 3

    def test_a_picture_may_be_cached_by_everybody(self, browser: FlaskClient) -> None:
        (image, *_) = structure(PAGES[-1]).images
        address = str(image["src"])
        picture = browser.get(address)
        assert picture.status_code == 200
        assert picture.mimetype == "image/svg+xml"
        assert picture.headers["Cache-Control"].startswith("public, max-age=")
        again = browser.get(address, headers={"If-None-Match": picture.headers["ETag"]})
        assert again.status_code == 304

    @pytest.mark.parametrize(
        "address",
        [
            "/rules/chess",
            "/rules/pictures/none/en.svg",
            "/rules/pictures/city/xx.svg",
            "/rules/pictures/..%2Fsource/en.svg",
        ],
    )
    def test_what_does_not_exist_is_a_page_that_says_so(
        self, browser: FlaskClient, address: str
    ) -> None:
        response = browser.get(address)
        assert response.status_code == 404
        assert response.mimetype == "text/html"


LANGUAGES = list(languages())
FOR_PROGRAMS = (
    r"\b(server|serveur|servidor|programs?|programmes?|programas?|formats?|json|http|hash|seed|graine|semilla)\b"
    r"|game's log|journal de la partie|registro de la partida|<code>|data in a|datos en|données dans"
)
"""Words of formats and servers."""


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", PAGES)
def test_the_pages_say_nothing_of_formats_and_servers(name: str, language: str) -> None:
    """The texts in docs do, for authors of programs; those of coordinates are code in the docs too."""
    coordinates = r"<pre.*?</pre>|<code>\[q, r\]</code>"
    text = re.sub(coordinates, "", rules_pages(language)[name].content, flags=re.DOTALL)
    assert [match[0] for match in re.finditer(FOR_PROGRAMS, text, re.IGNORECASE)] == []
    docs = (DOCS / ("rules.md" if language == "en" else f"rules.{language}.md")).read_text()
    assert "FORMAT" in docs
    assert docs.count("<!-- programs -->") == docs.count("<!-- /programs -->") > 20


class TestIntroductions:
    """The games in five minutes."""

    @pytest.mark.parametrize("language", LANGUAGES)
    @pytest.mark.parametrize("name", list(rule_systems()))
    def test_a_game_is_explained_with_pictures_in_every_language(
        self, browser: FlaskClient, name: str, language: str
    ) -> None:
        response = browser.get(f"/rules/{name}/introduction", headers={"Accept-Language": language})
        assert response.status_code == 200
        page = introduction(name, language)
        assert page is not None
        shown = Structure(page.content)
        english = introduction(name, "en")
        assert english is not None
        sources = [image["src"] for image in Structure(english.content).images]
        assert len(sources) >= 3
        assert [image["src"] for image in shown.images] == [
            str(source).replace("/en.svg", f"/{language}.svg") for source in sources
        ]
        assert all(image["alt"] for image in shown.images)
        assert "<!--" not in page.content
        words = re.sub("<[^>]+>", " ", page.content).split()
        # Five minutes of reading, at 200 words a minute.
        assert 150 <= len(words) <= 1000

    @pytest.mark.parametrize("language", LANGUAGES)
    @pytest.mark.parametrize("name", list(rule_systems()))
    def test_it_says_nothing_of_formats_and_servers(self, name: str, language: str) -> None:
        page = introduction(name, language)
        assert page is not None
        words = r"\b(server|serveur|servidor|programs?|formats?|json|http|hash|seed|log)\b|`|<code>"
        assert re.search(words, page.content, re.IGNORECASE) is None

    def test_the_pages_of_the_rules_lead_to_them_first(self, browser: FlaskClient) -> None:
        for name in rule_systems():
            for address in ("/rules", f"/rules/{name}"):
                page = browser.get(address).text
                link = page.index(f'href="/rules/{name}/introduction"')
                assert link < page.index("<h1", page.index('class="rules-text"'))
            after = browser.get(f"/rules/{name}/introduction").text
            assert f'href="/rules/{name}">All rules, clause by clause' in after
            assert 'href="/tutorial">Learn by playing' in after

    def test_other_games_have_none(self, browser: FlaskClient) -> None:
        assert browser.get("/rules/chess/introduction").status_code == 404
