"""The pages of tournaments: lists, registering, tables, standings, what organisers do, and calendars."""

import re
from datetime import timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient
from freezegun.api import FrozenDateTimeFactory
from icalendar import Calendar

from domain.tournaments.format_settings import FORMATS
from domain.tournaments.tournament import Tournament
from service.accounts.pages import players
from service.bootstrap import Service
from service.connection import to_text
from service.pages.session import TIME_ZONE_COOKIE
from tests.support.page_forms import post
from tests.support.service_games import take_action
from tests.support.tournaments import DAY, advance, create, end_game, register, register_accounts
from tests.support.worker_harness import WorkerHarness

pytestmark = pytest.mark.usefixtures("time")


def browser_of(app: Flask, service: Service, handle: str) -> FlaskClient:
    """Return the browser of a player who is registered."""
    browser = app.test_client()
    token = service.accounts.players.login(handle, "correct horse")
    with browser.session_transaction() as session:
        session["token"] = token
    return browser


def play_round(
    service: Service, harness: WorkerHarness, time: FrozenDateTimeFactory, id: str
) -> Tournament:
    """End all games of the current round: at each table the player with the better lot wins."""
    drawn = service.tournaments.tournaments.load(id).rounds[-1]
    for table, game in zip(drawn.tables, drawn.games, strict=True):
        if game is not None:
            end_game(service, game, table.index(min(table)))
    time.tick(timedelta(minutes=1))
    advance(harness)
    return service.tournaments.tournaments.load(id)


def test_a_visitor_sees_the_tournament_and_is_asked_to_log_in(
    browser: FlaskClient, service: Service, olga: str
) -> None:
    tournament = create(service, olga, name="Spring <Cup>", description="All\nwelcome")
    page = browser.get("/tournaments").text
    assert "Spring &lt;Cup&gt;" in page
    page = browser.get(f"/tournaments/{tournament.id}").text
    assert "Log in to take part" in page
    assert tournament.commitment in page
    assert "All\nwelcome" in page
    assert f"cartulary tournament audit http://localhost/api/v1/tournaments/{tournament.id}" in page


def test_a_player_takes_part_and_withdraws(
    browser: FlaskClient, service: Service, olga: str, ada: str
) -> None:
    id = create(service, olga).id
    own = f"/tournaments/{id}"
    assert f'data-commitment="{service.tournaments.tournaments.load(id).commitment}"' in (
        browser.get(own).text
    )
    assert post(browser, f"{own}/players", own, nonce="ab").status_code == 303
    assert service.tournaments.tournaments.load(id).registrations == ((ada, "ab"),)
    assert "You are registered." in browser.get(own).text
    assert "Cup" in browser.get("/").text
    assert post(browser, f"{own}/withdraw", own).status_code == 303
    assert service.tournaments.tournaments.load(id).registered == ()
    assert "You are registered." not in browser.get(own).text


def test_a_player_who_does_not_meet_the_requirements_reads_why(
    browser: FlaskClient, service: Service, olga: str, ada: str
) -> None:
    id = create(service, olga, options={"round_limit": 1, "least_finished": 5}).id
    own = f"/tournaments/{id}"
    response = post(browser, f"{own}/players", own)
    assert response.status_code == 403
    assert "You cannot take part" in response.text
    assert service.tournaments.tournaments.load(id).registered == ()


