"""The renderer: turns messages into text in one language, with the names of the players.

Messages and events contain ids and seats, and no names.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, tzinfo
from functools import lru_cache
from string import Formatter
from typing import Final, NamedTuple, assert_never

from domain.messages import (
    Amount,
    Day,
    HexAt,
    HexPath,
    Instant,
    Listing,
    Message,
    PlayerAt,
    PlayerWithId,
    Term,
    Value,
    message,
    message_in,
)
from replay.language.catalogue import ENGLISH, SEAM, Catalogue, catalogue
from replay.language.text_layout import clean, isolated
from replay.language.times import day_text, instant_text


class Names:
    """The known handles of players, and their seats.

    `handles` has the handles by player id, and `players` are the ids by seat. Names are for display and prove
    nothing. A handle that several players have, as in a forged record, is not used.
    """

    def __init__(
        self, handles: Mapping[str, str] | None = None, players: Sequence[str] = ()
    ) -> None:
        self._handles: dict[str, str] = {}
        self._players = tuple(players)
        if handles:
            cleaned = {id: clean(handle) for id, handle in handles.items()}
            counts = Counter(cleaned.values())
            self._handles = {id: name for id, name in cleaned.items() if name and counts[name] == 1}

    def handle(self, id: str) -> str | None:
        """Return the handle of a player for display; None if it is not known."""
        return self._handles.get(id)

    def player(self, id: str) -> str:
        """Return the handle of a player, or the id."""
        return self.handle(id) or clean(id)

    def seat(self, seat: int) -> str | None:
        """Return the handle of the player in a seat; None if it is not known."""
        return self.handle(self._players[seat]) if 0 <= seat < len(self._players) else None

    def seated(self, players: Sequence[str]) -> "Names":
        """Return these names with other players by seat."""
        names = Names(players=players)
        names._handles = self._handles
        return names


NO_NAMES: Final = Names()


class _Part(NamedTuple):
    """Literal text of a template, and the value that follows it: its name, and the form to insert."""

    literal: str
    name: str | None
    form: str


class Renderer:
    """Renders messages in one language.

    `{value}` inserts a value, `{value:FORM}` a form of a term (`{building:a}`), `{gain:signed}` a number with
    its sign, `{player:label}` a player as the label of a row. `{pawn:m=détruit|f=détruite}` inserts one of
    several texts by the form `gender` of a term, the first if none fits. Untrusted text is cleaned, and
    isolated if it is written from right to left. Moments are shown in the time zone `zone`.
    """

    def __init__(self, catalogue: Catalogue, names: Names = NO_NAMES, zone: tzinfo = UTC) -> None:
        self.catalogue = catalogue
        self.names = names
        self.zone = zone
        self._seam = SEAM if catalogue.contractions else ""

    @property
    def language(self) -> str:
        """The tag of the language, such as `fr`."""
        return self.catalogue.language

    def with_names(self, names: Names) -> "Renderer":
        """Return a renderer for the same language and time zone with other names."""
        return Renderer(self.catalogue, names, self.zone)

    def __call__(self, value: Value) -> str:
        """Return a message, or any other value, as text."""
        text = self._value(value, "")
        if SEAM not in text:
            return text
        for literal, pattern, replacement in self.catalogue.contractions:
            if literal in text.lower():
                text = pattern.sub(replacement, text)
        return text.replace(SEAM, "")

    def sentence(self, value: Value) -> str:
        """Return a message as text that begins with a capital letter, unless it begins with a name."""
        text = self(value)
        return text if self._begins_with_name(value) else text[:1].upper() + text[1:]

    def _begins_with_name(self, value: Value) -> bool:
        match value:
            case Message():
                first = next(iter(_parts(self.catalogue.template(value))), None)
                if first is None or first.literal or first.name is None:
                    return False
                return self._begins_with_name(value.values[first.name])
            case Listing(items):
                return bool(items) and self._begins_with_name(items[0])
            case PlayerAt(seat):
                return self.names.seat(seat) is not None
            case _:
                return isinstance(value, str | PlayerWithId)

    def _value(self, value: Value, form: str) -> str:
        match value:
            case Message():
                return self._message(value)
            case int():
                return f"{value:+}" if form == "signed" else str(value)
            case str():
                return isolated(clean(value).replace(SEAM, "\ufffd"))
            case HexAt(q, r):
                return f"{q},{r}"
            case HexPath(hexes):
                return ">".join(f"{hex.q},{hex.r}" for hex in hexes)
            case Term():
                return self._term(value, form)
            case Amount(count, term):
                return f"{count} {self.catalogue.amount_form(term, count)}"
            case PlayerAt(seat):
                name = self.names.seat(seat)
                return self._seat(seat, form) if name is None else isolated(name)
            case PlayerWithId(id):
                return isolated(self.names.player(id))
            case Instant(timestamp, is_exact):
                text = instant_text(timestamp, self.language, self.zone, is_exact=is_exact)
                return clean(timestamp) if text is None else text
            case Day(date):
                text = day_text(date, self.language)
                return clean(date) if text is None else text
            case Listing():
                return self._listing(value)
            case _:
                assert_never(value)

    def _message(self, message: Message) -> str:
        values = message.values
        text = ""
        for literal, name, form in _parts(self.catalogue.template(message)):
            text += literal
            if name is not None:
                text += self._seam + self._value(values[name], form)
        return text

    def _term(self, term: Term, form: str) -> str:
        forms = self.catalogue.forms(term)
        if "=" in form:
            choices = dict(choice.split("=", 1) for choice in form.split("|"))
            return choices.get(forms.get("gender", ""), next(iter(choices.values())))
        return forms.get(form, forms[""])

    def _seat(self, seat: int, form: str) -> str:
        if form == "label":
            return self._message(message_in("label", "seat {number}", number=seat))
        return self._message(message("seat {number}", number=seat))

    def _listing(self, listing: Listing) -> str:
        texts = [self._value(item, "") for item in listing.items]
        if len(texts) == 1:
            return texts[0]
        match listing.style:
            case "semicolon":
                return self._message(message_in("in a list", "; ")).join(texts)
            case "comma":
                return ", ".join(texts) or self._message(message("none"))
            case "and":
                if not texts:
                    return self._message(message("nothing"))
                *others, last = texts
                conjunction = self._message(message_in("in a list", " and "))
                return ", ".join(others) + conjunction + self._seam + last
            case _:
                assert_never(listing.style)


@lru_cache(maxsize=8192)
def _parts(template: str) -> tuple[_Part, ...]:
    """Return the parts of a template. The number of templates is bounded by those in the catalogues."""
    return tuple(
        _Part(literal, name, form or "") for literal, name, form, _ in Formatter().parse(template)
    )


def renderer(language: str, names: Names = NO_NAMES, zone: tzinfo = UTC) -> Renderer:
    """Return a renderer for one of `catalogue.languages()`, which shows moments in a time zone."""
    return Renderer(catalogue(language), names, zone)


def english(value: Value) -> str:
    """Return a message in English with seats instead of names, as logs for operators have it."""
    return _ENGLISH(value)


_ENGLISH: Final = Renderer(catalogue(ENGLISH))
