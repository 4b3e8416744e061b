"""The contents of a player's feeds: an Atom feed of events, and a calendar of deadlines and dates.

The Atom feed (RFC 4287) has the events in their games, and the calendar (RFC 5545) their deadlines and the
dates of their tournaments. Each tournament has a calendar too. Both are
made from the logs when they are requested, from events whose data every viewer of the game may see. They are
bounded: they contain the latest games, and the last events of each.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import NAMESPACE_URL, uuid5
from xml.etree import ElementTree as ET

from domain.event import Event
from domain.game import Game
from domain.messages import Message, message
from domain.tournaments.formats import round_title
from domain.tournaments.tournament import Tournament
from ledger.clock import turn_clock
from replay.history.event_text import actor_message, outcome_message
from replay.language.renderer import Names, Renderer
from service import wall_clock
from service.accounts.accounts import Players
from service.errors import NotFound
from service.games.listings import Listings
from service.games.queries import GameQueries
from service.notifications.notification import renderer_for
from service.notifications.titles import game_name
from service.tournaments.tournaments import Tournaments

MAX_GAMES: Final = 50
"""The most games in a feed."""
MAX_EVENTS_PER_GAME: Final = 20
MAX_ENTRIES: Final = 100
"""The most entries of an Atom feed; it has the latest ones."""
_ATOM: Final = "http://www.w3.org/2005/Atom"
_LANG: Final = "{http://www.w3.org/XML/1998/namespace}lang"
_PRODUCT: Final = "-//Cartulary//Deadlines//EN"


@dataclass(frozen=True, slots=True)
class _Entry:
    """An event in a feed, with its game and the names of the players of the game."""

    game: Game
    event: Event
    names: Names


@dataclass(frozen=True, slots=True)
class _Date:
    """A date in a calendar, or a to-do without a date if `at` is None."""

    uid: str
    known_since: datetime
    at: datetime | None
    title: str
    address: str
    sequence: int = 0


@dataclass(eq=False, repr=False)
class Feeds:
    """Makes the feeds of players. Thread-safe. Methods raise Unavailable if the store does not respond."""

    _queries: GameQueries
    _listings: Listings
    _players: Players
    _tournaments: Tournaments
    _public_url: str
    """The URL of the pages, with which links begin."""

    def atom(self, player: str, address: str) -> bytes:
        """Return the Atom feed of a player, the latest event first; `address` is the address of the feed."""
        (account,) = self._players.get([player])
        if account is None:
            raise NotFound.with_message("there is no such feed")
        render = renderer_for(account)
        entries = sorted(
            self._entries(player),
            key=lambda entry: (entry.event["at"], entry.game.id, entry.event["seq"]),
            reverse=True,
        )[:MAX_ENTRIES]
        ET.register_namespace("", _ATOM)
        feed = ET.Element(f"{{{_ATOM}}}feed", {_LANG: render.language})
        _add(feed, "id", _urn(f"feed/{player}"))
        _add(feed, "title", render(message("What happened in your games")))
        _add(feed, "updated", entries[0].event["at"] if entries else account.created)
        ET.SubElement(feed, f"{{{_ATOM}}}link", {"rel": "self", "href": address})
        ET.SubElement(feed, f"{{{_ATOM}}}link", {"href": f"{self._public_url}/"})
        for entry in entries:
            self._add_entry(feed, entry, render)
        document: bytes = ET.tostring(feed, encoding="utf-8", xml_declaration=True)
        return document

    def calendar(self, player: str) -> bytes:
        """Return the calendar of a player: the deadline of each turn that waits for them, and in tournaments
        when registration closes and the last date of each round in which they play.

        The UID of a turn stays the same when its deadline moves, and SEQUENCE and DTSTART change. While a
        pause or a dispute stops the clock, a turn is a to-do (VTODO) without a date, which says so.
        """
        (account,) = self._players.get([player])
        render = renderer_for(account)
        now = wall_clock.format(wall_clock.now())
        dates = []
        for game in self._games(player):
            deadline = turn_clock.deadline(game)
            if deadline is None or game.to_act is None or game.to_act != game.seat_of(player):
                continue
            # The time of the request is not used, so that the calendar changes only with the deadline.
            known_since = wall_clock.parse(game.at)
            uid, address = f"{game.id}-{game.turn}", f"{self._public_url}/games/{game.id}"
            stop = turn_clock.clock_stop(game, now)
            title = _turn_title(game, stop)
            if stop is not None:
                uid, deadline = f"{uid}-stopped", None
            dates.append(_Date(uid, known_since, deadline, render(title), address, game.seq))
        found, _ = self._tournaments.page(("open", "running"), player, player, None, MAX_GAMES)
        for tournament in found:
            dates += self._dates(tournament, render, player)
        return _calendar(render(message("Deadlines of your games")), dates)

    def tournament_calendar(self, tournament: Tournament, render: Renderer) -> bytes:
        """Return the calendar of a tournament: the end of registration, and the last date of each round."""
        return _calendar(tournament.name, self._dates(tournament, render))

    def _dates(
        self, tournament: Tournament, render: Renderer, player: str | None = None
    ) -> Iterator[_Date]:
        """Yield the dates of a tournament; with a `player`, the dates for which the player must act."""
        address = f"{self._public_url}/tournaments/{tournament.id}"
        if player is None or tournament.status == "open":
            title = message("{tournament}: registration closes", tournament=tournament.name)
            known_since, at = (
                wall_clock.parse(tournament.created_at),
                wall_clock.parse(tournament.closes),
            )
            yield _Date(f"{tournament.id}-closes", known_since, at, render(title), address)
        if tournament.arena is not None:
            if player is None or tournament.takes_part(player):
                title = message("{tournament}: the end", tournament=tournament.name)
                known_since = wall_clock.parse(tournament.created_at)
                ends = wall_clock.parse(tournament.arena.ends)
                yield _Date(f"{tournament.id}-ends", known_since, ends, render(title), address)
            return
        rounds = tournament.as_rounds()
        for drawn in tournament.rounds:
            if player is None or any(
                player in drawn.players[table - 1] for table in drawn.open_tables
            ):
                title = message(
                    "{tournament}: {round} ends",
                    tournament=tournament.name,
                    round=round_title(
                        tournament.format, range(len(tournament.entrants)), rounds, drawn.number
                    ),
                )
                uid = f"{tournament.id}-round-{drawn.number}"
                known_since, at = wall_clock.parse(drawn.drawn_at), wall_clock.parse(drawn.ends)
                yield _Date(uid, known_since, at, render(title), address)

    def _entries(self, player: str) -> Iterator[_Entry]:
        """Yield the last events of the player's games."""
        games = self._games(player)
        ids = {id for game in games for id in (*game.participants, game.arbiter) if id is not None}
        handles = self._players.handles(ids)
        for game in games:
            after = max(0, game.seq - MAX_EVENTS_PER_GAME)
            names = Names(handles, game.players)
            for event in self._queries.event_page(game.id, after, MAX_EVENTS_PER_GAME):
                yield _Entry(game, event, names)

    def _games(self, player: str) -> Sequence[Game]:
        """Return the player's games, those that were created last."""
        page = self._listings.page((), player, None, MAX_GAMES, viewer=player)
        games = self._queries.games(page.games)
        return [
            game
            for game in games
            if game is not None and self._queries.access.can_see(game, player)
        ]

    def _add_entry(self, feed: ET.Element, entry: _Entry, render: Renderer) -> None:
        game, event = entry.game, entry.event
        render, actor = render.with_names(entry.names), actor_message(event)
        outcome = outcome_message(game.rules, event, game)
        text = render(
            message(
                "{game}: {actor}: {outcome}", game=game_name(game), actor=actor, outcome=outcome
            )
        )
        element = ET.SubElement(feed, f"{{{_ATOM}}}entry")
        _add(element, "id", _urn(f"{game.id}/{event['seq']}"))
        _add(element, "title", text)
        _add(element, "updated", event["at"])
        _add(element, "published", event["at"])
        link = f"{self._public_url}/games/{game.id}?seq={event['seq']}"
        ET.SubElement(element, f"{{{_ATOM}}}link", {"href": link})
        author = ET.SubElement(element, f"{{{_ATOM}}}author")
        _add(author, "name", render(actor))
        _add(element, "content", text)


