"""GET /me/receipts: the receipts that the server keeps for a player."""

from tests.support.accounts import Accounts
from tests.support.http_contract import invalid_fields

PATH = "/api/v1/me/receipts"


class TestReceipts:
    def test_a_player_gets_the_receipts_that_the_actions_returned(self, accounts: Accounts) -> None:
        game, (ada, bea) = accounts.start_game()
        first = ada.act(game).json()["receipt"]
        second = bea.act(game).json()["receipt"]
        assert ada.http.get(PATH).json() == {"receipts": [first], "left_out": 0, "next": None}
        assert bea.http.get(f"{PATH}?game={game}").json()["receipts"] == [second]
        page = bea.http.get(f"{PATH}?limit=1").json()
        assert page["receipts"] == [second]

    def test_an_invalid_request_is_refused(self, accounts: Accounts) -> None:
        private = accounts.register().create_game(options={"private": True})
        ada = accounts.register()
        for game in (private, "nothing"):
            assert ada.http.get(f"{PATH}?game={game}").status_code == 404
        for query in ("cursor=x", "limit=0", "after=1"):
            response = ada.http.get(f"{PATH}?{query}")
            assert response.status_code == 400
            assert invalid_fields(response) == {query.split("=", maxsplit=1)[0]}
