"""Stored summaries: lists of games use them instead of folding logs, if they are current."""

import pytest

from domain.game import Game
from domain.lifecycle import NewGame
from service.bootstrap import Service, build
from service.games.summary import Summary, decode_summary, encode_summary, summarize
from service.recovery.reindex import reindex
from tests.support.round_trips import count_round_trips
from tests.support.service_games import play_out, start_game, take_action


def create(service: Service, player: str = "ada", seats: int = 2) -> str:
    return service.games.commands.create(
        player, NewGame(rules="barony", seats=seats, options={})
    ).id


def stored_form(game: Game) -> Summary | None:
    """Return the summary of a game as it is read from the store."""
    return decode_summary(encode_summary(summarize(game)))


@pytest.fixture
def games(service: Service) -> dict[str, Game]:
    """A game of each status, by status."""
    abandoned = create(service)
    service.games.commands.leave(abandoned, "ada")
    finished = start_game(service, round_limit=1, clock={"per_turn": 60}).id
    play_out(service, finished)
    service.games.commands.score(finished)
    ids = {
        "open": create(service, seats=3),
        "playing": start_game(service, clock={"per_turn": 60}).id,
        "finished": finished,
        "abandoned": abandoned,
    }
    games = {status: service.games.queries.game(id) for status, id in ids.items()}
    assert [game.status for game in games.values()] == [*games]
    return games


def test_a_summary_stays_the_same_when_it_is_stored(games: dict[str, Game]) -> None:
    for game in games.values():
        summary = summarize(game)
        decoded = decode_summary(encode_summary(summary))
        assert decoded is not None
        assert encode_summary(decoded) == encode_summary(summary)
        assert (decoded.seq, decoded.hash, decoded.to_act) == (game.seq, game.hash, game.to_act)


@pytest.mark.parametrize("text", ["", "no JSON", "{}", "[]", "1", '{"id": "a", "colour": "red"}'])
def test_a_damaged_summary_is_ignored(text: str) -> None:
    assert decode_summary(text) is None


def test_a_game_that_is_not_in_progress_is_listed_without_folding_its_log(
    service: Service, games: dict[str, Game]
) -> None:
    other = build(service.settings)
    other.redis.ping()
    stored = [game.id for status, game in games.items() if status != "playing"]
    with count_round_trips() as trips:
        summaries = other.games.queries.summaries(stored)
    assert trips.count == 2
    assert other.games.repository.cached_games == 0
    assert summaries == [stored_form(service.games.queries.game(id)) for id in stored]
    (playing,) = other.games.queries.summaries([games["playing"].id])
    assert playing == summarize(games["playing"])
    assert other.games.repository.cached_games == 1
    other.redis.close()


def test_a_summary_that_is_out_of_date_or_damaged_is_not_used(service: Service) -> None:
    started, joined, damaged, other_game = (create(service, seats=3) for _ in range(4))
    key = "cartulary:{{{}}}:summary".format
    outdated = {id: service.redis.get(key(id)) for id in (started, joined)}
    service.games.commands.join(joined, "bea")
    service.games.commands.join(started, "bea")
    service.games.commands.join(started, "cid")
    for id, summary in outdated.items():
        assert summary is not None
        service.redis.set(key(id), summary)
    service.redis.set(key(damaged), "no JSON")
    service.redis.set(key(other_game), service.redis.get(key(joined)) or "")
    ids = [started, joined, damaged, other_game]
    other = build(service.settings)
    summaries = [summary for summary in other.games.queries.summaries(ids) if summary is not None]
    assert [summary.id for summary in summaries] == ids
    assert [summary.status for summary in summaries] == ["playing", "open", "open", "open"]
    assert [len(summary.players) for summary in summaries] == [3, 2, 1, 1]
    other.redis.close()


def test_a_game_whose_log_is_missing_is_left_out_although_it_has_a_summary(
    service: Service,
) -> None:
    missing, intact = create(service), create(service)
    service.redis.delete(f"cartulary:{{{missing}}}:log")
    other = build(service.settings)
    assert [s and s.id for s in other.games.queries.summaries([missing, intact])] == [None, intact]
    other.redis.close()


def test_a_long_log_of_a_finished_game_does_not_end_a_page_early(service: Service) -> None:
    ended = start_game(service).id
    for _ in range(20):
        take_action(service, ended)
    service.administration.abandon("operator", ended, "a test")
    ids = [ended, create(service)]
    other = build(service.settings)
    loader = other.games.repository
    stored = service.games.listings.summaries
    assert len(list(loader.summarize_many(ids, stored, max_events=5))) == 2
    assert len(list(loader.summarize_many(ids, lambda _: {}, max_events=5))) == 1
    other.redis.close()


def test_reindexing_stores_missing_summaries(service: Service, games: dict[str, Game]) -> None:
    keys = sorted(service.redis.keys("*:summary"))
    assert len(keys) == 3
    service.redis.delete(*keys)
    reindex(service)
    assert sorted(service.redis.keys("*:summary")) == keys