def _turn_title(game: Game, stop: turn_clock.ClockStop | None) -> Message:
    """Return the title of the reader's turn in a calendar."""
    name = game_name(game)
    if stop is None:
        return message("{game}: your turn ends", game=name)
    if stop.reason == "pause":
        return message("{game}: your turn (the game is paused)", game=name)
    return message("{game}: your turn (the clock stands still while a dispute is open)", game=name)


def _calendar(name: str, dates: Iterable[_Date]) -> bytes:
    """Return a calendar with this name."""
    from icalendar import Calendar, Todo
    from icalendar import Event as CalendarEvent

    calendar = Calendar()
    calendar.add("prodid", _PRODUCT)
    calendar.add("version", "2.0")
    calendar.add("method", "PUBLISH")
    calendar.add("x-wr-calname", name)
    for date in dates:
        component = Todo() if date.at is None else CalendarEvent()
        component.add("uid", f"{date.uid}@cartulary")
        component.add("dtstamp", _whole_seconds(date.known_since))
        component.add("sequence", date.sequence)
        component.add("summary", date.title)
        component.add("url", date.address)
        if date.at is not None:
            component.add("dtstart", _whole_seconds(date.at))
            component.add("transp", "TRANSPARENT")
        calendar.add_component(component)
    document: bytes = calendar.to_ical()
    return document


def _add(parent: ET.Element, name: str, text: str) -> None:
    """Add an element with text. Characters that XML does not allow become replacement characters."""
    child = ET.SubElement(parent, f"{{{_ATOM}}}{name}")
    child.text = "".join(char if _is_xml(char) else "\ufffd" for char in text)


def _is_xml(char: str) -> bool:
    return (
        char in "\t\n\r"
        or "\x20" <= char <= "\ud7ff"
        or "\ue000" <= char <= "\ufffd"
        or char >= "\U00010000"
    )


def _urn(name: str) -> str:
    """Return an id that does not depend on the address of the server."""
    return uuid5(NAMESPACE_URL, f"urn:cartulary:{name}").urn


def _whole_seconds(moment: datetime) -> datetime:
    """Return a moment without the fraction of its second, rounded down, in UTC."""
    return moment.astimezone(UTC) - timedelta(microseconds=moment.microsecond)
