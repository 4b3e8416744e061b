"""Creating, joining and leaving games with forms, and playing against bots at once."""

import re

import pytest
from flask import Flask
from flask.testing import FlaskClient

from domain.lifecycle import NewGame, seat_counts
from domain.options import COMMON_OPTION_FIELDS
from domain.registry import rule_systems
from service.bootstrap import Service
from service.pages.view_models.new_game_form import PRESETS
from tests.support.page_forms import log_in, post
from tests.support.service_games import start_game

NAMES = list(rule_systems())


def game_of(location: str | None) -> str:
    """Return the id of the game to whose page a response redirects."""
    match = re.fullmatch(r"/games/(\w{16})", location or "")
    assert match is not None, location
    return match.group(1)


@pytest.mark.parametrize("name", NAMES)
def test_a_visitor_plays_against_bots_with_one_button(
    browser: FlaskClient, service: Service, name: str
) -> None:
    response = post(browser, "/play", "/", rules=name)
    assert response.status_code == 303
    game = service.games.queries.game(game_of(response.location))
    entry = rule_systems()[name]
    assert (game.status, game.rules) == ("playing", entry.system)
    assert len(game.players) - len(game.bot_seats) == 1
    page = browser.get(response.location or "")
    assert page.status_code == 200
    assert browser.get("/account").text.count('action="/account/name"') == 1


def test_a_visitor_invites_a_friend_with_one_button(
    app: Flask, browser: FlaskClient, service: Service
) -> None:
    response = post(browser, "/play/friends", "/", rules="baron")
    game = service.games.queries.game(game_of(response.location))
    assert (game.status, game.seats, game.options["private"]) == ("open", 2, True)
    link = re.search(
        r'<input id="invitation-link"[^>]* value="([^"]+)"', browser.get(response.location).text
    )
    assert link is not None
    friend = app.test_client()
    path = "/" + link[1].split("/", 3)[3]
    token = path.rpartition("/")[2]
    joined = post(friend, f"/games/{game.id}/players", path, guest="yes", invitation=token)
    assert joined.location == f"/games/{game.id}"
    assert service.games.queries.game(game.id).status == "playing"
    assert post(browser, "/play/friends", "/", rules="chess").status_code == 400


def test_the_waiting_room_has_a_chair_for_each_seat(
    app: Flask, browser: FlaskClient, service: Service
) -> None:
    ada = log_in(browser, service)
    game = service.games.commands.create(ada, NewGame(rules="barony", seats=4, options={})).id
    page = browser.get(f"/games/{game}").text
    assert page.count('<li class="chair">') == 1
    free = page.split('<li class="chair is-free">')[1:]
    assert len(free) == 3
    for chair in free:
        assert f'action="/games/{game}/invitation"' in chair
        assert f'action="/games/{game}/bots"' in chair
    visitor = app.test_client().get(f"/games/{game}").text
    assert "/bots" not in visitor
    assert visitor.count(f'action="/games/{game}/players"') == 1
    made = post(
        browser,
        f"/games/{game}/invitation",
        f"/games/{game}",
        change="create",
        next=f"/games/{game}",
    )
    assert made.location == f"/games/{game}"
    assert 'id="invitation-link"' in browser.get(f"/games/{game}").text


def test_a_player_keeps_their_account_when_playing_against_bots(
    browser: FlaskClient, service: Service
) -> None:
    player = log_in(browser, service)
    response = post(browser, "/play", "/", rules="baron")
    assert service.games.queries.game(game_of(response.location)).creator == player
    assert post(browser, "/play", "/", rules="chess").status_code == 400
    assert browser.post("/play", data={"rules": "baron"}).status_code == 403


def test_a_guest_names_the_account_and_keeps_the_games(
    browser: FlaskClient, service: Service
) -> None:
    location = post(browser, "/play", "/", rules="baron").location
    assert browser.get("/register").location == "/account"
    refused = post(browser, "/account/name", "/account", handle="<i>", password="correct horse")
    assert refused.status_code == 400
    assert 'id="field-handle-fault"' in refused.text
    named = post(browser, "/account/name", "/account", handle="ada", password="correct horse")
    assert named.status_code == 303
    ada = service.accounts.players.by_handle("ada")
    assert ada is not None
    assert service.games.queries.game(game_of(location)).creator == ada.id


def test_creating_a_game_requires_an_account(browser: FlaskClient) -> None:
    assert (
        browser.get("/games/new?rules=baron").location
        == "/login?next=%2Fgames%2Fnew%3Frules%3Dbaron"
    )
    refused = post(browser, "/games", rules="baron", seats="2")
    assert refused.location == "/login?interrupted=yes"


