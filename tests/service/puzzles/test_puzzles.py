"""Puzzles: the one of the day, answers and ratings, over HTTP and on pages, and what they must not tell."""

import secrets
from dataclasses import replace
from typing import Any
from urllib.parse import quote

import pytest
from flask import Flask

from domain.errors import NotNow, Refused
from replay.analysis.positions import finished_game
from replay.analysis.puzzle import puzzle, puzzle_position
from replay.analysis.settings import settings_of
from replay.ratings.player_ratings import Rating
from service import wall_clock
from service.bootstrap import Service, build
from service.errors import NotFound
from tests.support.accounts import Accounts
from tests.support.page_players import PlayersOfPages
from tests.support.server import WebServer
from tests.support.stored_games import players_of, recorded_game, store_game

PLAYED = "courtesy"
SEQ = 10
BEST = "place 1,-4"
"""The best action before this event."""
AT = "2026-11-30T00:00:00.000Z"


@pytest.fixture(scope="module")
def result() -> dict[str, Any]:
    """What the search has found."""
    game = finished_game(recorded_game(PLAYED))
    return dict(puzzle(puzzle_position(game, SEQ, settings_of(40, bytes(32)))))


def store_puzzle(service: Service, result: dict[str, Any], game_id: str = "a-game") -> int:
    """A puzzle of a finished game with this id, which is stored."""
    game = store_game(service, recorded_game(PLAYED), game_id=game_id)
    head = service.games.queries.game(game).hash
    result = {**result, "game": game, "head": head}
    number = service.puzzles.store.add(game, "barony", 2, AT, result)
    assert number is not None
    return number


def action_of(service: Service, number: int, text: str) -> Any:
    _, before = service.puzzles.get(number)
    return before.rules.parse_action_text(text)


def worse_action(result: dict[str, Any]) -> str:
    return str(result["checks"][0]["others"][0]["action"])


