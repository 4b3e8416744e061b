"""The command play: plays a game on a server in the terminal."""

import os
from contextlib import ExitStack
from typing import Final

import click

from cartulary.command_line import IntRange, argument, bad_parameter, command, option
from cartulary.commands.options import color_option, token_file_option
from cartulary.language import command_renderer
from cartulary.terminal import Color, result_styler, width
from domain.messages import message, message_in
from domain.registry import rule_systems

MAX_SEATS: Final = 8


@command(
    "play",
    help=(
        message("Play a game in the terminal, on the server at URL."),
        message(
            "URL is the address of a server, of a game or of an invitation. Without an account, you play"
            " as a guest; your session is kept in a file that only you can read."
        ),
        message(
            "What proves the game is kept in the folder that CARTULARY_EVIDENCE names, else in the user's"
            " data: your key, with which your actions are signed, receipts, and what you contribute to the"
            " draws."
        ),
        message(
            "Actions are typed in their short form, such as `move 0,0>1,0`, and completed with the Tab"
            " key. `help` lists everything that can be typed. Without a terminal, lines are read from"
            " standard input."
        ),
    ),
)
@argument("url", metavar="URL")
@option(
    "--rules",
    type=click.Choice(list(rule_systems())),
    help=message("Begin a new game with these rules, without asking."),
)
@option(
    "--seats",
    type=IntRange(2, MAX_SEATS),
    help=message("Players of a new game, all but one of them bots; default: 2."),
)
@option(
    "--bot",
    metavar=message_in("metavar", "NAME"),
    help=message("The bot of a new game; default: sensible."),
)
@option(
    "--tutorial", is_flag=True, help=message("With --rules: a game with lessons about the rules.")
)
@option("--guest", is_flag=True, help=message("Become a new guest, without asking."))
@option("--no-sign", is_flag=True, help=message("Do not sign your actions with your own key."))
@token_file_option
@color_option
def play(
    url: str,
    rules: str | None,
    seats: int | None,
    bot: str | None,
    tutorial: bool,  # noqa: FBT001 # click passes options by name
    guest: bool,  # noqa: FBT001 # click passes options by name
    no_sign: bool,  # noqa: FBT001 # click passes options by name
    color: Color,
) -> None:
    from cartulary.addresses import Address, InvalidAddress
    from cartulary.client import Client, Evidence, Limits
    from cartulary.source import given_token
    from cartulary.terminal_client.beginning import Beginning, RequestedGame
    from cartulary.terminal_client.console import open_console
    from cartulary.terminal_client.session import Session
    from cartulary.terminal_client.table import Table
    from cartulary.terminal_client.tokens import TokensFile

    renderer = command_renderer()
    try:
        address = Address.parse(url)
    except InvalidAddress as error:
        raise bad_parameter(error.message, "URL") from None
    if address.tournament is not None:
        fault = message("{url} is the address of a tournament: name one of its games", url=url)
        raise bad_parameter(fault, "URL")
    styler = result_styler(color)
    limits = Limits(attempts=4)
    with ExitStack() as stack:
        console = stack.enter_context(open_console())
        evidence = Evidence.of_user(
            signs=not no_sign, report=lambda text: console.show(renderer.sentence(text))
        )
        language = renderer.language
        client = stack.enter_context(
            Client(address.server, language=language, limits=limits, evidence=evidence)
        )
        beginning = Beginning(client, console, renderer, TokensFile(os.environ))
        player = beginning.sign_in(address.server, as_guest=guest, token=given_token())
        requested_game = RequestedGame(rules=rules, seats=seats, bot=bot, tutorial=tutorial)
        game = beginning.find_game(address, player, requested_game)
        table = Table(client, game.id, player, renderer)
        Session(client, table, console, styler, width, address.server).play()
