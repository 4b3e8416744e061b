"""The command arena: it prints the strength of bots as text and as JSON, and refuses what makes no sense."""

import json

import pytest
from click.testing import CliRunner

from cartulary.cli import cartulary

ARGUMENTS = ("--seed", "00", "--rules", "baron", "--bots", "random,sensible", "--games", "2")


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(cartulary, ["arena", *arguments])
    return result.exit_code, result.stdout, result.stderr


def test_the_strength_of_bots_is_printed() -> None:
    status, output, _ = run(*ARGUMENTS)
    assert status == 0
    heading, first, second, pair = output.splitlines()
    assert heading == "Baron, 2 seats: 2 games"
    assert first.startswith("  sensible: rating 16")
    assert "first in 2 of 2 games" in first
    assert second.startswith("  random: rating 13")
    assert pair.startswith(
        "  random, sensible: 0 ahead, 0 tied, 2 behind; share 0.0 % (0.0 to 65.8 %)"
    )
    assert run(*ARGUMENTS)[1] == output


def test_results_are_json_for_programs() -> None:
    status, output, _ = run(*ARGUMENTS, "--seats", "2", "--seats", "3", "--json")
    assert status == 0
    two, three = map(json.loads, output.splitlines())
    assert (two["rules"], two["seats"], three["seats"]) == ("baron", 2, 3)
    assert (two["seed"], two["playouts"], two["seconds"]) == ("00", None, None)
    assert two["bots"][0]["bot"] == "sensible"


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["--bots", "sensible"], "--bots: must be at least two different bots"),
        (
            ["--bots", "sensible,clever"],
            "--bots: must be one of beginner, casual, random, sensible, strong",
        ),
        (["--seats", "7"], "--seats: must be 2 to 5"),
        (["--seed", "xyz"], "not bytes in hex"),
        (["--playouts", "0"], "--playouts"),
        (["--seconds", "61"], "--seconds"),
        (["--seconds", "1", "--playouts", "3"], "--playouts and --seconds exclude each other"),
        (["--rules", "chess"], "chess"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(arguments: list[str], fault: str) -> None:
    status, output, error = run(*ARGUMENTS, *arguments)
    assert status == 2
    assert output == ""
    assert fault in " ".join(error.split())
