"""The listings of games, newest first: sorted sets that can be dropped and rebuilt from the logs.

    cartulary:games:STATUS              public games with that status
    cartulary:games:STATUS:private:     private games with that status
    cartulary:games:STATUS:system:NAME:SEATS          public games of a rule system with so many seats
    cartulary:games:STATUS:private-system:NAME:SEATS  private games of a rule system with so many seats
    cartulary:games:STATUS:club:ID          public games of a club
    cartulary:games:STATUS:private-club:ID  private games of a club
    cartulary:games:STATUS:of:PLAYER    public games in which the player has a place
    cartulary:games:STATUS:for:PLAYER   private games that the player may see: with a place, invited, or
                                        as the arbiter
    cartulary:games:STATUS:with:PLAYER  private games in which the player has a place
    cartulary:games:open:invited:PLAYER games to which the player is invited, and which wait for an answer
    cartulary:games:playing:vacant      public games with vacant seats
    cartulary:games:playing:vacant:PLAYER  private games with vacant seats to which the player is invited
    cartulary:{GAME}:listed             set, the keys of the listings above that contain the game
    cartulary:{GAME}:summary            the summary of a game that is not in progress (games/summary.py)

In a cluster, listings that do not name a player are in shards by the id of the game, such as
`cartulary:{games:STATUS:N}` (service/store/shards.py). On a single Redis, shards would only be slower.

A member is `CREATED~GAME` and all scores are 0, so Redis sorts members by time of creation. A cursor is a
member: the members after it stay the same, however many games are added.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache, partial
from itertools import chain, islice
from typing import Final, NamedTuple, TypeVar, get_args

import redis

from domain.errors import Malformed, NotNow
from domain.game import Game, Status
from domain.messages import comma_list, message
from domain.registry import registered_name
from service.bounded_collections import reserved_entry
from service.connection import to_text, unavailable_on_error
from service.games.summary import Summary, decode_summary, encode_summary, summarize
from service.store.redis_event_store import game_key
from service.store.shards import Shards

_NAME: Final = "games"
_PATTERNS: Final = ("cartulary:games:*", "cartulary:{games:*")
"""The pattern of the keys of listings."""
STATUSES: Final[tuple[Status, ...]] = get_args(Status)
StatusName = TypeVar("StatusName", bound=str)
EXAMINED: Final = 250
"""The most games that are examined for a page if only some of them belong on it: private games of a status,
or games that may pass a filter."""
_PART_OF_SHARD: Final = 4
"""Each shard is first read for a fourth of the members of a page: on average, it has a sixteenth."""
_BATCH_SIZE: Final = 500
_SYSTEM: Final = "system"
_PRIVATE_SYSTEM: Final = "private-system"
_CLUB: Final = "club"
_PRIVATE_CLUB: Final = "private-club"


class GameKind(NamedTuple):
    """The name of the rule system of a game, and the number of its seats."""

    system: str
    seats: int


class _Listing(NamedTuple):
    """A listing of the games of everybody, of one player, or of one club."""

    name: str
    player: str = ""

    @property
    def key(self) -> str:
        """The key of a listing that is not in shards."""
        return f"cartulary:{self.name}:{self.player}" if self.player else f"cartulary:{self.name}"


_shards: Final = cache(Shards)
"""Returns the shards of a listing by its name; the names are bounded by statuses and kinds of games."""


class GamesOfClub(NamedTuple):
    """The games of a club, including private ones if `for_member`."""

    club: str
    for_member: bool


class _Source(NamedTuple):
    """A listing whose members belong on a page if one of the listings of each condition has them too."""

    listing: "_Listing"
    conditions: tuple[tuple["_Listing", ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """Some members of listings, newest first. `next` is the cursor of the next page, None on the last one."""

    members: tuple[str, ...]
    next: str | None

    @property
    def games(self) -> tuple[str, ...]:
        """The ids of the games."""
        return tuple(map(game_of_member, self.members))

    def first(self, count: int) -> "Page":
        """Return this page with only its first `count` games; the next page has the others."""
        if count >= len(self.members):
            return self
        return Page(self.members[:count], self.members[count - 1])


class Listings:
    """The listings of a service. Every method raises Unavailable if Redis does not respond."""

    def __init__(self, client: redis.Redis, *, is_sharded: bool = False) -> None:
        """`is_sharded` is True for the client of a cluster."""
        self._redis = client
        self._is_sharded = is_sharded

    def refresh(self, game: Game, former: Game | None = None) -> None:
        """List a game by its current state, and remove it from all other listings. Idempotent.

        Two concurrent calls may leave the older state; `GameRepository.update_listings` therefore compares
        with the log afterwards, and calls again with the listed game as `former`. A concurrent call may have
        removed the game from these listings before it was added to them.
        """
        current = {self._key(listing, game.id) for listing in _listings_of(game)}
        listings_key = game_key(game.id, "listed")
        with unavailable_on_error():
            listed = {to_text(name) for name in self._redis.smembers(listings_key)}
            if former is not None:
                listed |= {self._key(listing, game.id) for listing in _listings_of(former)}
            outdated = listed - current
            # This is written before the game is added, so that a later call removes it from every listing.
            self._redis.sadd(listings_key, *current)
            with self._redis.pipeline(transaction=False) as pipeline:
                for key in current:
                    pipeline.zadd(key, {_member(game): 0})
                for key in outdated:
                    pipeline.zrem(key, _member(game))
                if game.status == "playing":
                    # The summary would be out of date after the next action.
                    pipeline.delete(game_key(game.id, "summary"))
                else:
                    pipeline.set(game_key(game.id, "summary"), encode_summary(summarize(game)))
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
        kinds: Collection[GameKind] | None = None,
        opponent: str | None = None,
        club: GamesOfClub | None = None,
    ) -> Page:
        """Return games with any of the statuses (none given: with any status), newest first.

        With `player`, the page has only games in which that player has a place, and with `opponent` that
        player too; with `kinds`, only games of these kinds. With `club`, it has only games of that club, and
        private games only for members. Otherwise, private games are included if the player `viewer` may see
        them; those of clubs are included only if the viewer may see them without being a member. Raises
        Malformed for an invalid cursor.

        A page costs a bounded number of round trips and members, however long the listings are. With a player
        or a viewer it may have fewer games than `limit`, even none, and still a next page: perhaps only some
        of the games of a player are of these kinds, or only some of the private games that the viewer may see
        belong on the page of another player.
        """
        below = "+" if cursor is None else f"({_checked_cursor(cursor)}"
        chosen = tuple(dict.fromkeys(statuses)) or STATUSES
        sources = [
            source
            for status in chosen
            for source in (
                _sources(status, player, viewer, kinds, opponent)
                if club is None
                else _sources_of_club(status, club, player, kinds)
            )
        ]
        complete = [source.listing for source in sources if not source.conditions]
        to_filter = [source for source in sources if source.conditions]
        with unavailable_on_error():
            heads = self._heads(
                below,
                {
                    **dict.fromkeys(complete, limit + 1),
                    **{source.listing: EXAMINED for source in to_filter},
                },
            )
            members = {member for listing in complete for member in heads[listing]}
            members.update(self._members_that_meet(heads, to_filter))
        examined = [heads[source.listing] for source in to_filter]
        # The members after the last examined one of a listing are not known yet.
        ends = [head[-1] for head in examined if len(head) == EXAMINED]
        end = max(ends, default=None)
        ordered = sorted((m for m in members if end is None or m >= end), reverse=True)
        # A game whose status is changing may be in two listings, so the members are a set.
        return Page(tuple(ordered), end).first(limit)

    def page_of_all(
        self,
        statuses: Iterable[Status] = (),
        player: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page:
        """Return games like `page`, with all private games. Raises Malformed for an invalid cursor."""
        if player is not None:
            return self.page(statuses, player, cursor, limit, viewer=player)
        chosen = tuple(dict.fromkeys(statuses)) or STATUSES
        listings = [
            _listing(status, *relation) for status in chosen for relation in ((), ("private",))
        ]
        return self._newest(listings, cursor, limit)

    def games_in_progress(self, player: str, cursor: str | None = None, limit: int = 50) -> Page:
        """Return the games in progress in which the player has a place. Raises Malformed (cursor)."""
        return self.page(["playing"], player, cursor, limit, viewer=player)

    def vacant(self, viewer: str | None = None, cursor: str | None = None, limit: int = 50) -> Page:
        """Return the games in progress with vacant seats, newest first.

        Private games are included if the player `viewer` is invited to them. Raises Malformed for an invalid
        cursor.
        """
        listings = [_listing("playing", "vacant")]
        if viewer is not None:
            listings.append(_listing("playing", "vacant", player=viewer))
        return self._newest(listings, cursor, limit)

    def invitations(self, player: str, cursor: str | None = None, limit: int = 50) -> Page:
        """Return the open games that wait for the player's answer to an invitation, newest first.

        Raises Malformed for an invalid cursor.
        """
        return self._newest([_listing("open", "invited", player=player)], cursor, limit)

    def _newest(self, listings: Sequence[_Listing], cursor: str | None, limit: int) -> Page:
        """Return the games of any of the listings, newest first. Raises Malformed for an invalid cursor."""
        below = "+" if cursor is None else f"({_checked_cursor(cursor)}"
        with unavailable_on_error():
            heads = self._heads(below, dict.fromkeys(listings, limit + 1))
        members = sorted({member for head in heads.values() for member in head}, reverse=True)
        return Page(tuple(members), None).first(limit)

    def current_games(self, player: str) -> tuple[str, ...]:
        """Return the ids of all games, open or in progress, in which the player has a place.

        Their number is bounded, because players can only have a bounded number of places.
        """
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            for listing in current_listings(player):
                pipeline.zrange(listing, 0, -1)
            replies = pipeline.execute()
        return tuple(game_of_member(to_text(member)) for reply in replies for member in reply)

    def count_private_games(self, player: str, status: Status) -> int:
        """Return the number of private games with a status in which the player has a place."""
        with unavailable_on_error():
            return self._redis.zcard(_listing(status, "with", player=player).key)

    def count_current_games(self, player: str) -> int:
        """Return the number of open or running games in which the player has a place, in one round trip."""
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            for listing in current_listings(player):
                pipeline.zcard(listing)
            return sum(pipeline.execute())

    def reserve_current_game(
        self, player: str, maximum: int, name: str
    ) -> AbstractContextManager[bool]:
        """Reserve one of the `maximum` current games of a player; see `reserved_entry`."""
        key = f"cartulary:reserved-games-of:{player}"
        count = partial(self.count_current_games, player)
        return reserved_entry(self._redis, key, maximum, count, name)

    def require_no_current_games(self, player: str) -> None:
        """Raise NotNow if the player has a place in a game that is open or in progress."""
        if self.count_current_games(player):
            raise NotNow(
                None,
                message("this is possible only while you have no place in a game that is not over"),
            )

    def count_public_games(
        self, statuses: Sequence[Status], kinds: Sequence[GameKind]
    ) -> dict[GameKind, list[int]]:
        """Return the numbers of public games by kind and status, in one round trip."""
        keys = {
            kind: [self._keys(_kind_listing(status, _SYSTEM, kind)) for status in statuses]
            for kind in kinds
        }
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            for key in chain.from_iterable(chain.from_iterable(keys.values())):
                pipeline.zcard(key)
            replies = iter(pipeline.execute())
        return {
            kind: [sum(islice(replies, len(shards))) for shards in listings]
            for kind, listings in keys.items()
        }

    def summaries(self, game_ids: Sequence[str]) -> dict[str, Summary]:
        """Return the stored summaries of games, by id. They may be out of date, or missing."""
        if not game_ids:
            return {}
        with unavailable_on_error():
            replies = self._redis.mget([game_key(id, "summary") for id in game_ids])
        decoded = (None if reply is None else decode_summary(reply) for reply in replies)
        return {
            id: summary
            for id, summary in zip(game_ids, decoded, strict=True)
            if summary is not None and summary.id == id
        }

    def clear(self) -> None:
        """Drop all listings and summaries."""
        with unavailable_on_error():
            patterns = (*_PATTERNS, game_key("*", "listed"), game_key("*", "summary"))
            for pattern in patterns:
                for name in self._redis.scan_iter(pattern, count=_BATCH_SIZE):
                    self._redis.delete(name)

    def _heads(self, below: str, limits: Mapping[_Listing, int]) -> dict[_Listing, list[str]]:
        """Return the first members of each listing below a bound, in descending order, at most its limit."""
        lengths = {
            key: limit if key == listing.key else limit // _PART_OF_SHARD + 1
            for listing, limit in limits.items()
            for key in self._keys(listing)
        }
        rows = self._read_heads(below, lengths)
        heads = self._merge(rows, limits)
        longer = {
            key: limits[listing]
            for listing, head in heads.items()
            for key in self._keys(listing)
            if len(rows[key]) == lengths[key] < limits[listing]
            and (len(head) < limits[listing] or rows[key][-1] > head[-1])
        }
        return self._merge(rows | self._read_heads(below, longer), limits) if longer else heads

    def _read_heads(self, below: str, lengths: Mapping[str, int]) -> dict[str, list[str]]:
        """Return the first `lengths` members of each key below a bound, in descending order."""
        with self._redis.pipeline(transaction=False) as pipeline:
            for key, length in lengths.items():
                pipeline.zrevrangebylex(key, below, "-", start=0, num=length)
            replies = pipeline.execute()
        return {key: [*map(to_text, row)] for key, row in zip(lengths, replies, strict=True)}

    def _merge(
        self, rows: Mapping[str, Sequence[str]], limits: Mapping[_Listing, int]
    ) -> dict[_Listing, list[str]]:
        """Merge the members of the keys of each listing, and return the first ones in descending order."""
        return {
            listing: sorted(
                {member for key in self._keys(listing) for member in rows[key]}, reverse=True
            )[:limit]
            for listing, limit in limits.items()
        }

    def _members_that_meet(
        self, heads: Mapping[_Listing, Sequence[str]], sources: Sequence[_Source]
    ) -> Iterator[str]:
        """Iterate over the members of each source that meet its conditions, in one round trip."""
        lookups = {
            (source.listing, condition): [
                lookup
                for listing in condition
                for lookup in self._by_key(listing, heads[source.listing]).items()
            ]
            for source in sources
            for condition in source.conditions
        }
        with self._redis.pipeline(transaction=False) as pipeline:
            for key, members in chain.from_iterable(lookups.values()):
                pipeline.zmscore(key, members)
            replies = iter(pipeline.execute())
        members_by_condition = {
            condition: {
                member
                for _, members in keys
                for member, score in zip(members, next(replies), strict=True)
                if score is not None
            }
            for condition, keys in lookups.items()
        }
        for source in sources:
            for member in heads[source.listing]:
                if all(
                    member in members_by_condition[source.listing, name]
                    for name in source.conditions
                ):
                    yield member

    def _keys(self, listing: _Listing) -> tuple[str, ...]:
        """Return the keys with the members of a listing."""
        is_sharded = self._is_sharded and not listing.player
        return _shards(listing.name).all if is_sharded else (listing.key,)

    def _key(self, listing: _Listing, game_id: str) -> str:
        """Return the key in which a game belongs."""
        is_sharded = self._is_sharded and not listing.player
        return _shards(listing.name).key(game_id) if is_sharded else listing.key

    def _by_key(self, listing: _Listing, members: Sequence[str]) -> dict[str, list[str]]:
        """Return members by the keys that may have them: their shard, and the key of earlier versions."""
        keys: dict[str, list[str]] = {listing.key: [*members]} if members else {}
        for member in members:
            if (key := self._key(listing, game_of_member(member))) != listing.key:
                keys.setdefault(key, []).append(member)
        return keys


def _sources(
    status: Status,
    player: str | None,
    viewer: str | None,
    kinds: Collection[GameKind] | None,
    opponent: str | None,
) -> Iterator[_Source]:
    """Yield the listings that have the games with a status for `Listings.page`."""
    public, private = (
        None if kinds is None else tuple(_kind_listing(status, relation, kind) for kind in kinds)
        for relation in (_SYSTEM, _PRIVATE_SYSTEM)
    )
    if player is None:
        if public is None:
            yield _Source(_listing(status))
        else:
            yield from map(_Source, public)
        if viewer is not None:
            yield _Source(_listing(status, "for", player=viewer), _conditions(private))
        return
    others = () if opponent is None else ((_listing(status, "of", player=opponent),),)
    yield _Source(_listing(status, "of", player=player), (*others, *_conditions(public)))
    with_others = () if opponent is None else ((_listing(status, "with", player=opponent),),)
    conditions = (*with_others, *_conditions(private))
    if viewer == player:
        yield _Source(_listing(status, "with", player=player), conditions)
    elif viewer is not None:
        with_player = (_listing(status, "with", player=player),)
        yield _Source(_listing(status, "for", player=viewer), (with_player, *conditions))


def _sources_of_club(
    status: Status, club: GamesOfClub, player: str | None, kinds: Collection[GameKind] | None
) -> Iterator[_Source]:
    """Yield the listings that have the games of a club with a status."""
    relations = [(_CLUB, "of", _SYSTEM)]
    if club.for_member:
        relations.append((_PRIVATE_CLUB, "with", _PRIVATE_SYSTEM))
    for of_club, of_player, of_kind in relations:
        conditions: list[tuple[_Listing, ...]] = []
        if player is not None:
            conditions.append((_listing(status, of_player, player=player),))
        if kinds is not None:
            conditions.append(tuple(_kind_listing(status, of_kind, kind) for kind in kinds))
        yield _Source(_listing(status, of_club, player=club.club), tuple(conditions))


def _conditions(listings: tuple[_Listing, ...] | None) -> tuple[tuple[_Listing, ...], ...]:
    return () if listings is None else (listings,)


def _kind_listing(status: Status, relation: str, kind: GameKind) -> _Listing:
    return _listing(status, relation, kind.system, str(kind.seats))


def parse_statuses(text: str | None, allowed: Sequence[StatusName]) -> list[StatusName]:
    """Return the statuses in a text that separates them by commas; [] for None.

    Raises Malformed if one of them is not one of the `allowed`.
    """
    names = [] if text is None else text.split(",")
    statuses = [status for name in names for status in allowed if status == name]
    if len(statuses) < len(names):
        fault = message(
            "must be one or several of these, separated by commas: {statuses}",
            statuses=comma_list(allowed),
        )
        raise Malformed({"status": fault})
    return statuses


def _listings_of(game: Game) -> set[_Listing]:
    """Return the listings that must contain the game."""
    places = [place.player for place in game.places]
    players = [player for player in game.participants if game.is_participant(player)]
    vacant = _vacant_listings(game)
    awaited = {_listing(game.status, "invited", player=player) for player in game.awaited}
    kind = GameKind(registered_name(game.rules), game.seats)
    if not game.options["private"]:
        of_players = {_listing(game.status, "of", player=player) for player in players}
        of_kind = _kind_listing(game.status, _SYSTEM, kind)
        of_club = _club_listings(game, _CLUB)
        return {_listing(game.status), of_kind, *of_players, *of_club, *awaited, *vacant}
    viewers = {
        *places,
        *game.all_players,
        *game.invited,
        *([] if game.arbiter is None else [game.arbiter]),
    } - {*game.excluded_players}
    return {
        *awaited,
        *vacant,
        *_club_listings(game, _PRIVATE_CLUB),
        _listing(game.status, "private"),
        _kind_listing(game.status, _PRIVATE_SYSTEM, kind),
        *(_listing(game.status, "for", player=player) for player in viewers),
        *(_listing(game.status, "with", player=player) for player in players),
    }


def _club_listings(game: Game, relation: str) -> set[_Listing]:
    club = game.options.get("club")
    return set() if club is None else {_listing(game.status, relation, player=club)}


def _vacant_listings(game: Game) -> set[_Listing]:
    """Return the listings that must contain the game because of its vacant seats."""
    if not game.open_seats():
        return set()
    if not game.options["private"]:
        return {_listing("playing", "vacant")}
    return {
        _listing("playing", "vacant", player=player)
        for player in game.invited
        if not game.has_joined(player) and player != game.arbiter
    }


def _listing(status: Status, *relation: str, player: str = "") -> _Listing:
    return _Listing(":".join((_NAME, status, *relation)), player)


def current_listings(player: str) -> tuple[str, ...]:
    """Return the keys of the listings of games, open or in progress, in which a player has a place."""
    return tuple(
        _listing(status, relation, player=player).key
        for status in ("open", "playing")
        for relation in ("of", "with")
    )


def game_of_member(member: str) -> str:
    """Return the id of the game in a member of a listing."""
    return member.split("~", 1)[1]


def _member(game: Game) -> str:
    return f"{game.created_at}~{game.id}"


def _checked_cursor(cursor: str) -> str:
    if "~" not in cursor:
        raise Malformed({"cursor": message("is not a cursor of this list")})
    return cursor
