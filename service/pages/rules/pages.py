"""Turns the rules into pages: chapters of Markdown become HTML with anchors, links and pictures."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape

from domain.registry import RegisteredRuleSystem, rule_systems
from replay.language.catalogue import ENGLISH
from replay.language.renderer import renderer
from service.pages.rules.pictures import Picture, picture, pictures_by_clause
from service.pages.rules.source import (
    CLAUSE,
    INDEX,
    Chapter,
    chapters,
    introductions,
    page_address,
    page_of_anchors,
    rules_url,
    slug,
)

_PICTURE: Final = re.compile(r"<!-- picture: ([\w-]+) -->")
_ANCHOR_TAG: Final = re.compile(r'<a id="([^"]+)">')
_REFERENCE: Final = re.compile(r"\b[A-Z]{2,}(?:-[A-Z]+)+(?:-\d+)?\b")
"""The id of a clause, or of a group of clauses."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading on a page, for its table of contents."""

    level: int
    anchor: str
    text: str


@dataclass(frozen=True, slots=True)
class RulesPage:
    """A page of the rules in one language: its headings below the first, and its content."""

    title: str
    headings: tuple[Heading, ...]
    content: Markup


@lru_cache(maxsize=32)
def rules_pages(language: str) -> Mapping[str, RulesPage]:
    """Return all pages of the rules by name: first the one that leads to the others."""
    names = (INDEX, *rule_systems())
    return MappingProxyType({name: _page(name, language) for name in names})


@lru_cache(maxsize=32)
def introduction(name: str, language: str) -> RulesPage | None:
    """Return the illustrated introduction to a game; None if it has none."""
    chapter = introductions(language).get(name)
    if chapter is None:
        return None
    builder = _Builder(chapter.page, {}, level=1, title=None, language=language)
    content = builder.render(chapter)
    first, *headings = builder.headings
    return RulesPage(first.text, tuple(headings), content)


def _page(name: str, language: str) -> RulesPage:
    parts = [chapter for chapter in chapters(language) if chapter.page == name]
    if not parts:
        return _summaries(rule_systems()[name], language) if name else RulesPage("", (), Markup())
    pictures = pictures_by_clause(language)
    title = renderer(language).sentence(rule_systems()[name].system.TITLE) if name else None
    builders = [
        _Builder(
            name,
            pictures,
            level=2 if number else 1,
            title=None if number else title,
            language=language,
        )
        for number in range(len(parts))
    ]
    content = Markup().join(
        builder.render(chapter) for builder, chapter in zip(builders, parts, strict=True)
    )
    first, *headings = (heading for builder in builders for heading in builder.headings)
    return RulesPage(first.text, tuple(headings), content)


def _summaries(entry: RegisteredRuleSystem, language: str) -> RulesPage:
    """Return a page with the summaries of the clauses of a game whose rules have no chapter."""
    render = renderer(language)
    title = render.sentence(entry.system.TITLE)
    clauses = Markup().join(
        Markup('<p id="{0}" class="rule"><a href="#{0}"><strong>{0}</strong></a> {1}</p>').format(
            id, render(summary)
        )
        for id, summary in entry.system.CLAUSES.items()
    )
    return RulesPage(title, (), Markup("<h1>{}</h1>").format(title) + clauses)


