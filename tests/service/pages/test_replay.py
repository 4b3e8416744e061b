"""The pages of the events of a game: permalinks, secrets, and what could have been done."""

import re
from html import unescape

import pytest
from flask import Flask
from flask.testing import FlaskClient

from domain.lifecycle import NewGame
from replay.history.branches import superseded_events
from replay.history.event_index import event_index
from replay.history.timeline import transitions
from service.bootstrap import Service
from tests.service.conftest import StoreGame
from tests.support.html_links import link_with_id, links
from tests.support.languages import ENGLISH
from tests.support.page_forms import without_csrf_tokens
from tests.support.service_games import explain, start_game
from tests.support.stored_games import players_of, recorded_game, store_game

OPTION = re.compile(r'<a class="choice button" href="([^"]+)"')


def logged_in(app: Flask, service: Service) -> tuple[FlaskClient, str]:
    """Return the browser of a new player, and the id of the player."""
    player, token = service.accounts.players.register("ada", "correct horse")
    browser = app.test_client()
    with browser.session_transaction() as session:
        session["token"] = token
    return browser, player.id


class TestEvent:
    @pytest.mark.parametrize("name", ["sorcery-movement", "baron-disputes"])
    def test_every_event_has_a_page_with_its_explanation(
        self, browser: FlaskClient, service: Service, store: StoreGame, name: str
    ) -> None:
        game_id, record = store(name)
        head = service.games.queries.game(game_id)
        for seq in {1, 2, 4, *range(5, head.seq, 17), head.seq - 1, head.seq}:
            response = browser.get(f"/games/{game_id}?seq={seq}")
            assert response.status_code == 200
            text = unescape(response.text)
            explanation = explain(service.games.events, head, seq)
            assert f"event {seq} of {head.seq}" in text
            assert ENGLISH.sentence(explanation["event_text"]).strip() in text
            assert record.events[seq - 1]["hash"] in text
            assert ('class="map"' in text) == (explanation["after"] is not None)
            for clause in explanation["clauses"]:
                assert f">{clause['id']}</a>" in text
                assert clause["text"][1:] in text
            if explanation["action_text"]:
                assert explanation["action_text"] in text

    def test_links_lead_to_the_other_events(self, browser: FlaskClient, store: StoreGame) -> None:
        game_id, record = store("duke-of-two")
        last = len(record.events)
        address = f"/games/{game_id}?seq="
        text = browser.get(f"{address}50").text
        start = next(event["seq"] for event in record.events if event["type"] == "GameStarted")
        # The strips have the scores, so a step passes the event that scores a round.
        assert record.events[49 - 1]["type"] == "RoundScored"
        expected = {"first": start, "previous": 48, "next": 51, "last": last}
        for name, seq in expected.items():
            assert link_with_id(text, f"replay-{name}") == f"{address}{seq}"
        index = event_index(transitions(record))
        addresses = links(text)
        for round_start in index.rounds:
            assert f"{address}{round_start.seq}" in addresses
        for seat in index.seats:
            assert f"{address}{seat.first}" in addresses
            assert f"{address}{seat.last}" in addresses
        assert f'value="http://localhost{address}50"' in text
        for seq in (1, start):
            assert link_with_id(browser.get(f"{address}{seq}").text, "replay-previous") is None
        assert link_with_id(browser.get(f"{address}{last}").text, "replay-next") is None
        # The way to the start begins with the first event.
        assert link_with_id(browser.get(f"{address}1").text, "replay-next") == f"{address}2"

    def test_a_superseded_event_names_the_event_with_which_play_resumed(
        self, browser: FlaskClient, store: StoreGame
    ) -> None:
        game_id, record = store("disputes")
        seq, resumed = next(
            (seq, resumed)
            for seq, resumed in superseded_events(record).items()
            if record.events[seq - 1]["action"] is not None
        )
        text = browser.get(f"/games/{game_id}?seq={seq}").text
        assert "This event is superseded" in text
        assert f"/games/{game_id}?seq={resumed}" in links(text)

    def test_an_event_that_does_not_exist_has_a_page_with_a_way_forward(
        self, browser: FlaskClient, store: StoreGame
    ) -> None:
        game_id, record = store("one-left")
        for seq in ("0", "9999", "-1", "x", "", "1e3", "٣", "9" * 50):
            response = browser.get(f"/games/{game_id}", query_string={"seq": seq})
            assert response.status_code == 404
            assert f"/games/{game_id}?seq={len(record.events)}" in links(response.text)

    def test_a_game_that_has_not_started_has_pages_without_a_board(
        self, browser: FlaskClient, service: Service
    ) -> None:
        game = service.games.commands.create(
            "ada", NewGame(rules="baron", seats=3, options={}), nonce=b""
        )
        text = browser.get(f"/games/{game.id}?seq=2").text
        assert "1 of 3 places was taken" in text
        assert 'class="map"' not in text
        assert "too many" not in browser.get(f"/games/{game.id}/scores").text
        scores = browser.get(f"/games/{game.id}/scores")
        assert scores.status_code == 200
        assert "The game has not started" in scores.text
        assert browser.get(f"/games/{game.id}/log").status_code == 200
        assert browser.get(f"/games/{game.id}/compare?from=1&to=1").status_code == 200

    def test_a_private_game_looks_like_one_that_does_not_exist(
        self, browser: FlaskClient, service: Service
    ) -> None:
        private = start_game(service, private=True)
        missing = private.id[::-1]
        for path in ("?seq=3", "?seq=x", "?seq=3&as=9", "/log?hex=x", "/compare", "/scores"):
            responses = [browser.get(f"/games/{id}{path}") for id in (private.id, missing)]
            assert [response.status_code for response in responses] == [404, 404]
            hidden, unknown = (without_csrf_tokens(response.text) for response in responses)
            assert hidden.replace(private.id, "ID") == unknown.replace(missing, "ID")


