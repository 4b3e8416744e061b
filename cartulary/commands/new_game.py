"""The command that writes the files of a new game: new-game."""

from pathlib import Path

from cartulary.command_line import PathType, argument, bad_parameter, command, option
from cartulary.terminal import echo, print_message
from domain.errors import CartularyError
from domain.messages import message, message_in
from ledger.files.os_errors import os_reason


@command(
    "new-game",
    help=(
        message("Write the files of a new game, for its author to begin with."),
        message(
            "NAME is a word in lower case. The files are a distribution of their own with a small complete"
            " game: its rules, a drawing, a chapter of rules, tests, and a game that bots have played."
        ),
    ),
)
@argument("name", metavar=message_in("metavar", "NAME"))
@option(
    "--folder",
    type=PathType(file_okay=False),
    help=message("Folder for the files; default: one with the name of the game."),
)
def new_game(name: str, folder: Path | None) -> None:
    from cartulary.new_game import fault_of, write_new_game

    if fault := fault_of(name):
        raise bad_parameter(fault, "NAME")
    target = folder or Path(name)
    try:
        paths = write_new_game(name, target)
    except OSError as error:
        raise CartularyError.with_message(
            "{folder} cannot be written: {reason}", folder=str(target), reason=os_reason(error)
        ) from error
    for path in paths:
        echo(str(path))
    install, test, check = (
        f"pip install -e {target}",
        f"pytest {target}",
        f"cartulary check-game {name}",
    )
    print_message(message("Install it: {command}", command=install))
    print_message(message("Test it: {command}", command=test))
    print_message(message("Check its laws: {command}", command=check))
