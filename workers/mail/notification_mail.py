"""The contents of mails about one notification or a digest of several, in the language of the reader."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from domain.errors import CartularyError
from domain.game import Game
from domain.json_types import JsonObject
from domain.messages import (
    Instant,
    Message,
    PlayerAt,
    PlayerWithId,
    comma_list,
    message,
    message_in,
    plural_message,
)
from ledger.clock.turn_clock import clock_stop, deadline_timestamp
from replay.language.renderer import Names, Renderer
from service import wall_clock
from service.accounts.account_reader import Player
from service.bootstrap import Service
from service.errors import Unavailable
from service.notifications.notification import Notification, renderer_for
from service.notifications.stored_messages import decode_message
from service.notifications.titles import game_name, game_name_in
from workers.mail.board import BoardPicture, board_picture
from workers.mail.layout import Content, Picture, content_id
from workers.mail.templating import COLUMNS, render_template

_T = TypeVar("_T")

MAX_PICTURE_BYTES: Final = 48_000
"""The size of all pictures of a mail, so that the mail is smaller than 100 KB; in a digest, the first games
have pictures. Encoding adds a third to the size."""
PICTURE_SECONDS: Final = 6.0
"""The time after which no other picture is begun, so that enough is left for the rest of the job."""
MAX_FORMS: Final = 24
"""The most actions that are all listed. If there are more, the first FORMS_OF_KIND of each kind are."""
FORMS_OF_KIND: Final = 5
INDENT: Final = "  "


@dataclass(frozen=True, slots=True)
class Quote:
    """A text that another player has written."""

    author: str
    text: str


@dataclass(frozen=True, slots=True)
class PossibleActions:
    """The actions of one kind: its label, the short forms that are listed, and the number of those that are
    not.
    """

    label: str
    forms: tuple[str, ...]
    omitted: int

    @property
    def lines(self) -> Sequence[str]:
        """The short forms in lines of at most COLUMNS, separated by bars; no form is broken."""
        lines: list[str] = []
        for form in self.forms:
            line = f"{lines[-1]} | {form}" if lines else form
            if lines and len(line) <= COLUMNS - len(INDENT):
                lines[-1] = line
            else:
                lines.append(form)
        return [INDENT + line for line in lines]


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a mail, about one game."""

    heading: str
    leads: tuple[str, ...]
    """Sentences on what the reader can do now, and until when."""
    players: str | None
    game: Game | None
    actions: Sequence[PossibleActions]
    """The actions that the reader can take in this position; none if it is not their turn."""
    url: str
    link: str
    """The label of the button that leads to `url`."""
    board: BoardPicture | None
    picture: Picture | None
    """The picture of the board."""
    titles: tuple[str, ...] = ()
    """The titles of its notifications in order of time, unless the heading states them."""
    quotes: tuple[Quote, ...] = ()
    recap: str | None = None
    """The events since the reader's last turn, in one sentence."""
    events: tuple[str, ...] = ()
    """The events, unless the sentence describes the only one."""
    omitted_events: int = 0


