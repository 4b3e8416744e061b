"""The page on which an organiser changes a tournament, and how the changes are shown to everybody."""

import re
from datetime import timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient
from freezegun.api import FrozenDateTimeFactory

from service.bootstrap import Service
from tests.service.tournaments.test_pages import browser_of
from tests.support.page_forms import post
from tests.support.tournaments import advance, create, register, register_accounts
from tests.support.worker_harness import WorkerHarness

pytestmark = pytest.mark.usefixtures("time")


def change(host: FlaskClient, id: str, type: str, reason: str = "because", **fields: str) -> int:
    """Post the form of a change, and return the status."""
    address = f"/tournaments/{id}/organise"
    return post(host, address, address, type=type, reason=reason, **fields).status_code


def test_an_organiser_changes_a_tournament_and_everybody_reads_why(
    app: Flask, service: Service, olga: str, time: FrozenDateTimeFactory
) -> None:
    host, visitor = browser_of(app, service, "olga"), app.test_client()
    id = create(service, olga).id
    own = f"/tournaments/{id}"
    assert f'href="{own}/organise"' in host.get(own).text
    page = host.get(f"{own}/organise").text
    assert "Close registration at another time" in page
    assert "Extend the round" not in page
    assert change(host, id, "TextsChanged", name="Spring cup", contact="by mail") == 303
    assert change(host, id, "ClosingDateChanged", closes="2026-03-05T18:00") == 303
    page = visitor.get(own).text
    assert "The name is now: Spring cup" in page
    assert "by mail" in page
    assert page.count("because") == 2
    tournament = service.tournaments.tournaments.load(id)
    assert tournament.closes == "2026-03-05T18:00:00.000Z"
    assert change(host, id, "TournamentPaused", "a <holiday>") == 303
    page = visitor.get(own).text
    assert "The tournament is paused" in page
    assert "a &lt;holiday&gt;" in page
    assert "Let the tournament go on" in host.get(f"{own}/organise").text
    assert change(host, id, "TournamentResumed") == 303
    register(service, id, register_accounts(service, 4))
    assert change(host, id, "ClosingDateChanged", closes="") == 303
    harness = WorkerHarness(service)
    time.tick(timedelta(seconds=1))
    advance(harness)
    assert change(host, id, "RoundExtended", ends="2026-03-20T18:00") == 303
    assert "The last date of round 1 is now" in visitor.get(own).text
    service.tournaments.tournaments.cancel(id, olga)
    assert "nothing can be changed any more" in host.get(f"{own}/organise").text
    harness.close()


def test_an_organiser_writes_to_all_players_and_to_one_table(
    app: Flask, service: Service, olga: str, time: FrozenDateTimeFactory
) -> None:
    host, visitor = browser_of(app, service, "olga"), app.test_client()
    id = create(service, olga).id
    own, address = f"/tournaments/{id}", f"/tournaments/{id}/organise"
    assert "Write to one table" not in host.get(address).text

    def write(**fields: str) -> int:
        return post(host, address, address, type="AnnouncementMade", **fields).status_code

    assert write(text="Be <kind>") == 303
    page = visitor.get(own).text
    assert page.count("Be &lt;kind&gt;") == 2
    assert "To all players:" in page
    register(service, id, register_accounts(service, 4))
    harness = WorkerHarness(service)
    time.tick(timedelta(days=1))
    advance(harness)
    assert "Write to one table" in host.get(address).text
    assert write(text="Please hurry", round="1", table="2") == 303
    page = visitor.get(own).text
    assert "To table 2 of round 1:" in page
    assert page.count("Please hurry") == 1
    assert write(text=" ") == 400
    assert write(text="x", round="1", table="9") == 400
    harness.close()


def test_a_refused_change_is_shown_in_its_form(app: Flask, service: Service, olga: str) -> None:
    host = browser_of(app, service, "olga")
    id = create(service, olga).id
    address = f"/tournaments/{id}/organise"
    refused = post(host, address, address, type="ClosingDateChanged", reason="late", closes="soon")
    assert refused.status_code == 400
    assert "must be a time such as" in refused.text.lower()
    assert refused.text.count('<details class="change" open>') == 1
    refused = post(host, address, address, type="TextsChanged", reason=" ", name="Spring cup")
    assert "everybody reads it" in refused.text
    assert 'value="Spring cup"' in refused.text
    assert post(host, address, address, type="none", reason="x").status_code == 400
    assert change(host, id, "TournamentResumed") == 409
    assert service.tournaments.tournaments.load(id).changes == ()


