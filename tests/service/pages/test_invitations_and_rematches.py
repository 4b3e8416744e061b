"""Invitations by handle, names of games and rematches on pages."""

import re

import pytest
from flask import Flask
from flask.testing import FlaskClient

from domain.lifecycle import NewGame
from service.bootstrap import Service
from tests.support.page_forms import log_in, post


def create(service: Service, creator: str, *invited: str, seats: int = 3, **options: object) -> str:
    """Create a game, to which these players are invited, and return its id."""
    options = {"seating": "joined", **options}
    return service.games.commands.create(
        creator, NewGame(rules="baron", seats=seats, options=options, invited=invited)
    ).id


@pytest.mark.parametrize("private", [True, False])
def test_a_player_is_invited_by_handle_and_accepts_on_the_first_page(
    app: Flask, browser: FlaskClient, service: Service, *, private: bool
) -> None:
    game = create(service, log_in(browser, service), private=private, name="Friday <evening>")
    address = f"/games/{game}"
    friend = app.test_client()
    bea = log_in(friend, service, "bea")
    assert post(browser, f"{address}/invited", address, handle=" BEA ").location == address
    shown = browser.get(address).text
    assert "bea has not answered yet" in shown
    assert "Friday &lt;evening&gt; (Baron): waiting for players" in shown
    home = friend.get("/").text
    assert home.count("Friday &lt;evening&gt; (Baron)") == 1
    assert "Accept and join" in home
    assert "ada invites you to this game." in friend.get(address).text
    assert post(friend, f"{address}/players", "/").location == address
    assert service.games.queries.game(game).has_joined(bea)
    assert "Accept and join" not in friend.get("/").text


def test_an_invited_player_declines_and_the_creator_sees_it(
    app: Flask, browser: FlaskClient, service: Service
) -> None:
    friend = app.test_client()
    bea = log_in(friend, service, "bea")
    game = create(service, log_in(browser, service), bea, private=True)
    address = f"/games/{game}"
    assert "Decline the invitation" in friend.get(address).text
    assert post(friend, f"{address}/decline", address).location == "/"
    assert friend.get(address).status_code == 404
    assert "bea has declined" in browser.get(address).text


def test_the_creator_revokes_an_invitation(
    app: Flask, browser: FlaskClient, service: Service
) -> None:
    friend = app.test_client()
    bea = log_in(friend, service, "bea")
    game = create(service, log_in(browser, service), bea, private=True)
    address = f"/games/{game}"
    assert "Revoke the invitation of bea" in browser.get(address).text
    assert post(browser, f"{address}/uninvited", address, player=bea).location == address
    assert "of bea" not in browser.get(address).text
    assert friend.get(address).status_code == 404
    assert "Accept and join" not in friend.get("/").text
    assert post(browser, f"{address}/uninvited", address, player=bea).status_code == 409


def test_what_is_wrong_with_an_invitation_stands_at_its_field(
    app: Flask, browser: FlaskClient, service: Service
) -> None:
    friend = app.test_client()
    bea = log_in(friend, service, "bea")
    game = create(service, log_in(browser, service), bea)
    address = f"/games/{game}"
    for handle, status in (("ada", 400), ("bea", 409), ("<nobody>", 400), ("", 400)):
        refused = post(browser, f"{address}/invited", address, handle=handle)
        assert refused.status_code == status
        assert 'id="field-handle-fault"' in refused.text
    assert post(friend, f"{address}/invited", address, handle="ada").status_code == 403
    assert 'name="handle"' not in friend.get(address).text


def test_a_muted_creator_is_not_on_the_first_page_and_the_account_lists_the_mute(
    app: Flask, browser: FlaskClient, service: Service
) -> None:
    ada = log_in(browser, service)
    friend = app.test_client()
    bea = log_in(friend, service, "bea")
    create(service, ada, bea)
    service.accounts.mutes.add(bea, ada)
    assert "Accept and join" not in friend.get("/").text
    assert "Show messages of ada again" in friend.get("/account").text
    fields = {"player": ada, "change": "unmute", "next": "/account"}
    assert post(friend, "/account/mutes", "/account", **fields).location == "/account"
    assert "Accept and join" in friend.get("/").text