class TestAnswers:
    def test_the_first_answer_changes_both_ratings(
        self, service: Service, result: dict[str, Any]
    ) -> None:
        number = store_puzzle(service, result)
        puzzles, store = service.puzzles, service.puzzles.store
        answer, counts = puzzles.attempt(number, "ada", action_of(service, number, BEST))
        assert (answer.verdict, counts) == ("best", True)
        rating, (of_puzzle,) = store.rating_of("ada"), store.ratings([number])
        assert (rating.attempts, rating.solved) == (1, 1)
        assert (of_puzzle.attempts, of_puzzle.solved) == (1, 1)
        assert rating.rating.mu > Rating().mu > of_puzzle.rating.mu
        # The second answer changes nothing.
        worse = action_of(service, number, worse_action(result))
        answer, counts = puzzles.attempt(number, "ada", worse)
        assert (answer.verdict, counts) == ("worse", False)
        assert store.rating_of("ada") == rating
        assert store.ratings([number]) == [of_puzzle]
        answer, counts = puzzles.attempt(number, "bea", worse)
        assert answer.percent is not None
        assert answer.percent >= 10
        assert counts
        assert store.rating_of("bea").rating.mu < Rating().mu

    def test_giving_up_counts_as_wrong(self, service: Service, result: dict[str, Any]) -> None:
        number = store_puzzle(service, result)
        with pytest.raises(NotNow):
            service.puzzles.solution(number, "ada")
        assert service.puzzles.attempt(number, "ada", None)[1]
        assert service.puzzles.store.rating_of("ada").solved == 0
        assert service.puzzles.solution(number, "ada")["checks"] == result["checks"]

    def test_an_action_that_is_not_legal_changes_nothing(
        self, service: Service, result: dict[str, Any]
    ) -> None:
        number = store_puzzle(service, result)
        with pytest.raises(Refused):
            service.puzzles.attempt(number, "ada", action_of(service, number, "place 99,99"))
        assert service.puzzles.store.rating_of("ada").attempts == 0

    def test_answers_at_the_same_time_count_once(
        self, service: Service, result: dict[str, Any], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        number = store_puzzle(service, result)
        action = action_of(service, number, BEST)
        store = service.puzzles.store
        read = store.rating_of

        def read_late(player: str) -> Any:
            before = read(player)
            monkeypatch.setattr(store, "rating_of", read)
            # Meanwhile another process stores the answers of this player and of another one.
            service.puzzles.attempt(number, player, action)
            service.puzzles.attempt(number, "bea", None)
            return before

        monkeypatch.setattr(store, "rating_of", read_late)
        _, counts = service.puzzles.attempt(number, "ada", None)
        assert not counts
        assert (read("ada").attempts, read("ada").solved) == (1, 1)
        assert [(r.attempts, r.solved) for r in store.ratings([number])] == [(2, 1)]

    def test_ratings_of_games_are_others(self, service: Service, result: dict[str, Any]) -> None:
        number = store_puzzle(service, result)
        service.puzzles.attempt(number, "ada", action_of(service, number, BEST))
        assert service.games.ratings.of("ada") == {}

    def test_an_erased_player_leaves_nothing(
        self, service: Service, result: dict[str, Any]
    ) -> None:
        number = store_puzzle(service, result)
        player, _ = service.accounts.players.register("ada", "correct horse")
        service.puzzles.attempt(number, player.id, None)
        service.accounts.erasure.erase(player.id, "correct horse")
        assert list(service.redis.scan_iter(f"*{player.id}*")) == []


class TestOfToday:
    def test_it_is_the_same_for_everybody_and_another_one_each_day(
        self, service: Service, result: dict[str, Any], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert service.puzzles.of_today() is None
        for number in range(3):
            store_puzzle(service, result, f"game-{number}")
        other = build(service.settings)
        shown = []
        for day in range(1, 6):
            now = wall_clock.parse(f"2030-01-0{day}T12:00:00.000Z")
            monkeypatch.setattr(wall_clock, "now", lambda now=now: now)
            today = service.puzzles.of_today()
            assert today is not None
            assert other.puzzles.of_today() == today
            shown.append(today.number)
        assert shown == [1, 2, 3, 1, 2]
        other.redis.close()

    def test_another_one_takes_the_place_of_a_deleted_one(
        self, service: Service, result: dict[str, Any]
    ) -> None:
        first, second = (store_puzzle(service, result, f"game-{number}") for number in range(2))
        today = service.puzzles.of_today()
        assert today is not None
        assert today.number == first
        service.puzzles.store.remove(first)
        today = service.puzzles.of_today()
        assert today is not None
        assert today.number == second


class TestSecrecy:
    def test_a_puzzle_of_another_log_is_deleted(
        self, service: Service, result: dict[str, Any]
    ) -> None:
        record = recorded_game(PLAYED)
        game = store_game(service, record, len(record.events) - 1, game_id="running")
        number = service.puzzles.store.add(game, "barony", 2, AT, {**result, "game": game})
        assert number is not None
        with pytest.raises(NotFound):
            service.puzzles.get(number)
        assert service.puzzles.store.numbers() == []

    def test_the_page_tells_no_solution_before_the_answer(
        self, app: Flask, service: Service, result: dict[str, Any]
    ) -> None:
        players = PlayersOfPages(app, service)
        number = store_puzzle(service, result)
        ada = players["ada"]
        tried = f"/puzzles/{number}?action={quote(BEST)}&answer=1"
        for address in (f"/puzzles/{number}", f"/puzzles/{number}?line=1", tried):
            page = ada.get(address)
            for part in ("line-steps", "candidates", "Yes, better than", "seq=11"):
                assert part not in page, (address, part)

    def test_names_of_erased_players_vanish(
        self, app: Flask, service: Service, result: dict[str, Any]
    ) -> None:
        record = recorded_game(PLAYED)
        player, _ = service.accounts.players.register("vanishing", "correct horse")
        seats = players_of(record)
        game = store_game(service, record, players={seats[0]: player.id})
        head = service.games.queries.game(game).hash
        number = service.puzzles.store.add(
            game, "barony", 2, AT, {**result, "game": game, "head": head}
        )
        visitor = app.test_client()
        assert "vanishing" in visitor.get(f"/puzzles/{number}").text
        service.accounts.erasure.erase(player.id, "correct horse")
        assert "vanishing" not in visitor.get(f"/puzzles/{number}").text


class TestPages:
    @pytest.fixture
    def players(self, app: Flask, service: Service) -> PlayersOfPages:
        return PlayersOfPages(app, service)

    def test_without_puzzles(self, players: PlayersOfPages) -> None:
        page = players["ada"].get("/puzzles")
        assert "There is no puzzle yet" in page
        assert players["ada"].client.get("/puzzles/next").headers["Location"] == "/puzzles"
        assert players["ada"].client.get("/puzzles/1").status_code == 404
        assert "There are no earlier puzzles" in players["ada"].get("/puzzles?before=1")

    def test_a_player_finds_the_best_action(
        self, players: PlayersOfPages, service: Service, result: dict[str, Any]
    ) -> None:
        number = store_puzzle(service, result)
        ada = players["ada"]
        assert f'href="/puzzles/{number}"' in ada.get("/puzzles")
        assert "One action is clearly the best" in ada.get(f"/puzzles/{number}")
        tried = f"/puzzles/{number}?action={quote(BEST)}"
        answered = ada.submit(tried, f"/puzzles/{number}/attempts")
        assert answered.status_code == 303
        page = ada.get(answered.headers["Location"])
        assert "Yes, better than all others by" in page
        assert "candidates" in page
        assert "You have solved it" in page
        line = ada.get(f"/puzzles/{number}?line=1")
        assert line.count("?line=") >= len(result["line"])
        assert "The best action" in line
        # There is no other puzzle.
        following = ada.client.get(f"/puzzles/next?after={number}")
        assert following.headers["Location"] == "/puzzles"
        assert "1 of 1 solved" in ada.get("/puzzles")

    def test_a_player_gives_up(
        self, players: PlayersOfPages, service: Service, result: dict[str, Any]
    ) -> None:
        number = store_puzzle(service, result)
        other = store_puzzle(service, result, "another")
        ada = players["ada"]
        given_up = ada.submit(f"/puzzles/{number}", f"/puzzles/{number}/attempts")
        assert given_up.headers["Location"] == f"/puzzles/{number}?line=1"
        assert "The best action" in ada.get(given_up.headers["Location"])
        worse = f"/puzzles/{number}?action={quote(worse_action(result))}&answer=1"
        assert "No, worse by" in ada.get(worse)
        following = ada.client.get(f"/puzzles/next?after={number}")
        assert following.headers["Location"] == f"/puzzles/{other}"

    def test_visitors_need_no_account(
        self, app: Flask, service: Service, result: dict[str, Any]
    ) -> None:
        number = store_puzzle(service, result)
        visitor = app.test_client()
        assert "Puzzle of today" in visitor.get("/puzzles").text
        page = visitor.get(f"/puzzles/{number}?action={quote(BEST)}")
        assert "answer=1" in page.text
        page = visitor.get(f"/puzzles/{number}?action={quote(BEST)}&answer=1")
        assert "Yes, better than all others by" in page.text
        assert list(service.redis.scan_iter("*puzzle-attempts*")) == []

    def test_bad_addresses(
        self, players: PlayersOfPages, service: Service, result: dict[str, Any]
    ) -> None:
        number = store_puzzle(service, result)
        ada = players["ada"]
        for query in (
            "line=99",
            "line=x",
            "action=nonsense&answer=1",
            "choose=nothing",
            "line=%C2%B2",
        ):
            assert "Puzzle" in ada.get(f"/puzzles/{number}?{query}")
        long = ada.client.get(f"/puzzles/{number}?action={'x' * 500}")
        assert long.headers["Location"] == f"/puzzles/{number}"


class TestHttp:
    def test_from_the_list_to_the_solution(
        self, accounts: Accounts, web: WebServer, result: dict[str, Any]
    ) -> None:
        service = build(web.settings)
        ada, anonymous = accounts.register(), accounts.anonymous
        assert anonymous.get("/api/v1/puzzles/today").status_code in (200, 404)
        number = store_puzzle(service, result, secrets.token_hex(8))
        puzzles = anonymous.get("/api/v1/puzzles?limit=1").json()
        assert puzzles["rating"] is None
        (listed,) = puzzles["puzzles"]
        assert (listed["number"], listed["seq"], listed["solved"]) == (number, SEQ, None)
        assert anonymous.get("/api/v1/puzzles/today").status_code == 200
        address = f"/api/v1/puzzles/{number}"
        assert anonymous.get(address).json() == listed
        assert anonymous.get("/api/v1/puzzles/999999").status_code == 404
        assert anonymous.get("/api/v1/puzzles?limit=0").status_code == 400
        assert anonymous.get("/api/v1/puzzles/999999/solution").status_code == 404
        assert ada.http.post("/api/v1/puzzles/999999/attempts", json={}).status_code == 404
        assert ada.http.get(f"{address}/solution").status_code == 409
        attempts = f"{address}/attempts"
        action = action_of(service, number, BEST)
        _, before = service.puzzles.get(number)
        body = {"action": before.rules.action_to_json(action)}
        assert ada.http.post(attempts, json={"action": {"type": "nothing"}}).status_code == 400
        illegal = before.rules.action_to_json(action_of(service, number, "place 99,99"))
        assert ada.http.post(attempts, json={"action": illegal}).status_code == 422
        answered = ada.http.post(attempts, json=body)
        assert answered.status_code == 201
        assert (answered.json()["verdict"], answered.json()["counts"]) == ("best", True)
        assert ada.http.post(attempts, json={}).status_code == 200
        assert ada.http.get(address).json()["solved"] is True
        solution = ada.http.get(f"{address}/solution").json()["solution"]
        assert solution["checks"] == result["checks"]
        assert ada.http.get("/api/v1/puzzles").json()["rating"]["solved"] == 1
        service.redis.close()


def test_lists_have_pages(service: Service, result: dict[str, Any]) -> None:
    for number in range(5):
        store_puzzle(service, result, f"game-{number}")
    page, following = service.puzzles.page(None, None, 2)
    assert ([each.puzzle.number for each in page], following) == ([5, 4], 4)
    page, following = service.puzzles.page(None, 2, 2)
    assert ([each.puzzle.number for each in page], following) == ([1], None)


def test_answers_to_deleted_puzzles_are_deleted_in_the_end(
    service: Service, result: dict[str, Any]
) -> None:
    bounds = replace(service.settings.bounds, max_puzzles=1)
    bounded = build(replace(service.settings, bounds=bounds))
    for number in range(4):
        puzzle_number = store_puzzle(bounded, result, f"game-{number}")
        bounded.puzzles.attempt(puzzle_number, "ada", None)
    fields = bounded.redis.hkeys("cartulary:puzzle-attempts:ada")
    assert {*fields} == {b"rating", b"4"}
    bounded.redis.close()
