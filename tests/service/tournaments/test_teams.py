"""Teams of tournaments at the service: whom a captain may name, how often, and what outsiders learn."""

from datetime import timedelta

import pytest
from freezegun import freeze_time

from domain.errors import Malformed, NotNow
from domain.tournaments import team_entries
from domain.tournaments.tournament import Tournament
from service import wall_clock
from service.bootstrap import Service
from service.errors import NotFound
from tests.simulation.mailboxes import Mailbox
from tests.support.tournaments import START, SWISS, advance, create, organiser, register_accounts
from tests.support.worker_harness import RecordingChannel, WorkerHarness

TEAMS = {**SWISS, "boards": 2, "scoring": "sums"}


def load(service: Service, id: str) -> Tournament:
    """Return a tournament at its head."""
    return service.tournaments.tournaments.load(id)


def test_a_captain_shows_a_private_tournament_of_a_club_to_its_members_only(
    service: Service,
) -> None:
    olga, (ada, bea, eve) = organiser(service), register_accounts(service, 3)
    club = service.clubs.create(olga, "Wednesday", is_private=True).id
    for player in (ada, bea):
        service.clubs.invite(club, olga, player)
        service.clubs.join(club, player)
    options = {"round_limit": 1, "club": club}
    id = create(service, olga, format=TEAMS, private=True, options=options).id
    enter, get = service.tournaments.teams.enter, service.tournaments.tournaments.get
    with pytest.raises(Malformed) as refused:
        enter(id, ada, "Crows", ["p1", "p3"])
    assert refused.value.fields.keys() == {"members"}
    with pytest.raises(NotFound):
        get(id, eve)
    enter(id, ada, "Crows", ["p1", "p2"])
    assert get(id, bea).teams[ada].roster == (ada, bea)
    # Who leaves the club before joining the team does not see it any more.
    service.clubs.leave(club, bea)
    with pytest.raises(NotFound):
        get(id, bea)


def test_a_former_member_who_took_no_part_is_a_stranger_to_a_tournament_of_a_private_club(
    service: Service,
) -> None:
    channel = RecordingChannel(name="email", is_operators=False)
    with freeze_time(START):
        olga, (ada, bea, cid) = organiser(service), register_accounts(service, 3)
        endpoints = Mailbox("email", [olga, ada, bea, cid], wall_clock.now)
        service.notifications.endpoints.add(endpoints)
        harness = WorkerHarness(service, channel)
        club = service.clubs.create(olga, "Wednesday", is_private=True).id
        for player in (ada, bea, cid):
            service.clubs.invite(club, olga, player)
            service.clubs.join(club, player)
        options = {"round_limit": 1, "club": club}
        id = create(service, olga, private=True, options=options).id
        tournaments = service.tournaments.tournaments
        for player in (ada, bea, cid):
            tournaments.register(id, player)
        tournaments.withdraw(id, bea)
        for player in (bea, cid):
            service.clubs.leave(club, player)
        # Who takes part goes on doing so; who has withdrawn before the draw does not.
        assert tournaments.get(id, cid).id == id
        with pytest.raises(NotFound):
            tournaments.get(id, bea)
        with pytest.raises(NotFound):
            service.tournament_posts.page(id, bea)
        tournaments.cancel(id, olga)
        advance(harness)
        harness.close()
    sent = [item.player for item in channel.sent if item.subject == "tournament_over"]
    assert sorted(sent) == sorted([olga, ada, cid])


def test_the_changes_of_a_captain_count_on_after_a_withdrawal(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(team_entries, "MAX_TEAM_CHANGES", 2)
    olga, (ada, _) = organiser(service), register_accounts(service, 2)
    id, teams = create(service, olga, format=TEAMS).id, service.tournaments.teams
    for name in ("A", "B", "C"):
        teams.enter(id, ada, name, ["p1", "p2"])
    service.tournaments.tournaments.withdraw(id, ada)
    teams.enter(id, ada, "D", ["p1", "p2"])
    with pytest.raises(NotNow):
        teams.enter(id, ada, "E", ["p1", "p2"])
    with pytest.raises(NotNow):
        teams.set_line_up(id, ada, "p1", 1, ["p1"])


def test_no_team_asks_a_player_who_was_excluded(service: Service) -> None:
    olga, (ada, bea) = organiser(service), register_accounts(service, 2)
    id = create(service, olga, format=TEAMS).id
    service.tournaments.teams.enter(id, ada, "Crows", ["p1", "p2"])
    assert load(service, id).teams_that_ask(bea)
    service.tournaments.teams.join(id, bea, "p1")
    service.tournaments.tournaments.exclude(id, olga, "p2")
    assert not load(service, id).teams_that_ask(bea)


def test_a_player_is_not_notified_again_of_a_team_that_is_entered_again(service: Service) -> None:
    channel = RecordingChannel(name="email", is_operators=False)
    with freeze_time(START) as time:
        olga, (ada, bea, cid) = organiser(service), register_accounts(service, 3)
        service.accounts.mutes.add(cid, ada)
        endpoints = Mailbox("email", [olga, ada, bea, cid], wall_clock.now)
        service.notifications.endpoints.add(endpoints)
        harness = WorkerHarness(service, channel)
        format = {"format": "swiss", "table_size": 2, "rounds": 1, "boards": 1}
        id = create(service, olga, format=format).id
        for members in (["p1", "p2"], ["p1", "p2"]):
            service.tournaments.teams.enter(id, ada, "Crows", members)
            time.tick(timedelta(minutes=1))
            advance(harness)
            service.tournaments.tournaments.withdraw(id, ada)
        # Who has muted the captain is not notified.
        service.tournaments.teams.enter(id, ada, "Crows", ["p1", "p3"])
        time.tick(timedelta(minutes=1))
        advance(harness)
        harness.close()
    sent = [item.player for item in channel.sent if item.subject == "tournament_team"]
    assert sent == [bea]