def test_the_page_follows_a_tournament_to_its_end(
    app: Flask, service: Service, olga: str, time: FrozenDateTimeFactory
) -> None:
    harness = WorkerHarness(service)
    players = register_accounts(service, 5)
    id = create(service, olga, format={"format": "swiss", "table_size": 2, "rounds": 2}).id
    own = f"/tournaments/{id}"
    register(service, id, players)
    time.tick(timedelta(days=1))
    advance(harness)
    visitor = app.test_client()
    page = visitor.get(own).text
    drawn = service.tournaments.tournaments.load(id).rounds[0]
    assert all(f'href="/games/{game}"' in page for game in drawn.games if game is not None)
    assert "Bye" in page
    assert "in progress" in page
    seated = next(player for player in players if player in drawn.players[0])
    handle = service.accounts.players.handles([seated])[seated]
    assert handle is not None
    own_page = browser_of(app, service, handle).get(own).text
    assert "To your game in this round" in own_page
    assert f'href="/games/{drawn.games[0]}"' in own_page
    tournament = play_round(service, harness, time, id)
    page = visitor.get(own).text
    assert "Earlier rounds" in page
    assert "place 1" in page
    tournament = play_round(service, harness, time, id)
    assert tournament.status == "finished"
    page = visitor.get(own).text
    assert "Final standings" in page
    assert tournament.secret is not None
    assert tournament.secret in page
    rows = re.findall(r'<th scope="row"><a [^>]*href="/players/(p\d)">', page)
    (group,) = tournament.standings()
    handles = service.accounts.players.handles(players)
    assert rows == [handles[tournament.entrants[row.player]] for row in group.standings]
    finished = visitor.get("/tournaments?status=finished").text
    assert f"Won by {rows[0]}." in finished
    assert f'href="{own}"' in finished
    assert f'href="{own}"' not in visitor.get("/tournaments?status=open").text
    assert "Cup" in visitor.get(f"/players/{rows[0]}").text


def rows_of(page: str) -> dict[str, str]:
    """Return the text of each row of the standings, by the handle of its player."""
    table = page.split('<table class="standings"')[1].split("</table>", maxsplit=1)[0]
    rows = {}
    for row in table.split("<tr")[2:]:
        text = " ".join(re.sub("<[^>]*>", " ", row.split(">", 1)[1]).split())
        rows[re.findall(r'href="/players/([^"]+)"', row)[0]] = text
    return rows


def test_a_place_that_lots_decided_is_marked_and_explained(
    browser: FlaskClient, service: Service, olga: str, time: FrozenDateTimeFactory
) -> None:
    harness = WorkerHarness(service)
    id = create(service, olga, format={"format": "swiss", "table_size": 2, "rounds": 2}).id
    register(service, id, register_accounts(service, 4))
    time.tick(timedelta(days=1))
    advance(harness)
    # Before the first result there is nothing that lots could decide.
    assert "by lot" not in browser.get(f"/tournaments/{id}").text
    play_round(service, harness, time, id)
    page = browser.get(f"/tournaments/{id}").text
    assert all("by lot" in row for row in rows_of(page).values())
    assert "They stand in the order of the lots" in page
    tournament = play_round(service, harness, time, id)
    (group,) = tournament.standings()
    assert len({row.points for row in group.standings}) == 3
    page = browser.get(f"/tournaments/{id}").text
    values = [
        (row.points, row.direct_of_all, row.buchholz, row.sonneborn_berger, row.wins)
        for row in group.standings
    ]
    is_marked = ["by lot" in row for row in rows_of(page).values()]
    assert is_marked == [values.count(value) > 1 for value in values]
    assert not all(is_marked)
    text = re.sub("<[^>]*>", "", page)
    assert "Why these places" in text
    winner, second = (tournament.entrants[row.player] for row in group.standings[:2])
    handles = service.accounts.players.handles([winner, second])
    assert f"{handles[winner]}: Before {handles[second]}: Points, 2 against 1." in text
    assert "by lot." in text


def test_lots_that_decide_who_continues_in_a_knockout_are_explained(
    browser: FlaskClient, service: Service, olga: str, time: FrozenDateTimeFactory
) -> None:
    harness = WorkerHarness(service)
    format = {"format": "knockout", "table_size": 2, "advance": 1}
    id = create(service, olga, format=format, clock={"per_turn": 30 * DAY}).id
    register(service, id, register_accounts(service, 4))
    time.tick(timedelta(days=1))
    advance(harness)
    # Each player has acted once, and nobody has scored.
    for game in service.tournaments.tournaments.load(id).rounds[0].games:
        assert game is not None
        take_action(service, game)
        take_action(service, game)
    time.tick(timedelta(days=3, minutes=1))
    advance(harness)
    settled = service.tournaments.tournaments.load(id).rounds[0].results
    ties = sum(result is not None and result.places == (1, 1) for result in settled)
    page = browser.get(f"/tournaments/{id}").text
    assert ties
    assert page.count("the draw of lots decided who goes on") == ties


