"""Reading games through the door: events, positions at any seq, what changed."""

import io
import json

import pytest

from domain.errors import Unreadable
from domain.game import fold
from ledger import record
from service.bootstrap import Service, build
from service.errors import NotFound
from service.games.cache import GameCache
from service.games.repository import GameRepository
from service.settings import Settings
from tests.support.table import move, play, played_out, started


def test_events_come_in_pages(service: Service) -> None:
    game = play(service, started(service).id, lambda game: game.seq == 10)
    seqs = [event["seq"] for event in service.queries.events(game.id, 3, 4)]
    assert seqs == [4, 5, 6, 7]
    assert [event["seq"] for event in service.queries.events(game.id, 8, 100)] == [9, 10]
    assert service.queries.events(game.id, 10, 100) == []


def test_the_game_at_any_seq_is_the_fold_of_its_log_up_to_there(service: Service) -> None:
    game = play(service, started(service).id, lambda game: game.seq == 40)
    events = service.queries.events(game.id, 0, 100)
    for seq in range(1, 41):
        then = service.queries.game_at(game.id, seq)
        folded = fold(events[:seq])
        assert folded is not None
        assert then.position(None) == folded.position(None)
        assert (then.seq, then.hash) == (seq, events[seq - 1]["hash"])
        assert (then.status, then.places) == (folded.status, folded.places)


@pytest.mark.parametrize("seq", [-1, 0, 5, 99])
def test_a_seq_that_a_game_has_not_is_not_found(service: Service, seq: int) -> None:
    game = started(service)
    assert game.seq == 4
    with pytest.raises(NotFound):
        service.queries.game_at(game.id, seq)
    with pytest.raises(NotFound):
        service.queries.event(game.id, seq)


def test_an_event_with_the_positions_before_and_after(service: Service) -> None:
    game = started(service)
    event, before, after = service.queries.event(game.id, 1)
    assert (event["type"], before, after) == ("GameCreated", None, None)
    event, before, after = service.queries.event(game.id, 4)
    assert (event["type"], before) == ("GameStarted", None)
    assert after == game.position(None)
    moved = move(service, game.id).events[0]
    event, before, after = service.queries.event(game.id, 5, viewer=0)
    assert event == moved
    assert before == game.position(0)
    assert after == service.queries.game(game.id).position(0)
    assert before != after


def test_many_games_at_once_in_their_order(service: Service, settings: Settings) -> None:
    games = [started(service).id for _ in range(3)]
    other = build(settings)
    other.queries.game(games[1])
    move(service, games[1])
    found = other.queries.games([games[2], games[1], games[0]])
    assert [(game.id, game.seq) for game in found] == [(games[2], 4), (games[1], 5), (games[0], 4)]
    other.redis.close()


def test_games_that_the_cache_has_no_room_for_are_read_again(service: Service) -> None:
    repository = GameRepository(service.store, GameCache(1), service.listings)
    ids = [started(service).id for _ in range(3)]
    for _ in range(2):
        for game in ids:
            assert repository.load(game).game.seq == 4


def test_a_record_stands_alone_at_any_time(service: Service) -> None:
    game = started(service, round_limit=1)
    last = ""
    for _ in range(3):
        read = record.read(io.BytesIO(service.queries.record(game.id)))
        assert read.events == service.queries.events(game.id, 0, 1000)
        assert read.lines == service.store.read(game.id)
        head = service.queries.game(game.id)
        assert (read.header["head"]["seq"], read.header["head"]["hash"]) == (head.seq, head.hash)
        assert read.header["keys"] == service.keyring.public_keys()
        assert read.header["head"]["key"] == read.header["keys"][0]["key"]
        assert read.opens == {}
        last = read.events[-1]["type"]
        if head.to_act is not None:
            played_out(service, game.id)
        else:
            service.commands.score(game.id)
    assert last == "GameFinished"


def test_a_record_holds_the_secret_only_once_the_game_is_over(service: Service) -> None:
    game = started(service)
    secret = service.store.secrets(game.id)["seed"].encode()
    assert secret not in service.queries.record(game.id, viewer=0)
    service.commands.abandon(game.id)
    assert secret in service.queries.record(game.id)


def test_of_secrets_a_seat_sees_its_own_and_everyone_all_once_the_game_is_over(
    service: Service,
) -> None:
    # Barony has no secrets but its seed, so these are laid beside the log by hand.
    game = started(service)
    opening = {"salt": "00" * 32, "value": ["meadow"]}
    for name in ("pile", "reserve/0", "reserve/1"):
        service.redis.hset(f"cartulary:{{{game.id}}}:secrets", f"4/{name}", json.dumps(opening))

    def opened(viewer: int | None) -> set[str]:
        read = record.read(io.BytesIO(service.queries.record(game.id, viewer)))
        assert set(read.opens) <= {4}
        return set(read.opens.get(4, {}))

    assert opened(None) == set()
    assert opened(0) == {"reserve/0"}
    assert opened(1) == {"reserve/1"}
    service.commands.abandon(game.id)
    assert opened(None) == opened(1) == {"pile", "reserve/0", "reserve/1"}


def test_a_game_that_cannot_be_read_does_not_hide_the_others(service: Service) -> None:
    whole, gone, damaged, wrong = (started(service).id for _ in range(4))
    service.redis.delete(f"cartulary:{{{gone}}}:log")
    service.redis.xadd(f"cartulary:{{{damaged}}}:log", {"e": "no event at all"}, id="5-0")
    service.redis.xadd(f"cartulary:{{{wrong}}}:log", {"e": '{"seq":5}'}, id="5-0")
    repository = GameRepository(service.store, GameCache(10), service.listings)
    with pytest.raises(NotFound):
        repository.load(gone)
    for game in (damaged, wrong):
        with pytest.raises(Unreadable, match=game):
            repository.load(game)
    assert [game.id for game in repository.load_many((wrong, gone, damaged, whole))] == [whole]
