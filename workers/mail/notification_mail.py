"""What the mail about a notification says, or about several in a digest, in the language of its reader."""

import time
from dataclasses import dataclass
from typing import Final

from domain.errors import CartularyError
from domain.game import Game
from domain.messages import Instant, Message, PlayerWithId, comma_list, message
from replay.language.renderer import Renderer, renderer
from service import clock
from service.bootstrap import Service
from service.errors import Unavailable
from service.http.language import select_language
from service.notifications.notification import Notification
from service.notifications.notifications import time_zone_of
from service.players.account_reader import Player
from workers.mail.board import board_picture
from workers.mail.layout import Content, Picture, content_id
from workers.mail.templating import render_template

MAX_PICTURES: Final = 3
"""Pictures in a digest: of the games that come first."""
PICTURE_SECONDS: Final = 6.0
"""Time after which no further picture is begun, so that the rest of the job has enough of it."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a mail: what it says of one notification."""

    title: str
    lead: str | None
    """What the reader can do now, and until when."""
    quote: str | None
    """What another player has written."""
    players: str | None
    events: tuple[str, ...]
    omitted_events: int
    url: str
    picture: str | None
    """The Content-ID of the picture of the board."""
    picture_description: str = ""


class NotificationMails:
    """Makes the contents of mails about notifications."""

    def __init__(self, service: Service, sender_domain: str) -> None:
        self._service = service
        self._base = service.settings.public_url
        self._domain = sender_domain

    def content(self, notification: Notification, reader: Player, unsubscribe_url: str) -> Content:
        """Return the content of a mail. Raises Unavailable."""
        language, zone = select_language(reader.locale, ""), time_zone_of(reader)
        items = notification.items or (notification,)
        deadline = time.monotonic() + PICTURE_SECONDS
        sections: list[Section] = []
        pictures: list[Picture] = []
        for number, item in enumerate(items, 1):
            in_language = renderer(language, item.names, zone)
            game = self._game(item)
            picture = None
            is_drawn = any(other.game_id == item.game_id for other in items[: number - 1])
            if (
                game is not None
                and not is_drawn
                and len(pictures) < MAX_PICTURES
                and time.monotonic() < deadline
            ):
                picture = board_picture(self._service, game, reader.id, in_language)
            if picture is not None:
                pictures.append(Picture(f"board-{number}", picture.png))
            sections.append(
                Section(
                    title=in_language.sentence(item.title),
                    lead=_text_or_none(in_language, _lead(item, game)),
                    quote=self._quote(item),
                    players=None if game is None else in_language(_players(game)),
                    events=tuple(in_language.sentence(event.message) for event in item.events),
                    omitted_events=item.omitted_events,
                    url=self._base + item.path,
                    picture=None
                    if picture is None
                    else content_id(f"board-{number}", self._domain),
                    picture_description="" if picture is None else picture.description,
                )
            )
        names = renderer(language, notification.names, zone)
        title = names.sentence(notification.title)
        values = {
            "title": title,
            "handle": reader.handle,
            "sections": sections,
            "is_digest": bool(notification.items),
            "preferences_url": f"{self._base}/account/notifications",
            "unsubscribe_url": unsubscribe_url,
        }
        return Content(
            language=language,
            subject=title,
            text=render_template("notification.txt", names, **values),
            html=render_template("notification.html", names, **values),
            pictures=tuple(pictures),
        )

    def _quote(self, notification: Notification) -> str | None:
        """Return the text of the message that a notification is about, if its reader may see it."""
        number = notification.details.get("message")
        if notification.subject != "message" or not isinstance(number, int):
            return None
        try:
            page = self._service.messages.page(
                notification.game_id, notification.player, after=number - 1, limit=1
            )
        except Unavailable:
            raise
        except CartularyError:
            return None
        return page.messages[0].text if page.messages else None

    def _game(self, notification: Notification) -> Game | None:
        """Return the game of a notification, as its reader may see it; None if it cannot be read."""
        try:
            return self._service.queries.visible_game(notification.game_id, notification.player)
        except Unavailable:
            raise
        except CartularyError:
            return None


def _lead(notification: Notification, game: Game | None) -> Message | None:
    """Return what the reader can do now, and until when; None if there is nothing to be done."""
    if notification.subject == "invited":
        return message("Accept or decline the invitation on the page of the game.")
    if notification.subject not in ("your_turn", "deadline_near") or game is None:
        return None
    deadline = None if game.to_act is None else clock.deadline(game)
    if deadline is None:
        return None
    return message("The time for the turn ends on {time}.", time=Instant(deadline))


def _players(game: Game) -> Message:
    players = comma_list(PlayerWithId(player) for player in game.participants)
    return message("Players: {players}", players=players)


def _text_or_none(in_language: Renderer, text: Message | None) -> str | None:
    return None if text is None else in_language.sentence(text)
