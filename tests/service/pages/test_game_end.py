"""The end of a game on its page: the result, why a player is out, what can be done next, and the picture."""

import re

import pytest
from flask.testing import FlaskClient

from domain.lifecycle import NewGame
from replay.history.event_text import outcome_message
from replay.history.timeline import transitions
from replay.language.renderer import english
from service.bootstrap import Service
from tests.service.conftest import StoreGame
from tests.support.page_forms import log_in


def rows_of(page: str) -> list[list[str]]:
    """Return the cells of the table of the result, without the first column, by rows."""
    table = page.partition('<table class="result">')[2].partition("</table>")[0]
    return [re.findall(r"<td[^>]*>([^<]*)", row) for row in table.split("</tr>")[1:-1]]


@pytest.mark.parametrize("name", ["duke-of-three", "sorcery-imprints-decide", "baron-five"])
def test_the_result_shows_places_titles_and_points_by_source(
    browser: FlaskClient, store: StoreGame, name: str
) -> None:
    game, record = store(name)
    page = browser.get(f"/games/{game}").text
    titles, *sources, totals = rows_of(page)
    places = re.findall(r'<span class="place place-\d">(\d)</span>', page)
    ranking = sorted(
        record.events[-1]["data"]["ranking"], key=lambda entry: (entry["place"], entry["seat"])
    )
    assert [int(place) for place in places] == [entry["place"] for entry in ranking]
    points = [[int(number.replace("\u2212", "-")) for number in row] for row in sources]
    assert len(points) > 1
    assert [sum(of_seat) for of_seat in zip(*points, strict=True)] == [
        entry["score"] for entry in ranking
    ]
    assert [int(total.replace("\u2212", "-")) for total in totals] == [
        entry["score"] for entry in ranking
    ]
    assert titles[0] == ("Winner" if name == "baron-five" else "King")
    assert 'class="graph graph-scores"' in page


def test_the_result_stands_beside_the_board(browser: FlaskClient, store: StoreGame) -> None:
    game, _ = store("duke-of-three")
    page = browser.get(f"/games/{game}").text
    assert page.index('id="board"') < page.index('class="side"') < page.index('class="result"')


def test_the_end_leads_to_the_turning_point_the_first_move_and_the_picture(
    browser: FlaskClient, store: StoreGame
) -> None:
    game, record = store("duke-of-three")
    page = browser.get(f"/games/{game}").text
    first = next(event["seq"] for event in record.events if event["action"] is not None)
    assert f'href="?seq={first}">Replay from the first move' in page
    assert re.search(r'<a href="\?seq=\d+">Turning point: ', page)
    picture = f"/games/{game}/position.png?wide=true&amp;seq={len(record.events)}"
    assert f'href="{picture}"' in page
    assert picture in browser.get(f"/games/{game}?seq={len(record.events)}").text
    assert "Turning point" in browser.get(f"/games/{game}/scores").text


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("one-left", "because all others have left"),
        ("baron-one-left", "because all others are out"),
    ],
)
def test_who_wins_because_the_others_left_is_not_called_winner_without_saying_so(
    browser: FlaskClient, store: StoreGame, name: str, reason: str
) -> None:
    """BY-END-6, BN-OUB-3."""
    game, record = store(name)
    result = browser.get(f"/games/{game}").text.partition('class="ending"')[2]
    title = re.search(r"<p>([^<]*, over after [^<]*)</p>", result)
    assert title is not None
    assert reason in title[1]
    *_, last = transitions(record)
    scene = last.after.rules.scene(last.after.position(None), last.event)
    assert scene.caption is not None
    assert reason in english(scene.caption)


def test_a_winner_by_play_is_simply_king(browser: FlaskClient, store: StoreGame) -> None:
    game, _ = store("duke-of-three")
    assert "because all others" not in browser.get(f"/games/{game}").text


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("one-left", "because all others have left the game"),
        ("baron-one-left", "because all others are out of the game"),
        ("duke-of-three", "the round in which the title of duke went to"),
        ("round-limit", "the game ended after round"),
        ("baron-five", "when all players had taken their last turns"),
    ],
)
def test_the_line_about_the_end_says_why_the_game_has_ended(
    browser: FlaskClient, store: StoreGame, name: str, reason: str
) -> None:
    """BY-END-2, BY-END-6, BN-END-1, BN-OUB-3."""
    game, record = store(name)
    latest = browser.get(f"/games/{game}").text.partition('class="moves"')[2]
    assert reason in latest.partition("</ol>")[0]
    *_, last = transitions(record)
    assert reason in english(outcome_message(last.after.rules, last.event, last.after))
    assert reason not in english(outcome_message(last.after.rules, last.event))


def test_a_player_who_is_out_sees_immediately_why(browser: FlaskClient, service: Service) -> None:
    """BN-END-4 and BN-OUB-1, while the others play on."""
    ada = log_in(browser, service)
    commands, queries = service.games.commands, service.games.queries
    game = commands.create(ada, NewGame(rules="baron", seats=3, options={"seating": "joined"})).id
    for _ in range(2):
        commands.add_bot(game, ada, "random")
    assert "You are out of the game" not in browser.get(f"/games/{game}").text
    commands.act(game, ada, {"type": "resign"}, queries.game(game).seq)
    head = queries.game(game)
    assert head.status == "playing"
    page = browser.get(f"/games/{game}").text
    notice = page.partition('class="card departure"')[2].partition("</section>")[0]
    assert f'<a href="?seq={head.seq}">' in notice
    assert "round 1, turn 1" in notice
    assert 'href="/rules/baron#BN-END-4"' in notice
    assert 'href="/rules/baron#BN-OUB-1"' in notice


def test_the_picture_of_a_finished_game_has_the_podium(
    browser: FlaskClient, store: StoreGame
) -> None:
    game, record = store("duke-of-three")
    last = browser.get(f"/games/{game}/position.svg?wide=true").text
    before = browser.get(f"/games/{game}/position.svg?wide=true&seq={len(record.events) - 1}").text
    assert "noble titles" in last
    assert "noble titles" not in before
    png = browser.get(f"/games/{game}/position.png?wide=true")
    assert png.data.startswith(b"\x89PNG")