class TestSecrets:
    def test_a_finished_game_is_shown_whole_or_as_a_seat_saw_it(
        self, browser: FlaskClient, service: Service, store: StoreGame
    ) -> None:
        game_id, _ = store("baron-ties")
        game = service.games.queries.game_at(game_id, 60)
        address = f"/games/{game_id}?seq=60"
        text = browser.get(address).text
        assert [link for link in links(text) if link.startswith(f"{address}&as=")] == [
            f"{address}&as={seat}" for seat in range(game.seats)
        ]
        for as_seat in (None, *range(game.seats)):
            parameter = "" if as_seat is None else f"&as={as_seat}"
            text = browser.get(address + parameter).text
            shown = [reserve_of(text, seat) for seat in range(game.seats)]
            assert [" tile" in reserve for reserve in shown] == [
                as_seat not in {None, seat} for seat in range(game.seats)
            ]
            next_link = link_with_id(text, "replay-next")
            assert next_link == f"/games/{game_id}?seq=61{parameter}"
            table = browser.get(f"/games/{game_id}/table?seq=60{parameter}").text
            assert [reserve_of(table, seat) for seat in range(game.seats)] == shown

    def test_the_view_of_another_seat_is_refused_during_the_game(
        self, app: Flask, service: Service
    ) -> None:
        record = recorded_game("baron-ties")
        browser, player = logged_in(app, service)
        first, *_ = players_of(record)
        game_id = store_game(service, record, 70, players={first: player})
        for path in ("?seq=60", "/compare?from=60&to=70", "/table?seq=60"):
            separator = "&" if "?" in path else "?"
            address = f"/games/{game_id}{path}{separator}as="
            assert browser.get(f"{address}0").status_code == 200
            assert browser.get(f"{address}1").status_code == 403
            assert app.test_client().get(f"{address}0").status_code == 403
            for wrong in ("4", "-1", "x"):
                assert browser.get(f"{address}{wrong}").status_code == 400

    def test_a_game_without_secrets_has_no_other_views(
        self, browser: FlaskClient, store: StoreGame
    ) -> None:
        game_id, _ = store("duke-of-two")
        assert "&as=" not in unescape(browser.get(f"/games/{game_id}?seq=50").text)


