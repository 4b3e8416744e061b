"""A client of the HTTP interface, for bots and other programs: `Client`, and `AsyncClient` for asyncio.

docs/client.md describes both with examples. Nothing here needs the server.

`calls` describes every request and the type of its result, once for both clients. `exchange` decides what
is repeated after which failure, and `streams` how a stream is resumed, without doing any I/O. `clients` sends
and waits. `results` and `errors` have what callers get.
"""

from cartulary.client.clients import AsyncClient, Client
from cartulary.client.errors import (
    ClientError,
    Conflict,
    FieldFault,
    Forbidden,
    InvalidResponse,
    MalformedRequest,
    NotFound,
    Problem,
    RequestRefused,
    ServerUnavailable,
    ServerUnreachable,
    StreamReset,
    TooManyRequests,
    Unauthorised,
)
from cartulary.client.exchange import Limits
from cartulary.client.results import (
    AcceptedAction,
    Account,
    Author,
    Event,
    EventPage,
    GamePage,
    GamePlayer,
    GameSummary,
    Head,
    Invitation,
    InvitedGame,
    LegalActions,
    Lesson,
    LessonList,
    Me,
    Message,
    MessagePage,
    Position,
    Receipt,
    Registration,
)

__all__ = [
    "AcceptedAction",
    "Account",
    "AsyncClient",
    "Author",
    "Client",
    "ClientError",
    "Conflict",
    "Event",
    "EventPage",
    "FieldFault",
    "Forbidden",
    "GamePage",
    "GamePlayer",
    "GameSummary",
    "Head",
    "InvalidResponse",
    "Invitation",
    "InvitedGame",
    "LegalActions",
    "Lesson",
    "LessonList",
    "Limits",
    "MalformedRequest",
    "Me",
    "Message",
    "MessagePage",
    "NotFound",
    "Position",
    "Problem",
    "Receipt",
    "Registration",
    "RequestRefused",
    "ServerUnavailable",
    "ServerUnreachable",
    "StreamReset",
    "TooManyRequests",
    "Unauthorised",
]
