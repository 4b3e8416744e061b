"""Options and arguments that several commands have."""

import os
import secrets
from collections.abc import Callable
from functools import wraps
from typing import Any, Final
from urllib.parse import urlsplit

import click

from cartulary.command_line import PathType, argument, bad_parameter, option
from cartulary.source import REDIS, TOKEN_FILE, TOKEN_VARIABLE
from domain.messages import message, message_in

redis_option: Final = option(
    "--redis", metavar="URL", help=message("Redis of a live game; default: as for the service.")
)
live_redis_option: Final = option(
    "--redis",
    metavar="URL",
    expose_value=False,
    callback=lambda ctx, _, url: ctx.meta.update({REDIS: url}),
    help=message("Redis of a live game; default: as for the service."),
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
existing_data_option: Final = option(
    "--data",
    type=PathType(exists=True, file_okay=False),
    help=message(
        "Folder of the games and the signing key; default: CARTULARY_DATA, else the user's."
    ),
)
"""For commands that create nothing in an empty folder."""
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


def with_service(run: Callable[..., Any]) -> Callable[..., Any]:
    """Call a command with the service whose Redis the option --redis names, as `open_service` opens it."""

    @redis_option
    @wraps(run)
    def call(*, redis: str | None, **values: Any) -> None:
        from cartulary.running_service import open_service

        with open_service(os.environ, redis) as service:
            run(service, **values)

    return call


def source_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of a command that reads a source, which `cartulary.source` looks up."""
    return live_redis_option(token_file_option(command))


def seed_of(hex: str | None) -> bytes:
    """Return the value of an option --seed, by default at random. Raises BadParameter."""
    try:
        return secrets.token_bytes(32) if hex is None else bytes.fromhex(hex)
    except ValueError:
        raise bad_parameter(message("not bytes in hex"), "--seed") from None


def public_key(key: str) -> str:
    """Return the value of an option --key in lower case. Raises BadParameter."""
    try:
        if len(bytes.fromhex(key)) == 32:
            return key.lower()
    except ValueError:
        pass
    fault = message("a public key is 32 bytes in hex")
    raise bad_parameter(fault, "--key")


def server_address(url: str) -> str:
    """Return host and port in the URL of a server, as part of the name of a file. Raises BadParameter."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port, parts = None, None, urlsplit("")
    if parts.scheme not in {"http", "https"} or not host:
        fault = message("must be a URL such as https://games.example.org")
        raise bad_parameter(fault, "URL")
    host = host.replace(":", "-")
    return host if port is None else f"{host}-{port}"
