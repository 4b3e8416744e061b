"""The responses that open event streams, and how the gateway and the application communicate about them.

WSGI has no event streams: the application leaves a `StreamRequest` in the WSGI environ, and the gateway then
sends the stream (service/server/streams.py).
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias, assert_never

from flask import Response, request

from domain.errors import Malformed, Unreadable
from domain.game import Game
from domain.messages import message
from service.accounts.tokens import token_key
from service.errors import NotFound, TooManyRequests, Unauthorised, Unavailable
from service.games.access import club_of_viewer
from service.http.blueprint import no_content
from service.http.context import client_network, service
from service.http.validation import whole_number

STREAM_REFUSAL: Final = "cartulary.stream_refusal"
"""Set by the gateway: a function that takes the key of a visitor (service/bounds.py) and returns which bound
forbids the visitor another event stream; None if it may be opened."""

STREAM_REQUEST: Final = "cartulary.stream_request"
"""Set by the application if the response is an event stream: a `StreamRequest`."""

ReachedBound: TypeAlias = Literal["max_streams", "max_streams_per_visitor"]
"""The name of a bound that has been reached."""


@dataclass(frozen=True, slots=True)
class StreamRequest:
    """An event stream that a client is allowed to open: the events of `game_id` after seq `after`.

    `visitor` is the key by which its streams are counted. `player` and `token_key` are the player who opened
    it and the key of the token in Redis, if any: the stream ends when the token is no longer valid.
    `evict_on_leave` is the id of a player who may see this game only while they have a place in it: the
    stream ends when they leave the game. `evict_without_invitation` is the id of a player who may see it only
    while they are invited or have a place: the stream ends when they decline, when the invitation is revoked,
    or when an administrator moves their seat to another account. `club` is the id of a club whose members may
    see the game: the stream ends when the player leaves the club. `must_reset`: the log has no event `after`.
    """

    game_id: str
    after: int
    visitor: str = ""
    player: str | None = None
    token_key: str | None = field(default=None, repr=False)
    club: str | None = None
    evict_on_leave: str | None = None
    evict_without_invitation: str | None = None
    must_reset: bool = False
    positions: Mapping[str, int] | None = None
    """For a stream over all games of `player`, whose `game_id` is "": by game, the last seq that the client
    has.
    """
    has_messages: bool = False
    """Whether the stream reports chat messages, without an id and without their text."""
    has_presence: bool = False
    """Whether the player counts as here while the stream is open, which then reports that others come."""
    is_page_outdated: Callable[[], bool] | None = None
    """For such a stream, whether the page lacks a message or a rematch; called in a thread when it begins."""


RETRY_STREAM_SECONDS: Final = 5
MAX_POSITIONS: Final = 1_000
"""Games that a `Last-Event-ID` of a player's stream may name."""
_FROM_NOW: Final = ("", "0", "-")
"""The values of `Last-Event-ID` of a client that has no events of a player's stream."""


def stream_response(
    game: Game,
    player: str | None,
    token: str | None,
    after: int,
    *,
    has_messages: bool = False,
    has_presence: bool = False,
    is_page_outdated: Callable[[], bool] | None = None,
) -> Response:
    """Return the response that opens a stream of the events of a game, which the player may see.

    The stream begins after `Last-Event-ID` or, without this header, after event `after`, and ends when the
    token is revoked. With `has_messages` it also reports chat messages, which the player must be allowed to
    read, and a rematch, also after the end of the game. If `is_page_outdated` returns True, it reports one at
    its beginning. With `has_presence` the player counts as here while it is open, and it reports who comes
    and who is ready. Raises Malformed (the header), and Unavailable or TooManyRequests if this visitor may
    not open another stream.
    """
    _require_current_token(token)
    after = _last_event_id(default=after)
    if game.has_ended and after == game.seq and not has_messages:
        return no_content()
    visitor = player or client_network()
    _check_stream_bounds(visitor)
    is_invited = player is not None and player in game.invited
    club = club_of_viewer(game, player)
    request.environ[STREAM_REQUEST] = StreamRequest(
        game.id,
        after,
        visitor=visitor,
        player=player,
        token_key=None if token is None else token_key(token),
        club=club,
        evict_on_leave=player if game.options["private"] and not (is_invited or club) else None,
        evict_without_invitation=player if game.options["private"] and not club else None,
        must_reset=after > game.seq,
        has_messages=has_messages,
        has_presence=has_presence,
        is_page_outdated=is_page_outdated,
    )
    return _stream()


