"""Which games there are, newest first, for whom: sorted sets that can be thrown away and made again.

    cartulary:games:STATUS              public games of that status
    cartulary:games:STATUS:of:PLAYER    those of them in which the player has a place
    cartulary:games:STATUS:for:PLAYER   private games that the player may see: has a place, or is invited
    cartulary:games:STATUS:with:PLAYER  private games in which the player has a place
    cartulary:{GAME}:listed             set, the keys above that the game is in

A member is `CREATED~GAME` and all scores are 0, so Redis keeps them by time of creation, and a cursor is
a member: what lies beyond it stays the same, however many games are added. What a listing says of a game
is the log's word again: `refresh` writes down what a folded game says of itself.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from heapq import merge
from itertools import groupby, islice
from typing import Final, get_args

import redis

from domain.errors import Malformed
from domain.game import Game, Status
from service.connection import reachable
from service.store.redis_event_store import game_key

PREFIX: Final = "cartulary:games:"
STATUSES: Final[tuple[Status, ...]] = get_args(Status)
_PAGE = 500


@dataclass(frozen=True, slots=True)
class Page:
    """Ids of games, newest first; `next` is the cursor of the next page, None at the end."""

    games: tuple[str, ...]
    next: str | None


class Listings:
    """The listings of a service. Raises Unavailable from everything when Redis does not answer."""

    def __init__(self, client: redis.Redis) -> None:
        self._redis = client

    def refresh(self, game: Game) -> None:
        """List a game as it now is, and nowhere else. Doing it twice does no harm.

        Two at once may leave the older state: whoever appends looks at the log again afterwards
        (`GameRepository.update_listings`).
        """
        wanted = _places(game)
        listed = game_key(game.id, "listed")
        with reachable():
            former = {_text(name) for name in self._redis.smembers(listed)}
            # What a game is in is on record before it is in it, so that nothing stays behind.
            self._redis.sadd(listed, *wanted)
            with self._redis.pipeline(transaction=False) as pipeline:
                for place in wanted:
                    pipeline.zadd(place, {_member(game): 0})
                for place in former - wanted:
                    pipeline.zrem(place, _member(game))
                pipeline.execute()
            if former - wanted:
                self._redis.srem(listed, *(former - wanted))

    def page(
        self,
        statuses: Iterable[Status] = (),
        player: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
        viewer: str | None = None,
    ) -> Page:
        """Games of any of the statuses (none named: of all), newest first.

        `player`: only those where that player has a place. `viewer`: who asks; private games are listed
        only for who may see them. Raises Malformed for a cursor that is none.
        """
        below = "+" if cursor is None else f"({_checked(cursor)}"
        found: list[str] = []
        with reachable():
            parts = []
            for status in dict.fromkeys(statuses) or STATUSES:
                if player is None:
                    parts.append(self._walk(_place(status), below, limit))
                else:
                    parts.append(self._walk(_place(status, "of", player), below, limit))
                if viewer is not None:
                    parts.append(self._private(status, player, viewer, below, limit))
            # A game that changes its status just now may be in both sets.
            once = (member for member, _ in groupby(merge(*parts, reverse=True)))
            found.extend(islice(once, limit + 1))
        more = len(found) > limit
        shown = found[:limit]
        return Page(tuple(map(_game, shown)), shown[-1] if more else None)

    def playing(self, player: str) -> list[str]:
        """Ids of the games under way in which the player has a place, newest first."""
        with reachable():
            members = [
                *self._walk(_place("playing", "of", player), "+", _PAGE),
                *self._private("playing", player, player, "+", _PAGE),
            ]
        return [_game(member) for member in sorted(members, reverse=True)]

    def clear(self) -> None:
        """Throw all listings away, to make them again."""
        with reachable():
            for pattern in (PREFIX + "*", game_key("*", "listed")):
                for name in self._redis.scan_iter(pattern, count=_PAGE):
                    self._redis.delete(name)

    def _walk(self, place: str, below: str, chunk: int) -> Iterator[str]:
        """The members of a set from a bound downwards, read as they are asked for."""
        while True:
            read = self._redis.zrevrangebylex(place, below, "-", start=0, num=chunk + 1)
            members = [_text(member) for member in read]
            yield from members
            if len(members) <= chunk:
                return
            below = f"({members[-1]}"

    def _private(
        self, status: Status, player: str | None, viewer: str, below: str, chunk: int
    ) -> Iterator[str]:
        """Private games that the viewer may see, and in which the player, if one is named, plays."""
        seen = self._walk(_place(status, "for", viewer), below, chunk)
        if player is None:
            yield from seen
            return
        for member in seen:
            if self._redis.zscore(_place(status, "with", player), member) is not None:
                yield member


def _places(game: Game) -> set[str]:
    """The keys of the sets that a game belongs in."""
    seated = [place.player for place in game.places]
    if not game.options["private"]:
        return {_place(game.status), *(_place(game.status, "of", player) for player in seated)}
    allowed = {*seated, *game.invited}
    return {
        *(_place(game.status, "for", player) for player in allowed),
        *(_place(game.status, "with", player) for player in seated),
    }


def _place(status: Status, relation: str = "", player: str = "") -> str:
    return f"{PREFIX}{status}:{relation}:{player}" if relation else f"{PREFIX}{status}"


def _member(game: Game) -> str:
    return f"{game.created_at}~{game.id}"


def _game(member: str) -> str:
    return member.split("~", 1)[1]


def _checked(cursor: str) -> str:
    if "~" not in cursor:
        raise Malformed({"cursor": "is none that was given out here"})
    return cursor


def _text(value: bytes | str) -> str:
    return value.decode() if isinstance(value, bytes) else value
