"""What people read about a game, in three languages and with the names of the players."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from domain.contract import AnyRuleSystem
from domain.messages import PlayerAt, message
from domain.scene import Scene
from ledger.record import Record
from replay.history.diff import change_lines, changes
from replay.history.score_chart import score_chart, score_table
from replay.history.score_chart_svg import score_chart_svg
from replay.history.timeline import game_at, transitions
from replay.language.text_layout import columns
from replay.render.text import text
from tests.games.records import record_of
from tests.support.explanations import PLAIN, explain, log_of, page, renderer_of
from tests.support.languages import FRENCH, SPANISH
from tests.support.svg import drawn_texts, parsed, svg

LANGUAGES = ["en", "fr", "es"]
GAMES = {"duke-of-three": 129, "sorcery-duke-of-five": 120, "baron-five": 100}
"""A recorded game of each rule system, and an event of it after which much is on the board."""
LONG_NAMES = [
    "Maximiliana-von-Habsburg-Lorrain",
    "<b>&amp;",
    "שלום",
    "Ångström",
    "b\x1b[2J\u202eea",
]


def named(name: str, handles: list[str] = LONG_NAMES) -> Record:
    """Return a recorded game with other names of its players."""
    record = record_of(name)
    started = next(event for event in record.events if event["type"] == "GameStarted")
    ids = started["data"]["players"]
    players = [
        {"id": id, "handle": handle, "keys": []} for id, handle in zip(ids, handles, strict=False)
    ]
    return Record(
        **{
            **{name: getattr(record, name) for name in Record.__dataclass_fields__},
            "header": {**record.header, "players": players},
        }
    )


def scene_of(record: Record, seq: int) -> Scene:
    game = game_at(record, seq)
    event: Any = record.events[seq - 1]
    position = game.position(None, ended=record.has_ended)
    return game.rules.scene(position, event)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", GAMES)
def test_no_text_of_a_picture_leaves_the_page(name: str, language: str) -> None:
    record = named(name)
    renderer = renderer_of(record, language)
    scene = scene_of(record, GAMES[name])
    chart = score_chart_svg(score_chart(record), renderer)
    for document in (svg(scene, renderer), svg(scene, renderer, wide=True), chart):
        root = parsed(document)
        assert root.attrib["lang"] == language
        assert root.attrib["{http://www.w3.org/XML/1998/namespace}lang"] == language
        width, height = map(float, root.attrib["viewBox"].split()[2:])
        for drawn in drawn_texts(document):
            assert drawn.left >= -1, drawn
            assert drawn.right <= width + 1, drawn
            assert drawn.baseline <= height, drawn


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", GAMES)
def test_pages_keep_to_the_width_in_every_language(name: str, language: str) -> None:
    record = named(name)
    renderer = renderer_of(record, language)
    scene = scene_of(record, GAMES[name])
    assert max(map(columns, text(scene, renderer, PLAIN, 100).splitlines())) <= 100
    table = score_table(score_chart(record), renderer, PLAIN, 100)
    assert max(map(columns, table.splitlines())) <= 100
    explanation = page(record, GAMES[name], width=100, language=language)
    assert max(map(columns, explanation.splitlines())) <= 100


@pytest.mark.parametrize(
    ("language", "width", "labels"),
    [
        ("en", 8, ["who", "when", "turn", "action", "result", "state", "prev", "hash"]),
        ("fr", 8, ["qui", "quand", "tour", "action", "résultat", "state", "prev", "hash"]),
        ("es", 9, ["quién", "cuándo", "turno", "acción", "resultado", "state", "prev", "hash"]),
    ],
)
def test_the_labels_of_a_page_have_a_column_of_the_width_that_they_need(
    language: str, width: int, labels: list[str]
) -> None:
    lines = page(record_of("duke-of-three"), 129, language=language).splitlines()
    matches = [re.match(r"(\S+) +", line) for line in lines[1:]]
    rows = [match for match in matches if match is not None and match[1] in labels]
    assert [row[1] for row in rows] == labels
    assert {row.end() for row in rows} == {width + 2}


def test_a_page_is_in_the_language_of_its_reader() -> None:
    record = named("baron-five", ["ada", "bea", "cid", "dan", "eve"])
    french = page(record, 100, language="fr", width=100)
    for line in (
        "qui       cid",
        "          siège 2, joueur eve",
        "tour      tour de table 8, tour 31, de cid",
        "  tour d'ada, sans échéance",
        "    tour de table  8 → 9",
        "    doit jouer     cid → ada",
        "les actions possibles pour cid",
        "ce que voyait cid, après l'événement 99",
        "  Baron, tour de table 8, cid peut placer un donjon",
    ):
        assert line in french.splitlines()
    spanish = page(record, 100, language="es", width=100)
    for line in (
        "quién      cid",
        "turno      ronda 8, turno 31, de cid",
        "    le toca a  cid → ada",
        "lo que veía cid, tras el evento 99",
    ):
        assert line in spanish.splitlines()


def test_an_explanation_as_json_has_texts_in_a_language_and_the_same_identifiers() -> None:
    record = named("baron-five", ["ada", "bea", "cid"])
    english, french = (explain(record, 100, language) for language in ("en", "fr"))
    texts = {"event_text", "clauses", "conclusion"}
    assert english["by"] == french["by"] == "cid"
    assert [clause["id"] for clause in english["clauses"]] == [
        clause["id"] for clause in french["clauses"]
    ]
    assert all(english[field] != french[field] for field in texts)
    assert {field: english[field] for field in english.keys() - texts} == {
        field: french[field] for field in french.keys() - texts
    }


def test_differences_are_in_the_terms_of_the_game() -> None:
    record = named("duke-of-three", ["ada", "bea", "cid"])
    old, new = (game_at(record, seq).position(None) for seq in (20, 60))
    rules = game_at(record, 1).rules
    lines = change_lines(changes(old, new), rules, renderer_of(record, "fr"))
    headings = [line for line in lines if line[0] != " "]
    assert headings == ["partie", "plateau", "ada", "bea", "cid", "banque"]
    assert any(line.startswith("  tour de table  ") for line in lines)
    assert any(" ajout\u00a0: bâtiment village" in line for line in lines)
    assert any(line.startswith("  jetons Ressource, plaine ") for line in lines)


def words_of(value: Any) -> Iterator[str]:
    """Yield the names of fields and the words in a position."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield name
            if name != "rules":
                yield from words_of(item)
    elif isinstance(value, list):
        for item in value:
            yield from words_of(item)
    elif isinstance(value, str):
        yield value


