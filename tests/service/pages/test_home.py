"""The first page: what can be played, and the lists of games as each visitor may see them."""

import re

import pytest
from flask.testing import FlaskClient
from freezegun import freeze_time

from domain.registry import rule_systems
from service.bootstrap import Service
from service.games.pages import home
from tests.support.page_forms import log_in
from tests.support.service_games import create_game, play_out, start_game, take_action

CARD = r'<p class="game-name"><a href="/games/(\w+)"'


def section(page: str, name: str) -> str:
    """Return the part of the first page with this list."""
    match = re.search(rf'aria-labelledby="{name}-heading">.*?</section>', page, re.DOTALL)
    assert match is not None, name
    return match.group()


def games_in(page: str, name: str) -> list[str]:
    """Return the ids of the games in a list of the first page, in order."""
    return re.findall(CARD, section(page, name))


def create(service: Service, player: str, **changes: object) -> str:
    return create_game(service, player, **changes).id


def test_every_rule_system_can_be_played_with_one_button(browser: FlaskClient) -> None:
    page = browser.get("/").text
    for name in rule_systems():
        assert f'<input type="hidden" name="rules" value="{name}">' in page
        picture = browser.get(f"/pictures/{name}.svg")
        assert picture.content_type == "image/svg+xml"
        assert picture.text.startswith("<svg ")
    cards = section(page, "play")
    assert (
        cards.count('action="/play"')
        == cards.count('action="/play/friends"')
        == len(rule_systems())
    )
    assert browser.get("/pictures/chess.svg").status_code == 404


def test_a_visitor_sees_public_games_and_one_of_them_live(
    browser: FlaskClient, service: Service
) -> None:
    watched = start_game(service).id
    waiting = create(service, "ada")
    start_game(service, private=True)
    create(service, "ada", options={"private": True})
    page = browser.get("/").text
    assert games_in(page, "open") == [waiting]
    assert games_in(page, "watch") == [watched]
    assert games_in(page, "finished") == []
    assert f'data-board="/games/{watched}/live"' in page
    assert f'data-stream="/api/v1/games/{watched}/stream?after=' in page
    assert browser.get(f"/games/{watched}/live").text.count("<svg ") == 1
    assert "turn-heading" not in page


def test_a_private_game_is_not_shown_live(browser: FlaskClient, service: Service) -> None:
    game = start_game(service, private=True).id
    player = log_in(browser, service)
    create(service, player)
    assert browser.get(f"/games/{game}/live").status_code == 404
    assert "live-board" not in browser.get("/").text


def test_a_player_sees_first_the_games_in_which_it_is_their_turn(
    browser: FlaskClient, service: Service
) -> None:
    player = log_in(browser, service)
    seating = {"seating": "joined"}
    to_play = create(service, player, options=seating)
    service.games.commands.join(to_play, "bea")
    others_turn = create(service, "bea", options=seating)
    service.games.commands.join(others_turn, player)
    waiting = create(service, player)
    watched = start_game(service).id
    invited = create(service, "bea", options={"private": True}, invited=(player,))
    create(service, "bea", options={"private": True}, invited=("cid",))
    page = browser.get("/").text
    assert games_in(page, "turn") == [to_play]
    assert set(games_in(page, "waiting")) == {waiting, others_turn}
    assert games_in(page, "invitations") == [invited]
    assert games_in(page, "open") == []
    assert games_in(page, "watch") == [watched]
    assert page.index("invitations-heading") < page.index("turn-heading")
    assert page.index("turn-heading") < page.index("waiting-heading") < page.index("open-heading")


