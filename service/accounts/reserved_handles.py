"""Handles that nobody can register, because they seem to speak for the server or its operator."""

import unicodedata
from functools import cache
from typing import Final

from service.accounts.handles import fold_case, skeletons

_NAMES: Final = (
    *("abuse", "admin", "administrator", "arbiter", "cartulary", "contact", "guest", "help"),
    *("helpdesk", "hostmaster", "info", "judge", "mail", "mailerdaemon", "mod", "moderator"),
    *("noreply", "notifications", "official", "operator", "owner", "postmaster", "referee", "root"),
    *("security", "server", "service", "staff", "superuser", "support", "sysadmin", "system"),
    *("team", "webmaster", "administrateur", "administratrice", "aide", "arbitre", "assistance"),
    *("equipe", "exploitant", "juge", "moderateur", "moderatrice", "officiel", "operateur"),
    *("serveur", "systeme", "administrador", "administradora", "arbitra", "arbitro", "ayuda"),
    *("equipo", "juez", "moderador", "moderadora", "oficial", "operador", "operadora", "servidor"),
    *("sistema", "soporte"),
)
_LETTERS_OF_DIGITS: Final = str.maketrans("013457", "oieast")
"""Digits that stand for letters: `adm1n`."""
_SIGNS: Final = str.maketrans("", "", "_-.")


def is_reserved(handle: str) -> bool:
    """Return whether a handle is one of these names, or reads or looks like one of them.

    Case, accents, signs, a number at the end and digits for letters make no difference.
    """
    return any(not _reserved().isdisjoint(_forms(variant)) for variant in _variants(handle))


def _variants(handle: str) -> tuple[str, ...]:
    text = handle.translate(_SIGNS)
    without_number = text.rstrip("0123456789")
    return text, without_number, text.translate(_LETTERS_OF_DIGITS)


def _forms(text: str) -> frozenset[str]:
    """Return the forms by which a text is compared: itself, and its skeletons, without accents and case."""
    return frozenset(_without_accents(form) for form in (text, *skeletons(text)))


def _without_accents(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", fold_case(text))
    return "".join(character for character in decomposed if not unicodedata.combining(character))


@cache
def _reserved() -> frozenset[str]:
    return frozenset().union(*map(_forms, _NAMES))