class NotificationMails:
    """Makes the contents of mails about notifications."""

    def __init__(self, service: Service, sender_domain: str) -> None:
        self._service = service
        self._base = service.settings.public_url
        self._domain = sender_domain

    def content(self, notification: Notification, reader: Player, unsubscribe_url: str) -> Content:
        """Return the content of a mail. Raises Unavailable."""
        deadline = time.monotonic() + PICTURE_SECONDS
        sections: list[Section] = []
        for items in _by_game(notification.items or (notification,)):
            rest = MAX_PICTURE_BYTES - sum(len(picture.png) for picture in _pictures(sections))
            max_bytes = rest if time.monotonic() < deadline else 0
            boards = sum(section.picture is not None for section in sections)
            sections.append(self._section(items, reader, f"board-{boards + 1}", max_bytes))
        in_language = renderer_for(reader, notification.names)
        title = in_language.sentence(notification.title)
        is_digest = bool(notification.items) and not notification.game_id
        return self._content(
            in_language, title, reader, sections, unsubscribe_url, is_digest=is_digest
        )

    def answer(self, data: JsonObject, reader: Player, unsubscribe_url: str) -> Content:
        """Return the content of the mail that follows a reader's answer: the results, and the position.

        `data` is that of the account mail `reply_answer`. Raises Unavailable, and NotFound if the reader may
        no longer see the game.
        """
        game = self._service.games.queries.visible_game(data["game"], reader.id)
        handles = self._service.accounts.players.handles(game.participants)
        in_language = renderer_for(reader, Names(handles, game.players))
        leads = _leads_of_answer(data, game)
        section = self._board_section(
            game, reader, in_language, leads, "board-1", MAX_PICTURE_BYTES
        )
        title = in_language.sentence(_title_of_answer(data, game))
        return self._content(in_language, title, reader, [section], unsubscribe_url)

    def _content(
        self,
        in_language: Renderer,
        title: str,
        reader: Player,
        sections: Sequence[Section],
        unsubscribe_url: str,
        *,
        is_digest: bool = False,
    ) -> Content:
        reply_to = self._reply_to(reader, sections)
        values = {
            "title": title,
            "handle": reader.handle,
            "sections": sections,
            "content_id": content_id,
            "domain": self._domain,
            "is_digest": is_digest,
            "can_reply": reply_to is not None,
            "reply_days": round(self._service.settings.bounds.reply_seconds / 86400),
            "preferences_url": f"{self._base}/account/notifications",
            "unsubscribe_url": unsubscribe_url,
        }
        return Content(
            language=in_language.language,
            subject=title,
            text=render_template("notification.txt", in_language, **values),
            html=render_template("notification.html", in_language, **values),
            pictures=_pictures(sections),
            reply_to=reply_to,
        )

    def _reply_to(self, reader: Player, sections: Sequence[Section]) -> str | None:
        """Return the address for answers with an action; None if it is not clear which game they are for."""
        games = [section.game for section in sections if section.actions]
        if len(games) != 1 or games[0] is None:
            return None
        addresses = self._service.notifications.mail.reply_addresses
        return addresses.address_for(reader, games[0].id, games[0].seq)

    def _board_section(
        self,
        game: Game | None,
        reader: Player,
        in_language: Renderer,
        leads: Sequence[Message],
        picture: str,
        max_bytes: int,
        *,
        has_board: bool = True,
    ) -> Section:
        """Return a section with some sentences and what the reader can do in a game.

        `picture` is the name of the picture of its board.
        """
        board: BoardPicture | None = None
        actions: Sequence[PossibleActions] = ()
        if game is not None and has_board:
            board = board_picture(self._service, game, reader.id, in_language, max_bytes)
            actions = _possible_actions(self._service, game, reader.id, in_language)
        png = None if board is None else board.png
        return Section(
            heading="" if game is None else game_name_in(game, in_language),
            leads=tuple(dict.fromkeys(map(in_language.sentence, leads))),
            players=None if game is None else in_language(_players(game)),
            game=game,
            actions=actions,
            url="" if game is None else f"{self._base}/games/{game.id}",
            link=in_language(message("Open the game")),
            board=board,
            picture=None if png is None else Picture(picture, png),
        )

    def _section(
        self, items: Sequence[Notification], reader: Player, picture: str, max_bytes: int
    ) -> Section:
        """Return the section of a mail about one game."""
        first, last = items[0], items[-1]
        in_language = renderer_for(reader, last.names)
        queries = self._service.games.queries
        game = _if_readable(lambda: queries.visible_game(last.game_id, last.player))
        is_about_messages = all(item.subject == "message" for item in items)
        leads = [lead for item in items if (lead := _lead(item, game)) is not None]
        section = self._board_section(
            game, reader, in_language, leads, picture, max_bytes, has_board=not is_about_messages
        )
        titles = tuple(in_language.sentence(item.title) for item in items)
        quotes = [self._quote(item, in_language) for item in items]
        game_path = f"/games/{last.game_id}"
        paths = {item.path for item in items}
        # Several notifications that lead to different pages of a game lead to the page of the game.
        link, path = message("Open the game"), paths.pop() if len(paths) == 1 else game_path
        if last.kind == "tournament":
            link, path = message("Open the tournament"), last.path
        elif is_about_messages:
            link, path = message("Open the messages"), first.path
        elif not last.can_see_game:
            link, path = message("Open your games"), last.path
        elif path != game_path:
            link = message("Go to the dispute")
        recap = max((item.recap for item in items), key=lambda recap: recap.count)
        return replace(
            section,
            heading=section.heading if len(titles) > 1 and game is not None else titles[0],
            titles=titles if len(titles) > 1 else (),
            quotes=tuple(quote for quote in quotes if quote is not None),
            recap=None if recap.sentence is None else in_language.sentence(recap.sentence),
            events=tuple(in_language.sentence(event.message) for event in recap.listed_events),
            omitted_events=recap.omitted,
            url=self._base + path,
            link=in_language(link),
        )

    def _quote(self, notification: Notification, in_language: Renderer) -> Quote | None:
        """Return the text of the message that a notification is about, if its reader may see it."""
        number = notification.details.get("message")
        if notification.subject != "message" or not isinstance(number, int):
            return None
        chat = self._service.chat
        page = _if_readable(
            lambda: chat.page(notification.game_id, notification.player, after=number - 1, limit=1)
        )
        if page is None or not page.messages or page.messages[0].text is None:
            return None
        author = message("{player:label}", player=PlayerWithId(notification.details["from"]))
        return Quote(in_language(author), page.messages[0].text)


