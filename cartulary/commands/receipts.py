"""The command receipts: keeps a player's receipts in a folder, where no server can take them away."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from cartulary.command_line import PathType, argument, command, option, usage_error
from cartulary.commands.options import force_option, json_option, server_address, token_file_option
from cartulary.language import command_renderer, text
from cartulary.source import required_token
from cartulary.terminal import echo, print_message, progress, write_output
from domain.errors import CartularyError
from domain.messages import message, plural_message
from ledger.canonical import canonical

if TYPE_CHECKING:
    from client.receipts import Conflict


@command(
    "receipts",
    help=(
        message("Get the player's receipts from the server at URL, and keep them in a folder."),
        message(
            "A receipt in the folder is never overwritten. If the server now signs something else than"
            " before, the new receipt is kept too, in a file of its own, and named."
        ),
        message(
            "With --export instead of URL, write all receipts that your programs have kept to a file, for"
            " `audit --receipts` on another machine or for somebody else."
        ),
        message(
            "Exit status: 0 on success, 1 when a receipt contradicts one in the folder or the server"
            " fails."
        ),
    ),
)
@argument("url", metavar="[URL]", required=False)
@option(
    "--out",
    type=PathType(file_okay=False),
    help=message(
        "Folder for the receipts, one file for each game; default: the one in which your programs keep"
        " evidence."
    ),
)
@option(
    "--export",
    "exported",
    type=PathType(dir_okay=False),
    help=message("File to which the receipts that your programs have kept are written."),
)
@force_option
@option("--game", metavar="ID", help=message("Only the receipts of this game."))
@token_file_option
@json_option
def receipts(
    url: str | None,
    out: Path | None,
    exported: Path | None,
    force: bool,  # noqa: FBT001 # click passes options by name
    game: str | None,
    as_json: bool,  # noqa: FBT001 # click passes options by name
) -> None:
    from client.clients import Client
    from client.errors import ClientError
    from client.evidence import server_name
    from client.receipts import ReceiptFolder, receipt_pages, user_folder
    from client.retries import UNTRUSTED_SERVER

    if (url is None) == (exported is None):
        raise usage_error(message("give either URL or --export"))
    if exported is not None:
        _export(user_folder(os.environ), exported, game, force=force)
        return
    assert url is not None, "one of both is given"
    server_address(url)
    token = required_token(url.rstrip("/"))
    out = out or user_folder(os.environ) / server_name(url)
    folder = ReceiptFolder(out)
    new = existing = left_out = 0
    conflicts: list[Conflict] = []
    language = command_renderer().language
    try:
        with Client(url, token, language=language, limits=UNTRUSTED_SERVER) as client:
            for page in progress(receipt_pages(client, game), None, message("receipts")):
                addition = folder.add(page.receipts)
                new, existing = new + addition.new, existing + addition.existing
                left_out += page.left_out
                conflicts += addition.conflicts
    except ClientError as error:
        raise CartularyError(error.message_with_status) from None
    if as_json:
        named = [{"game": c.game, "seq": c.seq, "file": str(c.path)} for c in conflicts]
        result = {"new": new, "existing": existing, "left_out": left_out, "conflicts": named}
        echo(canonical(result).decode())
    else:
        sentence = plural_message(
            "{count} new receipt, {existing} already there, in {folder}",
            "{count} new receipts, {existing} already there, in {folder}",
            count=new,
            existing=existing,
            folder=str(out),
        )
        echo(text(sentence))
        if left_out:
            sentence = plural_message(
                "{count} older action has no receipt",
                "{count} older actions have no receipt",
                count=left_out,
            )
            echo(text(sentence))
    for conflict in conflicts:
        print_message(
            message(
                "the server has signed two different events {seq} of game {game}: the second receipt is"
                " in {file}",
                seq=conflict.seq,
                game=conflict.game,
                file=str(conflict.path),
            )
        )
    sys.exit(1 if conflicts else 0)


def _export(folder: Path, path: Path, game: str | None, *, force: bool) -> None:
    """Write the receipts that were kept of one game, or of all games, to a file. Raises ReceiptFileError."""
    from client.receipts import kept_receipts

    lines = [
        canonical({"receipt": receipt}) + b"\n"
        for _, receipts_of_file in kept_receipts(folder)
        for receipt in receipts_of_file
        if game in (None, receipt.get("game"))
    ]
    write_output(path, b"".join(lines), force=force)
    sentence = plural_message(
        "{count} receipt written to {path}",
        "{count} receipts written to {path}",
        count=len(lines),
        path=str(path),
    )
    print_message(sentence)
