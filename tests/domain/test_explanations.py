"""Every action, terrain, piece, title and number that a page shows has a clause that explains it."""

from pathlib import Path

import pytest

from domain.contract import AnyRuleSystem
from domain.messages import counted as amount_of
from domain.messages import english_word, message, term
from domain.registry import rule_systems
from domain.scene import Scene
from ledger.record import read
from replay.history.timeline import transitions

GAMES = sorted((Path(__file__).parents[1] / "games").glob("*.jsonl"))
SYSTEMS = list(rule_systems())


def rules_of(name: str) -> AnyRuleSystem:
    return rule_systems()[name].system


@pytest.mark.parametrize("name", SYSTEMS)
def test_explanations_are_sentences_of_the_clauses(name: str) -> None:
    rules = rules_of(name)
    assert set(rules.EXPLAINED_BY.values()) <= rules.CLAUSES.keys()


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_type_of_action_is_explained(name: str) -> None:
    rules = rules_of(name)
    assert rules.ACTIONS.keys() <= rules.EXPLAINED_BY.keys()
    assert "score" in rules.EXPLAINED_BY


def words_of(scene: Scene) -> set[str]:
    """The English words of headings and rows, and the kinds of terrains and pieces."""
    labels = [label for label, _ in scene.common_rows]
    for panel in scene.panels:
        labels += [panel.heading, *(label for label, _ in panel.rows)]
    kinds = {entry.kind for entry in scene.legend if entry.kind}
    return {english_word(label) for label in labels} | kinds


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.stem)
def test_every_word_beside_the_board_of_a_recorded_game_is_explained(path: Path) -> None:
    with path.open("rb") as file:
        record = read(file)
    unexplained: set[str] = set()
    for transition in transitions(record):
        game = transition.after
        if game.state is not None:
            unexplained |= words_of(game.rules.scene(game.position(0), None)) - {
                *game.rules.EXPLAINED_BY
            }
    assert unexplained == set()


def test_the_word_of_a_text_is_its_english_template_or_first_form() -> None:
    knight = term("knight; plural: knights; a: a knight; the: the knight")
    assert english_word(knight) == "knight"
    assert english_word(amount_of(2, knight)) == "knight"
    assert english_word(message("score track")) == "score track"
