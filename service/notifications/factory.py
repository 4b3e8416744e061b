"""Makes notifications from deliveries and the log, at the time when they are sent.

A notification therefore shows the current game, and nothing that its reader may not know. If it is out of
date by then, it is not sent.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from domain.errors import Unreadable
from domain.event import Event
from domain.game import Game
from domain.json_types import JsonObject
from domain.messages import Message
from replay.history.recap import Recap
from replay.language.renderer import NO_NAMES, Names
from service.accounts.accounts import Players
from service.clubs.clubs import Clubs
from service.errors import NotFound
from service.games.queries import GameQueries
from service.games.recaps import Recaps
from service.notification_subjects.sources import Source, not_in_log
from service.notification_subjects.table import SUBJECTS, Subject
from service.notifications.channels import OPERATOR, club_of_reader
from service.notifications.delivery import DIGEST, Delivery
from service.notifications.notification import Notification
from service.notifications.titles import (
    chat_messages_title,
    club_title,
    digest_title,
    title,
    tournament_title,
    winning_seats,
)
from service.tournaments.tournaments import Tournaments


@dataclass(eq=False, repr=False)
class NotificationFactory:
    """Makes notifications for their readers. Thread-safe."""

    _queries: GameQueries
    _recaps: Recaps
    _players: Players
    _tournaments: Tournaments
    _clubs: Clubs

    def notification(
        self, delivery: Delivery, parts: Sequence[Delivery] = ()
    ) -> Notification | None:
        """Return the notification of a delivery, None if it is out of date; `parts` are those of a digest.

        Raises Unavailable, and Unreadable if the game is damaged or does not contain its subject.
        """
        if delivery.kind == DIGEST:
            return self._digest(delivery, parts)
        subject = delivery.subject
        if subject == DIGEST:
            return None
        if delivery.kind == "tournament":
            return self._about_tournament(delivery, subject)
        try:
            game = self._queries.game(delivery.game_id)
        except NotFound as error:
            raise Unreadable.with_message("the game has no log") from error
        club = club_of_reader(delivery.player)
        if club is not None:
            return self._to_club(delivery, subject, game, club)
        is_operators = delivery.player == OPERATOR
        # The player who has lost the seat learns only that of a private game.
        is_of_former_player = subject == "seat_moved" and delivery.player in game.excluded_players
        can_see_game = is_operators or self._queries.access.can_see(game, delivery.player)
        if not (can_see_game or is_of_former_player):
            return None
        if not SUBJECTS[subject].is_current(game, delivery):
            return None
        details = self._details(subject, game, delivery)
        # Notifications from before the start and about messages have no recap.
        recap = (
            Recap()
            if is_operators or is_of_former_player or not SUBJECTS[subject].has_recap
            else self._recaps.recap(game, game.seat_of(delivery.player))
        )
        headline = title(subject, game, details, delivery.player)
        about_game = self._about_game(delivery, game, headline, details)
        return replace(about_game, recap=recap, can_see_game=can_see_game)

    def _to_club(
        self, delivery: Delivery, subject: Subject, game: Game, club: str
    ) -> Notification | None:
        """Return the notification about a game for the webhook of its club; None if the club is closed."""
        if game.options.get("club") != club or not self._clubs.exists(club):
            return None
        details: JsonObject = {"club": club, **self._details(subject, game, delivery)}
        if subject == "game_over":
            details["winners"] = [game.players[seat] for seat in winning_seats(game)]
        headline = club_title(subject, game, details, delivery.player)
        return self._about_game(delivery, game, headline, details)

    def _about_game(
        self, delivery: Delivery, game: Game, headline: Message, details: JsonObject
    ) -> Notification:
        names = self._names(game, details)
        notification = _notification(delivery, headline)
        return replace(notification, rules=game.rules.NAME, details=details, names=names)

    def _about_tournament(self, delivery: Delivery, subject: Subject) -> Notification | None:
        """Return the notification about a tournament, None if it is out of date for its reader."""
        try:
            tournament = self._tournaments.load(delivery.game_id)
        except NotFound as error:
            raise Unreadable.with_message("the tournament has no log") from error
        details: JsonObject = {"name": tournament.name, "status": tournament.status}
        if subject == "tournament_announcement":
            announcements = {each.seq: each for each in tournament.announcements}
            if delivery.seq not in announcements:
                return None
            details["text"] = announcements[delivery.seq].text
        elif subject == "tournament_team":
            asking = {
                team.captain: team
                for player in delivery.players
                for team in tournament.teams_that_ask(player)
                if not tournament.takes_part(player)
            }
            if (team := asking.get(delivery.data["captain"])) is None:
                return None
            details |= {"team": team.name, "captain": team.captain}
        elif subject != "tournament_over":
            drawn = tournament.rounds[delivery.data["round"] - 1]
            if drawn.is_closed or tournament.is_over:
                return None
            details |= {"round": drawn.number, "ends": drawn.ends}
            is_waiting = any(drawn.is_waiting_for(player) for player in delivery.players)
            if subject == "tournament_last_date" and not is_waiting:
                return None
        return replace(_notification(delivery, tournament_title(subject, details)), details=details)

    def current_parts(self, parts: Sequence[Delivery]) -> list[tuple[Delivery, Notification]]:
        """Return the current parts of a digest with their notifications, in order of time."""
        current = []
        for part in sorted(parts, key=lambda part: (part.created_at, part.seq)):
            try:
                notification = self.notification(part)
            except Unreadable:
                continue
            if notification is not None:
                current.append((part, notification))
        return current

    def _digest(self, delivery: Delivery, parts: Sequence[Delivery]) -> Notification | None:
        items = tuple(notification for _, notification in self.current_parts(parts))
        if not items:
            return None
        first, count = items[0], len(items)
        headline = digest_title(count)
        if delivery.game_id:
            game = self._queries.game(delivery.game_id)
            headline = first.title if count == 1 else chat_messages_title(game, count)
        return replace(
            _notification(delivery, headline),
            names=first.names if delivery.game_id else NO_NAMES,
            items=items,
        )

    def _details(self, subject: Subject, game: Game, delivery: Delivery) -> JsonObject:
        """Return the details of a notification, for programs. Raises Unreadable."""
        source = Source(game, delivery, lambda seq: self._event(game, seq))
        return SUBJECTS[subject].details(source)

    def _event(self, game: Game, seq: int) -> Event:
        events = self._queries.event_page(game.id, seq - 1, 1)
        if not events:
            raise not_in_log(seq)
        return events[0]

    def _names(self, game: Game, details: JsonObject) -> Names:
        """Return the handles of everybody whom the notification may name."""
        named = (details.get("from"), details.get("replaces"))
        others: tuple[Any, ...] = (game.arbiter, game.creator, *named)
        ids = {*game.participants, *(id for id in others if isinstance(id, str))}
        return Names(self._players.shown_names(ids), game.players)


def _notification(delivery: Delivery, title: Message) -> Notification:
    """Return a notification that consists of its title."""
    return Notification(
        id=delivery.id,
        kind=delivery.kind,
        subject=delivery.subject,
        player=delivery.player,
        players=delivery.players,
        game_id=delivery.game_id,
        rules="",
        seq=delivery.seq,
        title=title,
    )