def test_players_of_a_game_that_has_ended_find_the_rematch(
    app: Flask, browser: FlaskClient, service: Service
) -> None:
    ada = log_in(browser, service)
    friend, stranger = app.test_client(), app.test_client()
    bea = log_in(friend, service, "bea")
    log_in(stranger, service, "eve")
    game = create(service, ada, seats=2)
    address = f"/games/{game}"
    service.games.commands.join(game, bea)
    assert "/rematch" not in browser.get(address).text
    assert post(browser, f"{address}/rematch", address).status_code == 409
    service.administration.abandon("operator", game, "a test")
    assert f'action="{address}/rematch"' in browser.get(address).text
    assert f'action="{address}/rematch"' not in stranger.get(address).text
    assert post(stranger, f"{address}/rematch", address).status_code == 403
    rematch = post(browser, f"{address}/rematch", address).location or ""
    assert f'href="{rematch}"' in friend.get(address).text
    assert f'href="{address}"' in friend.get(rematch).text
    assert post(friend, f"{address}/rematch", "/").location == rematch
    assert service.games.queries.game(rematch.rpartition("/")[2]).status == "playing"


@pytest.mark.parametrize("path", ["/play", "/tutorial", "/games", "/rematch"])
def test_the_last_bot_waits_for_the_random_bytes_of_the_browser(
    browser: FlaskClient, service: Service, path: str
) -> None:
    ada = log_in(browser, service)
    fields = {"rules": "baron"}
    if path == "/games":
        fields |= {"seats": "2", "bots-sensible": "1", "option-seating": "drawn"}
    if path == "/rematch":
        ended = service.games.commands.create(
            ada, NewGame(rules="baron", seats=2, options={}), bots=("sensible",)
        )
        service.administration.abandon("operator", ended.id, "a test")
        path, fields = f"/games/{ended.id}/rematch", {}
    created = post(browser, path, "/", last_bot="later", **fields).location or ""
    address, _, query = created.partition("?")
    assert query == "bot=sensible"
    game = service.games.queries.game(address.rpartition("/")[2])
    assert (game.status, game.seats - len(game.places)) == ("open", 1)
    assert '<option value="sensible" selected>' in browser.get(created).text
    post(browser, f"{address}/bots", address, bot="sensible", nonce="ab" * 16)
    started = service.games.queries.game(game.id)
    assert (started.status, started.seed_nonces[-1]) == ("playing", "ab" * 16)


def test_the_rematch_of_a_private_game_is_hidden_like_the_game(
    app: Flask, browser: FlaskClient, service: Service
) -> None:
    ada = log_in(browser, service)
    stranger = app.test_client()
    log_in(stranger, service, "eve")
    game = create(service, ada, seats=2, private=True, name="A secret")
    service.games.commands.add_bot(game, ada)
    service.administration.abandon("operator", game, "a test")
    rematch = post(browser, f"/games/{game}/rematch", f"/games/{game}").location or ""
    for address in (f"/games/{game}", rematch, f"/games/{game}/messages", f"{rematch}/messages"):
        assert stranger.get(address).status_code == 404
    fields = {"handle": "eve", "player": ada, "text": "x"}
    for form in ("rematch", "invited", "uninvited", "decline", "messages"):
        assert post(stranger, f"{rematch}/{form}", **fields).status_code == 404
    for listed in ("/", "/games?list=finished", "/games?list=open", "/games?list=invitations"):
        assert "A secret" not in stranger.get(listed).text


