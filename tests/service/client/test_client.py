"""The client library on a real web server: every method, and the examples of docs/client.md."""

import asyncio
import io
import itertools
from collections.abc import Iterator

import pytest
import redis

from cartulary.client import (
    AsyncClient,
    Client,
    Conflict,
    Forbidden,
    NotFound,
    RequestRefused,
    Unauthorised,
)
from client.groups.all import Groups
from client.methods import Method
from ledger.record import read
from service.store.redis_event_store import RedisEventStore
from service.transparency.head_log import HeadLog
from service.transparency.store import TransparencyStore
from tests.support.pages import DOCS, fences
from tests.support.server import WebServer

_numbers = itertools.count(1)


@pytest.fixture
def players(web: WebServer) -> Iterator[tuple[Client, Client]]:
    """Two clients with players of their own."""
    with Client(web.url) as first, Client(web.url) as second:
        first.register(f"client-{next(_numbers)}", "correct horse")
        second.become_guest(locale="fr")
        yield first, second


def test_the_examples_of_the_page_run_in_order(web: WebServer) -> None:
    examples = fences(DOCS / "client.md", "python client")
    assert len(examples) == 6
    names: dict[str, object] = {"URL": web.url}
    for example in examples:
        exec(compile(example, "docs/client.md", "exec"), names)  # noqa: S102 # our own page
    clients = [value for value in names.values() if isinstance(value, Client)]
    assert len(clients) == 2
    for client in clients:
        client.close()


def test_the_page_has_every_method() -> None:
    page = (DOCS / "client.md").read_text()
    methods = [
        name for kind in Client.__mro__ for name, m in vars(kind).items() if isinstance(m, Method)
    ]
    assert len(methods) > 20
    for name in (*methods, "stream", "stream_mine"):
        assert f"`{name}(" in page, name
    for group in vars(Groups):
        if not group.startswith("_"):
            assert f"| `{group}` |" in page, group


def test_the_events_of_all_public_games_are_followed(
    web: WebServer, players: tuple[Client, Client], redis_client: redis.Redis
) -> None:
    first, second = players
    page = first.event_feed(limit=500)
    while page.next is not None:
        page = first.event_feed(after=page.next, limit=500)
    game = first.create_game("barony", 2).id
    second.join(game)
    HeadLog(RedisEventStore(redis_client), TransparencyStore(redis_client)).log([game])
    later = second.event_feed(after=page.cursor)
    assert later.events == first.events(game).events
    assert later.next is None

    async def follow() -> None:
        async with AsyncClient(web.url) as follower:
            assert await follower.event_feed(after=page.cursor, limit=500) == later

    asyncio.run(follow())


def test_two_players_play_and_look_back(players: tuple[Client, Client]) -> None:
    first, second = players
    options = {"seating": "joined", "takebacks": True}
    game = first.create_game("barony", 2, options=options).id
    summary = second.join(game, nonce="00ff")
    me, them = first.me().player, second.me().player
    assert (summary.status, summary.seat_of(me.id), summary.seat_of(them.id)) == ("playing", 0, 1)
    assert (me.guest, them.guest, them.locale) == (False, True, "fr")
    assert [waiting.id for waiting in first.me().games] == [game]

    legal = first.legal_actions(game)
    accepted, repeated = (
        first.submit(game, legal.actions[0], expected_seq=legal.seq, idempotency_key="city")
        for _ in range(2)
    )
    assert repeated == accepted
    assert accepted.receipt.seq == accepted.events[0].seq == legal.seq + 1
    with pytest.raises(RequestRefused) as refused:
        first.submit(game, legal.actions[1], expected_seq=legal.seq + 1)
    assert refused.value.clause is not None
    with pytest.raises(Conflict) as conflict:
        second.submit(game, legal.actions[1], expected_seq=legal.seq)
    assert conflict.value.seq == legal.seq + 1

    requested = first.request_takeback(game)
    agreed = second.answer_takeback(game, requested.events[0].seq, agree=True)
    assert [event.type for event in agreed.events][-1] == "PlayResumed"
    assert first.position(game).json == first.position(game, seq=legal.seq).json

    page = first.events(game, after=1, limit=2)
    assert ([event.seq for event in page.events], page.next) == ([2, 3], 3)
    placed = first.events(game, conditions={"type": "CityPlaced"})
    assert [event.seq for event in placed.events] == [legal.seq + 1]
    assert read(io.BytesIO(first.record(game))).events[legal.seq]["type"] == "CityPlaced"
    assert game in {listed.id for listed in first.games(player=me.handle, status="playing").games}
    assert first.game(game).head.seq == agreed.events[-1].seq


