"""Invitations by link over HTTP."""

from tests.support.accounts import Accounts, PlayerClient

PRIVATE = {"private": True}


def invite(player: PlayerClient, game: str) -> str:
    """Make an invitation, and return its token."""
    response = player.http.post(f"/api/v1/games/{game}/invitations")
    assert response.status_code == 201, response.text
    return str(response.json()["token"])


class TestInvitations:
    def test_an_invitation_shows_a_private_game_and_lets_others_join(
        self, accounts: Accounts
    ) -> None:
        ada, bea = accounts.register(), accounts.register()
        game = ada.create_game(options=PRIVATE)
        token = invite(ada, game)
        shown = accounts.anonymous.get(f"/api/v1/invitations/{token}").json()
        assert (shown["game"]["id"], shown["invited_by"]) == (game, ada.id)
        path = f"/api/v1/games/{game}/players"
        assert bea.http.post(path, json={}).status_code == 404
        assert bea.http.post(path, json={"invitation": token + "x"}).status_code == 404
        joined = bea.http.post(path, json={"invitation": token})
        assert joined.status_code == 201
        assert joined.json()["status"] == "playing"

    def test_a_revoked_invitation_is_not_valid(self, accounts: Accounts) -> None:
        ada = accounts.register()
        game = ada.create_game(options=PRIVATE)
        token = invite(ada, game)
        for _ in range(2):
            response = ada.http.delete(f"/api/v1/games/{game}/invitations/mine")
            assert response.status_code == 204
        assert accounts.anonymous.get(f"/api/v1/invitations/{token}").status_code == 404

    def test_only_players_of_a_game_invite_to_it(self, accounts: Accounts) -> None:
        ada, eve = accounts.register(), accounts.register()
        public, private = ada.create_game(), ada.create_game(options=PRIVATE)
        for client, game, status in (
            (accounts.anonymous, public, 401),
            (eve.http, public, 403),
            (eve.http, private, 404),
        ):
            path = f"/api/v1/games/{game}/invitations"
            assert client.post(path).status_code == status
            assert client.delete(f"{path}/mine").status_code == status

    def test_nobody_is_invited_to_a_game_that_has_started(self, accounts: Accounts) -> None:
        game, (ada, _) = accounts.start_game()
        assert ada.http.post(f"/api/v1/games/{game}/invitations").status_code == 409