def _if_readable(read: Callable[[], _T]) -> _T | None:
    """Return the result of a call; None if the game is hidden or damaged. Raises Unavailable."""
    try:
        return read()
    except Unavailable:
        raise
    except CartularyError:
        return None


def _pictures(sections: Sequence[Section]) -> tuple[Picture, ...]:
    """Return the boards and the coats of arms of a mail, each player's once."""
    boards = [section.picture for section in sections]
    standings = [each for section in sections if section.board for each in section.board.standings]
    pictures = [*boards, *(standing.arms for standing in standings)]
    return tuple({picture.name: picture for picture in pictures if picture is not None}.values())


def _possible_actions(
    service: Service, game: Game, player: str, renderer: Renderer
) -> Sequence[PossibleActions]:
    """Return the actions that a player can take in a game now, by kind; none if it is not their turn.

    Raises Unavailable.
    """
    found = _if_readable(lambda: service.games.queries.legal_actions(game.id, player))
    if found is None or found[0] != game.seq:
        return ()
    _, actions = found
    by_type: dict[str, list[str]] = {}
    for action in actions:
        form = game.rules.action_text(game.rules.parse_action(action))
        by_type.setdefault(action["type"], []).append(form)
    listed = len(actions) if len(actions) <= MAX_FORMS else FORMS_OF_KIND
    return tuple(
        PossibleActions(_label(game, kind, renderer), tuple(forms[:listed]), len(forms[listed:]))
        for kind, forms in by_type.items()
    )


def _label(game: Game, kind: str, renderer: Renderer) -> str:
    label = game.rules.LABELS.get(kind)
    return renderer.sentence(message_in("label", "{word}", word=kind) if label is None else label)


def _title_of_answer(data: JsonObject, game: Game) -> Message:
    """Return the subject line of the mail about a reader's answer."""
    name = game_name(game)
    accepted = [result for result in data["results"] if result["why"] is None]
    if not accepted:
        return message("{game}: your answer has changed nothing", game=name)
    if len(accepted) < len(data["results"]):
        return message("{game}: a part of your answer was accepted", game=name)
    return plural_message(
        "{game}: your action was accepted",
        "{game}: your {count} actions were accepted",
        count=len(accepted),
        game=name,
    )


def _leads_of_answer(data: JsonObject, game: Game) -> list[Message]:
    """Return the sentences on the result of each line of an answer, and on whose turn it is now."""
    leads = []
    if data["fault"] is not None:
        fault = decode_message(data["fault"])
        leads.append(message("your answer was not read: {why}", why=fault))
    for result in data["results"]:
        form = result["form"]
        if result["why"] is None:
            leads.append(message("accepted as event {seq}: `{form}`", seq=result["seq"], form=form))
            continue
        why = decode_message(result["why"])
        if form in why.values.values():
            leads.append(message("not accepted: {why}", why=why))
        elif result["clause"] is None:
            leads.append(message("not accepted: `{form}`; {why}", form=form, why=why))
        else:
            leads.append(
                message(
                    "not accepted: `{form}`; {clause} forbids it: {why}",
                    form=form,
                    clause=result["clause"],
                    why=why,
                )
            )
    if game.has_ended:
        leads.append(message("the game is over"))
    elif game.to_act is None:
        leads.append(message("waiting for the game to go on"))
    else:
        leads.append(message("it is the turn of {player}", player=PlayerAt(game.to_act)))
    return leads


def _by_game(items: Sequence[Notification]) -> Iterable[list[Notification]]:
    """Return the notifications of each game, in the order in which they are given."""
    by_game: dict[str, list[Notification]] = {}
    for item in items:
        by_game.setdefault(item.game_id, []).append(item)
    return by_game.values()


def _lead(notification: Notification, game: Game | None) -> Message | None:
    """Return the sentence on what the reader can do now, and until when; None if there is nothing to do."""
    if notification.subject == "invited":
        return message("Accept or decline the invitation on the page of the game.")
    if notification.kind == "tournament" and "ends" in notification.details:
        ends = Instant(notification.details["ends"])
        return message("The last date of the round is {time}.", time=ends)
    if notification.subject not in ("your_turn", "deadline_near") or game is None:
        return None
    deadline = None if game.to_act is None else deadline_timestamp(game)
    if deadline is None:
        return None
    stop = clock_stop(game, wall_clock.format(wall_clock.now()))
    if stop is not None:
        until = Instant(stop.until)
        if stop.reason == "pause":
            return message(
                "The game is paused. The clock runs again on {time} at the latest.", time=until
            )
        return message(
            "The clock stands still while a dispute is open. It runs again on {time} at the latest.",
            time=until,
        )
    return message("The time for the turn ends on {time}.", time=Instant(deadline))


def _players(game: Game) -> Message:
    players = comma_list(PlayerWithId(player) for player in game.participants)
    return message("Players: {players}", players=players)
