"""View models of what organisers change: sentences about changes, and what their forms send."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from domain.json_types import JsonObject
from domain.messages import Instant, Text, message
from domain.tournaments.changes import CHANGES
from domain.tournaments.tournament import Tournament
from service.tournaments.view_model import entered_moment

MAX_ROWS: Final = 50
"""The most changes that a page shows, the last ones; the log has all of them."""
_Sentence = Callable[[Tournament, Any], Text]


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """A change for the page."""

    text: Text
    author: str
    at: str
    reason: str


def _texts(tournament: Tournament, data: Any) -> Text:
    if "name" in data:
        return message("The name is now: {name}", name=data["name"])
    if "contact" in data and "description" not in data:
        return message("How players reach the organiser has changed.")
    return message("The description has changed.")


def _resumed(tournament: Tournament, data: Any) -> Text:
    date = data.get("ends") or data.get("closes")
    if date is None:
        return message("The tournament goes on.")
    return message("The tournament goes on. The next date is {time}.", time=Instant(date))


SENTENCES: Final[Mapping[str, _Sentence]] = {
    "TextsChanged": _texts,
    "ClosingDateChanged": lambda _, data: message(
        "Registration closes on {time}.", time=Instant(data["closes"])
    ),
    "RoundExtended": lambda _, data: message(
        "The last date of round {round} is now {time}.",
        round=data["round"],
        time=Instant(data["ends"]),
    ),
    "TournamentPaused": lambda *_: message("The tournament is paused."),
    "TournamentResumed": _resumed,
}
"""By event type, what a change has changed in one sentence."""


def change_rows(tournament: Tournament) -> list[ChangeRow]:
    """Return the last changes of a tournament, the newest first."""
    return [
        ChangeRow(
            text=SENTENCES[change.type](tournament, change.data),
            author=str(change.by.get("player", "")),
            at=change.at,
            reason=change.data["reason"],
        )
        for change in reversed(tournament.changes[-MAX_ROWS:])
    ]


_READERS: Final[Mapping[str, Callable[[str, str], object]]] = {
    "closes": entered_moment,
    "ends": entered_moment,
}
"""How fields are read from a form, by their names; all others are texts."""


def entered_change(type: str, values: Mapping[str, str], zone: str) -> JsonObject:
    """Return the data of a change as the HTTP interface takes it, from the values of its form.

    Entries that are no numbers or dates are left as they are, so that they are refused.
    """
    chosen = CHANGES[type].chosen if type in CHANGES else ()
    data: JsonObject = {}
    for name in chosen:
        read, text = _READERS.get(name), values.get(name, "").strip()
        if read is None and name in values:
            data[name] = text
        elif read is not None and text:
            data[name] = read(text, zone)
    return data


def possible_changes(tournament: Tournament) -> frozenset[str]:
    """Return the types of changes for which the page has a form now."""
    if tournament.is_over:
        return frozenset()
    types = {"TextsChanged"}
    if tournament.paused_at is not None:
        return frozenset(types | {"TournamentResumed"})
    types.add("TournamentPaused")
    if tournament.status == "open":
        types.add("ClosingDateChanged")
    drawn = tournament.current_round
    if tournament.status == "running" and drawn is not None and not drawn.is_closed:
        types.add("RoundExtended")
    return frozenset(types)
