"""The listings of games, newest first: sorted sets that can be dropped and rebuilt from the logs.

    cartulary:games:STATUS              public games with that status
    cartulary:games:STATUS:of:PLAYER    public games in which the player has a place
    cartulary:games:STATUS:for:PLAYER   private games that the player may see: with a place, or invited
    cartulary:games:STATUS:with:PLAYER  private games in which the player has a place
    cartulary:{GAME}:listed             set, the keys of the listings above that contain the game

A member is `CREATED~GAME` and all scores are 0, so Redis sorts members by time of creation. A cursor is
a member: what follows it stays the same however many games are added.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from heapq import merge
from itertools import groupby, islice
from typing import Final, get_args

import redis

from domain.errors import Malformed
from domain.game import Game, Status
from service.connection import to_text, unavailable_on_error
from service.store.redis_event_store import game_key

PREFIX: Final = "cartulary:games:"
STATUSES: Final[tuple[Status, ...]] = get_args(Status)
_PAGE = 500


@dataclass(frozen=True, slots=True)
class Page:
    """Ids of games, newest first. `next` is the cursor of the next page, None on the last one."""

    games: tuple[str, ...]
    next: str | None


class Listings:
    """The listings of a service. Every method raises Unavailable if Redis does not respond."""

    def __init__(self, client: redis.Redis) -> None:
        self._redis = client

    def refresh(self, game: Game) -> None:
        """List a game by its current state, and remove it from all other listings. Idempotent.

        Two concurrent calls may leave the older state; `GameRepository.update_listings` therefore
        compares with the log afterwards.
        """
        current = _listings_of(game)
        listings_key = game_key(game.id, "listed")
        with unavailable_on_error():
            outdated = {to_text(name) for name in self._redis.smembers(listings_key)} - current
            # Written before the game is added, so that a later call removes it from every listing.
            self._redis.sadd(listings_key, *current)
            with self._redis.pipeline(transaction=False) as pipeline:
                for listing in current:
                    pipeline.zadd(listing, {_member(game): 0})
                for listing in outdated:
                    pipeline.zrem(listing, _member(game))
                pipeline.execute()
            if outdated:
                self._redis.srem(listings_key, *outdated)

    def page(
        self,
        statuses: Iterable[Status] = (),
        player: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
        viewer: str | None = None,
    ) -> Page:
        """Return games with any of the statuses (none given: with any status), newest first.

        With `player`, only games in which that player has a place. Private games are included if the
        player `viewer` may see them. Raises Malformed for an invalid
        cursor.
        """
        below = "+" if cursor is None else f"({_checked_cursor(cursor)}"
        members: list[str] = []
        with unavailable_on_error():
            parts = []
            for status in dict.fromkeys(statuses) or STATUSES:
                if player is None:
                    parts.append(self._walk(_listing(status), below, limit))
                else:
                    parts.append(self._walk(_listing(status, "of", player), below, limit))
                if viewer is not None:
                    parts.append(self._private(status, player, viewer, below, limit))
            # A game whose status is just changing may be in two listings.
            unique = (member for member, _ in groupby(merge(*parts, reverse=True)))
            members.extend(islice(unique, limit + 1))
        has_more = len(members) > limit
        page = members[:limit]
        return Page(tuple(map(_game_id, page)), page[-1] if has_more else None)

    def games_in_progress(self, player: str) -> list[str]:
        """Return the ids of the games in progress in which the player has a place, newest first."""
        with unavailable_on_error():
            members = [
                *self._walk(_listing("playing", "of", player), "+", _PAGE),
                *self._private("playing", player, player, "+", _PAGE),
            ]
        return [_game_id(member) for member in sorted(members, reverse=True)]

    def clear(self) -> None:
        """Drop all listings."""
        with unavailable_on_error():
            for pattern in (PREFIX + "*", game_key("*", "listed")):
                for name in self._redis.scan_iter(pattern, count=_PAGE):
                    self._redis.delete(name)

    def _walk(self, listing: str, below: str, chunk: int) -> Iterator[str]:
        """Iterate over the members of a listing below a bound, in descending order."""
        while True:
            reply = self._redis.zrevrangebylex(listing, below, "-", start=0, num=chunk + 1)
            members = [to_text(member) for member in reply]
            yield from members
            if len(members) <= chunk:
                return
            below = f"({members[-1]}"

    def _private(
        self, status: Status, player: str | None, viewer: str, below: str, chunk: int
    ) -> Iterator[str]:
        """Iterate over the private games that the viewer may see, with `player` only that player's."""
        visible = self._walk(_listing(status, "for", viewer), below, chunk)
        if player is None:
            yield from visible
            return
        for member in visible:
            if self._redis.zscore(_listing(status, "with", player), member) is not None:
                yield member


def _listings_of(game: Game) -> set[str]:
    """Return the keys of the listings that must contain the game."""
    players = [place.player for place in game.places]
    if not game.options["private"]:
        return {_listing(game.status), *(_listing(game.status, "of", player) for player in players)}
    viewers = {*players, *game.invited}
    return {
        *(_listing(game.status, "for", player) for player in viewers),
        *(_listing(game.status, "with", player) for player in players),
    }


def _listing(status: Status, relation: str = "", player: str = "") -> str:
    return f"{PREFIX}{status}:{relation}:{player}" if relation else f"{PREFIX}{status}"


def _member(game: Game) -> str:
    return f"{game.created_at}~{game.id}"


def _game_id(member: str) -> str:
    return member.split("~", 1)[1]


def _checked_cursor(cursor: str) -> str:
    if "~" not in cursor:
        raise Malformed({"cursor": "is not a cursor of this list"})
    return cursor
