"""View models of what organisers change: sentences about changes, and what their forms send."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from domain.json_types import JsonObject
from domain.messages import (
    Instant,
    Listing,
    Message,
    PlayerWithId,
    Text,
    comma_list,
    message,
    semicolon_list,
)
from domain.tournaments.changes import CHANGES
from domain.tournaments.events import Seeding
from domain.tournaments.format_settings import FORMATS_WITH_PROHIBITIONS
from domain.tournaments.pairing import MAX_TABLE, NoPairing
from domain.tournaments.rulings import can_be_ruled, game_at
from domain.tournaments.tournament import Tournament
from service.pages.view_models.new_game_form import entered_handles
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
    places = [
        message("{player} ({place})", player=PlayerWithId(player), place=place_text(place))
        for player, place in zip(players, data["places"], strict=True)
    ]
    return message(
        "The result of table {table} in round {round}, by the organiser: {places}",
        table=data["table"],
        round=data["round"],
        places=comma_list(places),
    )


SEEDING_NAMES: Final[Mapping[Seeding, Message]] = {
    "lots": message("By lot"),
    "rating": message("By rating"),
    "hand": message("By hand"),
}


def _players(players: Iterable[str]) -> Listing:
    return comma_list(map(PlayerWithId, players))


def _prohibited(tournament: Tournament, data: Any) -> Text:
    if "club" in data:
        return message(
            "Members of one club do not meet: {players}", players=_players(data["players"])
        )
    return message("These players do not meet: {players}", players=_players(data["players"]))


def _released(tournament: Tournament, data: Any) -> Text:
    if "tables" in data:
        return message(
            "Round {round} is paired by the organiser: {tables}",
            round=data["round"],
            tables=semicolon_list(map(_players, data["tables"])),
        )
    return message("Round {round} begins as it was drawn.", round=data["round"])


def _announced(tournament: Tournament, data: Any) -> Text:
    if "table" in data:
        return message(
            "To table {table} of round {round}:", table=data["table"], round=data["round"]
        )
    return message("To all players:")


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
    "PairingsProhibited": _prohibited,
    "PairingsAllowed": lambda _, data: message(
        "These players may meet again: {players}", players=_players(data["players"])
    ),
    "SeedingChanged": lambda _, data: message(
        "The starting order is now: {order}", order=SEEDING_NAMES[data["seeding"]]
    ),
    "ReviewChanged": lambda _, data: (
        message("Each round waits for its release by the organiser.")
        if data["review"]
        else message("Rounds begin as soon as they are drawn.")
    ),
    "RoundReleased": _released,
    "AnnouncementMade": _announced,
    "OrganiserNamed": lambda _, data: message(
        "{player} organises the tournament, too.", player=PlayerWithId(data["player"])
    ),
    "OrganiserDismissed": lambda _, data: message(
        "{player} organises the tournament no more.", player=PlayerWithId(data["player"])
    ),
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
            reason=change.data.get("reason") or change.data["text"],
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
    "players": lambda text, _: entered_handles(text),
    "tables": lambda text, _: [entered_handles(line) for line in text.splitlines() if line.strip()],
    "review": lambda text, _: text == "true",
    "club": lambda text, _: text,
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


def drawn_tables(tournament: Tournament) -> list[tuple[str, ...]] | None:
    """Return the players at the tables of the next round as it is drawn; None if there is no such pairing."""
    try:
        tables = tournament.next_tables()
    except NoPairing:
        return None
    return [tuple(tournament.entrants[number] for number in table) for table in tables or ()]


def possible_changes(tournament: Tournament) -> frozenset[str]:
    """Return the types of changes for which the page has a form now."""
    if tournament.is_over:
        return frozenset()
    types = {"TextsChanged", "AnnouncementMade", "OrganiserNamed"}
    is_arena = tournament.format.is_arena
    if not is_arena:
        types.add("ReviewChanged")
    if tournament.named:
        types.add("OrganiserDismissed")
    if tournament.format.format in FORMATS_WITH_PROHIBITIONS:
        types.add("PairingsProhibited")
    if tournament.prohibitions:
        types.add("PairingsAllowed")
    if tournament.status == "open" and not is_arena:
        types.add("SeedingChanged")
    if tournament.status == "running":
        types.add("TableRuled")
    if tournament.paused_at is not None:
        return frozenset(types | {"TournamentResumed", "TableReplayed"})
    if tournament.status == "open" or not is_arena:
        types.add("TournamentPaused")
    if tournament.waits_for_draw:
        types.add("RoundReleased")
    if tournament.status == "open":
        types.add("ClosingDateChanged")
    drawn = tournament.current_round
    if tournament.status == "running" and drawn is not None and not (drawn.is_closed or is_arena):
        types |= {"RoundExtended", "TableReplayed"}
    return frozenset(types)
