"""Records in pages: bounded in bytes, read when they are asked for, and complete or interrupted."""

import io
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from werkzeug.test import EnvironBuilder, run_wsgi_app

from domain.game import Game
from ledger import record
from ledger.pending import hash_in
from replay.audit import audit
from service.bootstrap import Service, build
from service.bounds import Bounds
from service.connection import connect
from service.errors import NotFound, Unavailable
from service.games.queries import FIRST_LINES, GameQueries, join_lines
from service.http.app import create_app
from service.settings import Settings
from tests.support.counting_store import CountingStore
from tests.support.service_games import play_out, play_until, start_game, take_action

PAGE_BYTES = 4096


@pytest.fixture
def store(settings: Settings) -> Iterator[CountingStore]:
    with connect(settings.redis_url) as client:
        yield CountingStore(client)


@pytest.fixture
def queries(service: Service, store: CountingStore) -> GameQueries:
    """Queries with small pages of records."""
    return GameQueries(
        service.games.repository,
        store,
        service.games.listings,
        service.keyring,
        service.accounts.players,
        service.accounts.keys,
        service.transparency.proofs,
        record_page_bytes=PAGE_BYTES,
    )


def long_game(service: Service) -> Game:
    """Play a game for 200 events; chance may end it before, which is rare."""
    return play_until(
        service, start_game(service).id, lambda game: game.seq == 200 or game.to_act is None
    )


@pytest.mark.parametrize(("rules", "options"), [("barony", {"round_limit": 10}), ("baron", {})])
def test_the_pages_of_a_record_are_bounded_and_together_are_sound(
    service: Service, queries: GameQueries, rules: str, options: dict[str, Any]
) -> None:
    game = play_out(service, start_game(service, rules=rules, **options).id)
    service.games.commands.score(game.id)
    pages = [*queries.record(game.id)]
    assert len(pages) > 5
    assert max(map(len, pages)) <= PAGE_BYTES
    # Pages are filled: no two of them would fit into one.
    assert all(len(page) + len(following) > PAGE_BYTES for page, following in pairwise(pages))
    data = b"".join(pages)
    assert audit(io.BytesIO(data)).verdict != "broken"
    decoded = record.read(io.BytesIO(data))
    assert decoded.lines == service.store.read(game.id)
    assert bool(decoded.openings) == (rules == "baron")


def test_lines_are_read_when_their_page_is_asked_for(
    service: Service, store: CountingStore, queries: GameQueries
) -> None:
    game = long_game(service)
    pages = queries.record(game.id)
    assert store.lines == 0
    lines_of_pages = -1  # without the header
    for page in pages:
        lines_of_pages += page.count(b"\n")
        lines_of_a_page = PAGE_BYTES // 400  # the shortest lines have about 400 bytes
        assert store.lines - lines_of_pages <= FIRST_LINES + lines_of_a_page
    assert lines_of_pages == store.lines == game.seq


def test_a_line_that_is_longer_than_a_page_is_a_separate_page() -> None:
    lines = [b"a", b"b" * 10, b"c", b"d", b"e" * 4]
    assert [*join_lines(lines, 4)] == [b"a", b"b" * 10, b"cd", b"e" * 4]
    assert [*join_lines([], 4)] == []


def test_a_record_ends_at_the_head_at_the_time_of_the_request(
    service: Service, queries: GameQueries
) -> None:
    game = long_game(service)
    pages = queries.record(game.id)
    data = next(pages)
    take_action(service, game.id)
    service.administration.abandon("operator", game.id, "a test")
    data += b"".join(pages)
    decoded = record.read(io.BytesIO(data))
    assert decoded.header["head"]["seq"] == len(decoded.events) == game.seq
    assert audit(io.BytesIO(data)).verdict != "broken"


def test_a_record_of_an_unknown_game_is_refused_before_its_first_page(queries: GameQueries) -> None:
    with pytest.raises(NotFound):
        queries.record("unknown")


def lose_last_events(service: Service, game: Game) -> None:
    service.redis.xtrim(f"cartulary:{{{game.id}}}:log", maxlen=0)


def rewrite_last_events(service: Service, game: Game) -> None:
    key = f"cartulary:{{{game.id}}}:log"
    lines = service.store.read(game.id)
    service.redis.delete(key)
    other = lines[-1].replace(b'"at":"2', b'"at":"3')
    lines[-1] = other.replace(game.hash.encode(), hash_in(other, game.hash).encode())
    for seq, line in enumerate(lines, 1):
        service.redis.xadd(key, {"e": line}, id=f"{seq}-0")


@pytest.mark.parametrize("change", [lose_last_events, rewrite_last_events])
def test_a_record_is_interrupted_if_the_log_changes_while_it_is_read(
    service: Service, queries: GameQueries, change: Callable[[Service, Game], None]
) -> None:
    game = long_game(service)
    pages = queries.record(game.id)
    next(pages)
    change(service, game)
    with pytest.raises(Unavailable):
        list(pages)


def test_a_record_is_interrupted_if_the_store_stops_responding(
    service: Service, store: CountingStore, queries: GameQueries
) -> None:
    pages = queries.record(long_game(service).id)
    next(pages)
    store.failures = 1
    with pytest.raises(Unavailable):
        list(pages)


def test_the_response_is_read_page_by_page_after_its_view_has_returned(
    service: Service, settings: Settings
) -> None:
    game = long_game(service)
    bounds = Bounds(record_page_bytes=PAGE_BYTES)
    other = build(replace(settings, bounds=bounds))
    app = create_app(other)
    environ = EnvironBuilder(path=f"/api/v1/games/{game.id}/record").get_environ()
    parts, status, _ = run_wsgi_app(app.wsgi_app, environ)
    pages = [*parts]
    assert status == "200 OK"
    assert len(pages) > 5
    assert max(map(len, pages)) <= PAGE_BYTES
    assert audit(io.BytesIO(b"".join(pages))).verdict != "broken"
    other.redis.close()