def test_a_substitution_and_an_exclusion_are_shown(
    browser: FlaskClient, app: Flask, service: Service, olga: str, time: FrozenDateTimeFactory
) -> None:
    harness = WorkerHarness(service)
    tournaments = service.tournaments.tournaments
    id = create(service, olga, format={"format": "swiss", "table_size": 2, "rounds": 3}).id
    people = dict(zip(register_accounts(service, 6), range(1, 7), strict=True))
    handles = {player: f"p{number}" for player, number in people.items()}
    players = list(people)
    register(service, id, players[:5])
    time.tick(timedelta(days=1))
    advance(harness)
    left, excluded, _, back, _ = tournaments.load(id).entrants
    tournaments.withdraw(id, left)
    tournaments.exclude(id, olga, handles[excluded])
    tournaments.withdraw(id, back)
    register(service, id, [players[5], back])
    play_round(service, harness, time, id)
    page = browser.get(f"/tournaments/{id}").text
    rows = rows_of(page)
    assert f"for {handles[left]}" in rows["p6"]
    assert "excluded" in rows[handles[excluded]]
    assert "withdrawn" not in rows[handles[excluded]]
    assert handles[left] not in rows
    assert f"p6 has the place of {handles[left]}, with the points of the place." in re.sub(
        "<[^>]*>", "", page
    )
    # A player who gets the own place back replaces nobody.
    assert page.count("with the points of the place") == 1
    shown = app.test_client().get(f"/api/v1/tournaments/{id}").get_json()
    assert shown["replacements"] == [
        {"entrant": 0, "player": players[5], "replaces": left, "round": 2}
    ]
    assert shown["excluded"] == [excluded]
    assert shown["handles"][left] == handles[left]
    assert shown["version"] == 3
    assert [drawn["pairing"] for drawn in shown["drawn"]] == ["exact", "exact"]


def test_the_cross_table_has_the_byes(
    browser: FlaskClient, service: Service, olga: str, time: FrozenDateTimeFactory
) -> None:
    harness = WorkerHarness(service)
    id = create(service, olga, format={"format": "swiss", "table_size": 2, "rounds": 2}).id
    register(service, id, register_accounts(service, 5))
    time.tick(timedelta(days=1))
    advance(harness)
    tournament = play_round(service, harness, time, id)
    handles = service.accounts.players.handles(tournament.entrants)
    # The second bye has its point before the other results of its round.
    expected = {
        handles[tournament.entrants[table[0]]]: "1"
        for drawn in tournament.rounds
        for table in drawn.tables
        if len(table) == 1
    }
    cross = browser.get(f"/tournaments/{id}").text.split('<table class="cross-table"')[1]
    cross = cross.split("</table>")[0]
    byes = {}
    for row in cross.split("<tr>")[2:]:
        name, *cells = (
            re.sub("<[^>]*>", "", cell).strip() for cell in re.split("</t[hd]>", row)[1:-1]
        )
        byes[name] = cells[-1]
    assert "Bye" in cross
    assert len(expected) == 2
    assert {name: value for name, value in byes.items() if value} == expected