class _Builder:
    """Turns one chapter into HTML.

    `level` is that of the chapter's own heading, and `title` the text of that heading, if another one.
    """

    def __init__(
        self,
        page: str,
        pictures: Mapping[str, Sequence[Picture]],
        *,
        level: int,
        title: str | None,
        language: str = ENGLISH,
    ) -> None:
        self.headings: list[Heading] = []
        self._page = page
        self._pictures = pictures
        self._first_level = level
        self._title = title
        self._language = language
        self._labels = _labels(page, language)
        self._levels: list[int] = []
        self._markdown = MarkdownIt("commonmark").enable("table")

    def render(self, chapter: Chapter) -> Markup:
        """Return the content of the chapter, and collect its headings."""
        tokens = list(self._blocks(self._markdown.parse(chapter.text)))
        html = self._markdown.renderer.render(tokens, self._markdown.options, {})
        return Markup(html)  # noqa: S704 # the text is part of the package

    def _blocks(self, tokens: Sequence[Token]) -> Iterator[Token]:
        figures: list[Picture] = []
        skipped = False
        for index, token in enumerate(tokens):
            if token.type == "heading_open":
                self._read_heading(token, tokens[index + 1])
            elif token.type == "heading_close":
                token.tag = f"h{self._level}"
            elif token.type == "paragraph_open":
                inline = tokens[index + 1]
                skipped = _is_language_links(inline)
                anchor = _take_anchor(inline)
                if anchor is not None:
                    token.attrSet("id", anchor)
                    token.attrSet("class", "rule")
                    _link_first_id(inline, anchor)
                    figures = list(self._pictures.get(anchor, ()))
            elif token.type in {"th_open", "th_close"} and _is_in_empty_cell(tokens, index):
                # Screen readers announce a header cell without text as an unnamed header.
                token.tag = "td"
            elif token.type == "code_block":
                # It may be wider than the page; with the focus, it can be scrolled with the keyboard.
                token.attrSet("tabindex", "0")
            elif token.type == "html_block" and (comment := _PICTURE.match(token.content)):
                yield _figure(picture(comment[1], self._language))
                continue
            if token.type == "inline":
                token.children = list(self._inline(token.children or []))
            if token.type == "table_open":
                yield _html('<div class="scroll-x" tabindex="0">')
            if not skipped and token.type != "hr":
                yield token
            if token.type == "table_close":
                yield _html("</div>")
            if token.type == "paragraph_close":
                skipped = False
                yield from map(_figure, figures)
                figures = []

    @property
    def _level(self) -> int:
        return min(self._first_level + len(self._levels) - 1, 6)

    def _read_heading(self, token: Token, inline: Token) -> None:
        """Give a heading the level that follows from those around it, so that no level is left out."""
        level = int(token.tag[1:])
        while self._levels and self._levels[-1] >= level:
            self._levels.pop()
        self._levels.append(level)
        token.tag = f"h{self._level}"
        anchor = _take_anchor(inline)
        text = "".join(child.content for child in inline.children or [])
        if anchor is None:
            anchor = slug(text)
        if self._title is not None and len(self._levels) == 1:
            text = self._title
            inline.children = [_text(text)]
        token.attrSet("id", anchor)
        self.headings.append(Heading(self._level, anchor, text))

    def _inline(self, children: Sequence[Token]) -> Iterator[Token]:
        """Yield the parts of a text with links to the clauses that it names."""
        is_in_link = False
        is_kept = True
        for child in children:
            if child.type == "link_open":
                href = str(child.attrGet("href") or "")
                is_in_link, is_kept = True, href.startswith("#")
                if is_kept:
                    child.attrSet("href", self._address(href.removeprefix("#")))
                    yield child
            elif child.type == "link_close":
                if is_kept:
                    yield child
                is_in_link, is_kept = False, True
            elif child.type == "code_inline" and child.content in self._labels:
                # People read what the page of a game calls an action, not its name in JSON.
                yield from _emphasized(self._labels[child.content])
            elif child.type == "text" and not is_in_link:
                yield from self._linked(child.content)
            else:
                yield child

    def _linked(self, text: str) -> Iterator[Token]:
        end = 0
        for reference in _REFERENCE.finditer(text):
            anchor = _clause_of(reference[0])
            if anchor is None:
                continue
            yield _text(text[end : reference.start()])
            yield from _link(self._address(anchor), reference[0])
            end = reference.end()
        yield _text(text[end:])

    def _address(self, anchor: str) -> str:
        address = rules_url(anchor)
        return address.removeprefix(page_address(self._page)) if self._is_here(anchor) else address

    def _is_here(self, anchor: str) -> bool:
        return page_of_anchors().get(anchor) == self._page


def _is_in_empty_cell(tokens: Sequence[Token], index: int) -> bool:
    """Return whether the tag at this index opens or closes a cell of a table without content."""
    inline = tokens[index + 1] if tokens[index].nesting == 1 else tokens[index - 1]
    return not inline.content


def _clause_of(reference: str) -> str | None:
    """Return the clause that a reference leads to: of a group, the first one."""
    anchor = reference if CLAUSE.fullmatch(reference) else f"{reference}-1"
    return anchor if anchor in page_of_anchors() else None


def _is_language_links(inline: Token) -> bool:
    """Return whether a paragraph only leads to the translations: every page has a switch for that."""
    links = [child for child in inline.children or [] if child.type == "link_open"]
    return bool(links) and all(
        re.fullmatch(r"rules(\.\w+)?\.md", str(link.attrGet("href"))) for link in links
    )


def _labels(page: str, language: str) -> Mapping[str, str]:
    """Return what people call the types of actions of a game, by their names in JSON."""
    entry = rule_systems().get(page)
    if entry is None:
        return {}
    render, rules = renderer(language), entry.system
    return {name: render(rules.LABELS[name]) for name in rules.ACTIONS if name in rules.LABELS}


def _emphasized(text: str) -> Iterator[Token]:
    yield Token("em_open", "em", 1)
    yield _text(text)
    yield Token("em_close", "em", -1)


def _take_anchor(inline: Token) -> str | None:
    """Remove the anchor with which a text begins, and return it; None if there is none."""
    children = inline.children or []
    if len(children) < 2 or children[0].type != "html_inline":
        return None
    anchor = _ANCHOR_TAG.fullmatch(children[0].content)
    if anchor is None:
        return None
    del children[:2]
    return anchor[1]


def _link_first_id(inline: Token, anchor: str) -> None:
    """Make the id at the beginning of a clause a link to the clause itself, to be copied."""
    children = inline.children or []
    for index, child in enumerate(children):
        if child.type == "text" and child.content == anchor:
            children[index : index + 1] = list(_link(f"#{anchor}", anchor))
            return


def _link(href: str, text: str) -> Iterator[Token]:
    opening = Token("link_open", "a", 1)
    opening.attrSet("href", href)
    yield opening
    yield _text(text)
    yield Token("link_close", "a", -1)


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)


def _html(content: str) -> Token:
    return Token("html_block", "", 0, content=content)


def _figure(shown: Picture) -> Token:
    return _html(
        f'<figure class="rules-picture"><img src="{escape(shown.address)}"'
        f' alt="{escape(shown.description)}" width="{shown.width}" height="{shown.height}"'
        f' loading="lazy"><figcaption>{escape(shown.caption)}</figcaption></figure>\n'
    )