def player_stream_response(
    player: str, token: str | None, *, has_messages: bool = False
) -> Response:
    """Return the response that opens a stream of the events of all games of a player.

    With `has_messages` it also reports chat messages in these games. The stream begins after the events that
    `Last-Event-ID` names, or with the next events. Raises Malformed (the header), and Unavailable or
    TooManyRequests if the player may not open another stream.
    """
    _require_current_token(token)
    header = request.headers.get("Last-Event-ID", "")
    client_positions = {} if header in _FROM_NOW else _positions(header)
    _check_stream_bounds(player)
    current = service().games.listings.current_games(player)
    games = {
        game.id: game
        for game in service().games.queries.games(current)
        if game is not None and player not in game.excluded_players
    }
    positions = {id: game.seq for id, game in games.items() if not game.has_ended}
    if header not in _FROM_NOW:
        # Games that were joined in the meantime are read from the beginning, and ended games to their end.
        positions = dict.fromkeys(positions, 0)
        games |= _games_with_place(client_positions.keys() - games.keys(), player)
        positions |= {
            id: client_positions[id]
            for id, game in games.items()
            if id in client_positions and not (game.has_ended and client_positions[id] == game.seq)
        }
    request.environ[STREAM_REQUEST] = StreamRequest(
        "",
        0,
        visitor=player,
        player=player,
        token_key=None if token is None else token_key(token),
        has_messages=has_messages,
        must_reset=any(seq > games[id].seq for id, seq in positions.items()),
        positions=positions,
    )
    return _stream()


def _stream() -> Response:
    return Response(
        content_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


def _require_current_token(token: str | None) -> None:
    """Raise Unauthorised if the token of a new stream was revoked, without using the cache."""
    if token is not None:
        tokens = service().accounts.players.tokens
        tokens.forget_owner(token)
        if tokens.owner(token) is None:
            raise Unauthorised.with_message("the token is invalid or has expired")


def _games_with_place(game_ids: Iterable[str], player: str) -> dict[str, Game]:
    """Return those of the games, by id, in which a player has a place."""
    games = {}
    for game_id in game_ids:
        with suppress(NotFound, Unreadable):
            game = service().games.queries.game(game_id)
            if game.has_joined(player) and player not in game.excluded_players:
                games[game_id] = game
    return games


def _positions(header: str) -> dict[str, int]:
    """Return the last seq of each game that a `Last-Event-ID` names. Raises Malformed."""
    positions: dict[str, int] = {}
    for part in header.split(" ")[: MAX_POSITIONS + 1]:
        game_id, _, text = part.partition(":")
        seq = whole_number(text)
        if not game_id or seq is None or len(positions) == MAX_POSITIONS:
            raise Malformed({"Last-Event-ID": message("must be the id of an event of this stream")})
        positions[game_id] = seq
    return positions


def _check_stream_bounds(visitor: str) -> None:
    """Raise Unavailable or TooManyRequests if this visitor may not open another stream."""
    find_refusal = request.environ.get(STREAM_REFUSAL)
    reached: ReachedBound | None = None if find_refusal is None else find_refusal(visitor)
    match reached:
        case "max_streams":
            raise Unavailable(
                message("the server cannot open more event streams now"),
                retry_after=RETRY_STREAM_SECONDS,
            )
        case "max_streams_per_visitor":
            raise TooManyRequests(
                message("too many event streams are open: close one of them first"),
                retry_after=RETRY_STREAM_SECONDS,
            )
        case None:
            return
        case _:
            assert_never(reached)


def _last_event_id(default: int) -> int:
    header = request.headers.get("Last-Event-ID")
    if not header:
        return default
    seq = whole_number(header)
    if seq is None:
        raise Malformed({"Last-Event-ID": message("must be the seq of an event")})
    return seq
