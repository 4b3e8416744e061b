"""The language of the command line: `--lang`, else the locale; help, errors and answers in it."""

import gettext
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from cartulary.cli import cartulary
from cartulary.command_line import Command, Group, command
from cartulary.language import language_of
from cartulary.serve import _instructions
from cartulary.terminal import confirm
from domain.messages import Message, message
from replay.language.renderer import english, renderer
from service.settings import load_settings
from tests.replay.language.test_typography import LOOSE_MARK, faults
from tests.support import processes

USAGE = {"en": "Usage: ", "fr": "Utilisation\xa0: ", "es": "Uso: "}
TRANSLATIONS = ("es", "fr")
LOCALE = ("LC_ALL", "LC_MESSAGES", "LANG", "LANGUAGE")


def run(*arguments: str, locale: Mapping[str, str] | None = None, answers: str = "") -> Result:
    """Run a command in an environment with only these variables of the locale."""
    environment = {name: (locale or {}).get(name) for name in LOCALE} | {"COLUMNS": "100"}
    return CliRunner().invoke(cartulary, arguments, answers, env=environment)


def words(text: str) -> str:
    """Return a text without its line breaks."""
    return " ".join(text.split())


def commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the words of the program, of every command and of every group."""
    yield path
    for name, subcommand in group.commands.items():
        if isinstance(subcommand, click.Group):
            yield from commands(subcommand, (*path, name))
        else:
            yield (*path, name)


def help_messages(path: tuple[str, ...]) -> Iterator[Message]:
    """Yield the messages in the help of a command."""
    command: click.Command = cartulary
    for name in path:
        assert isinstance(command, click.Group)
        command = command.commands[name]
    assert isinstance(command, Command)
    yield from vars(command)["help"]
    for parameter in command.params:
        if isinstance(help := vars(parameter).get("help"), Message):
            yield help


# The choice of the language


@pytest.mark.parametrize(
    "arguments",
    [
        ("--lang", "fr", "--help"),
        ("--lang=fr", "--help"),
        ("--help", "--lang", "fr"),
        ("--lang", "fr", "log", "--help"),
        ("log", "--lang", "fr", "--help"),
        ("log", "--help", "--lang=fr"),
        ("log", "--lang", "es", "--lang", "fr", "--help"),
        ("--lang", "es", "log", "--lang", "fr", "--help"),
        ("key", "--lang", "fr", "sign", "--help"),
        ("key", "sign", "--lang", "fr", "--help"),
        ("--lang", "fr"),
        ("key", "--lang", "fr"),
        ("witness", "--lang", "fr", "--help"),
        ("witness", "--lang", "fr", "compare", "--help"),
        ("witness", "--lang", "fr", "http://localhost", "--help"),
        ("log", "--lang", "fr"),
        ("log", "--nonsense", "--lang", "fr"),
        ("nonsense", "--lang", "fr"),
        ("log", "--lang", "FR"),
        ("log", "--lang", "fr_CH.UTF-8"),
        ("log", "--lang", "fr-CA"),
    ],
    ids=" ".join,
)
def test_lang_selects_the_language_wherever_it_stands(arguments: tuple[str, ...]) -> None:
    assert run(*arguments).output.startswith(USAGE["fr"])


def test_lang_after_two_dashes_is_an_argument() -> None:
    result = run("log", "--", "--lang", "fr")
    assert result.stderr.startswith(USAGE["en"])
    assert "Got unexpected extra argument (fr)" in result.stderr


def test_lang_without_a_language_is_bad_usage() -> None:
    result = run("log", "--lang")
    assert result.exit_code == 2
    assert "Option '--lang' requires an argument." in result.stderr


@pytest.mark.parametrize("tag", ["xx", "", "de_DE", "-", "../../fr", "f" * 10_000, "\x1b[31m", "é"])
def test_an_unknown_or_malformed_language_selects_english(tag: str) -> None:
    for arguments in (["--lang", tag, "log", "--help"], ["log", "--help", f"--lang={tag}"]):
        result = run(*arguments, locale={"LANG": "fr_FR.UTF-8"})
        assert result.exit_code == 0
        assert result.stdout.startswith(USAGE["en"])
        assert "List a game's events" in result.stdout


@pytest.mark.parametrize(
    ("locale", "language"),
    [
        ({}, "en"),
        ({"LANG": "fr_FR.UTF-8"}, "fr"),
        ({"LANG": "es_MX"}, "es"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LANG": "fr_FR.UTF-8", "LC_MESSAGES": "es_ES.UTF-8"}, "es"),
        ({"LC_MESSAGES": "es_ES.UTF-8", "LC_ALL": "fr_FR.UTF-8"}, "fr"),
        ({"LANG": "fr_FR.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LANG": "de_DE.UTF-8", "LANGUAGE": "de:es:fr"}, "es"),
        ({"LANG": "fr_FR.UTF-8", "LANGUAGE": "en"}, "en"),
        ({"LANGUAGE": "fr"}, "en"),
        ({"LANGUAGE": "fr", "LC_ALL": "POSIX"}, "en"),
    ],
)
def test_without_lang_the_locale_selects_the_language_as_with_gettext(
    locale: Mapping[str, str], language: str
) -> None:
    output = run("log", "--help", locale=locale).stdout
    assert output.startswith(USAGE[language])
    for other in {"en", "es", "fr"} - {language}:
        assert run("log", "--help", "--lang", other, locale=locale).stdout.startswith(USAGE[other])


def test_a_command_leaves_the_language_of_the_process_as_it_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LANGUAGE", "de")
    folder = gettext.bindtextdomain("messages")
    CliRunner().invoke(cartulary, ["--lang", "fr", "nonsense"])
    assert os.environ["LANGUAGE"] == "de"
    assert gettext.bindtextdomain("messages") == folder
    assert CliRunner().invoke(cartulary, ["nonsense"]).stderr.startswith(USAGE["en"])


# Help


@pytest.mark.parametrize("path", list(commands(cartulary)), ids=" ".join)
def test_help_is_in_the_language_and_has_its_typography(path: tuple[str, ...]) -> None:
    in_english = words(run(*path, "--help", "--lang", "en").stdout)
    messages = list(help_messages(path))
    assert messages
    for language in TRANSLATIONS:
        render, text = renderer(language), run(*path, "--help", "--lang", language).stdout
        for part in messages:
            assert words(english(part)) in in_english
            assert words(render(part)) in words(text)
            assert words(english(part)) not in words(text)
        for line in text.splitlines():
            prose = re.sub(r"\[[^\]]*\|[^\]]*\]|\[(?:OPTIONS|OPCIONES)\]|\.\.\.", "", line)
            assert not faults(language, prose), line
            assert not LOOSE_MARK.match(line), line


def test_the_list_of_commands_has_their_whole_first_sentences() -> None:
    output = run("--lang", "fr", "--help").stdout
    assert "Explique un événement\xa0: qui a agi," in output
    assert "..." not in output.partition("Commandes\xa0:")[2]


def test_defaults_and_names_of_options_are_the_same_in_every_language() -> None:
    output = run("playout", "--help", "--lang", "fr").stdout
    assert "--round-limit ENTIER " in output
    assert "--rules [barony|baron]" in output or "--rules [baron|barony]" in output
    assert "[par défaut\xa0: barony]" in output


# Errors


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("nonsense",), "La commande 'nonsense' n'existe pas."),
        (("log", "--jsom", "x"), "L'option '--jsom' n'existe pas. Vouliez-vous dire '--json' ?"),
        (("log",), "Argument manquant : 'SOURCE'."),
        (("key", "generate"), "Argument manquant : 'FICHIER'."),
        (("admin", "revoke", "x"), "Option manquante : '--reason'."),
        (("log", "a", "b", "c"), "Arguments en trop (b c)"),
        (
            ("replay", "x", "--seq", "y"),
            "Valeur incorrecte pour '--seq' : 'y' n'est pas un entier.",
        ),
        (
            ("web", "--port", "70000"),
            "Valeur incorrecte pour '--port' : 70000 n'est pas dans l'intervalle 0<=x<=65535.",
        ),
        (
            ("replay", "x", "--color", "red"),
            (
                "Valeur incorrecte pour '--color' : 'red' n'est pas l'une de ces valeurs : 'auto',"
                " 'always', 'never'."
            ),
        ),
        (
            ("log", "missing.jsonl"),
            "Valeur incorrecte pour SOURCE : le fichier missing.jsonl n'existe pas",
        ),
        (
            ("audit", "x", "--receipt", "missing"),
            (
                "Valeur incorrecte pour '--receipt' : impossible d'ouvrir missing : ce fichier ou"
                " dossier n'existe pas"
            ),
        ),
        (
            ("audit", "x", "--receipts", "missing"),
            "Valeur incorrecte pour '--receipts' : Chemin 'missing' n'existe pas.",
        ),
        (
            ("playout", "--seed", "xyz"),
            "Valeur incorrecte pour --seed : ce ne sont pas des octets en hexadécimal",
        ),
    ],
)
def test_bad_usage_is_explained_in_french(arguments: tuple[str, ...], error: str) -> None:
    result = run("--lang", "fr", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(USAGE["fr"])
    assert result.stderr.splitlines()[-1].replace("\xa0", " ") == f"Erreur : {error}"


def test_an_option_without_its_value_is_explained_in_spanish() -> None:
    result = run("replay", "x", "--lang", "es", "--seq")
    assert result.exit_code == 2
    assert result.stderr == "Error: La opción '--seq' requiere un valor.\n"


def test_a_file_that_cannot_be_opened_is_an_error_with_the_reason(tmp_path: Path) -> None:
    result = run("log", str(tmp_path), "--lang", "es")
    assert result.exit_code == 2
    assert f"Error: Valor no válido para FUENTE: {tmp_path} es una carpeta\n" in result.stderr


def test_arguments_with_control_characters_are_shown_without_them() -> None:
    harmful = "\x1b[31m\u202e\x07"
    for arguments in (
        (f"no{harmful}",),
        ("log", "a", f"b{harmful}"),
        ("log", f"a{harmful}"),
        ("log", f"--a{harmful}"),
        ("replay", "a", "--seq", harmful),
        ("audit", "a", "--receipt", f"b{harmful}"),
    ):
        result = run(*arguments)
        assert result.exit_code in {1, 2}
        assert not {*"\x1b\u202e\x07"} & {*result.output}, arguments


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_characters_that_the_encoding_lacks_are_replaced(encoding: str) -> None:
    command = [sys.executable, "-m", "cartulary", "audit", "--help", "--lang", "fr"]
    environment = {**processes.environment(), "PYTHONIOENCODING": encoding}
    result = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert (result.returncode, result.stderr) == (0, b"")
    assert result.stdout.startswith(b"Utilisation")


# Questions

ANSWERS = {"en": "y/N", "fr": "o/N", "es": "s/N"}


@command("ask", help=(message("Repair without asking."),))
def ask() -> None:
    confirm(message("Write a manifest with these lines?"))


PROGRAM = Group("program", help=(), commands={"ask": ask})


@pytest.mark.parametrize(
    ("language", "answers", "status"),
    [
        ("fr", "o\n", 0),
        ("fr", "OUI\n", 0),
        ("fr", "y\n", 0),
        ("es", "sí\n", 0),
        ("en", "yes\n", 0),
        ("fr", "what\no\n", 0),
        ("fr", "non\n", 1),
        ("es", "n\n", 1),
        ("en", "\n", 1),
        ("en", "s\n", 1),
        ("en", "", 1),
    ],
)
def test_questions_are_answered_in_the_language(language: str, answers: str, status: int) -> None:
    result = CliRunner().invoke(PROGRAM, ["ask", "--lang", language], answers)
    assert result.exit_code == status
    assert f"[{ANSWERS[language]}]: " in result.output


def test_the_instructions_of_serve_are_in_the_language(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CARTULARY_DATA", str(tmp_path))
    settings = load_settings({"CARTULARY_DATA": str(tmp_path)})
    with language_of(["serve", "--lang", "fr"]):
        text = _instructions(settings, "http://127.0.0.1:8000")
    assert "\n  pour jouer, ouvrez      http://127.0.0.1:8000\n" in text
    assert f"\n  les parties sont dans   {tmp_path}\n" in text
    assert text.endswith("\n  pour arrêter            Ctrl-C\n")
