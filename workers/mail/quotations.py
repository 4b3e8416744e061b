"""Recognizes what mail programs add to an answer: the quoted mail, and a line about the program or phone.

A program introduces the mail that it quotes with a sentence such as `On Monday, Ada wrote:`, which it may
break into several lines, or with headers such as `From: Ada`. These are recognized in the languages in which
players write, and quotations that begin with `>` in any language.

The maintained library for this, mail-parser-reply, takes 8 s for 10 KB of empty lines (version 1.36), has no
Portuguese, and misses common forms, such as `Envoyé de mon iPhone`. The functions here read every line a few
times.
"""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from service.entered_text import trim

MAX_LINE_CHARACTERS: Final = 500
_MAX_INTRODUCTION_LINES: Final = 4
"""Lines into which a program breaks the sentence before a quotation."""
_ENDS: Final = ("-----", "_____")
"""The beginnings of lines below which programs quote the mail that is answered."""
_ORNAMENTS: Final = "*-_~\u2013\u2014 "
"""Characters that can stand before a header, or before a line about a phone."""


@dataclass(frozen=True, slots=True)
class _Language:
    """The phrases that programs write in a language, in lower case.

    A sentence before a quotation begins with one of `openings` and contains one of `verbs`. `notices` are the
    beginnings of lines about a program, and `headers` the names of headers that can come first.
    """

    openings: tuple[str, ...]
    verbs: tuple[str, ...]
    headers: tuple[str, ...]
    notices: tuple[str, ...]


_LANGUAGES: Final[Mapping[str, _Language]] = {
    "en": _Language(
        ("on ",),
        ("wrote",),
        ("from", "sent", "to", "subject", "date"),
        ("sent from", "sent via", "sent with", "sent using", "get outlook for"),
    ),
    "fr": _Language(
        ("le ",),
        ("écrit",),
        ("de", "envoyé", "envoyé le", "à", "objet", "date"),
        (
            *("envoyé de mon", "envoyé de ma", "envoyé depuis", "envoyé à partir", "envoyé avec"),
            *("envoyé via", "obtenir outlook pour", "obtenez outlook pour"),
            *("télécharger outlook pour", "provenance :", "provenance:"),
        ),
    ),
    "es": _Language(
        ("el ",),
        ("escribió",),
        ("de", "enviado", "enviado el", "para", "asunto", "fecha"),
        (
            *("enviado desde", "enviado con", "enviado mediante", "enviado a través"),
            *("obtener outlook para", "obtén outlook para", "descargar outlook para"),
        ),
    ),
    "de": _Language(
        ("am ",),
        ("schrieb", "geschrieben"),
        ("von", "gesendet", "an", "betreff", "datum"),
        (
            *("von meinem", "von meiner", "gesendet von", "gesendet mit", "gesendet über"),
            *("diese nachricht wurde von", "diese nachricht wurde mit", "diese mail wurde"),
            *("holen sie sich outlook für", "outlook für"),
        ),
    ),
    "it": _Language(
        ("il ",),
        ("scritto",),
        ("da", "inviato", "a", "oggetto", "data"),
        (
            *("inviato da", "inviato dal", "inviato con", "inviato tramite"),
            *("ottieni outlook per", "scarica outlook per"),
        ),
    ),
    "pt": _Language(
        ("em ", "no dia ", "a "),
        ("escreveu",),
        ("de", "enviado", "enviada", "enviado em", "enviada em", "para", "assunto", "data"),
        (
            *("enviado do", "enviado da", "enviado de", "enviado a partir", "enviado através"),
            *("enviado por", "enviado pelo", "enviado com", "enviado via", "obter o outlook para"),
            *("obtenha o outlook para", "baixe o outlook para"),
        ),
    ),
}
LANGUAGES: Final = tuple(_LANGUAGES)
_HEADERS: Final = frozenset().union(*(language.headers for language in _LANGUAGES.values()))
_NOTICES: Final = tuple(notice for each in _LANGUAGES.values() for notice in each.notices)
_VERBS: Final = tuple(verb for each in _LANGUAGES.values() for verb in each.verbs)


def written_lines(text: str, most: int) -> Sequence[str]:
    """Return the lines of the first paragraph that a person wrote, without quotations and notices.

    They have single, plain spaces and at most MAX_LINE_CHARACTERS. Only the first `most` lines are
    complete; some later ones may be missing.
    """
    lines = [_normalize(line) for line in text.splitlines()]
    written: list[str] = []
    index = 0
    while index < len(lines) and len(written) <= most + _MAX_INTRODUCTION_LINES:
        line = lines[index]
        index += 1
        if not line:
            if written and not written[-1].endswith(":"):
                break
        elif line == "--" or line.startswith(_ENDS) or _is_notice(line) or _is_header(line):
            break
        elif line.startswith(">"):
            written = _without_introduction(written)
            if written:
                break
        elif length := _introduction_length(lines, index - 1):
            index += length - 1
            if written or not _is_quoted_below(lines, index):
                break
        else:
            written.append(line)
    return written


def _normalize(line: str) -> str:
    if not line:
        return line
    shortened = trim(line[: 2 * MAX_LINE_CHARACTERS])
    return unicodedata.normalize("NFC", " ".join(shortened.split()))[:MAX_LINE_CHARACTERS]


def _is_notice(line: str) -> bool:
    return line.lstrip(_ORNAMENTS).lower().startswith(_NOTICES)


def _is_header(line: str) -> bool:
    name, colon, _ = line.lstrip(_ORNAMENTS).partition(":")
    return bool(colon) and name.rstrip(_ORNAMENTS).lower() in _HEADERS


def _introduction_length(lines: Sequence[str], start: int) -> int:
    """Return the number of lines of a sentence before a quotation that begins at `start`; 0 if none does."""
    first = lines[start].lower()
    verbs = next(
        (each.verbs for each in _LANGUAGES.values() if first.startswith(each.openings)),
        _VERBS if "@" in first else (),
    )
    if not verbs:
        return 0
    sentence = ""
    for length, line in enumerate(lines[start : start + _MAX_INTRODUCTION_LINES], start=1):
        if not line or line.startswith(">"):
            return 0
        sentence += f" {line.lower()}"
        if sentence.endswith(":") and any(verb in sentence for verb in verbs):
            return length
    return 0


def _is_quoted_below(lines: Sequence[str], index: int) -> bool:
    """Return whether the next line that is not empty, from `index` on, is quoted."""
    rest = (lines[at] for at in range(index, len(lines)))
    return next(filter(None, rest), "").startswith(">")


def _without_introduction(written: list[str]) -> list[str]:
    """Return the lines before the sentence that introduces a quotation in another language.

    The sentence is one line, or two if the first has an address.
    """
    if not written or not written[-1].endswith(":"):
        return written
    rest = written[:-1]
    return rest[:-1] if rest and "@" in rest[-1] else rest
