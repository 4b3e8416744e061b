"""The examples in the documentation are correct, and its links have targets.

Blocks fenced as ```python run, blocks fenced as ```json action have a valid form, and blocks fenced as
```json cast are produced on boards given here. test_docs_baron.py tests the examples of Baron. Other tests
run the shell commands (tests/service/http/test_api_docs.py, tests/test_readme.py).
"""

import json
import re
from pathlib import Path

import pytest

from domain import barony
from domain.barony import sorcery
from domain.barony.actions import ACTION_PARSERS
from domain.barony.sorcery.state import SorceryState
from domain.contract import RuleSystem, State
from domain.turn_games.definition import Definition
from tests.support.barony_positions import given
from tests.support.pages import DOCS, FORMATS, PAGES, ROOT, all_fences, anchors, fences, short_forms


@pytest.mark.parametrize("body", all_fences("python"))
def test_python_examples_run(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    exec(compile(body, "docs", "exec"), {})  # noqa: S102 - the code is from our own pages


@pytest.mark.parametrize("body", all_fences("json action"))
def test_actions_have_a_valid_form(body: str) -> None:
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
"""A board for each cast on the page, in the same order."""


@pytest.mark.parametrize(
    ("body", "board"), list(zip(fences(FORMATS, "json cast"), BOARDS, strict=True))
)
def test_casts_produce_the_data_on_the_page(body: str, board: str) -> None:
    example, state = json.loads(body), given(board)
    assert isinstance(state, SorceryState)
    event = sorcery.decide(state, 0, sorcery.parse_action(example["action"]))
    assert (event.type, event.data) == ("SpellsCast", example["data"])


def test_short_forms_can_be_parsed_and_have_the_type_of_their_row() -> None:
    types_on_page = set()
    for types, form in short_forms(0):
        action = barony.parse_action_text(form)
        assert f"`{action.type}`" in types
        assert barony.action_text(action) == form
        types_on_page.add(action.type)
    assert types_on_page == {*ACTION_PARSERS}


def test_the_pages_have_an_example_of_every_action() -> None:
    types_on_pages = {
        json.loads(body)["type"] for page in PAGES for body in fences(page, "json action")
    }
    assert types_on_pages == {
        *("place_city", "recruit", "move", "build", "new_city", "expedition", "noble_title"),
        *("pass", "cast", "agree_to_end", "resign"),
    }


def public_names(protocol: type) -> set[str]:
    """Return the names of the attributes and methods that a protocol requires."""
    return {name for name in {*vars(protocol), *protocol.__annotations__} if name[0] != "_"}


def test_the_page_on_adding_a_game_describes_the_whole_contract() -> None:
    text = (DOCS / "adding-a-game.md").read_text()
    own, contract = (
        {
            name
            for cell in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
            for name in re.findall(r"`(\w+)`", cell)
        }
        for table in re.findall(r"^\| name \|.*?\n\n", text, re.MULTILINE | re.DOTALL)
    )
    assert own == public_names(Definition) - {"OPTION_FIELDS"}
    assert contract == public_names(RuleSystem)
    sentence = re.search(r"the protocol `State` lists: (.*?)\.\n", text, re.DOTALL)
    assert sentence is not None
    assert set(re.findall(r"`(\w+)`", sentence[1])) == public_names(State)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_have_targets(page: Path) -> None:
    text = page.read_text()
    for target in re.findall(r"\]\((?!https?:)([^)\s]+)\)", text):
        path, _, anchor = target.partition("#")
        target_page = (page.parent / path) if path else page
        assert target_page.exists(), f"{page.name} points to {target}"
        if anchor and target_page.suffix == ".md":
            assert anchor in anchors(target_page.read_text()), f"{page.name} points to {target}"


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
