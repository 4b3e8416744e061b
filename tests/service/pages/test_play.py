"""The page of a game: a player chooses an action step by step, sees its result, and sends it."""

import re
from collections.abc import Sequence
from html import unescape

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.datastructures import MultiDict

from domain.contract import Action
from domain.game import Game
from domain.lifecycle import NewGame
from replay.render.pieces import EMBLEMS
from service.bootstrap import Service

OPTION = re.compile(r'<a class="choice [\w -]+" href="([^"]+)"')
HIDDEN = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)">')


class Table:
    """A game of two players, each with a browser."""

    def __init__(self, app: Flask, service: Service, rules: str) -> None:
        self._service = service
        self.browsers: dict[str, FlaskClient] = {}
        ids = []
        for handle in ("ada", "grace"):
            player, token = service.accounts.players.register(handle, "correct horse")
            browser = app.test_client()
            with browser.session_transaction() as session:
                session["token"] = token
            self.browsers[player.id] = browser
            ids.append(player.id)
        game = service.games.commands.create(ids[0], NewGame(rules=rules, seats=2, options={}))
        self.id = service.games.commands.join(game.id, ids[1]).id

    @property
    def game(self) -> Game:
        return self._service.games.queries.game(self.id)

    @property
    def active(self) -> FlaskClient:
        """The browser of the player whose turn it is."""
        seat = self.game.to_act
        assert seat is not None
        return self.browsers[self.game.players[seat]]

    def page(self, query: str = "") -> str:
        response = self.active.get(f"/games/{self.id}{query}")
        assert response.status_code == 200
        return response.text

    def legal_actions(self) -> Sequence[Action]:
        """Return the legal actions of the player whose turn it is."""
        game = self.game
        assert game.to_act is not None
        actions: Sequence[Action] = game.rules.legal_actions(game.state, game.to_act)
        return actions

    def act(self, action: Action) -> None:
        """Let the player whose turn it is take an action."""
        game = self.game
        assert game.to_act is not None
        self._service.games.commands.act(
            self.id, game.players[game.to_act], game.rules.action_to_json(action), game.seq
        )

    def first_action(self, query: str = "") -> str:
        """Follow the first option until the action is complete; return the page with its preview."""
        text = self.page(query)
        while 'id="confirm"' not in text:
            option = OPTION.search(text)
            assert option is not None
            text = self.page(unescape(option[1]))
        return text


@pytest.fixture(params=["barony", "baron"])
def table(app: Flask, service: Service, request: pytest.FixtureRequest) -> Table:
    return Table(app, service, request.param)


def fields(text: str) -> MultiDict[str, str]:
    form = text[text.index('id="confirm"') :]
    form = form[: form.index("</form>")]
    return MultiDict((name, unescape(value)) for name, value in HIDDEN.findall(form))


def test_a_player_comes_to_an_action_by_links_and_sends_it_once(table: Table) -> None:
    before = table.game
    browser = table.active
    form = fields(table.first_action())
    assert table.game.seq == before.seq
    for _ in range(2):
        response = browser.post(f"/games/{table.id}/actions", data=form)
        assert response.status_code == 303
        assert response.location == f"/games/{table.id}"
    assert table.game.seq == before.seq + 1


def test_above_a_preview_the_page_states_that_the_player_is_still_to_act(table: Table) -> None:
    status = re.compile(r'<p id="status".*</p>')
    before, shown = status.search(table.page()), status.search(table.first_action())
    assert before is not None
    assert shown is not None
    assert "It is your turn" in shown[0]
    # The line stays as high as it is, and does not name the player whose turn comes next.
    assert shown[0] == before[0]


def test_a_script_gets_the_next_choices_without_the_board(table: Table) -> None:
    headers = {"HX-Request": "true", "HX-Target": "acting"}
    response = table.active.get(f"/games/{table.id}", headers=headers)
    whole = table.page()
    if "HX-Retarget" in response.headers:
        assert response.headers["HX-Retarget"] == "#page"
        assert response.text.count("<main") == 1
    else:
        assert "<main" not in response.text
        assert len(response.text) < len(whole) / 2
        assert 'id="board-links"' in response.text
        assert 'id="board-map"' not in response.text
    assert OPTION.findall(response.text) == OPTION.findall(whole)


@pytest.mark.parametrize("table", ["baron"], indirect=True)
def test_a_player_with_only_one_action_can_still_resign(table: Table) -> None:
    while len(actions := table.legal_actions()) > 1:
        table.act(actions[-1])
    text = table.page()
    assert 'id="confirm"' in text
    assert 'href="?action=resign"' in text


def test_a_form_without_its_token_is_refused_and_changes_nothing(table: Table) -> None:
    before = table.game
    form = fields(table.first_action())
    del form["csrf_token"]
    response = table.active.post(f"/games/{table.id}/actions", data=form)
    assert response.status_code == 403
    assert table.game.seq == before.seq


def test_an_action_from_a_stale_page_is_explained_and_changes_nothing(table: Table) -> None:
    form = fields(table.first_action())
    browser = table.active
    stale = form.copy()
    stale.setlist("key", [f"another-{key}" for key in form.getlist("key")])
    browser.post(f"/games/{table.id}/actions", data=form)
    before = table.game
    response = browser.post(f"/games/{table.id}/actions", data=stale)
    assert response.status_code in (409, 422)
    (current,) = re.findall(r'<a href="([^"]+)" aria-current="page"', response.text)
    assert current == f"/games/{table.id}"
    assert 'class="is-current"' not in response.text
    assert "notice-error" in response.text
    assert table.game.seq == before.seq


