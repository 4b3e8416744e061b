"""Options and arguments that several commands have."""

from typing import Final

import click

redis_option: Final = click.option(
    "--redis", metavar="URL", help="Redis of a live game; default: as for the service."
)
json_option: Final = click.option(
    "--json", "as_json", is_flag=True, help="Print JSON for programs."
)
color_option: Final = click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    show_default=True,
    help="Colour the output; auto: in a terminal, unless NO_COLOR is set, or where FORCE_COLOR is.",
)
source_argument: Final = click.argument("source")
