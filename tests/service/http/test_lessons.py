"""The lessons of tutorial games over HTTP."""

import pytest

from domain.registry import rule_systems
from tests.support.accounts import Accounts
from tests.support.http_contract import invalid_fields


def test_each_lesson_is_due_at_one_turn_of_the_seat_that_is_to_act(accounts: Accounts) -> None:
    ada, bea = accounts.register(), accounts.register()
    game = ada.create_game(options={"tutorial": True})
    bea.join(game)
    path = f"/api/v1/games/{game}/lessons"
    lessons = rule_systems()["barony"].system.LESSONS
    first = ada.http.get(path, headers={"Accept-Language": "fr"})
    assert (first.json()["seq"], first.headers["content-language"]) == (4, "fr")
    (lesson,) = first.json()["lessons"]
    assert (lesson["name"], lesson["clauses"]) == (lessons[0].name, list(lessons[0].clauses))
    assert lesson["text"].startswith("Choisissez une case")
    assert ada.http.get(path).json()["lessons"][0]["name"] == lesson["name"]
    assert bea.http.get(path).json()["lessons"] == []
    assert ada.act(game).status_code == 201
    assert ada.http.get(path).json()["lessons"] == []
    assert [due["name"] for due in bea.http.get(path).json()["lessons"]] == [lesson["name"]]
    for _ in range(3):
        assert bea.act(game).status_code == 201
    for _ in range(2):
        assert ada.http.get(path).json()["lessons"] == []
        assert ada.act(game).status_code == 201
    names = [due["name"] for due in ada.http.get(path).json()["lessons"]]
    assert names == ["turn", "movement"]
    assert accounts.register().http.get(path).status_code == 403


def test_only_players_of_a_visible_game_have_lessons(accounts: Accounts) -> None:
    ada = accounts.register()
    game = ada.create_game(options={"private": True})
    path = f"/api/v1/games/{game}/lessons"
    assert accounts.register().http.get(path).status_code == 404


def test_other_games_have_no_lessons(accounts: Accounts) -> None:
    game, (ada, _) = accounts.start_game()
    assert ada.http.get(f"/api/v1/games/{game}/lessons").json() == {"seq": 4, "lessons": []}


@pytest.mark.parametrize(("seats", "tutorial"), [(3, True), (2, "yes")])
def test_a_tutorial_game_has_two_seats(accounts: Accounts, seats: int, tutorial: object) -> None:
    body = {"rules": "baron", "seats": seats, "options": {"tutorial": tutorial}}
    response = accounts.register().http.post("/api/v1/games", json=body)
    assert response.status_code == 400
    assert invalid_fields(response) == {"options.tutorial"}
