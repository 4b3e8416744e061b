"""Maintains the catalogues with Babel: extracts messages from the source code and updates.

`make catalogues` runs this file after messages have changed, and with `ARGS=LANGUAGE` for a new language.
Cartulary does not need it at run time.
"""

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from itertools import product
from pathlib import Path
from typing import Final, TypeAlias

import click
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir, extract_from_file
from babel.messages.pofile import read_po, write_po

from replay.language.build import compile_catalogues
from replay.language.catalogue import DOMAIN, FOLDER

ROOT: Final = Path(__file__).parents[2]
PACKAGES: Final = ("domain", "ledger", "replay", "client", "service", "workers", "cartulary")
Keywords: TypeAlias = Mapping[str, tuple[int | tuple[int, str], ...] | None]

KEYWORDS: Final[Keywords] = {
    "message": None,
    "message_in": ((1, "c"), 2),
    "plural_message": (1, 2),
    "reason": (2,),
    "plural_reason": (2, 3),
    "refusal": (2,),
    "not_now": None,
    "with_message": None,
    "term": None,
}
"""The functions and methods of `domain` that create messages, and which of their arguments are templates."""
TEMPLATE_KEYWORDS: Final[Keywords] = {"text": None, "plural_text": (1, 2)}
"""The functions that create messages in the templates of pages and mails."""
_SOURCES: Final[Sequence[tuple[Sequence[tuple[str, str]], Keywords]]] = (
    ([("**.py", "python")], KEYWORDS),
    ([("**/templates/**.html", "jinja2")], TEMPLATE_KEYWORDS),
    ([("**/templates/**.txt", "jinja2")], TEMPLATE_KEYWORDS),
)
"""The kinds of files that contain messages, with the functions that create messages in them."""

NOTES: Final[Mapping[str, str]] = {
    r"\babandon": "To abandon a game ends it for everybody, without a ranking. A player who leaves resigns.",
    r"\bopponents?\b.*\brivals?\b|\brivals?\b": "Rivals are knights of one player, opponents of different"
    " players (BN-SIM-1).",
    r"\b(?:is|are) out\b(?! of order)|^out\b|\bout of the game": "A seat is out when it no longer plays. A"
    " piece is removed from the game.",
    r"\bdisputes (?:an )?event": "To dispute an event is to object to it.",
}
"""Notes for translators about words with two meanings, by a pattern of the templates with them."""

_HEADERS_LEFT_OUT: Final = tuple(
    f'"{name}' for name in ("Project-", "Report-", "POT-", "PO-", "Last-", "Language-Team", "Gen")
)
"""Headers on who changed a catalogue and when, which are left to version control."""


def extract_messages() -> Catalog:
    """Return a catalogue without translations of all messages in the source code, and of those of click.

    The location of a message is a file, so that a catalogue changes only when messages do.
    """
    catalog = Catalog()
    for package, (methods, keywords) in product(PACKAGES, _SOURCES):
        for file, _, text, comments, context in extract_from_dir(
            ROOT / package, methods, keywords=keywords, comment_tags=("Translators:",)
        ):
            location = (f"{package}/{file}", 0)
            notes = [*comments, *notes_for(text if isinstance(text, str) else text[0])]
            catalog.add(text, None, [location], auto_comments=notes, context=context)
    for text in _click_messages():
        catalog.add(text, None, [("click", 0)])
    return catalog


def notes_for(template: str) -> list[str]:
    """Return the notes for translators about the words of a template that have two meanings."""
    return [note for pattern, note in NOTES.items() if re.search(pattern, template, re.IGNORECASE)]


def _click_messages() -> Iterator[str | tuple[str, ...]]:
    for path in sorted(Path(click.__file__).parent.glob("*.py")):
        for _, text, _, _ in extract_from_file("python", path):
            yield text


def update(path: Path) -> Catalog:
    """Write the messages of the source code into a catalogue, keep its translations, and return it.

    A catalogue that does not exist is created.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    old = read_po(BytesIO(path.read_bytes() if path.exists() else b""))
    new = Catalog(locale=path.parent.parent.name, header_comment="", fuzzy=False)
    for entry in extract_messages():
        if entry.id:
            earlier = old.get(entry.id, entry.context)
            new.add(
                entry.id,
                earlier.string if earlier is not None else "",
                entry.locations,
                auto_comments=entry.auto_comments,
                user_comments=earlier.user_comments if earlier is not None else (),
                context=entry.context,
            )
    write_catalogue(new, path)
    return new


def write_catalogue(catalog: Catalog, path: Path) -> None:
    """Write a catalogue in the order of files and messages, without the dates of its last changes."""
    entries = [entry for entry in catalog if entry.id]
    entries.sort(key=lambda entry: (sorted(entry.locations), entry.context or "", str(entry.id)))
    in_order = Catalog(locale=catalog.locale, header_comment="", fuzzy=False)
    for entry in entries:
        in_order[entry.id] = entry
    buffer = BytesIO()
    write_po(buffer, in_order, width=100, include_lineno=False)
    lines = buffer.getvalue().decode().splitlines(keepends=True)
    path.write_text("".join(line for line in lines if not line.startswith(_HEADERS_LEFT_OUT)))


def untranslated(catalog: Catalog) -> list[Message]:
    """Return the messages of a catalogue without a translation, or with missing plural forms."""
    return [
        entry
        for entry in catalog
        if entry.id and not (all(entry.string or ()) if entry.pluralizable else entry.string)
    ]


def main(new_languages: Sequence[str]) -> None:
    """Update and compile the catalogues, and report how many messages are not translated."""
    languages = {path.parents[1].name for path in FOLDER.glob(f"*/*/{DOMAIN}.po")}
    for language in sorted(languages.union(new_languages)):
        path = FOLDER / language / "LC_MESSAGES" / f"{DOMAIN}.po"
        missing = len(untranslated(update(path)))
        sys.stderr.write(f"{language}: {missing} messages are not translated\n")
    compile_catalogues()


if __name__ == "__main__":
    main(sys.argv[1:])
