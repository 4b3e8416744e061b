"""The ratings of a service: derived in order, exactly once, and the same bytes after every rebuild."""

from collections.abc import Collection, Sequence
from typing import Any

import pytest
from typing_extensions import override

from domain.administration import OPERATOR
from domain.errors import Malformed
from domain.event import Event
from ledger.keys import BadSignature, check_signed
from replay.ratings.player_ratings import RatingTable, rated_result
from service.administration.log import AdministrationLog
from service.bootstrap import Service
from service.connection import to_text
from service.errors import NotFound, OperationNotPossible
from service.projections.event_feed import EventFeed
from service.projections.projections import Changes, Projections, ReadValues
from service.ratings.ratings import RatingsProjection
from tests.support.service_games import start_game

NAME = RatingsProjection.name
KEY = f"cartulary:{{projection:{NAME}}}"


def finish(service: Service, loser: int = 0, *, is_logged: bool = True, **options: Any) -> str:
    """Finish a game of Baron in which all but one player resign, the loser first; return its id."""
    options = {"rules": "baron", "rated": True, **options}
    game = start_game(service, **options)
    seats = [loser, *(seat for seat in range(game.seats) if seat != loser)]
    for seat in seats[:-1]:
        seq = service.games.queries.game(game.id).seq
        service.games.commands.act(game.id, game.players[seat], {"type": "resign"}, seq)
    while service.games.queries.game(game.id).status != "finished":
        service.games.commands.score(game.id)
    if is_logged:
        service.transparency.head_log.log([game.id])
    return game.id


def catch_up(service: Service) -> None:
    while not service.games.projections.catch_up():
        pass


def stored(service: Service, generation: int) -> dict[str, str]:
    """Return all values and leaderboards of a generation."""
    values = {
        to_text(field): to_text(value)
        for field, value in service.redis.hgetall(f"{KEY}:{generation}").items()
    }
    for board in service.redis.smembers(f"{KEY}:{generation}:boards"):
        key = f"{KEY}:{generation}:{to_text(board)}"
        values[to_text(board)] = str(service.redis.zrange(key, 0, -1, withscores=True))
    return values


def events_of(service: Service, game: str) -> list[Event]:
    return list(service.games.queries.event_page(game, 0, 100))


def register(service: Service, *handles: str) -> list[str]:
    return [service.accounts.players.register(handle, "correct horse")[0].id for handle in handles]


def test_the_table_is_that_of_the_records_in_the_order_of_the_log(service: Service) -> None:
    games = [finish(service, is_logged=False), finish(service, 1, is_logged=False)]
    games.append(finish(service, 2, is_logged=False, seats=3, rules="barony"))
    order = [games[1], games[2], games[0]]
    for game in order:
        service.transparency.head_log.log([game])
    catch_up(service)
    table = RatingTable()
    lines = [table.add(rated_result(events_of(service, game))) for game in order]
    assert service.games.ratings.games(0) == (lines, None)
    for player in ("ada", "bea", "cid"):
        assert {
            (system, player): entry.rating
            for system, entry in service.games.ratings.of(player).items()
        } == {key: rating for key, rating in table.ratings.items() if key[1] == player}
    assert service.games.ratings.games(1, 1) == (lines[1:2], 2)


def test_private_games_and_unrated_games_change_nothing(service: Service) -> None:
    finish(service)
    catch_up(service)
    before = stored(service, 1)
    finish(service, rated=False)
    finish(service, rated=False, private=True)
    catch_up(service)
    assert stored(service, 1) == before
    statement = service.games.ratings.statement()
    assert (statement["games"], statement["size"]) == (1, 3)