def test_a_visitor_is_offered_only_what_a_player_can_do(
    browser: FlaskClient, app: Flask, service: Service, olga: str, time: FrozenDateTimeFactory
) -> None:
    harness = WorkerHarness(service)
    visitor = app.test_client()
    full = create(service, olga, most=2).id
    id = create(service, olga, format={"format": "swiss", "table_size": 2, "rounds": 2}).id
    players = register_accounts(service, 5)
    register(service, full, players[:2])
    register(service, id, players[:4])
    assert "Log in to take part" not in visitor.get(f"/tournaments/{full}").text
    assert "Log in to take part" in visitor.get(f"/tournaments/{id}").text
    time.tick(timedelta(days=1))
    assert "Log in to" not in visitor.get(f"/tournaments/{id}").text
    advance(harness)
    page = visitor.get(f"/tournaments/{id}").text
    assert "Log in to take part" not in page
    assert "Log in to register as a substitute" in page
    play_round(service, harness, time, id)
    # The last round is drawn.
    assert "Log in to" not in visitor.get(f"/tournaments/{id}").text
    stranger = browser_of(app, service, "p5")
    page = stranger.get(f"/tournaments/{id}").text
    assert "Register as a substitute" not in page
    assert "No further round will be drawn" in page


@pytest.mark.parametrize(
    ("remove_after", "text"),
    [
        ("2", "A player who misses 2 deadlines in a row loses the seat."),
        ("", "Nobody loses the seat in a game by missing deadlines."),
    ],
)
def test_a_tournament_says_what_happens_to_players_who_are_absent(
    app: Flask, service: Service, olga: str, remove_after: str, text: str
) -> None:
    host = browser_of(app, service, "olga")
    page = host.get("/tournaments/new?format=swiss").text
    assert "A player who misses 2 deadlines in a row loses the seat." in page
    assert re.search(r'name="clock-remove_after"[^>]*value="2"', page)
    fields = {"name": "Cup", "format": "swiss", "rules": "barony", "table_size": "2", "rounds": "3"}
    fields |= {"least": "2", "most": "8", "closes": "2026-03-09T18:00", "days": "7"}
    fields |= {"clock": str(DAY), "clock-excused": "0", "clock-remove_after": remove_after}
    response = post(host, "/tournaments", "/tournaments/new", **fields)
    assert response.status_code == 303
    page = host.get(response.location).text
    assert text in page
    assert "A player who never acts in a game forfeits it" in page
    assert "The best possible tables, which are computed exactly." in page


def test_decimals_are_written_as_the_language_of_the_visitor_does(
    browser: FlaskClient, service: Service, olga: str, time: FrozenDateTimeFactory
) -> None:
    harness = WorkerHarness(service)
    id = create(service, olga, format={"format": "round_robin", "table_size": 3}).id
    register(service, id, register_accounts(service, 3))
    time.tick(timedelta(days=1))
    advance(harness)
    (game,) = service.tournaments.tournaments.load(id).rounds[0].games
    assert game is not None
    end_game(service, game)
    time.tick(timedelta(minutes=1))
    advance(harness)
    own = f"/tournaments/{id}"
    assert re.search(r'class="number">0\.\d', browser.get(own).text)
    french = browser.get(own, headers={"Accept-Language": "fr"}).text
    assert re.search(r'class="number">0,\d', french)


def test_each_division_of_a_league_has_its_standings(
    browser: FlaskClient, service: Service, olga: str, time: FrozenDateTimeFactory
) -> None:
    id = create(
        service, olga, format={"format": "league", "table_size": 2, "divisions": 2, "seasons": 2}
    ).id
    register(service, id, register_accounts(service, 6))
    time.tick(timedelta(days=1))
    advance(WorkerHarness(service))
    page = browser.get(f"/tournaments/{id}").text
    assert "Division 1" in page
    assert "Division 2" in page
    assert "Season 1, round 1" in page


def test_a_private_tournament_is_not_found_by_strangers(
    browser: FlaskClient, app: Flask, service: Service, olga: str, ada: str
) -> None:
    id = create(service, olga, private=True, name="Secret cup").id
    own = f"/tournaments/{id}"
    assert browser.get(own).status_code == 404
    assert browser.get(f"{own}/calendar.ics").status_code == 404
    assert "Secret cup" not in browser.get("/tournaments").text
    host = browser_of(app, service, "olga")
    assert "Secret cup" in host.get("/tournaments").text
    assert post(host, f"{own}/invite", own, invite="ada").status_code == 303
    assert "Take part" in browser.get(own).text
    refused = post(host, f"{own}/invite", own, invite="nobody")
    assert refused.status_code == 400
    assert 'id="field-invite-fault"' in refused.text


