"""Reports of chat messages, of comments on games and of posts in clubs and tournaments, for administrators.

    cartulary:message-reports      sorted set: the ids of open reports, by the time (ms)
    cartulary:message-report:ID    JSON of a report
    cartulary:message-reports:PLAYER   set: the ids of the open reports by or about this player

A report contains the text at the time of the report, since its author can erase the message. The text
and the reason are erased with the accounts of their authors.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from typing import Any, Final, Literal, TypeAlias, get_args

import orjson
import redis

from domain.errors import Malformed
from domain.json_types import JsonObject
from domain.messages import message
from service import wall_clock
from service.connection import read_members, to_text, unavailable_on_error
from service.errors import NotFound, TooManyReports, Unavailable
from service.stored_objects import decode_object, members_of

TextKind: TypeAlias = Literal["message", "comment", "post", "tournament_post"]
"""The kind of text that a report is about."""
_REPORTS: Final = "cartulary:message-reports"
_REPORT: Final = "cartulary:message-report:"
_RETRY_SECONDS: Final = 3600


@dataclass(frozen=True, slots=True)
class ChatMessageReport:
    """The report of a player on message or comment `number` of a game, or on a post; `of` says which of them.

    `game` is the id of a club if it is about a post on its wall, and that of a tournament if it is about one
    in its conversation. `text` and `reason` are None if erased.
    """

    id: str
    game: str
    number: int
    author: str
    reporter: str
    at: str
    text: str | None
    reason: str | None
    of: TextKind = "message"
    later_members: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def as_json(self) -> JsonObject:
        """Return the report as the API shows it."""
        fields = asdict(self)
        del fields["later_members"]
        places = {"post": "club", "tournament_post": "tournament"}
        del fields["game"]
        fields |= dict.fromkeys(("game", "club", "tournament"))
        fields[places.get(self.of, "game")] = self.game
        return fields

    def stored(self) -> bytes:
        """Return the report in the stored form, which for messages is that of versions without comments."""
        fields = members_of(self)
        if self.of == "message":
            del fields["of"]
        return orjson.dumps(fields)


class ChatMessageReports:
    """The open reports of a service. Thread-safe. Methods raise Unavailable if Redis does not respond."""

    def __init__(self, client: redis.Redis, max_open: int, max_per_reporter: int) -> None:
        self._redis = client
        self._max_open = max_open
        self._max_per_reporter = max_per_reporter

    def add(
        self,
        game: str,
        number: int,
        author: str,
        reporter: str,
        text: str,
        reason: str | None,
        of: TextKind = "message",
    ) -> ChatMessageReport:
        """Add a report and return it; if the player has reported the message before, return that report.

        Raises TooManyReports (of this player), and Unavailable if there are too many of all players.
        """
        reported = f"{game} {number}" if of == "message" else f"{of} {game} {number}"
        id = sha256(f"{reported} {reporter}".encode()).hexdigest()[:16]
        earlier = self._read([id])
        if earlier:
            return earlier[0]
        now = wall_clock.now()
        report = ChatMessageReport(
            id, game, number, author, reporter, wall_clock.format(now), text, reason, of
        )
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            # The sets come first, so that an erasure finds every report.
            pipeline.sadd(_of(reporter), id)
            pipeline.sadd(_of(author), id)
            pipeline.set(_REPORT + id, report.stored())
            pipeline.zadd(_REPORTS, {id: int(now.timestamp() * 1000)})
            pipeline.execute()
        # The reports are counted afterwards, because their keys are on several nodes of a cluster: concurrent
        # reports cannot exceed the bounds.
        refusal = self._refusal(reporter)
        if refusal is not None:
            self._delete(report)
            raise refusal
        return report

    def _refusal(self, reporter: str) -> TooManyReports | Unavailable | None:
        """Return the error for a report that exceeds a bound; None if it exceeds none."""
        of_reporter = self._read(read_members(self._redis, _of(reporter)))
        if sum(report.reporter == reporter for report in of_reporter) > self._max_per_reporter:
            return TooManyReports.with_message(
                "{count} reports of this player are open", count=self._max_per_reporter
            )
        if self.count() > self._max_open:
            return Unavailable(message("too many reports are open"), retry_after=_RETRY_SECONDS)
        return None

    def count(self) -> int:
        """Return the number of open reports."""
        with unavailable_on_error():
            return int(self._redis.zcard(_REPORTS))

    def page(
        self, cursor: str | None = None, limit: int = 50
    ) -> tuple[list[ChatMessageReport], str | None]:
        """Return a page of the open reports, the oldest first, and the next cursor.

        Raises Malformed for a cursor that is not of this list.
        """
        start = 0
        if cursor is not None:
            with unavailable_on_error():
                rank: Any = self._redis.zrank(_REPORTS, cursor)
            if rank is None:
                raise Malformed({"cursor": message("is not a cursor of this list")})
            start = rank + 1
        with unavailable_on_error():
            members: Any = self._redis.zrange(_REPORTS, start, start + limit)
        ids = list(map(to_text, members))
        return self._read(ids[:limit]), ids[limit - 1] if len(ids) > limit else None

    def get(self, id: str) -> ChatMessageReport:
        """Return an open report. Raises NotFound."""
        for report in self._read([id]):
            return report
        raise NotFound.with_message("there is no report {report}", report=id[:64])

    def close(self, id: str) -> None:
        """Delete a report that an administrator has dealt with. Raises NotFound."""
        self._delete(self.get(id))

    def _delete(self, report: ChatMessageReport) -> None:
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            pipeline.zrem(_REPORTS, report.id)
            pipeline.delete(_REPORT + report.id)
            pipeline.srem(_of(report.reporter), report.id)
            pipeline.srem(_of(report.author), report.id)
            pipeline.execute()

    def erase_all_of(self, player: str) -> None:
        """Erase the texts of a player in reports, and the reasons that the player gave."""
        for report in self._read(read_members(self._redis, _of(player))):
            erased = replace(
                report,
                text=None if report.author == player else report.text,
                reason=None if report.reporter == player else report.reason,
            )
            with unavailable_on_error():
                self._redis.set(_REPORT + report.id, erased.stored(), xx=True)

    def _read(self, ids: Sequence[str]) -> list[ChatMessageReport]:
        if not ids:
            return []
        with unavailable_on_error():
            replies: Any = self._redis.mget([_REPORT + id for id in ids])
        reports = [
            decode_object(ChatMessageReport, reply) for reply in replies if reply is not None
        ]
        # Reports about other kinds of text are left to the later versions that know them.
        return [report for report in reports if report.of in get_args(TextKind)]


def _of(player: str) -> str:
    return f"{_REPORTS}:{player}"