def test_only_the_organiser_sees_the_page(
    app: Flask, browser: FlaskClient, service: Service, olga: str, ada: str
) -> None:
    id = create(service, olga).id
    address = f"/tournaments/{id}/organise"
    assert browser.get(address).status_code == 403
    assert app.test_client().get(address).status_code in (302, 303, 401)
    assert (
        post(
            browser, address, f"/tournaments/{id}", type="TournamentPaused", reason="x"
        ).status_code
        == 403
    )
    assert service.tournaments.tournaments.load(id).changes == ()


def test_an_organiser_rules_on_a_table_and_has_it_play_again(
    app: Flask, service: Service, olga: str, time: FrozenDateTimeFactory
) -> None:
    host, visitor = browser_of(app, service, "olga"), app.test_client()
    harness = WorkerHarness(service)
    id = create(service, olga).id
    own, address = f"/tournaments/{id}", f"/tournaments/{id}/organise"
    register(service, id, register_accounts(service, 4))
    time.tick(timedelta(days=1))
    advance(harness)
    first = service.tournaments.tournaments.load(id).rounds[0].games[0]
    assert f'href="{address}?round=1&amp;table=1#results-heading"' in host.get(address).text
    about = {"round": "1", "table": "1"}
    page = host.get(f"{address}?round=1&table=1").text
    assert "Table 1 of round 1" in page
    wrong = {**about, "place-0": "2", "place-1": "2"}
    refused = post(host, address, address, type="TableRuled", reason="they agreed", **wrong)
    assert refused.status_code == 400
    assert "must be the places by seat" in refused.text.lower()
    assert '<option value="2" selected>' in refused.text
    fields = {**about, "place-0": "0", "place-1": "1", "seq": "4"}
    assert change(host, id, "TableRuled", **fields) == 303
    page = visitor.get(own).text
    assert "Decided by the organiser." in page
    assert f'href="/games/{first}?seq=4"' in page
    assert change(host, id, "TableRuled", **{**fields, "place-0": "1", "seq": "999"}) == 400
    assert change(host, id, "TableReplayed", **about) == 303
    page = visitor.get(own).text
    assert "plays again" in page
    assert "A game that counts no more" in page
    assert f'href="/games/{first}"' in page
    shown = visitor.get(f"/api/v1/tournaments/{id}").get_json()["drawn"][0]["tables"]
    assert (shown[0]["places"], shown[0]["former_games"]) == (None, [first])
    assert change(host, id, "TableReplayed", **about) == 409, "the new game has not begun"
    harness.close()


def test_an_organiser_sees_a_draw_pairs_by_hand_and_prohibits_pairings(
    app: Flask, service: Service, olga: str, time: FrozenDateTimeFactory
) -> None:
    host, visitor = browser_of(app, service, "olga"), app.test_client()
    harness = WorkerHarness(service)
    id = create(service, olga).id
    own, address = f"/tournaments/{id}", f"/tournaments/{id}/organise"
    players = register_accounts(service, 4)
    register(service, id, players)
    assert change(host, id, "ReviewChanged", review="true") == 303
    assert change(host, id, "SeedingChanged", seeding="hand", players="@p4, p1") == 303
    unknown = {"type": "PairingsProhibited", "reason": "siblings", "players": "p1 nobody"}
    assert "nobody is not the handle" in post(host, address, address, **unknown).text
    assert change(host, id, "PairingsProhibited", players="p1, P2", club="") == 303
    assert "These players do not meet" in visitor.get(own).text
    time.tick(timedelta(days=1))
    advance(harness)
    assert "waits for the organiser" in visitor.get("/tournaments").text
    assert "The next round waits for its release." in visitor.get(own).text
    assert "The next round as it is drawn" not in host.get(address).text
    page = host.get(f"{address}?draw=1").text
    assert "The next round as it is drawn" in page
    # The field for tables by hand begins with those that were drawn, one a line.
    (entered,) = re.findall('name="tables"[^>]*>([^<]*)</textarea>', page)
    drawn = service.tournaments.tournaments.load(id)
    handles = service.accounts.players.handles(players)
    tables = drawn.next_tables() or ()
    named = [[handles[drawn.entrants[number]] for number in table] for table in tables]
    assert [line.split(", ") for line in entered.splitlines()] == named
    by_hand = {"tables": "p1, p2\r\np3, p4\r\n"}
    refused = post(host, address, address, type="RoundReleased", reason="balance", **by_hand)
    assert "prohibited pair" in refused.text
    assert change(host, id, "RoundReleased", tables="p1, p3\r\np2, p4\r\n") == 303
    advance(harness)
    page = visitor.get(own).text
    assert "Paired by the organiser, not drawn." in page
    assert change(host, id, "PairingsAllowed", players="p1, p2") == 303
    assert "Who does not meet" not in visitor.get(own).text
    harness.close()


