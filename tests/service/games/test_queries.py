"""Queries: events, games and positions at any seq, records."""

import io
import json
from typing import get_type_hints

import pytest

from domain.errors import Unreadable
from domain.fold import fold
from ledger import record
from service.accounts.accounts import Players
from service.accounts.keys import PlayerKeys
from service.bootstrap import Service, build
from service.bounds import Bounds
from service.errors import NotFound
from service.games.event_queries import DeliveriesAbout, EventQueries
from service.games.game_cache import GameCache
from service.games.listings import Listings
from service.games.loader import GameLoader
from service.games.queries import GameQueries
from service.games.repository import GameRepository
from service.keyring import Keyring
from service.settings import Settings
from service.store.event_store import LogReader
from service.transparency.proofs import Proofs
from tests.support.faults import raises
from tests.support.service_games import explain, play_out, play_until, start_game, take_action


def test_events_can_be_read_in_pages(service: Service) -> None:
    game = play_until(service, start_game(service).id, lambda game: game.seq == 10)
    seqs = [event["seq"] for event in service.games.queries.event_page(game.id, 3, 4)]
    assert seqs == [4, 5, 6, 7]
    assert [event["seq"] for event in service.games.queries.event_page(game.id, 8, 100)] == [9, 10]
    assert service.games.queries.event_page(game.id, 10, 100) == []


def test_the_game_at_any_seq_is_folded_from_its_log_up_to_it(service: Service) -> None:
    game = play_until(service, start_game(service).id, lambda game: game.seq == 40)
    events = service.games.queries.event_page(game.id, 0, 100)
    for seq in range(1, 41):
        earlier = service.games.queries.game_at(game.id, seq)
        folded = fold(events[:seq])
        assert folded is not None
        assert earlier.position(None) == folded.position(None)
        assert (earlier.seq, earlier.hash) == (seq, events[seq - 1]["hash"])
        assert (earlier.status, earlier.places) == (folded.status, folded.places)


@pytest.mark.parametrize("seq", [-1, 0, 5, 99])
def test_an_unknown_seq_is_not_found(service: Service, seq: int) -> None:
    game = start_game(service)
    assert game.seq == 4
    with pytest.raises(NotFound):
        service.games.queries.game_at(game.id, seq)
    with pytest.raises(NotFound):
        explain(service.games.events, game, seq)


def test_an_event_is_returned_with_the_positions_before_and_after(service: Service) -> None:
    game = start_game(service)
    event = explain(service.games.events, game, 1)
    assert (event["event"]["type"], event["before"], event["after"]) == ("GameCreated", None, None)
    event = explain(service.games.events, game, 4)
    assert (event["event"]["type"], event["before"]) == ("GameStarted", None)
    assert event["after"] == game.position(None)
    appended = take_action(service, game.id).events[0]
    head = service.games.queries.game(game.id)
    event = explain(service.games.events, head, 5, game.players[0])
    assert event["event"] == appended
    assert event["before"] == game.position(0)
    assert event["after"] == head.position(0)
    assert event["before"] != event["after"]


def test_many_games_are_returned_in_the_given_order(service: Service, settings: Settings) -> None:
    games = [start_game(service).id for _ in range(3)]
    other = build(settings)
    other.games.queries.game(games[1])
    take_action(service, games[1])
    loaded = other.games.queries.games([games[2], games[1], games[0]])
    seqs = [game and (game.id, game.seq) for game in loaded]
    assert seqs == [(games[2], 4), (games[1], 5), (games[0], 4)]
    other.redis.close()


def test_games_that_were_evicted_from_the_cache_are_read_again(service: Service) -> None:
    repository = GameRepository(
        service.store, GameCache(1), service.games.listings, service.clock, service.keyring
    )
    ids = [start_game(service).id for _ in range(3)]
    for _ in range(2):
        for game in ids:
            assert repository.load(game).game.seq == 4


def test_a_record_is_complete_at_any_time(service: Service) -> None:
    game = start_game(service, round_limit=1)
    last = ""
    for _ in range(3):
        decoded = record.read(io.BytesIO(b"".join(service.games.queries.record(game.id))))
        assert decoded.events == service.games.queries.event_page(game.id, 0, 1000)
        assert decoded.lines == service.store.read(game.id)
        head = service.games.queries.game(game.id)
        assert (decoded.header["head"]["seq"], decoded.header["head"]["hash"]) == (
            head.seq,
            head.hash,
        )
        assert decoded.header["keys"] == service.keyring.public_keys()
        assert decoded.header["head"]["key"] == decoded.header["keys"][0]["key"]
        assert decoded.openings == {}
        last = decoded.events[-1]["type"]
        if head.to_act is not None:
            play_out(service, game.id)
        else:
            service.games.commands.score(game.id)
    assert last == "GameFinished"


def test_a_record_contains_the_secret_only_after_the_end(service: Service) -> None:
    game = start_game(service)
    secret = service.store.secrets(game.id)["seed"].encode()
    assert secret not in b"".join(service.games.queries.record(game.id, viewer=0))
    service.administration.abandon("operator", game.id, "a test")
    assert secret in b"".join(service.games.queries.record(game.id))


def test_a_record_opens_the_secrets_of_the_seat_and_after_the_end_all_secrets(
    service: Service,
) -> None:
    # Barony has no secret values, so these are added to the store by hand.
    game = start_game(service)
    opening = {"salt": "00" * 32, "value": ["meadow"]}
    for name in ("pile", "reserve/0", "reserve/1"):
        service.redis.hset(f"cartulary:{{{game.id}}}:secrets", f"4/{name}", json.dumps(opening))

    def opened(viewer: int | None) -> set[str]:
        decoded = record.read(io.BytesIO(b"".join(service.games.queries.record(game.id, viewer))))
        assert set(decoded.openings) <= {4}
        return set(decoded.openings.get(4, {}))

    assert opened(None) == set()
    assert opened(0) == {"reserve/0"}
    assert opened(1) == {"reserve/1"}
    service.administration.abandon("operator", game.id, "a test")
    assert opened(None) == opened(1) == {"pile", "reserve/0", "reserve/1"}


def test_a_game_that_cannot_be_read_does_not_hide_the_others(service: Service) -> None:
    intact, missing, damaged, invalid = (start_game(service).id for _ in range(4))
    service.redis.delete(f"cartulary:{{{missing}}}:log")
    service.redis.xadd(f"cartulary:{{{damaged}}}:log", {"e": "no event at all"}, id="5-0")
    service.redis.xadd(f"cartulary:{{{invalid}}}:log", {"e": '{"seq":5}'}, id="5-0")
    repository = GameRepository(
        service.store, GameCache(10), service.games.listings, service.clock, service.keyring
    )
    with pytest.raises(NotFound):
        repository.load(missing)
    for game in (damaged, invalid):
        with raises(Unreadable, match=game):
            repository.load(game)
    loaded = repository.load_many((invalid, missing, damaged, intact))
    assert [game and game.id for game in loaded] == [None, None, None, intact]


def test_queries_depend_only_on_types_that_cannot_append() -> None:
    hints = get_type_hints(GameQueries.__init__)
    assert set(hints.values()) == {
        GameLoader,
        LogReader,
        Listings,
        Keyring,
        Players,
        PlayerKeys,
        Proofs,
        int,
        type(None),
    }
    hints = get_type_hints(EventQueries.__init__)
    assert set(hints.values()) == {GameLoader, LogReader, DeliveriesAbout, Bounds, type(None)}
    assert not hasattr(GameLoader, "execute")
    assert not hasattr(LogReader, "append")
