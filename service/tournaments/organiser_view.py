"""View models of what organisers change: sentences about changes, and what their forms send."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from domain.json_types import JsonObject
from domain.messages import Instant, PlayerWithId, Text, comma_list, message
from domain.tournaments.changes import CHANGES
from domain.tournaments.pairing import MAX_TABLE
from domain.tournaments.rulings import can_be_ruled, game_at
from domain.tournaments.tournament import Tournament
from service.tournaments.view_model import (
    TableView,
    entered_moment,
    entered_number,
    place_text,
    round_view,
)

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
    game: str | None
    """The game whose record is the ground of a ruling, if it is one."""
    seq: int | None
    """The event of that game."""


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


def _ruled(tournament: Tournament, data: Any) -> Text:
    players = tournament.rounds[data["round"] - 1].players[data["table"] - 1]
    places = zip(players, data["places"], strict=True)
    return message(
        "The result of table {table} in round {round}, by the organiser: {places}",
        table=data["table"],
        round=data["round"],
        places=comma_list(
            message("{player} ({place})", player=PlayerWithId(player), place=place_text(place))
            for player, place in places
        ),
    )


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
    "TableRuled": _ruled,
    "TableReplayed": lambda _, data: message(
        "Table {table} in round {round} plays again: its game so far counts no more.",
        table=data["table"],
        round=data["round"],
    ),
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
            game=change.data.get("game"),
            seq=change.data.get("seq"),
        )
        for change in reversed(tournament.changes[-MAX_ROWS:])
    ]


def _number(text: str, zone: str) -> object:
    return entered_number(text)


_READERS: Final[Mapping[str, Callable[[str, str], object]]] = {
    "closes": entered_moment,
    "ends": entered_moment,
    **dict.fromkeys(("round", "table", "seq"), _number),
}
"""How fields are read from a form, by their names; all others are texts."""


def entered_change(type: str, values: Mapping[str, str], zone: str) -> JsonObject:
    """Return the data of a change as the HTTP interface takes it, from the values of its form.

    Entries that are no numbers or dates are left as they are, so that they are refused.
    """
    chosen = CHANGES[type].chosen if type in CHANGES else ()
    data: JsonObject = {}
    if "places" in chosen:
        names = (f"place-{seat}" for seat in range(MAX_TABLE))
        data["places"] = [entered_number(values[name]) for name in names if name in values]
    for name in chosen:
        read, text = _READERS.get(name), values.get(name, "").strip()
        if read is None and name in values:
            data[name] = text
        elif read is not None and text:
            data[name] = read(text, zone)
    return data


def table_to_rule(tournament: Tournament, round: str, table: str) -> TableView | None:
    """Return the table on which an organiser is about to rule; None if there is none that can be ruled on."""
    number, table_number = entered_number(round), entered_number(table)
    if game_at(tournament, number, table_number) is None or not isinstance(number, int):
        return None
    if not can_be_ruled(tournament, number):
        return None
    view = round_view(tournament, tournament.rounds[number - 1])
    return next(each for each in view.tables if each.number == table_number)


def possible_changes(tournament: Tournament) -> frozenset[str]:
    """Return the types of changes for which the page has a form now."""
    if tournament.is_over:
        return frozenset()
    types = {"TextsChanged"}
    if tournament.status == "running":
        types.add("TableRuled")
    if tournament.paused_at is not None:
        return frozenset(types | {"TournamentResumed", "TableReplayed"})
    types.add("TournamentPaused")
    if tournament.status == "open":
        types.add("ClosingDateChanged")
    drawn = tournament.current_round
    if tournament.status == "running" and drawn is not None and not drawn.is_closed:
        types |= {"RoundExtended", "TableReplayed"}
    return frozenset(types)
