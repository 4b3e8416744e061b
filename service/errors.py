"""The errors that only a server can raise; `ServiceError` is their base in the tree of domain/errors.py.

Each class has the HTTP status that it maps to.
"""

from typing import ClassVar

from domain.errors import CartularyError, Unreadable
from domain.game import Game
from domain.messages import Text, message
from replay.language.renderer import english


class ServiceError(CartularyError):
    """The base class. `why` is one sentence for the client; `status` is the HTTP status."""

    status: ClassVar[int] = 500

    def __init__(self, why: Text) -> None:
        super().__init__(why)
        self.why = why


def log_text(error: BaseException) -> str:
    """Return the report of an error in one line of English, for logs and reports to operators."""
    return english(error.message) if isinstance(error, CartularyError) else str(error)


class Unauthorised(ServiceError):
    """The token, or the handle and password, authenticate nobody."""

    status = 401


class Forbidden(ServiceError):
    """The player is authenticated, but may not see or do this."""

    status = 403


class InsufficientScope(ServiceError):
    """A personal token does not allow the operation, which needs `scope`; None if no scope allows it."""

    status = 403

    def __init__(self, why: Text, scope: str | None) -> None:
        super().__init__(why)
        self.scope = scope


class NotFound(ServiceError):
    """The resource does not exist, or the viewer may not know of it; the error is the same for both."""

    status = 404


class BodyTooLarge(ServiceError):
    """The body of the request has more bytes than the server reads."""

    status = 413


class UnsupportedBody(ServiceError):
    """The body of the request is not JSON in UTF-8, or is compressed."""

    status = 415


class Conflict(ServiceError):
    """The request is not possible in the current state."""

    status = 409


class Stale(Conflict):
    """The position has changed since the action's `expected_seq`; `head` is the seq of the game."""

    def __init__(self, why: Text, head: int) -> None:
        super().__init__(why)
        self.head = head


class HandleTaken(Conflict):
    """Another player has this handle."""


class NotAGuest(Conflict):
    """The account has a password already."""


class OperationNotPossible(Conflict):
    """The account or game does not allow this operation of an administrator."""


class TooManyGames(Conflict):
    """The player has a place in as many games that are open or in progress as the server allows."""


class TooManyPersonalTokens(Conflict):
    """The player has as many personal tokens as the server allows."""


class TooManyClubs(Conflict):
    """The player is in as many clubs as the server allows."""


class ClubNameTaken(Conflict):
    """Another club has this name, or one that looks like it."""


class TooManyFeeds(Conflict):
    """The player has as many addresses of feeds as the server allows."""


class TooManyMutes(Conflict):
    """The player has muted as many players as the server allows."""


class TooManyChatMessages(Conflict):
    """The player has written as many messages in a game as the server allows."""


class TooManyNotes(Conflict):
    """The player has as many private notes as the server allows."""


class TooManyReports(Conflict):
    """As many reports of the player are open as the server allows."""


class TooManySandboxes(Conflict):
    """The player, or the network, has as many sandboxes as the server allows."""


class TooManyAnalyses(Conflict):
    """As many analyses that the player has requested wait as the server allows."""


class SandboxConflict(Conflict):
    """The sandbox has changed since the client read it, or is as large as the server allows."""


class TooManyStudies(Conflict):
    """The player has as many studies, or the study as many authors or entries, as the server allows."""


class StudyConflict(Conflict):
    """The note or variation has changed since the client read it, or the study is too large."""


class HolidayNotPossible(Conflict):
    """The player has a holiday at this time already, or as many as the server allows."""


class TooManyWebhooks(Conflict):
    """The player has as many webhooks, or push subscriptions, as the server allows."""


class KeyNotUsable(Conflict):
    """The key of a player cannot be registered, or cannot (or can no longer) sign actions of this game."""


class InvalidPlayerSignature(ServiceError):
    """A signature by the key of a player does not match its payload."""

    status = 422


class IdempotencyConflict(ServiceError):
    """The idempotency key was used before, for another request."""

    status = 422


class TooManyRequests(ServiceError):
    """The client exceeded a rate limit and may repeat the request after `retry_after` seconds."""

    status = 429

    def __init__(self, why: Text, retry_after: int) -> None:
        super().__init__(why)
        self.retry_after = retry_after


class Unavailable(ServiceError):
    """A dependency of the service does not respond; repeat the request after `retry_after` seconds.

    After a write it is unknown whether the write was done: repeat it with the same idempotency key.
    """

    status = 503

    def __init__(self, why: Text, retry_after: int = 2) -> None:
        super().__init__(why)
        self.retry_after = retry_after


class GameDamaged(Unreadable):
    """An event of a game is not stored as it was appended, so this event and later ones cannot be read.

    `event` is its seq, and `fault` describes the damage. `sound` is the game before the event, if it is
    known.
    """

    def __init__(self, game_id: str, event: int, fault: Text, sound: Game | None = None) -> None:
        super().__init__(
            message(
                "event {event} of game {game} is damaged: {fault}",
                event=event,
                game=game_id,
                fault=fault,
            )
        )
        self.game_id = game_id
        self.event = event
        self.fault = fault
        self.sound = sound
