"""Options and arguments that several commands have."""

from typing import Final
from urllib.parse import urlsplit

import click

from cartulary.command_line import PathType, argument, option
from cartulary.language import text
from cartulary.source import TOKEN_FILE, TOKEN_VARIABLE
from domain.messages import message, message_in

redis_option: Final = option(
    "--redis", metavar="URL", help=message("Redis of a live game; default: as for the service.")
)
token_file_option: Final = option(
    "--token-file",
    type=PathType(dir_okay=False),
    expose_value=False,
    callback=lambda ctx, _, path: ctx.meta.update({TOKEN_FILE: path}),
    help=message(
        "File with the player's token; default: the environment variable {variable}, or else the session"
        " of `cartulary play` on this server.",
        variable=TOKEN_VARIABLE,
    ),
)
data_option: Final = option(
    "--data",
    type=PathType(file_okay=False),
    help=message(
        "Folder of the games and the signing key; default: CARTULARY_DATA, else the user's."
    ),
)
json_option: Final = option(
    "--json", "as_json", is_flag=True, help=message("Print JSON for programs.")
)
color_option: Final = option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    show_default=True,
    help=message(
        "Colour the output; auto: in a terminal, unless NO_COLOR is set, or where FORCE_COLOR is."
    ),
)
force_option: Final = option(
    "--force", is_flag=True, help=message("Overwrite files that exist already.")
)
source_argument: Final = argument("source", metavar=message_in("metavar", "SOURCE"))


def public_key(ctx: click.Context, key: str) -> str:
    """Return the value of an option --key in lower case. Raises BadParameter."""
    try:
        if len(bytes.fromhex(key)) == 32:
            return key.lower()
    except ValueError:
        pass
    fault = message("a public key is 32 bytes in hex")
    raise click.BadParameter(text(fault), ctx, param_hint="--key")


def server_address(ctx: click.Context, url: str) -> str:
    """Return host and port in the URL of a server, as part of the name of a file. Raises BadParameter."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port, parts = None, None, urlsplit("")
    if parts.scheme not in {"http", "https"} or not host:
        fault = message("must be a URL such as https://games.example.org")
        raise click.BadParameter(text(fault), ctx, param_hint="URL")
    host = host.replace(":", "-")
    return host if port is None else f"{host}-{port}"
