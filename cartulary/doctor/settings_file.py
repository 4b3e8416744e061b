"""Checks settings before a service starts with them: `cartulary doctor --settings FILE`.

A file has one NAME=VALUE a line, as systemd (EnvironmentFile) and Compose (env_file, format raw) read it.
What they read differently, such as quotes, is a fault.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Final

from domain.messages import Message, message
from service.administration.finding import Finding
from service.operation.data_folder import default_data_folder
from service.settings import PREFIX, SettingsError, load_settings, variable_names

SETTINGS: Final = message("settings")
"""The subject of what is found here."""
_LINE: Final = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)")
_COMMENT: Final = "#"
_SIMILARITY: Final = 0.8
"""How similar a name is to that of a setting which it is probably meant to be, from 0 to 1."""
_CLIENT_VARIABLES: Final = frozenset(
    PREFIX + name for name in ("EVIDENCE", "PARENT_PIPE", "TOKEN", "TOKENS", "TRUSTED_KEYS")
)
"""Variables of the commands that players use, which are no settings of the service."""


def check_settings_file(text: str) -> Iterator[Finding]:
    """Yield what is wrong with a file of settings; one finding that is `ok` if nothing is."""
    values: dict[str, str] = {}
    has_fault = False
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith(_COMMENT):
            continue
        fault = _fault_in_line(line, values)
        if fault is not None:
            has_fault = True
            sentence = message("line {line}: {fault}", line=number, fault=fault)
            yield Finding("fault", sentence, message("correct the line"))
    for finding in [*check_names(values), *_check_values(values)]:
        has_fault = True
        yield finding
    if not has_fault:
        yield Finding("ok", message("every setting is known and valid"))


def check_names(variables: Iterable[str]) -> Iterator[Finding]:
    """Yield a fault for each variable that has the name of no setting, but is meant to."""
    names = variable_names() | _CLIENT_VARIABLES
    for name in variables:
        if name in names:
            continue
        similar = get_close_matches(name, names, 1, _SIMILARITY)
        if similar:
            advice = message("write {variable}", variable=similar[0])
        elif name.startswith(PREFIX):
            advice = message("remove it, or correct its name")
        else:
            continue
        yield Finding("fault", message("there is no setting {variable}", variable=name), advice)


def _fault_in_line(line: str, values: dict[str, str]) -> Message | None:
    """Add the variable of a line to the values, or return why it cannot be read."""
    match = _LINE.fullmatch(line)
    if match is None:
        return message("a setting has the form NAME=VALUE, without spaces around the sign")
    name, value = match.groups()
    if name in values:
        return message("{variable} occurs twice", variable=name)
    values[name] = value
    if value != value.strip():
        return message("the value of {variable} begins or ends with a space", variable=name)
    if value.startswith(("'", '"')):
        return message(
            "the value of {variable} is in quotes, which Compose takes as a part of it",
            variable=name,
        )
    if "\\" in value:
        return message(
            "the value of {variable} has a backslash, which systemd removes", variable=name
        )
    return None


def _check_values(values: Mapping[str, str]) -> Iterator[Finding]:
    try:
        load_settings({f"{PREFIX}DATA": str(default_data_folder()), **values})
    except SettingsError as error:
        yield Finding("fault", error.message, message("correct the value"))