@pytest.mark.parametrize("name", NAMES)
def test_the_form_shows_every_option_and_its_defaults_are_valid(
    browser: FlaskClient, service: Service, name: str
) -> None:
    player = log_in(browser, service)
    page = browser.get(f"/games/new?rules={name}").text
    entry = rule_systems()[name]
    for field in entry.system.OPTION_FIELDS:
        assert f'id="field-option-{field.name}-hint"' in page
    for seats in seat_counts(entry.system):
        assert re.search(rf'<option value="{seats}"[^>]*>{seats}</option>', page)
    response = post(
        browser, "/games", "/account", rules=name, seats="2", **{"option-seating": "drawn"}
    )
    game = service.games.queries.game(game_of(response.location))
    assert (game.rules, game.seats, game.creator) == (entry.system, 2, player)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_fills_in_the_form(browser: FlaskClient, service: Service, preset: str) -> None:
    """The game has the settings of the preset, and every other option is folded into one element."""
    log_in(browser, service)
    page = browser.get(f"/games/new?rules=baron&preset={preset}").text
    assert re.findall(r'preset=(\w+)" aria-current="true"', page) == [preset]
    (folded,) = re.findall(r'<details class="all-options">.*?</details>', page, re.DOTALL)
    for field in (*rule_systems()["baron"].system.OPTION_FIELDS, *COMMON_OPTION_FIELDS):
        assert f'name="option-{field.name}"' in folded
    # A browser sends the chosen option of each selection.
    chosen = {
        name: match[1]
        for name, options in re.findall(
            r'<select[^>]*name="([^"]+)"[^>]*>(.*?)</select>', page, re.DOTALL
        )
        if (match := re.search(r'<option value="([^"]*)" selected', options))
    }
    ticked = dict.fromkeys(
        re.findall(r'name="([^"]+)" type="checkbox" value="yes" checked', page), "yes"
    )
    times = dict(re.findall(r'name="(clock-night_\w+)" type="time" value="([^"]+)"', page))
    settings = {"option-seating": "drawn", **chosen, **ticked, **times}
    created = post(browser, "/games", "/account", rules="baron", **settings)
    game = service.games.queries.game(game_of(created.location))
    clock = game.clock or {}
    expected = {"today": 300, "weeks": 86_400, "club": 86_400}
    assert clock["per_turn"] == expected[preset]
    is_club = preset == "club"
    assert (clock.get("bank"), clock.get("nights"), clock.get("holidays")) == (
        (604_800, ["22:00", "08:00"], True) if is_club else (None, None, None)
    )
    for option in ("takebacks", "substitutes"):
        assert game.options.get(option, False) == is_club
    assert (clock.get("on_deadline", {}).get("turn") == "bot") == (preset == "today")


def test_a_preset_that_does_not_exist_is_the_usual_one(
    browser: FlaskClient, service: Service
) -> None:
    log_in(browser, service)
    for query in ("", "?preset=", "?preset=<b>"):
        page = browser.get(f"/games/new{query}").text
        assert re.findall(r'preset=(\w+)" aria-current="true"', page) == ["weeks"]
    entered = {"rules": "baron", "seats": "2", "preset": "club", "option-seating": "drawn"}
    refused = post(browser, "/games", "/account", invite="?", **entered)
    assert refused.status_code == 400
    assert re.findall(r'preset=(\w+)" aria-current="true"', refused.text) == ["club"]
    assert '<details class="all-options">' in refused.text


def test_all_settings_of_the_form_are_those_of_the_game(
    browser: FlaskClient, service: Service
) -> None:
    log_in(browser, service)
    bea, _ = service.accounts.players.register("bea", "correct horse")
    cid, _ = service.accounts.players.register("cid", "correct horse")
    settings = {
        "rules": "sorcery",
        "seats": "5",
        "clock": "3600",
        "bots-random": "1",
        "bots-sensible": "2",
        "option-seating": "joined",
        "option-private": "yes",
        "option-takebacks": "yes",
        "option-round_limit": "40",
        "invite": " BEA, ",
        "arbiter": "cid",
    }
    game = service.games.queries.game(
        game_of(post(browser, "/games", "/account", **settings).location)
    )
    assert game.options == {
        "seating": "joined",
        "private": True,
        "takebacks": True,
        "sorcery": True,
        "round_limit": 40,
        "end_by_agreement": False,
    }
    assert (game.seats, game.clock, game.arbiter) == (5, {"per_turn": 3600}, cid.id)
    assert game.invited == (bea.id,)
    assert sorted(place.bot or "" for place in game.places) == [
        "",
        "random",
        "sensible",
        "sensible",
    ]
    page = browser.get(f"/games/{game.id}").text
    assert "1 hour for each turn" in page


def test_faults_stand_at_their_fields_and_values_are_kept(
    browser: FlaskClient, service: Service
) -> None:
    log_in(browser, service)
    settings = {
        "rules": "barony",
        "seats": "5",
        "clock": "never",
        "bots-sensible": "999999999",
        "option-seating": "by age",
        "option-round_limit": "0",
        "invite": "nobody-here <b>",
        "arbiter": "no-one",
    }
    page = post(browser, "/games", "/account", **settings)
    assert page.status_code == 400
    for field in ("seats", "clock", "option-seating", "option-round_limit", "invite", "arbiter"):
        assert f'id="field-{field}-fault"' in page.text, field
    assert "must name at most 4 bots" in page.text.casefold()
    assert 'value="nobody-here &lt;b&gt;"' in page.text
    assert not service.games.listings.page(["open"]).games