def test_lists_name_games_and_winners(browser: FlaskClient, service: Service) -> None:
    ada = log_in(browser, service)
    game = create(service, ada, seats=2, name="The final")
    service.games.commands.add_bot(game, ada, "random")
    bot = service.games.queries.game(game).participants[1]
    resign = {"type": "resign"}
    service.games.commands.act(game, ada, resign, service.games.queries.game(game).seq)
    service.games.commands.score(game)
    ended = service.games.queries.game(game)
    assert ended.status == "finished"
    page = browser.get("/games?list=finished").text
    assert "The final (Baron)" in page
    handle = service.accounts.players.handles([bot])[bot]
    assert re.search(rf"The winner is {handle}\.", page)
    result = browser.get(f"/games/{game}").text.partition('<table class="result">')[2]
    assert re.findall(r'<span class="place place-\d">(\d)</span>', result) == ["1", "2"]


def test_the_first_page_shows_ones_own_last_games_once(
    app: Flask, browser: FlaskClient, service: Service
) -> None:
    ada = log_in(browser, service)
    assert "Your first table is a tap away" in browser.get("/").text
    game = create(service, ada, seats=2, name="The final")
    service.games.commands.add_bot(game, ada, "random")
    service.games.commands.act(game, ada, {"type": "resign"}, service.games.queries.game(game).seq)
    service.games.commands.score(game)
    page = browser.get("/").text
    assert "Your last games" in page
    assert "The next table is a tap away" in page
    assert page.count(f'id="game-{game}"') == 1
    visitors_page = app.test_client().get("/").text
    assert "Your last games" not in visitors_page
    assert f'id="game-{game}"' in visitors_page


def test_the_filter_of_a_list_is_folded_until_it_is_used(browser: FlaskClient) -> None:
    assert '<details class="filter-of-list">' in browser.get("/games").text
    page = browser.get("/games?seats=3").text
    assert '<details class="filter-of-list" open>' in page


def test_nothing_is_said_about_what_happened_before_the_first_action(
    browser: FlaskClient, service: Service
) -> None:
    ada = log_in(browser, service)
    game = create(service, ada, seats=2)
    service.games.commands.add_bot(game, ada, "random")
    page = browser.get(f"/games/{game}").text
    assert "hexes" not in page.partition('class="recap"')[2].partition("</p>")[0]
    assert 'id="recap"' not in page


def test_those_with_whom_one_has_played_are_invited_into_a_new_game(
    app: Flask, browser: FlaskClient, service: Service
) -> None:
    ada = log_in(browser, service)
    assert 'name="friend"' not in browser.get("/games/new").text
    bea, cid = (log_in(app.test_client(), service, handle) for handle in ("bea", "cid"))
    game = create(service, ada, seats=3)
    service.games.commands.join(game, bea)
    service.games.commands.join(game, cid)
    page = browser.get("/games/new?rules=baron&invite=cid").text
    assert re.findall(r'name="friend" value="(\w+)"', page) == ["bea"]
    fields = {"rules": "baron", "seats": "3", "option-seating": "joined"}
    fields |= {"invite": "cid", "friend": "bea"}
    created = post(browser, "/games", "/games/new", **fields)
    new = service.games.queries.game((created.location or "").rpartition("/")[2])
    assert new.awaited == (cid, bea)
    # Who is ticked stays in the form that is refused.
    refused = post(browser, "/games", "/games/new", **{**fields, "seats": "9"})
    assert refused.status_code == 400
    assert 'value="cid bea"' in refused.text
    assert 'name="friend"' not in refused.text


def test_a_friend_on_the_own_profile_is_invited_with_one_button(
    app: Flask, browser: FlaskClient, service: Service
) -> None:
    ada, friend = log_in(browser, service), app.test_client()
    bea = log_in(friend, service, "bea")
    service.games.commands.join(create(service, ada, seats=2), bea)
    page = browser.get("/players/ada").text
    fields = dict(re.findall(r'<input type="hidden" name="(rules|invite)" value="(\w+)">', page))
    assert fields == {"rules": "barony", "invite": "bea"}
    created = post(browser, "/play/friends", "/players/ada", **fields)
    game = service.games.queries.game((created.location or "").rpartition("/")[2])
    assert (game.awaited, game.options["private"], game.seats) == ((bea,), True, 2)
    assert "Accept and join" in friend.get("/").text
    refused = post(browser, "/play/friends", "/players/ada", rules="barony", invite="nobody")
    assert refused.status_code == 400