def test_private_tournaments_take_no_room_on_a_profile(
    browser: FlaskClient, service: Service, olga: str, ada: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(players, "_MAX_TOURNAMENTS", 2)
    register(service, create(service, olga, name="Open cup").id, [ada])
    for _ in range(3):
        secret = create(service, olga, private=True, name="Secret cup").id
        service.tournaments.tournaments.invite(secret, olga, "ada")
        register(service, secret, [ada])
    page = browser.get("/players/ada").text
    assert "Open cup" in page
    anonymous = browser.application.test_client().get("/players/ada").text
    assert "Open cup" in anonymous
    assert "Secret cup" not in anonymous


def test_only_the_organiser_excludes_replaces_and_cancels(
    browser: FlaskClient,
    app: Flask,
    service: Service,
    olga: str,
    ada: str,
    time: FrozenDateTimeFactory,
) -> None:
    id = create(service, olga).id
    own = f"/tournaments/{id}"
    register(service, id, [ada, *register_accounts(service, 4)[:3]])
    host = browser_of(app, service, "olga")
    assert "For the organiser" not in browser.get(own).text
    for command in ("exclude", "cancel"):
        response = post(browser, f"{own}/{command}", own, exclude="p1", sure="yes")
        assert response.status_code in {400, 403}
    assert post(browser, f"{own}/cancel", own, sure="yes").status_code == 403
    assert post(host, f"{own}/exclude", own, exclude="p1").status_code == 303
    assert len(service.tournaments.tournaments.load(id).registered) == 3
    excluded = browser_of(app, service, "p1")
    assert "You were excluded from this tournament." in excluded.get(own).text
    assert post(excluded, f"{own}/players", own).status_code == 409
    bert = browser_of(app, service, "p4")
    time.tick(timedelta(days=1))
    assert "Registration has closed." in bert.get(own).text
    assert post(bert, f"{own}/players", own).status_code == 409
    advance(WorkerHarness(service))
    assert "Register as a substitute" in bert.get(own).text
    assert post(bert, f"{own}/players", own).status_code == 303
    assert "You are registered as a substitute" in bert.get(own).text
    fields = {"entrant": "p2", "substitute": "p4"}
    assert post(host, f"{own}/replace", own, **fields).status_code == 303
    refused = post(host, f"{own}/replace", own, entrant="nobody", substitute="p4")
    assert refused.status_code in {400, 409}
    refused = post(host, f"{own}/cancel", own)
    assert refused.status_code == 400
    assert 'id="field-sure-fault"' in refused.text
    assert post(host, f"{own}/cancel", own, sure="yes").status_code == 303
    assert service.tournaments.tournaments.load(id).status == "cancelled"
    assert "Cancelled." in browser.get(own).text


@pytest.mark.parametrize(
    ("closes", "zone"),
    [("0001-01-01T00:00", "Asia/Tokyo"), ("9999-12-31T23:59", "America/New_York")],
)
def test_a_date_outside_of_the_calendar_is_refused(
    app: Flask, service: Service, olga: str, closes: str, zone: str
) -> None:
    host = browser_of(app, service, "olga")
    host.set_cookie(TIME_ZONE_COOKIE, zone)
    response = post(host, "/tournaments", "/tournaments/new", name="Cup", closes=closes)
    assert response.status_code == 400
    assert 'id="field-closes-fault"' in response.text


@pytest.mark.parametrize("format", FORMATS)
def test_an_organiser_creates_a_tournament_of_each_format(
    app: Flask, service: Service, olga: str, format: str
) -> None:
    host = browser_of(app, service, "olga")
    address = f"/tournaments/new?format={format}&rules=baron"
    form = host.get(address).text
    fields = dict(
        re.findall(r'<input id="field-[^"]*" name="([^"]+)" type="number"[^>]* value="(\d+)"', form)
    )
    host.set_cookie(TIME_ZONE_COOKIE, "Europe/Paris")
    fields |= {"name": "Cup", "closes": "2026-03-09T20:00", "rules": "baron", "format": format}
    fields |= {"clock": "86400", "option-rated": "yes", "days": "21"}
    response = post(host, "/tournaments", address, **fields)
    assert response.status_code == 303, re.findall('class="fault"[^<]*<', response.text)
    id = response.location.rsplit("/", 1)[1]
    tournament = service.tournaments.tournaments.load(id)
    assert tournament.format.format == format
    assert tournament.closes == "2026-03-09T19:00:00.000Z"
    # An arena has minutes for the games after its end, by default half an hour.
    assert tournament.round_seconds == (1800 if format == "arena" else 21 * 24 * 3600)
    assert tournament.options == {"rated": True}
    assert tournament.rules == "baron"
    assert tournament.clock["per_turn"] == 86400


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", ""),
        ("closes", "tomorrow"),
        ("closes", "2026-03-01T20:00"),
        ("most", "1"),
        ("least", ""),
        ("days", "1000"),
        ("days", "soon"),
        ("rounds", "0"),
        ("table_size", "9"),
        ("clock", ""),
    ],
)
def test_what_is_wrong_with_a_new_tournament_stands_next_to_its_field(
    app: Flask, service: Service, olga: str, field: str, value: str
) -> None:
    host = browser_of(app, service, "olga")
    fields = {
        "name": "Cup",
        "closes": "2026-03-09T20:00",
        "rules": "barony",
        "format": "swiss",
        "table_size": "2",
        "rounds": "3",
        "least": "4",
        "most": "8",
        "days": "21",
        "clock": "86400",
        field: value,
    }
    response = post(host, "/tournaments", "/tournaments/new", **fields)
    assert response.status_code == 400
    assert f'id="field-{field}-fault"' in response.text
    found, _ = service.tournaments.tournaments.page((), olga, olga)
    assert found == []


