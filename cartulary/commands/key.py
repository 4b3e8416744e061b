"""The command `key`: a player's own key, for signing actions with a program such as curl.

The private key stays in a file of the player. Nothing here needs the server.
"""

from pathlib import Path
from typing import Final

import click

from cartulary.command_line import PathType, argument, bad_parameter, group, option
from cartulary.terminal import unwritable_file
from domain.errors import CartularyError, Unreadable
from domain.json_types import JsonObject
from domain.messages import message, message_in
from ledger.canonical import canonical, decode_any
from ledger.envelope import is_game_id, is_hash
from ledger.files.os_errors import os_reason
from ledger.keys import SigningKey
from ledger.player_signatures import key_payload, sign_action

_new_file: Final = argument(
    "file", metavar=message_in("metavar", "FILE"), type=PathType(dir_okay=False)
)
_file: Final = argument(
    "file", metavar=message_in("metavar", "FILE"), type=PathType(exists=True, dir_okay=False)
)


@group(
    "key",
    help=(
        message("Create your own key, and sign actions with it."),
        message("FILE contains the private key (PEM). Anybody who has it can sign in your name."),
    ),
)
def key() -> None:
    """The subcommands do the work."""


@key.command(
    "generate",
    help=(
        message("Generate a key, write it to FILE, and print its id and its public key as JSON."),
    ),
)
@_new_file
def generate(file: Path) -> None:
    new = SigningKey.generate()
    try:
        new.save(file)
    except FileExistsError:
        raise CartularyError.with_message(
            "{file} exists already, and is not overwritten", file=str(file)
        ) from None
    except OSError as error:
        raise unwritable_file(file, error) from None
    _print({"key": new.id, "public": new.public})


@key.command(
    "register",
    help=(
        message("Print the body of POST /me/keys, which registers the key in FILE for a player."),
    ),
)
@_file
@option("--player", required=True, metavar="ID", help=message("Your id, as in GET /me."))
def register(file: Path, player: str) -> None:
    own = _load(file)
    proof = own.signature(canonical(key_payload(player, own.public)))
    _print({"public": own.public, "proof": proof})


@key.command(
    "sign",
    help=(
        message(
            "Print the `signature` of POST /games/ID/actions, made with the key in FILE, for one"
            " action."
        ),
    ),
)
@_file
@option("--game", required=True, metavar="ID", help=message("The game."))
@option(
    "--head",
    required=True,
    metavar=message_in("metavar", "HASH"),
    help=message("Hash of the event `expected_seq`."),
)
@option("--action", required=True, metavar="JSON", help=message("The action."))
def sign(file: Path, game: str, head: str, action: str) -> None:
    if not is_game_id(game):
        raise bad_parameter(message("this is not the id of a game"), "--game")
    if not is_hash(head):
        raise bad_parameter(message("a hash has 64 digits of lowercase hex"), "--head")
    try:
        decoded = decode_any(action.encode("utf-8", "surrogateescape"))
    except Unreadable as error:
        raise bad_parameter(error.message, "--action") from None
    if not isinstance(decoded, dict):
        raise bad_parameter(message("not a JSON object"), "--action")
    signature = sign_action(_load(file), game, head, decoded)
    _print({"key": signature["key"], "signature": signature["signature"]})


def _load(file: Path) -> SigningKey:
    """Return the key in a file. Raises Unreadable, CartularyError."""
    try:
        return SigningKey.load(file)
    except OSError as error:
        raise CartularyError.with_message(
            "cannot read {path}: {reason}", path=str(file), reason=os_reason(error)
        ) from None


def _print(value: JsonObject) -> None:
    click.echo(canonical(value))
