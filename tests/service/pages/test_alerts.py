"""What concerns a player on the pages of a game and in lists, without scripts."""

import re

import pytest
from flask import Flask
from flask.testing import FlaskClient

from domain.event import Clock
from ledger.statements import AgreeToPause, OpenDispute, RequestTakeback, WithdrawDispute
from service.bootstrap import Service
from service.chat.read_marks import ReadMark
from tests.support.page_forms import log_in, post
from tests.support.round_trips import count_round_trips
from tests.support.service_games import start_game, take_action

CLOCK: Clock = {"per_turn": 3600}


class Table:
    """A game of ada and bea with takebacks and a clock, and their browsers; ada has acted."""

    def __init__(self, app: Flask, browser: FlaskClient, service: Service) -> None:
        self.service = service
        self.ada, self.bea = browser, app.test_client()
        self.players = (log_in(browser, service), log_in(self.bea, service, "bea"))
        self.game = start_game(service, 2, CLOCK, players=self.players, takebacks=True).id
        self.address = f"/games/{self.game}"
        take_action(service, self.game)


@pytest.fixture
def table(app: Flask, browser: FlaskClient, service: Service) -> Table:
    return Table(app, browser, service)


def title(browser: FlaskClient, address: str) -> str:
    """Return the title of a page."""
    match = re.search("<title>(.*?)</title>", browser.get(address).text)
    assert match is not None
    return match[1]


def shown(browser: FlaskClient, address: str) -> str:
    """Return the part of a page with what concerns its viewer."""
    match = re.search(
        r'<div id="alerts".*?data-module="witness"', browser.get(address).text, re.DOTALL
    )
    assert match is not None
    return match[0]


def test_a_takeback_is_asked_for_and_answered_on_the_board(table: Table) -> None:
    assert "Take back</span></button>" in table.ada.get(table.address).text
    assert "Take back</span></button>" not in table.bea.get(table.address).text
    asked = post(table.ada, f"{table.address}/takebacks", table.address, next=table.address)
    assert asked.location == table.address
    assert "Your takeback waits for bea" in shown(table.ada, table.address)
    for page in ("", "?seq=2", "/messages", "/log", "/proofs", "/verify", "/clock", "/disputes"):
        address = table.address + page
        assert "ada asks to take back their last action" in shown(table.bea, address), page
        assert f'name="next" value="{address}"' in shown(table.bea, address)
        assert title(table.bea, address).startswith("(1) ")
        assert not title(table.ada, address).startswith("(")
    action = re.search(r'action="([^"]+/answers)"', shown(table.bea, table.address))
    assert action is not None
    answered = post(table.bea, action[1], table.address, answer="agree", next=table.address)
    assert answered.location == table.address
    assert "The last action was taken back" in shown(table.ada, table.address)


def test_a_message_is_unread_until_its_page_is_opened(table: Table, service: Service) -> None:
    service.chat.post(table.game, table.players[0], "<b>Hello</b>")
    assert "ada writes: &lt;b&gt;Hello&lt;/b&gt;" in shown(table.bea, table.address)
    assert "ada writes" not in shown(table.ada, table.address)
    assert 'class="count">1</span> 1 new message' in table.bea.get("/").text
    assert title(table.bea, "/").startswith("(1) ")
    table.bea.get(f"{table.address}/messages")
    assert "writes" not in shown(table.bea, table.address)
    assert not title(table.bea, "/").startswith("(")


def test_news_are_dismissed_and_what_waits_for_an_answer_is_not(
    table: Table, service: Service
) -> None:
    dismissals = f"{table.address}/concerns/dismissals"
    ada, bea = table.players
    service.chat.post(table.game, ada, "Hello")
    service.games.statements.state(table.game, ada, OpenDispute(1, "Wrong."))
    (dispute,) = service.games.queries.game(table.game).disputes
    for key in ("messages-1", f"dispute-{dispute.seq}", "ruling-999", "x"):
        post(table.bea, dismissals, table.address, concern=key)
    assert "ada disputes event 1" in shown(table.bea, table.address)
    assert "writes" not in shown(table.bea, table.address)
    service.games.statements.state(table.game, ada, WithdrawDispute(dispute.seq))
    assert "ada has withdrawn the dispute" in shown(table.bea, table.address)
    post(table.bea, dismissals, table.address, concern=f"ruling-{dispute.seq}")
    assert "withdrawn" not in shown(table.bea, table.address)
    assert service.chat.marks.of(bea, [table.game]) == [
        ReadMark(dismissed=frozenset({f"ruling-{dispute.seq}"}), messages=1)
    ]
    assert post(table.bea, dismissals, table.address).status_code == 400