def test_only_organisers_create_tournaments(
    browser: FlaskClient, service: Service, ada: str
) -> None:
    assert "/tournaments/new" not in browser.get("/tournaments").text
    assert browser.get("/tournaments/new").status_code == 403
    assert post(browser, "/tournaments", "/", name="Cup").status_code in {400, 403}
    assert browser.get("/tournaments/t0123456789abcdef").status_code == 404


def test_the_dates_are_in_the_calendars_of_the_tournament_and_of_its_players(
    browser: FlaskClient, service: Service, olga: str, ada: str, time: FrozenDateTimeFactory
) -> None:
    harness = WorkerHarness(service)
    id = create(service, olga, format={"format": "swiss", "table_size": 2, "rounds": 2}).id
    register(service, id, [ada, *register_accounts(service, 3)])
    dates = titles_of(service.notifications.feeds.calendar(ada))
    assert dates == {"Cup: registration closes": "20260303T090000Z"}
    time.tick(timedelta(days=1))
    advance(harness)
    dates = titles_of(service.notifications.feeds.calendar(ada))
    assert dates["Cup: Round 1 ends"] == "20260306T090000Z"
    assert "Cup: registration closes" not in dates
    response = browser.get(f"/tournaments/{id}/calendar.ics")
    assert response.content_type == "text/calendar; charset=utf-8"
    assert titles_of(response.data) == {
        "Cup: registration closes": "20260303T090000Z",
        "Cup: Round 1 ends": "20260306T090000Z",
    }
    play_round(service, harness, time, id)
    dates = titles_of(service.notifications.feeds.calendar(ada))
    assert "Cup: Round 1 ends" not in dates
    assert "Cup: Round 2 ends" in dates


def titles_of(document: bytes) -> dict[str, str]:
    """Return the dates of a calendar by their titles."""
    events = Calendar.from_ical(document).walk("VEVENT")
    return {str(event["summary"]): to_text(event["dtstart"].to_ical()) for event in events}
