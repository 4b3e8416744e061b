"""The texts of the rules by language, their chapters, and the page on which each chapter stands.

Every chapter with clauses is on the page of a rule system: the first one whose summaries of clauses
(`CLAUSES`) contain all of them. The others are on the page that leads to the rules of all games. A built
package contains a copy of the texts; a checkout has them in its docs. The package of a game from another
distribution may contain its own, `rules.md` and `rules-introduction.md`.

The texts in docs are for authors of programs too. What concerns only these (formats, seeds, the server) is
between comments `<!-- programs -->` and `<!-- /programs -->`, and not on the pages, where people read.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from types import MappingProxyType
from typing import Final

from domain.contract import package_of
from domain.registry import rule_systems
from replay.language.catalogue import ENGLISH

INDEX: Final = ""
"""The name of the page that leads to all others."""
CLAUSE: Final = re.compile(r"\b[A-Z]+(?:-[A-Z]+)+-\d+\b")
"""The id of a clause."""
_ANCHOR: Final = re.compile(r'<a id="([^"]+)"></a>')
_HEADING: Final = re.compile(r"^#+ (.+)$", re.MULTILINE)
_PAGE: Final = re.compile(r"^<!-- page: (\w+) -->$", re.MULTILINE)
"""The comment that names the page of an introduction."""
_FOR_PROGRAMS: Final = re.compile(r"\s*(?:> )?<!-- programs -->.*?<!-- /programs -->", re.DOTALL)
"""What concerns authors of programs only: pages leave it out."""
_TABLE: Final = re.compile(r"(?:^\|.*\n)+", re.MULTILINE)
_CODE: Final = re.compile(r"`\w+`")
_PACKAGED: Final = Path(__file__).parent
_DOCS: Final = Path(__file__).parents[3] / "docs"


@dataclass(frozen=True, slots=True)
class Chapter:
    """A part of the rules from one heading of the first level to the next, on a page of this name."""

    text: str
    anchors: tuple[str, ...]
    page: str


@lru_cache(maxsize=32)
def chapters(language: str) -> tuple[Chapter, ...]:
    """Return the chapters of the rules in a language; in English if they are not translated."""
    return tuple(_chapter(_without_columns_of_code(part)) for part in _parts("rules", language))


@lru_cache(maxsize=32)
def introductions(language: str) -> Mapping[str, Chapter]:
    """Return the introductions to the games in a language, or in English, by the names of rule systems.

    A comment below the heading of each names its page, and comments in the text name pictures.
    """
    parts = [(_PAGE.search(part), part) for part in _parts("rules-introduction", language)]
    return MappingProxyType(
        {
            page[1]: Chapter(_PAGE.sub("", part), (), introduction_name(page[1]))
            for page, part in parts
            if page is not None
        }
    )


def introduction_name(name: str) -> str:
    """Return the name of the page with the introduction to a game."""
    return f"{name}/introduction"


def _parts(name: str, language: str) -> list[str]:
    """Return the chapters of a text in a language; in English if it is not translated."""
    own = next((folder for folder in (_PACKAGED, _DOCS) if (folder / f"{name}.md").is_file()), None)
    folders = [*([] if own is None else [own]), *_folders_of_games()]
    return [part for folder in folders for part in _parts_of_file(folder, name, language)]


def _folders_of_games() -> Iterator[Traversable]:
    """Yield the packages of games that may come with texts, such as installed ones."""
    for entry in rule_systems().values():
        if package := package_of(entry.system):
            yield files(package)


def _parts_of_file(folder: Traversable, name: str, language: str) -> list[str]:
    names = [f"{name}.md"] if language == ENGLISH else [f"{name}.{language}.md", f"{name}.md"]
    path = next((folder / file for file in names if (folder / file).is_file()), None)
    if path is None:
        return []
    text = _FOR_PROGRAMS.sub("", path.read_text(encoding="utf-8"))
    return [part for part in re.split(r"^(?=# )", text, flags=re.MULTILINE) if part]


def _without_columns_of_code(text: str) -> str:
    """Return a text without the columns of tables that contain nothing but names for programs."""
    return _TABLE.sub(lambda table: _narrower(table[0]), text)


def _narrower(table: str) -> str:
    rows = [line.strip().strip("|").split("|") for line in table.splitlines()]
    kept = [
        index
        for index in range(len(rows[0]))
        if not all(_CODE.fullmatch(row[index].strip()) for row in rows[2:])
    ]
    return "".join(f"|{'|'.join(row[index] for index in kept)}|\n" for row in rows)


@lru_cache(maxsize=1)
def page_of_anchors() -> Mapping[str, str]:
    """Return the page on which each anchor stands. The anchors are the same in every language."""
    return MappingProxyType(
        {anchor: chapter.page for chapter in chapters(ENGLISH) for anchor in chapter.anchors}
    )


def rules_url(anchor: str) -> str:
    """Return the address of an anchor or a clause; that of the page of all rules if there is none."""
    page = page_of_anchors().get(anchor)
    if page is None:
        page = next(
            (name for name, entry in rule_systems().items() if anchor in entry.system.CLAUSES), None
        )
    if page is None:
        return page_address(INDEX)
    return f"{page_address(page)}#{anchor}"


def page_address(name: str) -> str:
    """Return the address of a page."""
    return f"/rules/{name}" if name else "/rules"


def slug(heading: str) -> str:
    """Return the anchor of a heading that does not set its own."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _chapter(text: str) -> Chapter:
    headings = [slug(heading) for heading in _HEADING.findall(text) if not _ANCHOR.search(heading)]
    anchors = (*_ANCHOR.findall(text), *headings)
    return Chapter(text, anchors, _page_of({id for id in anchors if CLAUSE.fullmatch(id)}))


def _page_of(clauses: set[str]) -> str:
    if not clauses:
        return INDEX
    names = (
        name for name, entry in rule_systems().items() if clauses <= entry.system.CLAUSES.keys()
    )
    return next(names, INDEX)