def test_a_reader_of_a_ruling_has_no_alert_for_it(table: Table, service: Service) -> None:
    number = service.games.statements.state(
        table.game, table.players[0], OpenDispute(1, "Wrong.")
    ).events[0]["seq"]
    service.games.statements.state(table.game, table.players[0], WithdrawDispute(number))
    assert "withdrawn" in shown(table.bea, table.address)
    table.bea.get(f"{table.address}/disputes/{number}")
    assert "withdrawn" not in shown(table.bea, table.address)


def test_several_alerts_are_folded_below_the_first(table: Table, service: Service) -> None:
    ada, _ = table.players
    service.games.statements.state(table.game, ada, RequestTakeback())
    service.chat.post(table.game, ada, "Hello")
    service.games.statements.state(table.game, ada, AgreeToPause(agree=True))
    page = shown(table.bea, table.address)
    assert re.findall(r'class="alert is-(\w+)"', page) == ["answer", "answer", "news"]
    assert ">2 more</summary>" in page
    assert title(table.bea, table.address).startswith("(3) ")


def test_others_do_not_see_the_alerts_of_players(table: Table, app: Flask) -> None:
    ada, bea = table.players
    table.service.games.statements.state(table.game, ada, RequestTakeback())
    table.service.chat.post(table.game, ada, "Hello")
    eve = app.test_client()
    assert "alert is-" not in shown(eve, table.address)
    log_in(eve, table.service, "eve")
    assert "alert is-" not in shown(eve, table.address)
    assert (
        post(eve, f"{table.address}/concerns/dismissals", concern="messages-1").status_code == 303
    )
    assert table.service.chat.marks.of(bea, [table.game])[0].unread == 1


@pytest.mark.needs_redis("single", "sentinel")
def test_the_badges_of_a_list_cost_one_round_trip(table: Table, service: Service) -> None:
    def trips(games: int) -> int:
        """Return the round trips for a list with so many more games, in which bea waits for ada."""
        for _ in range(games):
            game = start_game(service, 2, players=table.players)
            service.chat.post(game.id, table.players[0], "Hello")
        table.bea.get("/games?list=waiting")
        with count_round_trips() as counted:
            page = table.bea.get("/games?list=waiting").text
        assert "1 new message" in page
        return counted.count

    assert trips(1) == trips(3)


def test_a_limit_of_a_dispute_and_a_message_also_say_how_far_away_they_are(
    table: Table, service: Service
) -> None:
    ada, _ = table.players
    number = service.games.statements.state(table.game, ada, OpenDispute(1, "No.")).events[0]["seq"]
    assert "2 d 23 h left" in table.bea.get(f"{table.address}/disputes/{number}").text
    service.chat.post(table.game, ada, "Hello")
    assert "1 minute ago" in table.bea.get(f"{table.address}/messages").text


def test_the_stream_of_the_first_page_is_for_players(app: Flask, table: Table) -> None:
    assert table.bea.get("/stream").mimetype == "text/event-stream"
    assert app.test_client().get("/stream").location.startswith("/login")


def test_the_clock_says_that_a_dispute_stops_it(table: Table, service: Service) -> None:
    assert "59 min left" in table.bea.get(table.address).text
    service.games.statements.state(table.game, table.players[0], OpenDispute(1, "Wrong."))
    for page in ("", "/clock"):
        text = table.bea.get(table.address + page).text
        assert "the clock stands still: a dispute is open" in text
        assert "min left" not in text
