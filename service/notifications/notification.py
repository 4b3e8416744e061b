"""A notification, as one reader may see it, which the channels send."""

from dataclasses import dataclass, field
from typing import Final, Literal
from zoneinfo import ZoneInfo

from domain.json_types import JsonObject
from domain.messages import Message
from ledger.clock.time_zones import UTC_NAME, time_zone
from replay.history.recap import Recap
from replay.language.catalogue import ENGLISH, choose_language
from replay.language.renderer import NO_NAMES, Names, Renderer, renderer
from service.accounts.account_reader import Player
from service.notification_subjects.table import Kind, Subject

SUBJECTS_OF_DISPUTES: Final = frozenset(
    {"dispute_opened", "dispute_answered", "ruling_proposed", "dispute_withdrawn", "dispute_ruled"}
)
"""Subjects about a dispute, which has a separate page. All others lead to the page of the game."""


@dataclass(frozen=True, slots=True)
class Notification:
    """One notification for one reader, made from the log when it is sent.

    It contains nothing that the reader may not know. `id` is that of the delivery, and stays the same if the
    delivery is repeated. `player` is the id of the reader, and `players` are the ids of all recipients; they
    differ only in notifications to the operator, who receives one for all players.
    """

    id: str
    kind: Kind | Literal["digest"]
    subject: Subject | Literal["digest"]
    player: str
    players: tuple[str, ...]
    game_id: str
    """"" in a digest of several games; the `rules` of a digest are "", and its `seq` is 0. The id of a
    tournament in a notification about one, whose `rules` are ""."""
    rules: str
    seq: int
    title: Message
    """The subject line."""
    details: JsonObject = field(default_factory=dict)
    """For programs, by subject: docs/notifications.md lists the fields."""
    names: Names = NO_NAMES
    """The names of players with which `title` and `recap` are rendered."""
    recap: Recap = field(default_factory=Recap)
    """The recap since the reader's last turn, as the reader may see it."""
    can_see_game: bool = True
    """Whether the reader may see the page of the game."""
    items: tuple["Notification", ...] = ()
    """The notifications that a digest contains, or the messages of a game in one mail, oldest first."""

    def as_json(self) -> JsonObject:
        """Return the notification for programs: one object with all fields, including the details."""
        if self.kind == "digest":
            return {
                "delivery": self.id,
                "subject": self.subject,
                "kind": self.kind,
                "players": list(self.players),
                "notifications": [item.as_json() for item in self.items],
            }
        about = {"game": self.game_id, "rules": self.rules}
        if self.kind == "tournament":
            about = {"tournament": self.game_id}
        return {
            "delivery": self.id,
            "subject": self.subject,
            "kind": self.kind,
            **about,
            "seq": self.seq,
            "players": list(self.players),
            **self.details,
        }

    @property
    def path(self) -> str:
        """The path of the page that the notification is about, with the anchor of a message.

        For a reader who may not see that page, it is the path of their own games.
        """
        if not (self.game_id and self.can_see_game):
            return "/"
        if self.kind == "tournament":
            return f"/tournaments/{self.game_id}"
        game = f"/games/{self.game_id}"
        if self.subject == "message" and "message" in self.details:
            return f"{game}/messages#message-{self.details['message']}"
        if self.subject in SUBJECTS_OF_DISPUTES and self.details.get("dispute"):
            return f"{game}/disputes/{self.details['dispute']}"
        return game


def time_zone_of(account: Player | None) -> ZoneInfo:
    """Return the time zone of an account; UTC if it has none."""
    return time_zone(UTC_NAME if account is None else account.time_zone or UTC_NAME)


def renderer_for(reader: Player | None, names: Names = NO_NAMES) -> Renderer:
    """Return a renderer for the language and the time zone of a reader's account."""
    locale = None if reader is None else reader.locale
    return renderer(choose_language([locale or ENGLISH]), names, time_zone_of(reader))