@pytest.mark.parametrize("name", [*GAMES, "everybody-left", "baron-one-left"])
def test_every_word_in_a_position_has_a_label(name: str) -> None:
    record = record_of(name)
    words: set[str] = set()
    rules: AnyRuleSystem | None = None
    for transition in transitions(record):
        rules = transition.after.rules
        words.update(words_of(transition.after.position(None, ended=record.has_ended)))
    assert rules is not None
    assert words - rules.LABELS.keys() <= {"at", "sorcery", "spells", "tiles", "keeps"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_names_are_shown_harmlessly_everywhere(language: str) -> None:
    record = named("duke-of-three", ["<b>&", "a\x1b]0;owned\x07\u202eb", "שלום"])
    renderer = renderer_of(record, language)
    scene = scene_of(record, 129)
    lines = log_of(record, language)
    terminal = "\n".join(
        [
            *lines,
            text(scene, renderer, PLAIN, 100),
            page(record, 129, language=language),
            score_table(score_chart(record), renderer, PLAIN, 100),
        ]
    )
    for output in (terminal, svg(scene, renderer), score_chart_svg(score_chart(record), renderer)):
        assert not any(ord(char) < 32 and char != "\n" for char in output)
        assert "\u202e" not in output
        assert output.count("\u2068") == output.count("\u2069") > 0
    assert "<b>&" not in svg(scene, renderer)
    assert any("<b>&" in line for line in lines)


def test_a_sentence_begins_with_a_capital_letter_unless_it_begins_with_a_name() -> None:
    moved = message("{player} moves", player=PlayerAt(1))
    record = named("duke-of-three", ["ada", "bea", "cid"])
    assert renderer_of(record).sentence(moved) == "bea moves"
    nested = message("{event}; play is over", event=moved)
    assert renderer_of(record).sentence(nested) == "bea moves; play is over"
    for renderer, beginning in ((FRENCH, "Le siège 1 "), (SPANISH, "El asiento 1 ")):
        assert renderer.sentence(moved).startswith(beginning)
    assert FRENCH.sentence(message("the game is abandoned"))[0].isupper()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_log_has_the_names_of_players_and_no_seats(language: str) -> None:
    record = named("duke-of-three", ["ada", "bea", "cid"])
    seat = renderer_of(record, language)(PlayerAt(7)).rpartition(" ")[0]
    lines = log_of(record, language)
    assert any(f"  {name}  " in line for line in lines for name in ("ada", "bea", "cid"))
    assert not any(f"{seat} {number}" in line for line in lines[6:] for number in range(3))
