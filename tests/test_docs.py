"""What the pages in docs/ show is true: their examples run, their links lead somewhere.

Fences: ```python runs, ```json action is of the form, ```json cast comes about on a board given here; those
of Baron are in test_docs_baron.py. Shell lines are run by the tests of the command line and of HTTP
(tests/service/http, tests/test_readme.py).
"""

import json
import re
from pathlib import Path

import pytest

from domain import barony
from domain.barony import sorcery
from domain.barony.action_json import FORMS
from domain.barony.sorcery.state import SorceryState
from tests.support.barony_positions import given
from tests.support.pages import DOCS, FORMATS, PAGES, ROOT, all_fences, fences, short_forms


@pytest.mark.parametrize("body", all_fences("python"))
def test_python_examples_run(body: str) -> None:
    exec(compile(body, "docs", "exec"), {})  # noqa: S102 - our own pages


@pytest.mark.parametrize("body", all_fences("json action"))
def test_actions_are_of_the_form(body: str) -> None:
    raw = json.loads(body)
    action = barony.parse_action(raw)
    assert barony.parse_action(barony.action_to_json(action)) == action


BOARDS = [
    """
    play round 4 seat 0
    spells: celerity charm illusion portal tornado
    0: baron, magic 3
    1: baron, 1P
    2: baron
    board
    P0k1k S P1v2k P1c
    """,
    """
    play round 4 seat 0
    spells: celerity charm illusion portal tornado
    0: baron, removed 1, magic 3
    1: baron
    board
    P0c F P0c P1c
    """,
    """
    play round 4 seat 0
    spells: abundance charm petrification portal sanctuary
    0: baron, magic 4
    1: baron
    board
    P0c F0k P P1c
    """,
]
"""Where the casts that are shown may have been made."""


@pytest.mark.parametrize(
    ("body", "board"),
    list(zip(fences(FORMATS, "json cast"), BOARDS, strict=True)),
)
def test_casts_give_the_data_that_are_shown(body: str, board: str) -> None:
    shown, state = json.loads(body), given(board)
    assert isinstance(state, SorceryState)
    fact = sorcery.decide(state, 0, sorcery.parse_action(shown["action"]))
    assert (fact.type, fact.data) == ("SpellsCast", shown["data"])


def test_short_forms_are_read_and_stand_for_their_type() -> None:
    seen = set()
    for types, form in short_forms(0):
        action = barony.parse_action_text(form)
        assert f"`{action.type}`" in types
        assert barony.action_text(action) == form
        seen.add(action.type)
    assert seen == {*FORMS}


def test_every_action_is_shown() -> None:
    shown = {json.loads(body)["type"] for page in PAGES for body in fences(page, "json action")}
    assert shown == {
        *("place_city", "recruit", "move", "build", "new_city", "expedition", "noble_title"),
        *("pass", "cast", "agree_to_end", "resign"),
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text()
    for target in re.findall(r"\]\((?!https?:)([^)\s]+)\)", text):
        path, _, anchor = target.partition("#")
        goal = (page.parent / path) if path else page
        assert goal.exists(), f"{page.name} points to {target}"
        if anchor and goal.suffix == ".md":
            assert anchor in anchors(goal.read_text()), f"{page.name} points to {target}"


def anchors(text: str) -> set[str]:
    """The anchors that headings get."""
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {
        re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings
    } | set(re.findall(r'id="([^"]+)"', text))


def test_the_index_of_the_docs_lists_every_page() -> None:
    index = (DOCS / "README.md").read_text()
    for page in DOCS.glob("*.md"):
        assert page.name == "README.md" or f"]({page.name})" in index, page.name


def test_the_index_of_decisions_lists_every_decision_with_its_date() -> None:
    folder = DOCS / "decisions"
    index = (folder / "README.md").read_text()
    for page in folder.glob("[0-9]*.md"):
        title, _, date, *_ = page.read_text().splitlines()
        number, _, name = title.removeprefix("# ").partition(". ")
        day = date.strip("*").partition(",")[0]
        assert f"| [{number}]({page.name}) | {day} | {name} |" in index
