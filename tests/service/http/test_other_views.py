"""There is no way to request the view of another player, and no shared cache may keep a player's view."""

from tests.support.accounts import Accounts
from tests.support.http_contract import assert_problem

FILTER = ("/events", "seat=1")
"""Selects the events of a seat; they are the same for every viewer."""
QUERIES = ("viewer=1", "seat=1", "as=1", "player=ada", "token=x")


def test_a_query_for_the_view_of_another_player_is_refused(accounts: Accounts) -> None:
    game, (ada, _) = accounts.start_game(2, rules="baron")
    for path in ("", "/position", "/legal-actions", "/events", "/events/4", "/record", "/stream"):
        for query in QUERIES:
            url = f"/api/v1/games/{game}{path}?{query}"
            response = ada.http.get(url)
            if (path, query) == FILTER:
                assert response.json() == accounts.anonymous.get(url).json()
                continue
            assert response.status_code == 400, (path, query)
            assert_problem(response)
            (error,) = response.json()["errors"]
            assert error == {"field": query.partition("=")[0], "detail": "is not known"}


def test_authentication_errors_precede_errors_of_the_query(accounts: Accounts) -> None:
    game, _ = accounts.start_game(2, rules="baron")
    path = f"/api/v1/games/{game}/legal-actions?seat=0"
    assert accounts.register().http.get(path).status_code == 403
    private = accounts.register().create_game(2, rules="baron", options={"private": True})
    for rest in ("", "/record", "/events/1", "/legal-actions"):
        response = accounts.register().http.get(f"/api/v1/games/{private}{rest}?seat=0")
        assert response.status_code == 404


def test_shared_caches_may_not_keep_the_view_of_a_player(accounts: Accounts) -> None:
    game, (ada, _) = accounts.start_game(2, rules="baron")
    for path in ("/position", "/position?seq=4"):
        headers = ada.http.get(f"/api/v1/games/{game}{path}").headers
        assert headers["cache-control"] == "private, no-cache"
        assert headers["vary"] == "Authorization"
    for path in ("/events/4", "/record", "/legal-actions"):
        headers = ada.http.get(f"/api/v1/games/{game}{path}").headers
        assert headers["cache-control"] == "no-store"
