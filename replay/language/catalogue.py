"""Catalogues of translations, and the choice of a language among them.

A catalogue is a gettext catalogue, `catalogues/LANGUAGE/LC_MESSAGES/messages.po`, which Babel compiles.
English needs none: the templates in the code and the forms of the terms there are English.
"""

import gettext
import os
import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple, cast

from domain.messages import Message, Term, message_in

DOMAIN: Final = "messages"
ENGLISH: Final = "en"
FOLDER: Final = Path(__file__).parent / "catalogues"
SEAM: Final = "\ue000"
"""The character before each value while a text is assembled. Contractions apply only there."""

_CONTRACTIONS: Final = message_in("grammar", "contractions")
"""The translation has a line `PATTERN => REPLACEMENT` for each contraction, such as `de ¦le  => du `.

PATTERN is a regular expression in which `¦` is the place where a value begins; it matches from the start of
a word.
"""


class Contraction(NamedTuple):
    """`pattern` becomes `replacement`. A text without `literal` does not match, and is not searched."""

    literal: str
    pattern: re.Pattern[str]
    replacement: str


class Catalogue:
    """The data of one language for the renderer."""

    def __init__(
        self, language: str = ENGLISH, translations: gettext.NullTranslations | None = None
    ) -> None:
        self.language = language
        self._translations = translations or gettext.NullTranslations()
        self._plural = cast(
            "Callable[[int], int]",
            getattr(self._translations, "plural", lambda count: int(count != 1)),
        )
        self._forms: dict[Term, Mapping[str, str]] = {}
        self.contractions = tuple(_parse_contractions(self.template(_CONTRACTIONS)))

    def template(self, message: Message) -> str:
        """Return the template of a message in this language; in English if it is not translated."""
        translations = self._translations
        if message.plural is not None:
            count = message.values["count"]
            number = count if isinstance(count, int) else 0
            return translations.ngettext(message.template, message.plural, number)
        if message.context is not None:
            return translations.pgettext(message.context, message.template)
        return translations.gettext(message.template)

    def forms(self, term: Term) -> Mapping[str, str]:
        """Return the forms of a term by name; the bare form has the name ``."""
        forms = self._forms.get(term)
        if forms is None:
            forms = self._forms[term] = parse_forms(self._translations.gettext(term.forms))
        return forms

    def amount_form(self, term: Term, count: int) -> str:
        """Return the form of a term after a number."""
        forms = self.forms(term)
        index = self._plural(abs(count))
        name = "" if not index else "plural" if index == 1 else f"plural{index}"
        return forms.get(name, forms[""])


def parse_forms(text: str) -> Mapping[str, str]:
    """Return the forms in `knight; plural: knights; a: a knight` by name; the first has the name ``."""
    bare, *others = text.split(";")
    named = (other.partition(":") for other in others)
    return {"": bare.strip(), **{name.strip(): form.strip() for name, _, form in named}}


def _parse_contractions(text: str) -> Iterable[Contraction]:
    for line in text.split("\n"):
        pattern, arrow, replacement = line.partition(" => ")
        if arrow:
            beginning = pattern.partition("¦")[0]
            is_literal = re.escape(beginning) == beginning.replace(" ", "\\ ")
            expression = rf"\b{pattern.replace('¦', f'{SEAM}+')}"
            yield Contraction(
                beginning.lower() + SEAM if is_literal else SEAM,
                re.compile(expression, re.IGNORECASE),
                replacement,
            )


@lru_cache(maxsize=1)
def languages() -> tuple[str, ...]:
    """Return the languages in which messages can be shown, English first."""
    return (ENGLISH, *sorted(path.parents[1].name for path in FOLDER.glob(f"*/*/{DOMAIN}.mo")))


@lru_cache(maxsize=32)
def catalogue(language: str) -> Catalogue:
    """Return the catalogue of one of `languages()`."""
    if language == ENGLISH:
        return Catalogue()
    return Catalogue(language, gettext.translation(DOMAIN, FOLDER, [language]))


def choose_language(tags: Iterable[str]) -> str:
    """Return the language of the first tag that matches one of `languages()`, else English.

    A tag is that of a language or locale: `fr`, `fr-CH`, `fr_CH.UTF-8`. Any text is accepted.
    """
    subtags = map(primary_subtag, tags)
    return next((subtag for subtag in subtags if subtag in languages()), ENGLISH)


def primary_subtag(tag: str) -> str:
    """Return the language in the tag of a language or locale: `fr` for `fr-CH` or `fr_CH.UTF-8`."""
    return re.split("[-_.@]", tag, maxsplit=1)[0].lower()


def locale_tags() -> list[str]:
    """Return the tags of the locale of this process in the order in which gettext considers them."""
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(variable):
            is_untranslated = value.partition(".")[0] in {"C", "POSIX"}
            preferred = os.environ.get("LANGUAGE", "")
            return [] if is_untranslated else [*preferred.split(":"), value]
    return []