def reserve_of(text: str, seat: int) -> str:
    """Return what the card of a seat shows as its reserve."""
    card = re.split(f'class="(?:sheet )?seat-card seat-{seat}', text)[1]
    match = re.search(r"<dt>(?:<[^>]*>)*Reserve(?:<[^>]*>)*</dt><dd>([^<]*)</dd>", card)
    assert match is not None
    return match[1]


def test_the_story_of_an_event_is_told_before_what_only_programs_read(
    browser: FlaskClient, store: StoreGame
) -> None:
    game_id, record = store("signed-actions")
    event = next(event for event in record.events if "signature" in event)
    text = browser.get(f"/games/{game_id}?seq={event['seq']}").text
    story, _, rest = text[text.index('class="event-story"') :].partition(
        '<details class="event-evidence">'
    )
    evidence = rest.partition("</details>")[0]
    assert 'class="story"' in story
    assert 'class="clauses"' in story
    for detail in (event["hash"], event["prev"], event["state"], event["signature"]["key"]):
        assert detail not in story
        assert detail in evidence
    assert "&#34;type&#34;" not in story
    assert "&#34;type&#34;" in evidence


class TestAlternatives:
    def test_a_reader_tries_an_action_step_by_step_and_stores_nothing(
        self, browser: FlaskClient, service: Service, store: StoreGame
    ) -> None:
        for name, seq in (("sorcery-movement", 50), ("baron-ties", 60)):
            game_id, record = store(name)
            text = browser.get(f"/games/{game_id}?seq={seq}").text
            keys = {*service.redis.scan_iter("*")}
            address = f"/games/{game_id}?seq={seq}&explore=1"
            assert address in links(text)
            text = browser.get(address).text
            steps = 0
            while "Preview: nothing has been sent yet" not in text:
                option = OPTION.search(text)
                assert option is not None
                assert unescape(option[1]).startswith(f"?seq={seq}&explore=1&choose=")
                text = browser.get(f"/games/{game_id}{unescape(option[1])}").text
                steps += 1
            assert steps > 0
            assert '<form method="post" action="/games' not in text
            assert 'id="confirm"' not in text
            assert service.games.queries.game(game_id).seq == len(record.events)
            assert {*service.redis.scan_iter("*")} == keys

    def test_an_action_that_the_rules_forbade_is_explained(
        self, browser: FlaskClient, store: StoreGame
    ) -> None:
        game_id, _ = store("sorcery-movement")
        text = browser.get(f"/games/{game_id}?seq=50&explore=1&action=city 99,99").text
        assert 'id="attempt"' in text
        assert 'class="clause" href="/rules' in text
        response = browser.get(f"/games/{game_id}?seq=50&choose=nothing&choose=like")
        assert response.status_code == 200
        assert "This page was about a choice that is no longer possible" in response.text

    def test_only_the_player_tries_what_depends_on_secrets(
        self, app: Flask, service: Service
    ) -> None:
        record = recorded_game("baron-ties")
        index = next(
            event["seq"]
            for event in record.events
            if event["seq"] > 40 and event["type"] == "TileDrawn"
        )
        seat = record.events[index - 1]["by"].get("seat")
        assert isinstance(seat, int)
        browser, player = logged_in(app, service)
        names = {players_of(record)[seat]: player}
        game_id = store_game(service, record, index + 10, players=names)
        address = f"/games/{game_id}?seq={index}&explore=1"
        assert OPTION.search(browser.get(address).text)
        text = app.test_client().get(address).text
        assert not OPTION.search(text)
        assert "depends on what only this player may see" in text