def test_an_open_game_is_joined_left_and_filled(
    app: Flask, browser: FlaskClient, service: Service
) -> None:
    creator = log_in(browser, service)
    game = game_of(
        post(
            browser, "/games", "/account", rules="barony", seats="3", **{"option-seating": "drawn"}
        ).location
    )
    address = f"/games/{game}"
    visitor = app.test_client()
    assert f"/login?next=/games/{game}" in visitor.get(address).text.replace("%2F", "/")
    refused = post(visitor, f"{address}/players", address)
    assert refused.location == f"/login?next=%2Fgames%2F{game}&interrupted=yes"
    bea = log_in(visitor, service, "bea")
    assert post(visitor, f"{address}/bots", address).status_code == 403
    assert post(visitor, f"{address}/players", address).location == address
    assert service.games.queries.game(game).participants == (creator, bea)
    assert post(visitor, f"{address}/leave", address).location == "/"
    assert service.games.queries.game(game).participants == (creator,)
    assert post(visitor, f"{address}/leave", address).status_code == 409
    assert post(visitor, f"{address}/players", address).location == address
    assert post(browser, f"{address}/bots", address, bot="chess").status_code == 400
    assert post(browser, f"{address}/bots", address, bot="random").location == address
    assert service.games.queries.game(game).status == "playing"
    late = app.test_client()
    log_in(late, service, "cid")
    assert post(late, f"{address}/players", address).status_code == 409


def test_a_private_game_looks_nonexistent_to_others(browser: FlaskClient, service: Service) -> None:
    game = service.games.commands.create(
        "ada", NewGame(rules="baron", seats=2, options={"private": True})
    ).id
    log_in(browser, service)
    assert browser.get(f"/games/{game}").status_code == 404
    for form in ("players", "leave", "bots"):
        assert post(browser, f"/games/{game}/{form}").status_code == 404
    playing = start_game(service, private=True).id
    assert browser.get(f"/games/{playing}").status_code == 404


def test_a_friend_joins_a_private_game_by_a_link(
    app: Flask, browser: FlaskClient, service: Service
) -> None:
    log_in(browser, service)
    settings = {"option-seating": "joined", "option-private": "yes"}
    created = post(browser, "/games", "/account", rules="baron", seats="2", **settings)
    game = game_of(created.location)
    address = f"/games/{game}/invitation"
    # The link of a private game is there as soon as the game is.
    shown_link = r'value="http://localhost(/invitations/[^"]+)"'
    (first,) = re.findall(shown_link, browser.get(f"/games/{game}").text)
    assert post(browser, address, address, change="create").location == address
    (link,) = re.findall(shown_link, browser.get(address).text)
    assert link != first
    friend = app.test_client()
    shown = friend.get(link).text
    assert "ada invites you to this game." in shown
    assert f"/login?next={link}" in shown.replace("%2F", "/")
    assert friend.get(f"/games/{game}").status_code == 404
    log_in(friend, service, "bea")
    token = link.rpartition("/")[2]
    assert f'name="invitation" value="{token}"' in friend.get(link).text
    assert post(friend, f"/games/{game}/players", link, invitation="x").status_code == 404
    assert (
        post(friend, f"/games/{game}/players", link, invitation=token).location == f"/games/{game}"
    )
    assert service.games.queries.game(game).status == "playing"
    assert friend.get(link).location == f"/games/{game}"
    assert app.test_client().get(link).status_code == 404
    assert post(browser, address, address, change="create").status_code == 409


def test_a_visitor_joins_by_a_link_as_a_guest(
    app: Flask, browser: FlaskClient, service: Service
) -> None:
    ada = log_in(browser, service)
    game = service.games.commands.create(
        ada, NewGame(rules="baron", seats=2, options={"private": True})
    ).id
    token = service.games.invitations.create(game, ada)
    friend = app.test_client()
    for refused in ({"guest": "yes"}, {"guest": "yes", "invitation": token + "x"}):
        response = post(friend, f"/games/{game}/players", f"/invitations/{token}", **refused)
        assert response.status_code == 404
        assert friend.get("/account").status_code == 302
    fields = {"guest": "yes", "invitation": token}
    joined = post(friend, f"/games/{game}/players", f"/invitations/{token}", **fields)
    assert joined.location == f"/games/{game}"
    assert friend.get(f"/games/{game}").status_code == 200
    assert service.games.queries.game(game).status == "playing"


def test_a_revoked_link_shows_nothing(app: Flask, browser: FlaskClient, service: Service) -> None:
    ada = log_in(browser, service)
    game = service.games.commands.create(
        ada, NewGame(rules="baron", seats=2, options={"private": True})
    ).id
    token = service.games.invitations.create(game, ada)
    address = f"/games/{game}/invitation"
    assert post(browser, address, address, change="revoke").status_code == 303
    assert app.test_client().get(f"/invitations/{token}").status_code == 404
    assert post(browser, address, address, change="share").status_code == 400
    visitor = app.test_client()
    log_in(visitor, service, "eve")
    assert visitor.get(address).status_code == 404
