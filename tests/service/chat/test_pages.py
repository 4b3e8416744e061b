"""The page of the messages within a game, and their part of the page of the game."""

import re

import pytest
from flask import Flask
from flask.testing import FlaskClient

from service.bootstrap import Service
from tests.support.page_forms import log_in, post
from tests.support.service_games import start_game


class Conversation:
    """A public game of ada and bea with their browsers, and that of eve, who does not play."""

    def __init__(self, app: Flask, browser: FlaskClient, service: Service) -> None:
        self.ada, self.bea, self.eve = browser, app.test_client(), app.test_client()
        self.players = (log_in(browser, service), log_in(self.bea, service, "bea"))
        log_in(self.eve, service, "eve")
        self.game = start_game(service, players=self.players).id
        self.address = f"/games/{self.game}/messages"


@pytest.fixture
def talk(app: Flask, browser: FlaskClient, service: Service) -> Conversation:
    return Conversation(app, browser, service)


def test_a_message_is_shown_as_plain_text_with_a_link_to_its_event(talk: Conversation) -> None:
    text = "<script>alert(1)</script>\r\nhttps://example.org/ שלום"
    sent = post(talk.ada, talk.address, talk.address, text=text, seq="4")
    assert sent.location == f"{talk.address}#message-form"
    for address in (talk.address, f"/games/{talk.game}"):
        page = talk.bea.get(address).text
        assert "&lt;script&gt;alert(1)&lt;/script&gt;\nhttps://example.org/ שלום</p>" in page
        assert 'class="message-text" dir="auto"' in page
        assert f'href="/games/{talk.game}?seq=4"' in page
        assert 'href="https://example.org' not in page


def test_only_players_and_the_arbiter_see_that_there_are_messages(
    app: Flask, talk: Conversation
) -> None:
    post(talk.ada, talk.address, talk.address, text="Between us.")
    assert talk.eve.get(talk.address).status_code == 403
    assert post(talk.eve, talk.address, f"/games/{talk.game}", text="x").status_code == 403
    visitor = app.test_client()
    assert visitor.get(talk.address).status_code == 302
    for browser in (talk.eve, visitor):
        page = browser.get(f"/games/{talk.game}").text
        assert "Between us." not in page
        assert talk.address not in page


def test_a_refused_message_stays_in_the_form_with_its_faults(talk: Conversation) -> None:
    page = post(talk.ada, talk.address, talk.address, text="Look:\u202e", seq="999")
    assert page.status_code == 400
    assert 'id="field-text-fault"' in page.text
    assert 'id="field-seq-fault"' in page.text
    assert "Look:" in page.text
    for seq in ("-1", "x", "0", "1.5"):
        assert post(talk.ada, talk.address, talk.address, text="x", seq=seq).status_code == 400
    assert post(talk.ada, talk.address, talk.address, text=" \r\n ").status_code == 400
    assert "Nobody has written anything yet." in talk.ada.get(talk.address).text


def test_a_message_is_about_a_move_that_is_chosen_by_its_words(
    talk: Conversation, service: Service
) -> None:
    seq, actions = service.games.queries.legal_actions(talk.game, talk.players[0])
    service.games.commands.act(talk.game, talk.players[0], actions[0], seq)
    page = talk.ada.get(f"{talk.address}?seq=5").text
    options = dict(re.findall(r'<option value="(\d+)"[^>]*>([^<]+)</option>', page))
    chosen = re.findall(r'<option value="(\d+)" selected>', page)
    assert chosen == ["5"]
    newest = max(options, key=int)
    assert "ada" in options[newest]
    post(talk.ada, talk.address, talk.address, text="Why there?", seq=newest)
    assert f'href="/games/{talk.game}?seq={newest}"' in talk.bea.get(talk.address).text


def test_a_form_that_is_sent_twice_writes_one_message(talk: Conversation, service: Service) -> None:
    for _ in range(2):
        post(talk.ada, talk.address, talk.address, text="Once.", key="k")
    assert service.chat.page(talk.game, talk.players[0]).last == 1


def test_a_message_is_erased_reported_and_muted(talk: Conversation, service: Service) -> None:
    post(talk.ada, talk.address, talk.address, text="Insult.")
    first = f"{talk.address}/1"
    assert f'action="{first}/erase"' not in talk.bea.get(talk.address).text
    assert post(talk.bea, f"{first}/erase", talk.address).status_code == 403
    reported = post(talk.bea, f"{first}/report", talk.address, reason="Rude.")
    assert "Message 1 is reported" in reported.text
    (report,), _ = service.chat_message_reports.page()
    assert (report.text, report.reason) == ("Insult.", "Rude.")
    assert post(talk.ada, f"{first}/report", talk.address).status_code == 409
    mute = {"player": talk.players[0], "change": "mute", "next": talk.address}
    assert post(talk.bea, "/account/mutes", talk.address, **mute).location == talk.address
    muted = talk.bea.get(talk.address).text
    assert "Insult." not in muted
    assert "Show messages of ada again" in muted
    assert post(talk.ada, f"{first}/erase", talk.address).location == talk.address
    assert "The message was erased." in talk.ada.get(talk.address).text


def test_long_conversations_have_pages(talk: Conversation, service: Service) -> None:
    for number in range(1, 61):
        service.chat.post(talk.game, talk.players[0], f"Message {number}.")
    last = talk.bea.get(talk.address).text
    assert re.findall(r"Message (\d+)\.</p>", last) == [str(n) for n in range(11, 61)]
    earlier = talk.bea.get(f"{talk.address}?before=11").text
    assert re.findall(r"Message (\d+)\.</p>", earlier) == [str(n) for n in range(1, 11)]
    assert "Earlier messages" in last
    assert "Earlier messages" not in earlier
    assert talk.bea.get(f"{talk.address}?before=x").status_code == 200
