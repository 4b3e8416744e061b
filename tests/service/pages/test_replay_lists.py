"""The log of a game, comparisons of its events and its scores as pages."""

import re
from html import unescape

import pytest
from flask.testing import FlaskClient

from domain.messages import message
from replay.history.score_chart import score_chart
from service.bootstrap import Service
from service.games.replays import Replays
from service.pages.replayed_pages import LOG_PAGE_EVENTS
from tests.service.conftest import StoreGame
from tests.support.html_links import link_with_id, links
from tests.support.languages import ENGLISH

LOG_ENTRY = re.compile(r'<li value="(\d+)"( class="superseded")?>')


class TestLog:
    def test_it_lists_all_events_in_pages(self, browser: FlaskClient, store: StoreGame) -> None:
        game_id, record = store("baron-ties")
        address = f"/games/{game_id}/log"
        seqs: list[int] = []
        for _ in range(-(-len(record.events) // LOG_PAGE_EVENTS)):
            text = browser.get(address).text
            seqs += [int(seq) for seq, _ in LOG_ENTRY.findall(text)]
            assert all(f"/games/{game_id}?seq={seq}" in links(text) for seq in seqs[-9:])
            following = re.search(r'<a class="button" rel="next" href="([^"]+)"', text)
            address = f"/games/{game_id}/log{unescape(following[1])}" if following else ""
        assert address == ""
        assert seqs == list(range(1, len(record.events) + 1))

    def test_superseded_events_are_marked(
        self, browser: FlaskClient, service: Service, store: StoreGame
    ) -> None:
        game_id, record = store("disputes")
        head = service.games.queries.game(game_id)
        expected = {
            event["seq"]
            for event in record.events
            if service.games.events.superseded_by(head, event) is not None
        }
        text = browser.get(f"/games/{game_id}/log").text
        marked = {int(seq) for seq, mark in LOG_ENTRY.findall(text) if mark}
        assert marked == expected != set()

    def test_a_filter_selects_events(self, browser: FlaskClient, store: StoreGame) -> None:
        game_id, record = store("duke-of-two")

        def listed(query: str) -> list[int]:
            text = browser.get(f"/games/{game_id}/log?{query}").text
            return [int(seq) for seq, _ in LOG_ENTRY.findall(text)]

        events = record.events
        scored = [event["seq"] for event in events if event["type"] == "RoundScored"]
        assert listed("type=RoundScored&seat=&hex=") == scored != []
        of_seat = [event["seq"] for event in events if event["by"] == {"seat": 1}]
        assert listed("seat=1") == of_seat != []
        assert listed("from=20&to=30") == [*range(20, 31)]
        placed = next(event for event in events if event["type"] == "CityPlaced")
        hex = ",".join(map(str, placed["data"]["at"]))
        for query in (f"hex={hex}", "clause=by-set&to=12"):
            assert placed["seq"] in listed(query)
            assert len(listed(query)) < len(events)

    def test_invalid_conditions_are_named_at_their_fields(
        self, browser: FlaskClient, store: StoreGame
    ) -> None:
        game_id, _ = store("duke-of-two")
        response = browser.get(
            f"/games/{game_id}/log", query_string={"hex": "<b>", "clause": "XX", "seat": "0"}
        )
        assert response.status_code == 400
        text = response.text
        assert 'id="log-hex-fault"' in text
        assert 'id="log-clause-fault"' in text
        assert 'id="log-seat-fault"' not in text
        assert 'value="&lt;b&gt;"' in text
        assert "<b>" not in text

    def test_a_page_without_events_says_how_far_it_looked(
        self, browser: FlaskClient, store: StoreGame
    ) -> None:
        game_id, _ = store("duke-of-two")
        text = browser.get(f"/games/{game_id}/log?hex=90,90").text
        assert "No event after event 0 is one of these." in text


class TestComparison:
    def test_two_positions_stand_beside_each_other_with_their_differences(
        self, browser: FlaskClient, store: StoreGame
    ) -> None:
        game_id, _ = store("baron-ties")
        response = browser.get(f"/games/{game_id}/compare?from=60&to=75")
        text = response.text
        assert text.count('class="map"') == 2
        ids = re.findall(r' id="([^"]+)"', text)
        assert len(ids) == len({*ids})
        assert '<table class="changes">' in text
        same = browser.get(f"/games/{game_id}/compare?from=60&to=60").text
        assert "The positions after events 60 and 60 are the same." in same
        assert '<table class="changes">' not in same

    def test_events_that_do_not_exist_have_a_page_with_a_way_forward(
        self, browser: FlaskClient, store: StoreGame
    ) -> None:
        game_id, _ = store("one-left")
        for query in ("", "?from=1", "?from=0&to=2", "?from=1&to=999", "?from=a&to=b"):
            response = browser.get(f"/games/{game_id}/compare{query}")
            assert response.status_code == 404
            assert f"/games/{game_id}/log" in links(response.text)


class TestScores:
    def test_a_chart_and_a_table_show_the_scores_of_all_rounds(
        self, browser: FlaskClient, store: StoreGame
    ) -> None:
        game_id, record = store("sorcery-round-limit")
        chart = score_chart(record)
        text = browser.get(f"/games/{game_id}/scores").text
        assert 'class="score-chart' in text
        for end in chart.rounds:
            assert f"/games/{game_id}?seq={end.seq}" in links(text)
        last = text[text.index('<tr class="row-last">') :]
        for score in chart.points[-1].scores:
            assert f">{score} (" in last
        assert " style=" not in text

    def test_a_game_that_is_too_long_has_no_chart_and_no_jumps(
        self,
        browser: FlaskClient,
        service: Service,
        store: StoreGame,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        game_id, _ = store("duke-of-two")
        monkeypatch.setattr(Replays, "scores", lambda *_: None)
        monkeypatch.setattr(Replays, "index", lambda *_: None)
        text = browser.get(f"/games/{game_id}/scores").text
        bound = service.settings.bounds.max_replayed_events
        reason = message("The game has more than {count} events", count=bound)
        assert ENGLISH(reason) in text
        assert 'class="score-chart' not in text
        text = browser.get(f"/games/{game_id}?seq=50").text
        assert 'class="jumps"' not in text
        assert link_with_id(text, "replay-next") is not None


def test_the_pages_are_translated(browser: FlaskClient, store: StoreGame) -> None:
    game_id, _ = store("sorcery-movement")
    for path in ("?seq=50", "/log", "/compare?from=40&to=50", "/scores", "?seq=x"):
        pages = [
            browser.get(f"/games/{game_id}{path}", headers={"Accept-Language": language})
            for language in ("en", "fr", "es")
        ]
        english, french, spanish = (
            re.findall(r"<h[12][^>]*>(.*?)</h[12]>", page.text) for page in pages
        )
        assert len(english) == len(french) == len(spanish) > 0
        for other in (french, spanish):
            assert other != english