LINE = "This page was about a choice that is no longer possible"


def test_an_address_of_a_choice_that_does_not_exist_shows_the_game(table: Table) -> None:
    text = table.page("?choose=no-such-thing&choose=1,1")
    assert LINE in text
    assert OPTION.search(text)


@pytest.mark.parametrize("is_boosted", [False, True])
def test_going_back_after_ones_own_action_shows_the_game_as_it_stands(
    table: Table, *, is_boosted: bool
) -> None:
    browser, before = table.active, table.game
    first = OPTION.search(table.page())
    assert first is not None
    address = f"/games/{table.id}{unescape(first[1])}"
    form = fields(table.first_action())
    while table.game.to_act == before.to_act:
        browser.post(f"/games/{table.id}/actions", data=form)
        if table.game.to_act == before.to_act:
            form = fields(table.first_action())
    headers = {"HX-Request": "true", "HX-Target": "acting"} if is_boosted else {}
    response = browser.get(address, headers=headers)
    assert response.status_code == 200
    assert LINE in response.text
    # The whole page, not the choices alone: its head said that it was the player's turn.
    assert 'id="status"' in response.text


def test_going_back_to_a_choice_after_the_end_shows_the_result(
    table: Table, service: Service
) -> None:
    browser, game = table.active, table.game
    assert game.to_act is not None
    service.games.commands.act(game.id, game.players[game.to_act], {"type": "resign"}, game.seq)
    response = browser.get(f"/games/{table.id}?choose=no-such-thing")
    assert response.status_code == 200
    assert LINE in response.text


def test_an_action_that_the_rules_forbid_is_explained_with_its_clause(table: Table) -> None:
    place = "city 99,99" if table.game.rules.NAME == "barony" else "lay marsh 99,99"
    text = table.page(f"?action={place}")
    assert 'id="attempt"' in text
    assert re.search(r'class="clause" href="/rules[^"]*">B[YN]-', text)


def test_the_card_of_each_player_has_the_emblem_of_the_pieces(table: Table) -> None:
    cards = table.page().split('<section class="seat-card seat-')[1:3]
    for seat, card in enumerate(cards):
        heading = card[: card.index("</h2>")]
        assert EMBLEMS[seat] in heading


def test_ones_own_card_says_so(table: Table, browser: FlaskClient) -> None:
    assert table.page().count("<strong>you</strong>") == 1
    assert "<strong>you</strong>" not in browser.get(f"/games/{table.id}").text


def test_where_only_hexes_can_be_chosen_the_page_says_that_they_are_marked(table: Table) -> None:
    hint = "Choose a marked hex."
    page = table.page()
    has_words = re.search('<a class="choice (?:act|button|shelf-card)[^>]* data-number', page)
    assert (hint in page) == (has_words is None)
    assert hint not in table.first_action()


def test_the_position_can_be_read_as_a_table(table: Table) -> None:
    text = table.active.get(f"/games/{table.id}/table").text
    rows = text.count('<th scope="row">')
    cells = table.game.rules.scene(table.game.position(None), None).cells
    assert rows == len(cells) > 0
    assert table.active.get(f"/games/{table.id}/table?seq=1").status_code == 404
    assert table.active.get(f"/games/{table.id}/table?seq=x").status_code == 400


def test_resigning_needs_a_second_confirmation(table: Table) -> None:
    text = table.page("?action=resign")
    assert 'name="sure" value="yes" required' in text


def test_a_visitor_sees_the_game_but_no_choices(table: Table, browser: FlaskClient) -> None:
    text = browser.get(f"/games/{table.id}").text
    assert 'id="board"' in text
    assert 'id="choices"' not in text
    form = {"action": '{"type":"resign"}', "expected_seq": "1"}
    assert browser.post(f"/games/{table.id}/actions", data=form).status_code == 403


def test_the_board_stays_where_it_is_during_a_turn(table: Table) -> None:
    view_box = re.compile(r'viewBox="([^"]+)" class="(?:map|links)"')
    for _ in range(4):
        turn, boxes = table.game.turn, set()
        while table.game.turn == turn:
            text = table.page()
            boxes |= set(view_box.findall(text))
            while 'id="confirm"' not in text:
                option = OPTION.findall(text)[-1]
                text = table.page(unescape(option))
                boxes |= set(view_box.findall(text))
            table.active.post(f"/games/{table.id}/actions", data=fields(text))
        assert len(boxes) == 1


def test_a_script_gets_the_map_where_it_changes_and_again_when_it_is_left(table: Table) -> None:
    headers = {"HX-Request": "true", "HX-Target": "acting"}
    query = ""
    while 'id="confirm"' not in table.page(query):
        option = OPTION.search(table.page(query))
        assert option is not None
        query = unescape(option[1])
    browser, address = table.active, f"/games/{table.id}"
    preview = browser.get(address + query, headers=headers).text
    assert 'id="board-map"' in preview
    assert "Cartulary-Map" in preview
    headers["Cartulary-Map"] = "changed"
    assert 'id="board-map"' in browser.get(address, headers=headers).text


@pytest.mark.parametrize("table", ["barony"], indirect=True)
def test_hexes_in_words_are_folded(table: Table) -> None:
    text = table.page()
    folded = text.index('<details class="in-words">')
    hexes = text.index('<ul class="options hexes"')
    assert folded < hexes < text.index("</details>", folded)
    assert re.search('<a class="choice', text[: text.index('id="acting"')]) is None
