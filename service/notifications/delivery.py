"""A delivery: one notification to one player, or to the operator, through one endpoint of one channel."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final, Literal, TypeAlias

import orjson

from domain.errors import Unreadable
from domain.json_types import JsonObject
from domain.messages import Message, Text, message_in
from replay.language.renderer import english
from replay.render.descriptions import in_words
from service.notification_subjects.table import SUBJECTS, Kind, Subject
from service.notifications.channels import OPERATOR, club_of_reader
from service.notifications.stored_messages import decode_message, encode_message
from service.stored_objects import decode_object

Status: TypeAlias = Literal["pending", "retrying", "sent", "given_up", "bounced", "cancelled"]
"""`pending`: no attempt was made yet. `retrying`: the last attempt failed, and another one follows.
`given_up`: all attempts failed. `bounced`: the receiver will never accept it. `cancelled`: it was out of date
before it was sent, or its reader or endpoint is gone.
"""

FINAL_STATUSES: Final = frozenset({"sent", "given_up", "bounced", "cancelled"})
DIGEST: Final = "digest"
_ABOUT: Final[Mapping[str, Message]] = {
    **{subject: description.about for subject, description in SUBJECTS.items()},
    DIGEST: message_in("notification", "digest"),
}
_FIXED: Final = (
    *("kind", "subject", "game_id", "seq", "player", "channel", "endpoint"),
    *("created_at", "due_at", "data", "digest"),
)
"""The fields that never change."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """The delivery of a notification; all times are timestamps.

    `player` is the id of its reader, OPERATOR for the operator, `club_reader` of a club for its webhook.
    `endpoint` identifies an endpoint of the channel, and contains no address. `data` is the data that the
    notification needs besides the log. `due_at` is the time of the next attempt. The kind of a digest is
    DIGEST; `digest` is the id of the digest of which a delivery is a part.
    """

    id: str
    kind: Kind | Literal["digest"]
    subject: Subject | Literal["digest"]
    game_id: str
    seq: int
    player: str
    channel: str
    endpoint: str
    created_at: str
    due_at: str | None
    data: JsonObject = field(default_factory=dict)
    digest: str | None = None
    status: Status = "pending"
    attempts: int = 0
    tried_at: str | None = None
    sent_at: str | None = None
    result: Message | None = None
    """The result of the last attempt, unless it was sent."""

    @property
    def players(self) -> tuple[str, ...]:
        """The ids of the recipients: the player, or the players in the operator's notification.

        There are none for the webhook of a club.
        """
        if self.player == OPERATOR:
            return tuple(self.data.get("players", ()))
        return (self.player,) if club_of_reader(self.player) is None else ()

    @property
    def is_final(self) -> bool:
        """Whether no attempt follows."""
        return self.status in FINAL_STATUSES

    def as_json(self, render: Callable[[Message], str] = english) -> JsonObject:
        """Return the delivery as the API shows it; `render` turns messages into text."""
        return {
            "delivery": self.id,
            "channel": self.channel,
            "kind": self.kind,
            "subject": self.subject,
            "about": (
                render(_ABOUT[self.subject])
                if self.subject in _ABOUT
                else in_words(self.subject)  # of a later version
            ),
            "game": None if self.kind == "tournament" else self.game_id or None,
            "tournament": self.game_id if self.kind == "tournament" else None,
            "seq": self.seq or None,
            "players": list(self.players),
            "status": self.status,
            "attempts": self.attempts,
            "created_at": self.created_at,
            "due_at": None if self.is_final else self.due_at,
            "tried_at": self.tried_at,
            "sent_at": self.sent_at,
            "result": None if self.result is None else render(self.result),
        }

    def content(self) -> bytes:
        """Return the fields of the delivery that never change, as JSON."""
        return orjson.dumps({name: getattr(self, name) for name in _FIXED})


def delivery_id(
    kind: str, game_id: str, reference: str, player: str, channel: str, endpoint: str
) -> str:
    """Return the id of a delivery: 32 hex digits, the same for the same notification and endpoint.

    `reference` distinguishes notifications of one kind about one game: it is usually the seq of the event.
    """
    parts = (kind, game_id, reference, player, channel, endpoint)
    return sha256("\n".join(parts).encode()).hexdigest()[:32]


def delivery_from_fields(id: str, fields: Mapping[str, str]) -> Delivery:
    """Return a stored delivery. Raises Unreadable."""
    try:
        content: dict[str, Any] = orjson.loads(fields["content"])
        due_at = fields.get("due_at") or content.pop("due_at")
        content.pop("due_at", None)
        result = fields.get("result")
        state = {
            "id": id,
            "due_at": due_at,
            "status": fields["status"],
            "attempts": int(fields["attempts"]),
            "tried_at": fields.get("tried_at") or None,
            "sent_at": fields.get("sent_at") or None,
            "result": decode_message(result) if result else None,
        }
        return decode_object(Delivery, {**content, **state})
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Unreadable.with_message("delivery {id} cannot be read", id=id) from error


def encode_result(result: Text | None) -> str:
    """Return the result of an attempt in the stored form."""
    return "" if result is None else encode_message(result)