def test_members_of_a_public_club_do_not_meet(app: Flask, service: Service, olga: str) -> None:
    host = browser_of(app, service, "olga")
    players = register_accounts(service, 3)
    clubs = [
        service.clubs.create(olga, name, is_private=name == "Secret").id
        for name in ("Open", "Secret")
    ]
    for club in clubs:
        for member in players[:2]:
            service.clubs.invite(club, olga, member)
            service.clubs.join(club, member)
    id = create(service, olga).id
    register(service, id, players)
    # Who is a member of a private club is nobody's business.
    assert change(host, id, "PairingsProhibited", club=clubs[1]) == 400
    assert change(host, id, "PairingsProhibited", club=clubs[0]) == 303
    assert service.tournaments.tournaments.load(id).prohibitions == (tuple(sorted(players[:2])),)
    assert change(host, id, "PairingsProhibited", club=clubs[0], players="p1") == 400


def test_a_named_organiser_of_a_private_tournament_sees_and_organises_it(
    app: Flask, browser: FlaskClient, service: Service, olga: str, ada: str
) -> None:
    host = browser_of(app, service, "olga")
    id = create(service, olga, private=True).id
    own, address = f"/tournaments/{id}", f"/tournaments/{id}/organise"
    assert browser.get(address).status_code == 404
    (handle,) = service.accounts.players.handles([ada]).values()
    assert change(host, id, "OrganiserNamed", player=f"@{handle}") == 303
    assert "For the organiser" in browser.get(own).text
    assert "Cup" in browser.get("/").text
    assert change(browser, id, "TextsChanged", name="Ada's cup") == 303
    assert service.tournaments.tournaments.load(id).name == "Ada's cup"
    assert change(host, id, "OrganiserDismissed", player=str(handle)) == 303
    assert browser.get(own).status_code == 404


def test_an_organiser_organises_a_tournament_again(
    app: Flask, service: Service, olga: str, time: FrozenDateTimeFactory
) -> None:
    host = browser_of(app, service, "olga")
    register_accounts(service, 2)
    rules = {"half_point_byes": 1, "late_rounds": 1, "starts_when_full": True}
    id = create(service, olga, private=True, invite=["p1", "p2"], most=8, **rules).id
    own = f"/tournaments/{id}"
    service.tournaments.tournaments.cancel(id, olga)
    assert "Organise it again" in host.get(own).text
    for wrong in ({"closes": "soon"}, {"closes": "2026-03-01T09:00"}, {"name": ""}):
        fields = {"name": "Second cup", "closes": "2026-03-20T18:00", **wrong}
        assert post(host, f"{own}/again", own, **fields).status_code == 400
    answer = post(host, f"{own}/again", own, name="Second cup", closes="2026-03-20T18:00")
    assert answer.status_code == 303
    load = service.tournaments.tournaments.load
    former, again = load(id), load(answer.headers["Location"].rpartition("/")[2])
    assert (again.name, again.closes) == ("Second cup", "2026-03-20T18:00:00.000Z")
    same = (
        "format",
        "rules",
        "options",
        "clock",
        "private",
        "least",
        "most",
        "entry_rules",
        "invited",
    )
    assert all(getattr(again, name) == getattr(former, name) for name in same)
    assert again.commitment != former.commitment
    player = browser_of(app, service, "p1")
    assert "Organise it again" not in player.get(own).text
    fields = {"name": "Mine", "closes": "2026-03-20T18:00"}
    assert post(player, f"{own}/again", own, **fields).status_code == 403
    service.accounts.players.register("eve", "correct horse")
    eve = browser_of(app, service, "eve")
    assert post(eve, f"{own}/again", "/tournaments", **fields).status_code == 404
