"""The alerts of the viewer in a game, with unread messages: the lines above its board, badges in lists."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from zlib import crc32

from flask import g

from domain.game import Game, GameOf
from domain.messages import PlayerWithId, Text, message_in, plural_message
from service.bootstrap import Service
from service.chat.read_marks import ReadMark
from service.errors import Unavailable
from service.games.access import is_correspondent
from service.games.alerts import Alert, alerts_of
from service.games.people import Person
from service.games.summary import Summary
from service.http.context import service
from service.pages.session import current_player

LABELS: Final[Mapping[str, Text]] = {
    "takeback": message_in("badge", "takeback asked for"),
    "refusal": message_in("badge", "takeback refused"),
    "resumption": message_in("badge", "action taken back"),
    "dispute": message_in("badge", "dispute"),
    "proposal": message_in("badge", "ruling proposed"),
    "ruling": message_in("badge", "dispute ended"),
    "end": message_in("badge", "end asked for"),
    "pause": message_in("badge", "pause asked for"),
    "vacancy": message_in("badge", "vacant seat"),
    "rematch": message_in("badge", "rematch"),
}
"""By kind of alert, what the badge of a game in a list says."""


@dataclass(frozen=True, slots=True)
class Badge:
    """The alerts of the viewer in a game of a list: how many there are, and of which kinds."""

    count: int = 0
    labels: Sequence[Text] = ()


@dataclass(frozen=True, slots=True)
class GameAlerts:
    """The alerts of the viewer in a game, first those that wait for an answer; `rematch` is that of the game.

    `messages` is the number of the last message in it, 0 for somebody who does not read them.
    """

    alerts: Sequence[Alert] = ()
    unread: int = 0
    messages: int = 0
    rematch: Game | None = None

    @property
    def count(self) -> int:
        """How many of them badges count, each unread message as one."""
        counted = sum(alert.is_counted for alert in self.alerts if alert.kind != "messages")
        return counted + self.unread


def alerts_on_page(game: Game) -> GameAlerts:
    """Return the alerts of the viewer in the game of a page, read once for each request."""
    read: dict[str, GameAlerts] = g.setdefault("alerts", {})
    if game.id not in read:
        read[game.id] = _read(service(), game, current_player())
    return read[game.id]


def stream_address(game: Game) -> str | None:
    """Return the address of the event stream that a page of a game follows; None if nothing is to follow.

    Its parameter `version` identifies the messages, the rematch and the people that the page shows.
    """
    player = current_player()
    if player is None or not is_correspondent(game, player):
        return None if game.has_ended else f"/games/{game.id}/stream?after={game.seq}"
    version = _version(alerts_on_page(game), people_on_page(game).values(), player)
    return f"/games/{game.id}/stream?after={game.seq}&version={version}"


def people_on_page(game: Game) -> Mapping[str, Person]:
    """Return the people of the game of a page by id, read once for each request.

    There are none for a viewer who is not one of them: nobody else knows who is there.
    """
    read: dict[str, Mapping[str, Person]] = g.setdefault("people", {})
    if game.id not in read:
        is_one = is_correspondent(game, current_player())
        people = service().games.people.of(game) if is_one else []
        read[game.id] = {person.player: person for person in people}
    return read[game.id]


def is_outdated(service: Service, game: Game, player: str, version: str) -> bool:
    """Return whether a page with this `version` (`stream_address`) lacks a message, a rematch or a person.

    It needs no request, so that a stream can call it later.
    """
    try:
        people = service.games.people.of(game)
        return version != _version(_read(service, game, player), people, player)
    except Unavailable:
        return False


def _version(alerts: GameAlerts, people: Iterable[Person], viewer: str) -> str:
    shown = [(person.player, person.is_here, person.is_ready) for person in people]
    # The viewer comes with the stream of the page.
    others = sorted(person for person in shown if any(person[1:]) and person[0] != viewer)
    digest = crc32(repr(others).encode())
    return f"{alerts.messages}-{'' if alerts.rematch is None else alerts.rematch.id}-{digest:x}"


def count_in_title(game: object) -> str:
    """Return the beginning of the title of a page with a game, or with lists of games, such as `(2) `.

    It is empty if the viewer has no alerts.
    """
    count = alerts_on_page(game).count if isinstance(game, GameOf) else badge_count()
    return f"({count}) " if count else ""


def read_badges(games: Iterable[Summary]) -> None:
    """Read the alerts of the viewer in all games of a page with lists, in one round trip (`badge_of`)."""
    player = current_player()
    if player is None:
        return
    own = list({game.id: game for game in games if _is_correspondent(game, player)}.values())
    marks = service().chat.marks.of(player, [game.id for game in own])
    g.badges = {
        game.id: _badge(game.concerns.get(player, ()), mark)
        for game, mark in zip(own, marks, strict=True)
    }


def badge_of(game_id: str) -> Badge:
    """Return the badge of a game in a list, after `read_badges`."""
    read: Mapping[str, Badge] = g.get("badges", {})
    return read.get(game_id, Badge())


def badge_count() -> int:
    """Return the number of alerts of the viewer in all games of a page with lists."""
    return sum(badge.count for badge in g.get("badges", {}).values())


def _read(service: Service, game: Game, player: str | None) -> GameAlerts:
    rematch = service.games.rematches.of(game) if game.has_ended else None
    if rematch is not None and not service.games.queries.access.can_see(rematch, player):
        rematch = None
    mark = ReadMark()
    if player is not None and is_correspondent(game, player):
        mark = service.chat.marks.of_game(player, game)
    alerts = [
        alert for alert in alerts_of(game, player, rematch) if alert.key not in mark.dismissed
    ]
    if mark.last is not None:
        alerts.append(_unread(mark.unread, mark.last.number, mark.last.author, mark.last.text))
        alerts.sort(key=lambda alert: alert.urgency)
    return GameAlerts(alerts, mark.unread, mark.messages, rematch)


def _unread(count: int, number: int, author: str, text: str | None) -> Alert:
    sentence = plural_message(
        "{player} writes: {text}",
        "{count} new messages, the last one from {player}: {text}",
        count=count,
        player=PlayerWithId(author),
        text=text or "",
    )
    return Alert("messages", number, sentence, "news")


def _badge(keys: Sequence[str], mark: ReadMark) -> Badge:
    current = [key for key in keys if key not in mark.dismissed]
    labels = [LABELS[kind] for kind in dict.fromkeys(key.partition("-")[0] for key in current)]
    if mark.unread:
        labels.append(
            plural_message("{count} new message", "{count} new messages", count=mark.unread)
        )
    return Badge(len(current) + mark.unread, labels)


def _is_correspondent(game: Summary, player: str) -> bool:
    """Return whether a player reads the messages of a listed game."""
    seats = [seat for other, seat in game.players if other == player]
    has_place = bool(seats) and (seats[0] is not None or game.status == "open")
    return has_place or player == game.arbiter
