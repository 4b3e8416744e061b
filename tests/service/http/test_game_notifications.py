"""Which notifications of one game a player gets, over HTTP."""

from tests.support.accounts import Accounts


def test_a_player_chooses_what_comes_of_a_game(accounts: Accounts) -> None:
    ada, eve = accounts.register(), accounts.register()
    private = ada.create_game(options={"private": True})
    public, bea = ada.create_game(), accounts.register()
    bea.join(public)
    address = f"/api/v1/games/{public}/notifications"
    assert ada.http.get(address).json() == {"notify": "all"}
    for choice in ("none", "all", "turns"):
        response = ada.http.put(address, json={"notify": choice})
        assert (response.status_code, response.json()) == (200, {"notify": choice})
        assert ada.http.get(address).json() == {"notify": choice}
    assert bea.http.get(address).json() == {"notify": "all"}
    for faulty in ({"notify": "loud"}, {"notify": None}, {"notify": ["all"]}, {}):
        assert ada.http.put(address, json=faulty).status_code == 400
    assert ada.http.get(address, params={"loud": "yes"}).status_code == 400
    assert ada.http.get(address).json() == {"notify": "turns"}
    for game, status in ((private, 404), (public, 403)):
        refused = f"/api/v1/games/{game}/notifications"
        assert eve.http.get(refused).status_code == status
        assert eve.http.put(refused, json={"notify": "none"}).status_code == status
