"""In a language that marks every template, the command line writes no words outside of the marks."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from cartulary.cli import cartulary
from tests.cartulary.test_language_option import commands
from tests.support.catalogues import catalogues_in
from tests.support.pseudo_locale import LANGUAGE, unmarked_words


@pytest.fixture(scope="module", autouse=True)
def marked(pseudo_catalogues: Path) -> Iterator[None]:
    with catalogues_in(pseudo_catalogues):
        yield


def run(*arguments: str) -> str:
    """Return what a command writes to standard output and standard error."""
    environment = {"COLUMNS": "2000", "NO_COLOR": "1"}
    return CliRunner().invoke(cartulary, ["--lang", LANGUAGE, *arguments], env=environment).output


def identifiers(group: click.Group) -> Iterator[str]:
    """Yield the names of commands and options, and the values of options."""
    yield from ("cartulary", "help", "version")
    for name, command in group.commands.items():
        yield name
        if isinstance(command, click.Group):
            yield from identifiers(command)
        for parameter in command.params:
            yield from parameter.opts
            if isinstance(parameter.type, click.Choice):
                yield from parameter.type.choices


ABBREVIATIONS = {"HEX", "ID", "JSON", "URL"}
IDENTIFIERS = ABBREVIATIONS | {
    word for name in identifiers(cartulary) for word in re.split("[-_]", name)
}


@pytest.mark.parametrize("words", list(commands(cartulary)), ids=" ".join)
def test_help_has_no_unmarked_words(words: tuple[str, ...]) -> None:
    assert unmarked_words(run(*words, "--help")) - IDENTIFIERS == set()


GAMES = Path(__file__).parents[1] / "games"
BARONY, SORCERY, BARON, DISPUTES = (
    str(GAMES / f"{name}.jsonl")
    for name in ("duke-of-three", "sorcery-disputes", "baron-battles", "disputes")
)


def events_by_type(path: str) -> Iterator[int]:
    """Yield the seq of the first event of each type."""
    types = [json.loads(line).get("type") for line in Path(path).read_text().splitlines()[1:]]
    yield from (types.index(type) + 1 for type in sorted({type for type in types if type}))


RESULTS = [
    *(["log", game] for game in (BARONY, SORCERY, BARON, DISPUTES)),
    *(
        ["inspect", game, str(seq)]
        for game in (SORCERY, BARON, DISPUTES)
        for seq in events_by_type(game)
    ),
    *(
        command
        for game in (BARONY, SORCERY, BARON)
        for command in (
            ["replay", game, "--seq", "60"],
            ["replay", game, "--seq", "60", "--format", "svg"],
            ["replay", game, "--format", "svg"],
            ["diff", game, "20", "60"],
            ["timeline", game],
            ["timeline", game, "--format", "svg"],
            ["audit", game],
        )
    ),
    ["compare", BARONY, BARON],
    ["compare", BARONY, BARONY],
    ["trust"],
]
FAULTS = [
    ["nonsense"],
    ["log"],
    ["log", "missing.jsonl"],
    ["log", __file__],
    ["log", BARONY, "--filter", "nonsense=1"],
    ["log", BARONY, "--filter", "seat=nobody"],
    ["log", BARONY, "--nonsense"],
    ["inspect", BARONY, "0"],
    ["inspect", BARONY, "10000"],
    ["replay", BARONY, "--seq", "10000"],
    ["replay", BARONY, "--round", "1000"],
    ["replay", BARONY, "--as", "9"],
    ["audit"],
    ["audit", __file__],
    ["export", "missing", "--redis", "redis://127.0.0.1:1"],
    ["playout", "--rules", "barony", "--seats", "9"],
    ["sandbox", BARONY],
]
NOT_MARKED = re.compile(
    r"\b(?:place|recruit|move|build|city|expedition|title|cast|draw|lay|discard|keep) [^;⟦\n]*"
    r"|\b(?:pass|resign|agree|disagree|end)\b"
    r"|(?:\w{3}, )?\w{3} \d+, \d{4}(?:, [\d:.]+\u202f[AP]M \(UTC\))?"
)
"""An action in short form, which is the same in every language, or a time, which Babel writes in English."""
PLAYERS = {"ada", "bea", "cid", "dan", "eve"}
FIELDS = {"hash", "prev", "state", "UTC"}
PIECES = {"CK", "VK", "SK"}
NOT_TRANSLATED = PLAYERS | FIELDS | PIECES


@pytest.mark.parametrize("arguments", [*RESULTS, *FAULTS], ids=lambda words: " ".join(words)[-40:])
def test_results_and_errors_have_no_unmarked_words(arguments: list[str]) -> None:
    text = run(*arguments)
    assert text
    assert unmarked_words(text, NOT_MARKED) - IDENTIFIERS - NOT_TRANSLATED == set()
