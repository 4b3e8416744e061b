"""Lists of games: filters, pages and invalid queries."""

from typing import Any

import pytest

from tests.support.accounts import Accounts
from tests.support.http_contract import invalid_fields


class TestListing:
    def test_games_are_listed_newest_first_and_filtered(self, accounts: Accounts) -> None:
        ada, bea = accounts.register(), accounts.register()
        opened = ada.create_game(3)
        started = ada.create_game(2)
        bea.join(started)

        def list_games(query: str) -> list[str]:
            page = accounts.anonymous.get(f"/api/v1/games?{query}").json()
            return [game["id"] for game in page["games"]]

        assert list_games(f"player={ada.handle}") == [started, opened]
        assert list_games(f"player={ada.handle.upper()}&status=open") == [opened]
        assert list_games(f"player={bea.handle}&status=open,playing") == [started]
        assert list_games(f"player={ada.handle}&status=finished,abandoned") == []
        assert list_games("player=nobody-of-this-name") == []
        assert started in list_games("status=playing")
        of_ada = f"player={ada.handle}"
        assert list_games(f"{of_ada}&rules=barony&sorcery=false&clock=none") == [started, opened]
        assert list_games(f"{of_ada}&seats=3&free=2") == [opened]
        assert list_games(f"{of_ada}&rules=baron") == []
        assert list_games(f"{of_ada}&sorcery=true") == []

    def test_a_long_list_is_returned_in_pages(self, accounts: Accounts) -> None:
        ada = accounts.register()
        games = [ada.create_game() for _ in range(5)]
        seen: list[str] = []
        cursor: str | None = None
        for _ in range(3):
            params: dict[str, Any] = {"player": ada.handle, "limit": 2}
            if cursor:
                params["cursor"] = cursor
            page = accounts.anonymous.get("/api/v1/games", params=params).json()
            seen += [game["id"] for game in page["games"]]
            cursor = page["next"]
        assert seen == games[::-1]
        assert cursor is None

    @pytest.mark.parametrize(
        ("query", "invalid"),
        [
            ("status=won", {"status"}),
            ("rules=chess&sorcery=maybe", {"rules", "sorcery"}),
            ("seats=0&free=x&clock=fast", {"seats", "free", "clock"}),
            ("status=", {"status"}),
            ("limit=0", {"limit"}),
            ("limit=-1", {"limit"}),
            ("limit=1.5", {"limit"}),
            ("limit=two&order=up", {"limit", "order"}),
            ("limit=1&limit=2", {"limit"}),
            ("cursor=nonsense", {"cursor"}),
        ],
    )
    def test_an_invalid_query_is_refused(
        self, accounts: Accounts, query: str, invalid: set[str]
    ) -> None:
        response = accounts.anonymous.get(f"/api/v1/games?{query}")
        assert (response.status_code, invalid_fields(response)) == (400, invalid)

    def test_reading_needs_no_token_but_refuses_an_invalid_one(self, accounts: Accounts) -> None:
        game = accounts.register().create_game()
        for path in ("/games", f"/games/{game}", "/keys"):
            assert accounts.anonymous.get("/api/v1" + path).status_code == 200
        assert accounts.anonymous.get("/api/v1/games/a%20b%00").status_code == 404
