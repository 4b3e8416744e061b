"""Options and arguments that several commands have."""

from pathlib import Path
from typing import Final

import click

redis_option: Final = click.option(
    "--redis", metavar="URL", help="Redis of a live game; default: as for the service."
)
data_option: Final = click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of the games and the signing key; default: CARTULARY_DATA, else the user's.",
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