def test_long_lists_continue_on_separate_pages(
    browser: FlaskClient, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(home, "FIRST_PAGE_GAMES", 2)
    games = {create(service, "ada") for _ in range(5)}
    page = browser.get("/").text
    first = games_in(page, "open")
    assert len(first) == 2
    (more,) = re.findall(r'href="(/games\?list=open&[^"]*)"', page)
    rest = browser.get(more.replace("&amp;", "&")).text
    others = re.findall(CARD, rest)
    assert len(others) == 3
    assert {*first, *others} == games
    assert browser.get("/games?list=open&cursor=x").status_code == 400


def test_names_that_contain_markup_are_shown_as_typed(
    browser: FlaskClient, service: Service
) -> None:
    create(service, "<script>alert(1)</script>")
    page = browser.get("/").text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<script>alert" not in page


def test_a_card_shows_turn_time_age_round_and_scores(
    browser: FlaskClient, service: Service
) -> None:
    with freeze_time("2026-11-20T09:00:00Z"):
        ada, _ = service.accounts.players.register("ada", "correct horse")
        bea, _ = service.accounts.players.register("bea", "correct horse")
        clock = {"per_turn": 3 * 24 * 3600}
        game = create(service, ada.id, clock=clock, options={"seating": "joined"})
        service.games.commands.join(game, bea.id)
    with freeze_time("2026-11-22T08:00:00Z"):
        card = browser.get("/games?list=watch").text
    assert "ada is to play." in card
    assert "25 hours left" in card
    assert "created 47 hours ago" in card
    assert '<a href="/players/bea" title="bea">' in card
    assert card.count('<span class="score">0</span>') == 2
    assert f'<img src="/games/{game}/thumbnail.svg?seq=' in card
    assert 'loading="lazy"' in card
    with freeze_time("2026-12-20T08:00:00Z"):
        assert "created 29 days ago" in browser.get("/games?list=watch").text


def test_a_card_of_a_finished_game_names_the_winner_and_the_scores(
    browser: FlaskClient, service: Service
) -> None:
    game = play_out(service, start_game(service, round_limit=1).id).id
    service.games.commands.score(game)
    card = browser.get("/games?list=finished").text
    assert "The winner is" in card or "The winners are" in card
    assert "Round 1" in card
    assert "ended 1 minute ago" in card
    assert card.count('<span class="score">') == 2
    assert 'class="is-marked"' in card


def test_a_card_says_what_has_happened_since_the_players_last_turn(
    browser: FlaskClient, service: Service
) -> None:
    player = log_in(browser, service)
    bea, _ = service.accounts.players.register("bea", "correct horse")
    game = start_game(service, players=(player, bea.id))
    take_action(service, game.id)
    assert "game-recap" not in browser.get("/").text
    take_action(service, game.id)
    assert service.games.queries.game(game.id).to_act == 1
    for list_name in ("watch", "all"):
        page = browser.get(f"/games?list={list_name}&player=bea").text
        assert '<p class="game-recap">Since your last turn: bea' in page
    # Others have had no turn in it.
    browser.delete_cookie("cartulary")
    assert "game-recap" not in browser.get("/games?list=watch").text


def test_vacant_seats_are_offered(browser: FlaskClient, service: Service) -> None:
    game = start_game(service, 3, substitutes=True).id
    assert "Take a vacant seat" not in browser.get("/").text
    service.games.commands.leave_seat(game, "bea")
    card = section(browser.get("/").text, "vacant")
    assert "a vacant seat" in card
    assert f'href="/games/{game}#substitutes"' in card


def test_the_statistics_show_the_public_games_of_each_kind(
    browser: FlaskClient, service: Service
) -> None:
    assert "There are no public games yet." in browser.get("/statistics").text
    start_game(service, private=True)
    assert "There are no public games yet." in browser.get("/statistics").text
    finished = play_out(service, start_game(service, round_limit=1).id).id
    while service.games.queries.game(finished).status != "finished":
        service.games.commands.score(finished)
    start_game(service, rules="baron", seats=3)
    service.transparency.head_log.log([finished])
    assert "is not counted yet" in browser.get("/statistics").text
    service.games.projections.catch_up()
    page = browser.get("/statistics").text
    assert "is not counted yet" not in page
    assert '<a href="/statistics">' in page
    rows = [
        re.findall(r"<t[hd][^>]*>([^<]*)</t", row)
        for row in re.findall(r"<tr>(.*?)</tr>", page.partition("<tbody>")[2], re.DOTALL)
    ]
    ranking = service.games.queries.game(finished).ranking or ()
    places = [entry["place"] for entry in sorted(ranking, key=lambda entry: entry["seat"])]
    wins = ", ".join("1" if place == 1 else "0" for place in places)
    assert rows == [
        ["Barony", "2", "0", "0", "1", "0", "0", "0", wins],
        ["Baron", "3", "0", "1", "0", "0", "0", "0", "0, 0, 0"],
    ]
    assert f"{service.store.head(finished)} events of public games" in page


def test_leaderboards_offer_the_periods_that_have_just_ended(browser: FlaskClient) -> None:
    with freeze_time("2027-01-01T00:00:00Z"):
        page = browser.get("/leaderboards").text
    offered = re.findall(r'<option value="([0-9-]+)"', page)
    assert offered == ["2027-01", "2027", "2026-12", "2026"]


def test_leaderboards_show_players_of_rated_games_and_mark_provisional_ratings(
    browser: FlaskClient, service: Service
) -> None:
    empty = browser.get("/leaderboards?system=baron").text
    assert "Nobody has finished a rated game in this period." in empty
    players = [
        service.accounts.players.register(handle, "correct horse")[0].id
        for handle in ("ada", "bea")
    ]
    game = start_game(service, rules="baron", rated=True, players=players)
    service.games.commands.act(game.id, players[0], {"type": "resign"}, game.seq)
    while service.games.queries.game(game.id).status != "finished":
        service.games.commands.score(game.id)
    service.transparency.head_log.log([game.id])
    service.games.projections.catch_up()
    finished_at = service.games.queries.game(game.id).at
    for period in ("all", finished_at[:4], finished_at[:7]):
        page = browser.get(f"/leaderboards?system=baron&period={period}").text
        rows = re.findall(r"<tr>(.*?)</tr>", page.partition("<tbody>")[2], re.DOTALL)
        texts = [re.sub(r"<[^>]*>|\s+", " ", row).split() for row in rows]
        ratings = [service.games.ratings.of(player)["baron"].rating for player in players]
        assert texts == [
            ["1", "bea", "provisional", str(ratings[1].points)],
            ["2", "ada", "provisional", str(ratings[0].points)],
        ]
        assert f'<option value="{period}" selected>' in page
    assert "Nobody has finished" in browser.get("/leaderboards?system=barony").text
    assert "Nobody has finished" in browser.get("/leaderboards?system=chess").text
    assert "bea" not in browser.get("/leaderboards?system=baron&after=2").text
    assert browser.get("/leaderboards?period=yesterday").status_code == 400
    assert '<span class="badge">rated</span>' in browser.get("/games?list=finished").text
    assert '<a href="/leaderboards">' in browser.get("/").text


def test_a_line_about_a_game_of_others_says_who_plays_and_leads_there(
    browser: FlaskClient, service: Service
) -> None:
    ada, _ = service.accounts.players.register("ada", "correct horse")
    waiting = create(service, ada.id, seats=3, clock={"per_turn": 3600})
    line = section(browser.get("/").text, "open")
    assert f'<a class="button" href="/games/{waiting}"' in line
    assert '<a href="/players/ada" title="ada">' in line
    assert "1 of 3 places is taken." in line
    assert "1 hour for each turn" in line


def test_the_own_game_with_the_nearest_deadline_is_first(
    browser: FlaskClient, service: Service
) -> None:
    player = log_in(browser, service)
    games = {}
    for seconds in (None, 7200, 3600, 86_400):
        clock = None if seconds is None else {"per_turn": seconds}
        games[seconds] = create(service, player, clock=clock, options={"seating": "joined"})
        service.games.commands.join(games[seconds], "bea")
    shown = games_in(browser.get("/").text, "turn")
    assert shown == [games[seconds] for seconds in (3600, 7200, 86_400, None)]


def test_a_player_without_games_is_shown_how_to_begin(
    browser: FlaskClient, service: Service
) -> None:
    player = log_in(browser, service)
    own = (
        browser.get("/").text.split('id="own-games"')[1].split('aria-labelledby="play-heading"')[0]
    )
    assert 'action="/play"' in own
    assert 'action="/play/friends"' in own
    create(service, player)
    assert 'action="/play"' not in browser.get("/").text.split('aria-labelledby="play-heading"')[0]