def test_a_game_on_a_page_of_many_counts_after_those_before_it(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    for loser in (0, 1, 0, 0):
        finish(service, loser)
    catch_up(service)
    together = stored(service, 1)
    monkeypatch.setattr("service.projections.event_feed.MAX_EVENTS", 1)
    service.games.projections.rebuild(NAME)
    assert stored(service, 2) == together
    assert not stored(service, 1)
    keys = {to_text(key) for key in service.redis.keys(f"{KEY}*")}
    assert not [key for key in keys if key.startswith(f"{KEY}:1")]


def test_a_page_that_two_processes_handle_counts_once(service: Service) -> None:
    class Racing(RatingsProjection):
        """Lets another process handle the page first."""

        other: Projections | None = None

        @override
        def handle(self, events: Sequence[Event], feed: EventFeed, read: ReadValues, /) -> Changes:
            other, self.other = self.other, None
            if other is not None:
                other.catch_up()
            return super().handle(events, feed, read)

    racing = Racing(service.games.rating_exclusions)
    feed = service.games.event_feed
    racing.other = Projections(
        service.redis, feed, [RatingsProjection(service.games.rating_exclusions)]
    )
    finish(service)
    finish(service)
    assert Projections(service.redis, feed, [racing]).catch_up()
    assert service.games.ratings.of("ada")["baron"].games == 2
    assert len(service.games.ratings.games(0)[0]) == 2


def test_the_history_of_a_player_has_each_rated_game(service: Service) -> None:
    games = [finish(service, loser) for loser in (0, 1, 0)]
    finish(service, rules="barony")
    catch_up(service)
    ratings = service.games.ratings
    changes = ratings.history("ada", "baron", ratings.of("ada")["baron"].games)
    assert [change.game for change in changes] == games
    assert [change.place for change in changes] == [2, 1, 2]
    assert changes[-1].rating == ratings.of("ada")["baron"].rating
    assert ratings.history("ada", "baron", 3, 2) == changes[1:]
    assert (ratings.of("ada")["baron"].games, ratings.of("ada")["baron"].wins) == (3, 1)
    assert ratings.of("dan") == {}
    assert ratings.history("dan", "baron", 0) == []


def test_the_statement_covers_the_table_and_the_log(service: Service) -> None:
    empty = service.games.ratings.statement()
    assert (empty["games"], empty["size"], empty["hash"]) == (0, 0, "0" * 64)
    finish(service)
    catch_up(service)
    statement = service.games.ratings.statement()
    ((line,), _) = service.games.ratings.games(0)
    assert (statement["games"], statement["hash"]) == (1, line["hash"])
    assert statement["root"] == service.transparency.log.leaf_hashes(0, 1)[0].hex()
    keys = service.keyring.public_keys()
    check_signed(statement, keys)
    with pytest.raises(BadSignature):
        check_signed({**statement, "games": 2}, keys)


def rule(service: Service, game: str, *, is_excluded: bool = True) -> None:
    """Exclude a game from the ratings, or let it count again; the projection does not change yet."""
    administration = service.administration
    change = administration.exclude_rating if is_excluded else administration.include_rating
    change(OPERATOR, game, "one person played both seats")


def test_a_ruling_excludes_a_game_from_the_ratings_and_can_be_taken_back(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = [finish(service, loser) for loser in (0, 1, 0)]
    catch_up(service)
    before = stored(service, 1)
    rule(service, games[1])
    assert stored(service, 1) == before
    assert service.games.ratings.statement()["excluded"] == []
    monkeypatch.setattr("service.projections.event_feed.MAX_EVENTS", 1)
    assert not service.games.projections.catch_up(max_pages=1)
    assert stored(service, 1) == before
    catch_up(service)
    table = RatingTable()
    lines = [table.add(rated_result(events_of(service, game))) for game in games[::2]]
    assert service.games.ratings.games(0) == (lines, None)
    statement = service.games.ratings.statement()
    check_signed(statement, service.keyring.public_keys())
    assert (statement["games"], statement["hash"]) == (2, table.hash)
    (exclusion,) = statement["excluded"]
    assert (exclusion["game"], exclusion["reason"]) == (games[1], "one person played both seats")
    assert service.games.ratings.exclusions() == [exclusion]
    assert (stored(service, 1), len(service.redis.keys(f"{KEY}:1*"))) == ({}, 0)
    without = stored(service, 2)
    service.games.projections.rebuild(NAME)
    assert stored(service, 3) == without
    rule(service, games[1], is_excluded=False)
    catch_up(service)
    assert stored(service, 4) == before
    assert service.games.ratings.statement()["excluded"] == []


def test_a_ruling_during_a_rebuild_is_part_of_the_next_one(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = [finish(service, loser) for loser in (0, 1, 0)]
    catch_up(service)
    monkeypatch.setattr("service.projections.event_feed.MAX_EVENTS", 1)
    rule(service, games[0])
    assert not service.games.projections.catch_up(max_pages=1)
    rule(service, games[2])
    catch_up(service)
    statement = service.games.ratings.statement()
    assert {entry["game"] for entry in statement["excluded"]} == {games[0], games[2]}
    assert [line["game"] for line in service.games.ratings.games(0)[0]] == [games[1]]


def test_two_processes_that_rebuild_concurrently_get_the_same_values(service: Service) -> None:
    class Racing(RatingsProjection):
        """Lets another process complete the rebuild first."""

        other: Projections | None = None

        @override
        def is_outdated(self, read: ReadValues, /) -> bool:
            result = super().is_outdated(read)
            other, self.other = self.other, None
            if other is not None:
                while not other.catch_up():
                    pass
            return result

    games = [finish(service, loser) for loser in (0, 1)]
    exclusions, feed = service.games.rating_exclusions, service.games.event_feed
    catch_up(service)
    rule(service, games[0])
    racing = Racing(exclusions)
    racing.other = Projections(service.redis, feed, [RatingsProjection(exclusions)])
    projections = Projections(service.redis, feed, [racing])
    while not projections.catch_up():
        pass
    assert [line["game"] for line in service.games.ratings.games(0)[0]] == [games[1]]
    once = stored(service, 2)
    service.games.projections.rebuild(NAME)
    assert stored(service, 3) == once


def test_only_rated_games_that_were_finished_can_be_excluded_and_only_once(
    service: Service,
) -> None:
    running = start_game(service, rules="baron", rated=True).id
    private = finish(service, rated=False, private=True)
    counted = finish(service)
    for game in (running, private, finish(service, rated=False)):
        with pytest.raises(OperationNotPossible):
            rule(service, game)
    with pytest.raises(NotFound):
        rule(service, counted, is_excluded=False)
    rule(service, counted)
    with pytest.raises(OperationNotPossible):
        rule(service, counted)
    assert [entry["game"] for entry in service.games.rating_exclusions.all()] == [counted]
    entries = AdministrationLog(service.redis).entries()
    assert [(entry["operation"], entry["details"]["game"]) for entry in entries] == [
        ("exclude_rating", counted)
    ]


def test_so_many_games_can_be_excluded(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.ratings.ratings.MAX_EXCLUSIONS", 1)
    first, second = finish(service), finish(service)
    rule(service, first)
    with pytest.raises(OperationNotPossible):
        rule(service, second)
    rule(service, first, is_excluded=False)
    rule(service, second)


def test_leaderboards_have_players_in_order_and_no_erased_ones(service: Service) -> None:
    ids = register(service, "ada", "bea", "cid")
    for loser in (0, 0, 1):
        finish(service, loser, players=ids[:2])
    finish(service, players=ids[1:])
    catch_up(service)
    ratings = service.games.ratings
    places, following = ratings.leaderboard("baron")
    assert following is None
    assert [place.place for place in places] == [1, 2, 3]
    assert {place.handle for place in places} == {"ada", "bea", "cid"}
    cautious = [place.rating.cautious for place in places]
    assert cautious == sorted(cautious, reverse=True)
    assert {place.player: place.rating for place in places} == {
        id: ratings.of(id)["baron"].rating for id in ids
    }
    year = service.games.ratings.games(0)[0][0]["at"][:4]
    assert ratings.leaderboard("baron", year) == (places, None)
    assert ratings.leaderboard("baron", "1999") == ([], None)
    assert ratings.leaderboard("barony") == ([], None)
    first, following = ratings.leaderboard("baron", limit=2)
    assert (first, following) == (places[:2], 2)
    assert ratings.leaderboard("baron", after=2, limit=2) == (places[2:], None)
    service.accounts.erasure.erase_without_password(places[0].player)
    assert ratings.leaderboard("baron")[0] == places[1:]
    for period in ("2026-13", "yesterday", ""):
        with pytest.raises(Malformed):
            ratings.leaderboard("baron", period)
    with pytest.raises(NotFound):
        ratings.leaderboard("chess")


def test_one_more_game_reads_and_writes_as_much_after_many_games_as_after_few(
    service: Service,
) -> None:
    feed = service.games.event_feed
    projection = RatingsProjection(service.games.rating_exclusions)

    def work_of_one_more_game() -> tuple[int, int, int]:
        """Return how many values are read and written, and the changed scores, for one more game."""
        fields: list[str] = []

        def read(names: Collection[str]) -> dict[str, str]:
            fields.extend(names)
            return service.games.projections.read(NAME, names)

        events = events_of(service, finish(service))
        changes = projection.handle(events, feed, read)
        catch_up(service)
        return len(fields), len(changes.values), sum(map(len, changes.scores.values()))

    finish(service)
    catch_up(service)
    few = work_of_one_more_game()
    for loser in (0, 1) * 10:
        finish(service, loser)
    catch_up(service)
    assert work_of_one_more_game() == few