def test_a_key_that_is_used_again_returns_the_same_game(players: tuple[Client, Client]) -> None:
    first, _ = players
    games = [first.create_game("baron", 2, idempotency_key="one game").id for _ in range(2)]
    assert games[0] == games[1]


def test_invitations_bots_and_leaving(players: tuple[Client, Client]) -> None:
    first, second = players
    game = first.create_game("barony", 4, options={"private": True}).id
    with pytest.raises(NotFound):
        second.game(game)
    token = first.invite(game).token
    invited = second.invitation(token)
    assert (invited.game.id, invited.invited_by) == (game, first.me().player.id)
    second.join(game, invitation=token)
    with pytest.raises(Forbidden):
        second.add_bot(game)
    assert [player.bot for player in first.add_bot(game, "random").players] == [
        None,
        None,
        "random",
    ]
    second.leave(game)
    first.revoke_invitation(game)
    with pytest.raises(NotFound):
        second.invitation(token)


def test_an_account_from_guest_to_logging_out(
    players: tuple[Client, Client], web: WebServer
) -> None:
    _, guest = players
    handle = f"client-{next(_numbers)}"
    assert guest.choose_handle(handle, "battery staple").handle == handle
    with Client(web.url) as other:
        other.log_in(handle, "battery staple")
        other.log_out()
        with pytest.raises(Unauthorised):
            other.me()
    with Client(web.url, language="fr") as stranger, pytest.raises(Unauthorised) as refused:
        stranger.log_in(handle, "correct horse")
    assert refused.value.title == "Un jeton d'accès valable est nécessaire"


def test_the_asynchronous_client_plays_the_same_game(web: WebServer) -> None:
    async def play() -> list[str]:
        async with AsyncClient(web.url) as first, AsyncClient(web.url) as second:
            await asyncio.gather(first.become_guest(), second.become_guest())
            game = (await first.create_game("barony", 2, options={"seating": "joined"})).id
            await second.join(game)
            events = second.stream(game)
            types: list[str] = []
            async for event in events:
                types.append(event.type)
                if event.type == "GameStarted":
                    legal = await first.legal_actions(game)
                    await first.submit(game, legal.actions[0], expected_seq=legal.seq)
                if event.type == "CityPlaced":
                    return types
            return types

    types = asyncio.run(play())
    assert types.count("PlayerKeyAdded") == 2
    assert types[-1] == "CityPlaced"


def test_players_write_to_each_other(players: tuple[Client, Client]) -> None:
    first, second = players
    game = first.create_game("barony", 2).id
    second.join(game)
    written = first.send_message(game, "look at the start", seq=4)
    assert (written.text, written.seq, written.player.id) == (
        "look at the start",
        4,
        first.me().player.id,
    )
    assert second.messages(game).messages == (written,)
    assert second.messages(game, after=written.message).last == written.message
    with pytest.raises(Forbidden):
        second.erase_message(game, written.message)
    first.erase_message(game, written.message)
    (erased,) = second.messages(game).messages
    assert (erased.text, erased.erased) == (None, True)


def test_lessons_are_read_in_the_language_of_the_client(
    players: tuple[Client, Client], web: WebServer
) -> None:
    first, second = players
    options = {"seating": "joined", "tutorial": True}
    game = first.create_game("barony", 2, options=options).id
    second.join(game)
    due = first.lessons(game)
    assert (due.seq, [lesson.name for lesson in due.lessons]) == (6, ["first_city"])
    with Client(web.url, first.token, language="es") as spanish:
        assert spanish.lessons(game).lessons[0].text.startswith("Elija una casilla")
    assert second.lessons(game).lessons == ()
