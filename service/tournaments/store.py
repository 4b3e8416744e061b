"""The logs of tournaments in Redis, beside those of games, and the lists of them.

    cartulary:{tournament:ID}:events      stream; entry SEQ-0 has the event in the field `e`
    cartulary:{tournament:ID}:outbox      the notifications for its events: NAME -> payload (JSON)
    cartulary:{tournament:ID}:secrets     the secret of the draw, and that of its games, in hex
    cartulary:{tournaments:N}             sorted set, id -> time of the next examination, in seconds
    cartulary:tournaments:STATUS          public tournaments with that status
    cartulary:tournaments:STATUS:private          private ones, for administrators
    cartulary:tournaments:STATUS:private:PLAYER   private ones that the player may see
    cartulary:tournaments:STATUS:club:CLUB        public tournaments of a club
    cartulary:tournaments:STATUS:private-club:CLUB    private ones of a club, which its members may see
    cartulary:tournaments:STATUS:of:PLAYER        those of which the player is the organiser or a member

A tournament that has nothing left to do is not in the shards, so finding work costs the same however many
tournaments are over. A member of a list is `CREATED~ID`, so that Redis sorts by time. No key of a tournament
looks like one of a game.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

import orjson
import redis

from domain.errors import Malformed, Unreadable
from domain.messages import message
from domain.tournaments.events import TournamentEvent
from domain.tournaments.tournament import TOURNAMENT_STATUSES, Tournament, TournamentStatus
from ledger.envelope import is_hash
from service.connection import to_text, unavailable_on_error
from service.replication import Replication
from service.store.event_store import Head
from service.store.log_check import check_lines
from service.store.redis_event_store import last_appended
from service.store.shards import Shards

_LISTS: Final = "cartulary:tournaments:"
_SHARDS: Final = Shards("tournaments")
_SCAN_PAGE: Final = 500
DRAW_SECRET: Final = "draw"  # noqa: S105 # the name of a field
GAMES_SECRET: Final = "games"  # noqa: S105 # the name of a field


class TournamentPage(NamedTuple):
    """The ids of some tournaments, newest first, and the cursor of the next page, None on the last one."""

    ids: tuple[str, ...]
    next: str | None


class TournamentStore:
    """Reads and writes logs of tournaments. Thread-safe; every method raises Unavailable."""

    def __init__(self, client: redis.Redis, replication: Replication) -> None:
        self._redis = client
        self._replication = replication
        script = (Path(__file__).parent / "append.lua").read_text(encoding="utf-8")
        self._append = client.register_script(script)

    def append(
        self,
        id: str,
        expected: Tournament | None,
        lines: Sequence[bytes],
        outbox: Mapping[str, str],
        secrets: Mapping[str, str],
    ) -> bool:
        """Append events after those of `expected` (None: a new tournament); False if there are others."""
        args: list[Any] = [
            0 if expected is None else expected.seq,
            "" if expected is None else expected.hash,
            *(len(lines), len(outbox), len(secrets)),
            *lines,
        ]
        for fields in (outbox, secrets):
            for name, value in fields.items():
                args += (name, value)
        keys = [_key(id, part) for part in ("events", "outbox", "secrets")]
        masters = self._replication.masters()
        with unavailable_on_error():
            is_appended = bool(self._append(keys=keys, args=args))
        if is_appended:
            self._replication.wait(masters)
        return is_appended

    def read(self, id: str, first: int = 1, limit: int | None = None) -> list[bytes]:
        """Return the lines of the events from event `first` on, at most `limit`."""
        with unavailable_on_error():
            entries: Any = self._redis.xrange(_key(id, "events"), f"{first}-0", count=limit)
        return [fields[b"e"] for _, fields in entries]

    def last_appended(self, id: str) -> int:
        """Return the seq of the last appended event, even if it is now missing; 0 for none."""
        return last_appended(self._redis, _key(id, "events"))

    def heads(self, ids: Iterable[str]) -> dict[str, Head | Unreadable | None]:
        """Return the seq and hash of the last event of each; see `RedisEventStore.heads`."""
        ids = list(ids)
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            for id in ids:
                pipeline.xrevrange(_key(id, "events"), count=1)
            replies = pipeline.execute()
        return dict(zip(ids, map(_head, replies), strict=True))

    def secret(self, id: str, name: str) -> bytes:
        """Return a secret of a tournament. Raises Unreadable if it is missing or damaged."""
        with unavailable_on_error():
            value = self._redis.hget(_key(id, "secrets"), name)
        try:
            return bytes.fromhex(to_text(value or ""))
        except ValueError:
            # The error would contain the secret.
            raise Unreadable.with_message("a secret of tournament {id} is damaged", id=id) from None

    def outbox(self, id: str) -> dict[str, Any]:
        """Return the payloads of the outbox entries by name."""
        with unavailable_on_error():
            entries = self._redis.hgetall(_key(id, "outbox"))
        return {to_text(name): orjson.loads(payload) for name, payload in entries.items()}

    def ack(self, id: str, name: str) -> None:
        """Remove an outbox entry whose work is done."""
        self._replication.wait()
        with unavailable_on_error():
            self._redis.hdel(_key(id, "outbox"), name)

    def ids(self) -> Iterator[str]:
        """Iterate over the ids of all tournaments, by scanning the store; an id may be repeated."""
        prefix, suffix = _key("\0", "events").split("\0")
        with unavailable_on_error():
            for name in self._redis.scan_iter(prefix + "*" + suffix, count=_SCAN_PAGE):
                yield to_text(name).removeprefix(prefix).removesuffix(suffix)

    def set_due(self, id: str, at: float) -> None:
        """Schedule the examination of a tournament, in seconds since 1970, before its first append."""
        with unavailable_on_error():
            self._redis.zadd(_SHARDS.key(id), {id: at})

    def remove_due(self, id: str) -> None:
        """Stop examining a tournament, because nothing is left to do."""
        with unavailable_on_error():
            self._redis.zrem(_SHARDS.key(id), id)

    def due(self, now: float, limit: int) -> list[str]:
        """Return tournaments to examine by now, at most `limit` of each shard."""
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            for key in _SHARDS.all[:-1]:
                pipeline.zrangebyscore(key, "-inf", now, start=0, num=limit)
            return [to_text(id) for ids in pipeline.execute() for id in ids]

    def update_lists(self, tournament: Tournament) -> None:
        """List a tournament by its current state. Idempotent."""
        member = {f"{tournament.created_at}~{tournament.id}": 0}
        viewers = tournament.viewers
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            for status in TOURNAMENT_STATUSES:
                lists = [_LISTS + status]
                if tournament.private:
                    lists = [f"{_LISTS}{status}:private:{player}" for player in viewers]
                    lists.append(f"{_LISTS}{status}:private")
                relation = "private-club" if tournament.private else "club"
                clubs = {tournament.club, *tournament.clubs} - {None}
                lists += [f"{_LISTS}{status}:{relation}:{club}" for club in clubs]
                lists += [
                    f"{_LISTS}{status}:of:{player}"
                    for player in (*tournament.organisers, *tournament.members)
                ]
                for name in lists:
                    if status == tournament.status:
                        pipeline.zadd(name, member)
                    else:
                        pipeline.zrem(name, *member)
            pipeline.execute()

    def page(
        self,
        statuses: Iterable[TournamentStatus] = (),
        viewer: str | None = None,
        member: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> TournamentPage:
        """Return the tournaments that `viewer` may see with any of the statuses (none given: any).

        With `member`, the id of the viewer, those that this player organises or takes part in. Raises
        Malformed for an invalid cursor.
        """
        suffixes = [""] if viewer is None else ["", f":private:{viewer}"]
        if member is not None:
            suffixes = [f":of:{member}"]
        return self._page(suffixes, statuses, cursor, limit)

    def page_of_club(
        self,
        club: str,
        statuses: Iterable[TournamentStatus] = (),
        cursor: str | None = None,
        limit: int = 50,
        *,
        for_member: bool,
    ) -> TournamentPage:
        """Return the tournaments of a club with any of the statuses (none given: any).

        The private ones are for members only. Raises Malformed for an invalid cursor.
        """
        relations = ("club", "private-club") if for_member else ("club",)
        return self._page(
            [f":{relation}:{club}" for relation in relations], statuses, cursor, limit
        )

    def page_of_all(
        self, statuses: Iterable[TournamentStatus] = (), cursor: str | None = None, limit: int = 50
    ) -> TournamentPage:
        """Return all tournaments with any of the statuses (none given: any), the private ones included.

        Raises Malformed for an invalid cursor.
        """
        return self._page(["", ":private"], statuses, cursor, limit)

    def _page(
        self,
        suffixes: Sequence[str],
        statuses: Iterable[TournamentStatus],
        cursor: str | None,
        limit: int,
    ) -> TournamentPage:
        """Return the tournaments on the lists with these statuses, whose names end with `suffixes`."""
        if cursor is not None and "~" not in cursor:
            raise Malformed({"cursor": message("is not a cursor of this list")})
        names = [
            f"{_LISTS}{status}{suffix}"
            for status in tuple(statuses) or TOURNAMENT_STATUSES
            for suffix in suffixes
        ]
        below = "+" if cursor is None else f"({cursor}"
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            for name in names:
                pipeline.zrevrangebylex(name, below, "-", start=0, num=limit + 1)
            replies = pipeline.execute()
        # A tournament whose status is changing may be in two lists.
        members = sorted({to_text(member) for reply in replies for member in reply}, reverse=True)
        page = members[:limit]
        ids = tuple(member.split("~", 1)[1] for member in page)
        return TournamentPage(ids, page[-1] if len(members) > limit else None)

    def clear_lists(self) -> None:
        """Drop all lists."""
        with unavailable_on_error():
            for name in self._redis.scan_iter(_LISTS + "*", count=_SCAN_PAGE):
                self._redis.delete(name)


def checked_events(
    id: str, lines: Sequence[bytes], after: int = 0, prev: str | None = None
) -> list[TournamentEvent]:
    """Return the events of stored lines that were read from event after+1 on, after checking each.

    `prev` is the hash of event `after`; None if it is not known. Raises Unreadable if one is damaged.
    """
    events, fault = check_lines(id, after, lines, prev, of="tournament")
    if fault is not None:
        raise Unreadable.with_message(
            "event {event} of tournament {tournament} is damaged: {fault}",
            event=after + len(events) + 1,
            tournament=id,
            fault=fault,
        )
    return cast("list[TournamentEvent]", events)


def _key(id: str, part: str) -> str:
    return f"cartulary:{{tournament:{id}}}:{part}"


def _head(entries: Any) -> Head | Unreadable | None:
    """Return the seq and the hash of the only event in a reply; None for an empty reply."""
    if not entries:
        return None
    try:
        event = orjson.loads(entries[0][1][b"e"])
        seq, hash = event["seq"], event["hash"]
    except (ValueError, KeyError, TypeError):
        return Unreadable.with_message("the last entry is not an event")
    if type(seq) is not int or not is_hash(hash):
        return Unreadable.with_message("the last entry is not an event")
    return Head(seq, hash)
