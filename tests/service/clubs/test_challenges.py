"""Challenges between clubs: who sends and answers them, and the match that an accepted one becomes."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
import redis
from flask import Flask
from freezegun import freeze_time

from domain.errors import Malformed, NotNow
from domain.tournaments.tournament import Tournament
from replay.tournaments.audit import audit_tournament
from replay.tournaments.log import read_tournament
from service import wall_clock
from service.bootstrap import Service
from service.clubs.challenges import MAX_RECEIVED, MAX_SENT, Challenge
from service.clubs.store import challenges_key
from service.errors import Forbidden, NotFound
from tests.service.tournaments.test_pages import browser_of
from tests.support.accounts import Accounts, PlayerClient
from tests.support.http_contract import invalid_fields
from tests.support.page_forms import PASSWORD, post
from tests.support.tournaments import CLOCK, DAY, START, advance, end_game
from tests.support.worker_harness import WorkerHarness

CLUBS = "/api/v1/clubs"
NAMES = ("ada", "bea", "cid", "dan", "eva", "fay", "gus")


def in_days(days: float) -> str:
    return wall_clock.format(wall_clock.now() + timedelta(days=days))


def settings(club: str, **changes: Any) -> dict[str, Any]:
    """Return the body of a challenge to a club."""
    return {
        "club": club,
        "rules": "barony",
        "options": {"round_limit": 1},
        "clock": CLOCK,
        "boards": 2,
        "cycles": 1,
        "closes": in_days(2),
        "round_seconds": 3 * DAY,
        "public": False,
        **changes,
    }


class Scene:
    """The club Crows of ada, with the officer bea and with cid, and Owls of dan, with eva and fay; gus is
    a stranger.
    """

    def __init__(self, service: Service) -> None:
        self.service = service
        self.challenges, self.matches = service.club_challenges, service.club_matches
        register = service.accounts.players.register
        self.ids = {name: register(name, PASSWORD)[0].id for name in NAMES}
        self.crows = self._club("Crows", "ada", "bea", "cid")
        self.owls = self._club("Owls", "dan", "eva", "fay")
        service.clubs.appoint(self.crows, self.ids["ada"], self.ids["bea"], ["edit"])

    def _club(self, name: str, owner: str, *members: str) -> str:
        clubs, by = self.service.clubs, self.ids[owner]
        club = clubs.create(by, name).id
        for member in members:
            clubs.invite(club, by, self.ids[member])
            clubs.join(club, self.ids[member])
        return club

    def challenge(self, by: str = "bea", **changes: Any) -> Challenge:
        """Let the Crows challenge the Owls."""
        return self.matches.challenge(
            self.crows, self.ids[by], settings(**{"club": self.owls, **changes})
        )

    def accept(self, challenge: Challenge, by: str = "dan", *, public: bool = False) -> Tournament:
        """Let the Owls accept."""
        return self.matches.accept(self.owls, self.ids[by], challenge.id, public=public)

    def waiting(self, club: str, player: str) -> list[str]:
        """Return the ids of the challenges that a member sees."""
        return [each.id for each in self.challenges.waiting(club, self.ids[player])]

    def enter(self, match: Tournament, captain: str, club: str, *players: str) -> Tournament:
        """Enter the team of a club."""
        entered, _ = self.service.tournaments.teams.enter(
            match.id, self.ids[captain], club, list(players)
        )
        return entered


@pytest.fixture
def scene(service: Service) -> Scene:
    return Scene(service)


def test_an_accepted_challenge_is_played_and_audits(service: Service) -> None:
    with freeze_time(START) as time:
        scene, harness = Scene(service), WorkerHarness(service)
        challenge = scene.challenge()
        for club, member in ((scene.crows, "cid"), (scene.owls, "fay")):
            assert scene.waiting(club, member) == [challenge.id]
        match = scene.accept(challenge)
        assert (scene.waiting(scene.crows, "cid"), scene.waiting(scene.owls, "fay")) == ([], [])
        assert match.name == "Crows - Owls"
        assert match.organisers == (scene.ids["dan"], scene.ids["bea"])
        assert dict(match.clubs) == {scene.crows: "Crows", scene.owls: "Owls"}
        scene.enter(match, "bea", "Crows", "bea", "cid")
        scene.enter(match, "dan", "Owls", "dan", "eva", "fay")
        teams = service.tournaments.teams
        for player, captain in (("cid", "bea"), ("eva", "dan"), ("fay", "dan")):
            teams.join(match.id, scene.ids[player], captain)
        time.tick(timedelta(days=2))
        advance(harness)
        (drawn,) = service.tournaments.tournaments.load(match.id).rounds
        assert len(drawn.tables) == 2
        for game in drawn.games:
            end_game(service, game or "")
        time.tick(timedelta(minutes=1))
        advance(harness)
        harness.close()
        played = service.tournaments.tournaments.load(match.id)
        assert played.status == "finished"
        record = b"".join(service.tournaments.tournaments.record(match.id, scene.ids["dan"]))
        games = {game: b"".join(service.games.queries.record(game)) for game in drawn.all_games}
    verdict = audit_tournament(read_tournament(record), games.get)
    assert verdict.outcome == "sound", verdict


def test_only_those_who_may_edit_challenge_and_answer(scene: Scene) -> None:
    ids = scene.ids
    for stranger in ("cid", "dan", "gus"):
        with pytest.raises(Forbidden):
            scene.challenge(stranger)
    challenge = scene.challenge()
    for stranger in ("bea", "gus", "eva"):
        with pytest.raises(Forbidden):
            scene.accept(challenge, stranger)
        if stranger != "bea":
            with pytest.raises(Forbidden):
                scene.matches.refuse(scene.owls, ids[stranger], challenge.id)
    # The club that has sent a challenge does not accept it, and strangers do not read it.
    with pytest.raises(Forbidden):
        scene.matches.accept(scene.crows, ids["ada"], challenge.id, public=True)
    with pytest.raises(Forbidden):
        scene.challenges.waiting(scene.crows, ids["gus"])
    with pytest.raises(NotFound):
        scene.matches.accept(scene.owls, ids["dan"], "0" * 16, public=True)
    scene.service.clubs.leave(scene.crows, ids["cid"])
    with pytest.raises(Forbidden):
        scene.challenges.waiting(scene.crows, ids["cid"])


def test_a_challenge_is_withdrawn_declined_or_ends(scene: Scene) -> None:
    ids = scene.ids
    first = scene.challenge()
    scene.matches.refuse(scene.crows, ids["ada"], first.id)
    second = scene.challenge()
    with pytest.raises(NotNow, match="waits already"):
        scene.challenge()
    scene.matches.refuse(scene.owls, ids["dan"], second.id)
    with pytest.raises(NotFound):
        scene.accept(second)
    third = scene.challenge()
    with freeze_time(wall_clock.now() + timedelta(days=2)):
        assert scene.waiting(scene.owls, "eva") == []
        with pytest.raises(NotFound):
            scene.accept(third)
        assert scene.challenge().id != third.id
    redis = scene.service.redis
    assert all(redis.hlen(challenges_key(club)) == 1 for club in (scene.crows, scene.owls))


def test_a_challenge_ends_with_either_club(scene: Scene) -> None:
    challenge = scene.challenge()
    scene.service.clubs.close(scene.crows, scene.ids["ada"])
    assert scene.waiting(scene.owls, "eva") == []
    with pytest.raises(NotFound):
        scene.accept(challenge)
    assert not scene.service.redis.exists(challenges_key(scene.crows))


def test_what_cannot_be_a_challenge_is_refused(scene: Scene) -> None:
    private = scene.service.clubs.create(scene.ids["ada"], "Hidden", is_private=True).id
    cases: list[tuple[dict[str, Any], str]] = [
        ({"club": scene.crows}, "club"),
        ({"club": private}, "club"),
        ({"club": "0" * 16}, "club"),
        ({"club": "x"}, "club"),
        ({"boards": 0}, "boards"),
        ({"boards": 9}, "boards"),
        ({"cycles": 5}, "cycles"),
        ({"closes": in_days(-1)}, "closes"),
        ({"closes": "tomorrow"}, "closes"),
        ({"clock": None}, "clock"),
        ({"round_seconds": 1}, "round_seconds"),
        ({"options": {"club": scene.crows}}, "options.club"),
        ({"options": {"private": True}}, "options.private"),
    ]
    for changes, field in cases:
        with pytest.raises(Malformed) as refused:
            scene.challenge(**changes)
        assert field in refused.value.fields, changes
    # A private club tells nobody that there is one.
    with pytest.raises(NotNow, match="only public clubs"):
        scene.matches.challenge(private, scene.ids["ada"], settings(scene.owls))


def test_few_challenges_of_a_club_and_to_it_wait(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (MAX_SENT, MAX_RECEIVED) == (10, 20)
    monkeypatch.setattr("service.clubs.challenges.MAX_SENT", 1)
    scene.challenge()
    other = scene.service.clubs.create(scene.ids["gus"], "Rooks").id
    with pytest.raises(NotNow, match="as many challenges as are allowed"):
        scene.challenge(club=other)
    monkeypatch.setattr("service.clubs.challenges.MAX_RECEIVED", 1)
    with pytest.raises(NotNow, match="as many wait as are allowed"):
        scene.matches.challenge(other, scene.ids["gus"], settings(scene.owls))
    # What was refused has left nothing.
    assert not scene.service.redis.exists(challenges_key(other))


def test_two_officers_who_accept_at_once_make_one_match(scene: Scene) -> None:
    scene.service.clubs.appoint(scene.owls, scene.ids["dan"], scene.ids["eva"], ["edit"])
    challenge = scene.challenge(public=True)
    original = scene.challenges.received(scene.owls, scene.ids["eva"], challenge.id)

    def accept(player: str) -> str:
        try:
            return scene.accept(challenge, player, public=True).id
        except NotFound:
            return ""

    with ThreadPoolExecutor(2) as pool:
        made = {*pool.map(accept, ("dan", "eva"))} - {""}
    assert len(made) == 1
    # Whoever comes a moment later takes over what the first one has decided.
    scene.challenges.accept(original, scene.ids["dan"], is_public=True)
    later = scene.challenges.accept(original, scene.ids["eva"], is_public=False)
    assert (later.player, later.is_public) == (scene.ids["dan"], True)
    matches, _ = scene.service.tournaments.tournaments.page(club=scene.owls)
    assert [match.id for match in matches] == [*made]


def test_a_challenge_that_was_accepted_is_not_withdrawn(scene: Scene) -> None:
    challenge = scene.challenge()
    scene.challenges.accept(challenge, scene.ids["dan"], is_public=False)
    with pytest.raises(NotNow, match="has been accepted"):
        scene.matches.refuse(scene.crows, scene.ids["ada"], challenge.id)
    # The process died before it made the match: accepting again makes it.
    assert scene.accept(challenge).creator == scene.ids["dan"]


@pytest.mark.parametrize(("wants", "other_wants"), [(True, False), (False, True), (True, True)])
def test_everybody_sees_a_match_if_both_clubs_want_it(
    scene: Scene, wants: bool, other_wants: bool
) -> None:
    match = scene.accept(scene.challenge(public=wants), public=other_wants)
    get, page = (
        scene.service.tournaments.tournaments.get,
        scene.service.tournaments.tournaments.page,
    )
    assert match.private == (not (wants and other_wants))
    for member in ("cid", "fay"):
        assert get(match.id, scene.ids[member]).id == match.id
    for club, member in ((scene.crows, "cid"), (scene.owls, "fay")):
        assert [each.id for each in page(viewer=scene.ids[member], club=club)[0]] == [match.id]
    for viewer in (None, scene.ids["gus"]):
        listed = page(viewer=viewer, club=scene.crows)[0] + page(viewer=viewer)[0]
        if match.private:
            assert listed == []
            with pytest.raises(NotFound):
                get(match.id, viewer)
        else:
            assert {each.id for each in listed} == {match.id}
    scene.service.clubs.leave(scene.owls, scene.ids["fay"])
    if match.private:
        with pytest.raises(NotFound):
            get(match.id, scene.ids["fay"])


def test_the_team_of_a_club_is_entered_by_its_officers_with_its_members(scene: Scene) -> None:
    match = scene.accept(scene.challenge(public=True), public=True)
    refused: list[tuple[str, str, list[str], type[Exception]]] = [
        ("cid", "Crows", ["cid", "ada"], Forbidden),
        ("bea", "Owls", ["bea", "cid"], Malformed),
        ("bea", "Rooks", ["bea", "cid"], Malformed),
        ("bea", "Crows", ["bea", "eva"], Malformed),
        ("bea", "Crows", ["bea", "gus"], Malformed),
        ("gus", "Owls", ["gus", "eva"], Malformed),
    ]
    for captain, club, players, error in refused:
        with pytest.raises(error):
            scene.enter(match, captain, club, *players)
    scene.enter(match, "bea", "Crows", "bea", "cid")
    for club, error in (("Crows", NotNow), ("Owls", Malformed)):
        # Another officer of the club enters no second team for it, and none for the other club.
        with pytest.raises(error):
            scene.enter(match, "ada", club, "ada", "cid")
    for player in (scene.ids["bea"], scene.ids["cid"]):
        scene.service.clubs.invite(scene.owls, scene.ids["dan"], player)
        scene.service.clubs.join(scene.owls, player)
    with pytest.raises(NotNow, match="name of its club"):
        scene.enter(match, "bea", "Owls", "bea", "cid")
    # Who has left the club does not join its team any more.
    scene.service.clubs.leave(scene.crows, scene.ids["cid"])
    with pytest.raises(Forbidden):
        scene.service.tournaments.teams.join(match.id, scene.ids["cid"], "bea")
    with pytest.raises(NotNow):
        scene.service.tournaments.tournaments.invite(match.id, scene.ids["dan"], "gus")
    with pytest.raises(Forbidden):
        scene.service.tournaments.tournaments.organise_again(
            match.id, scene.ids["dan"], "Again", in_days(3)
        )


def challenge_over_http(accounts: Accounts) -> tuple[PlayerClient, PlayerClient, str, str]:
    """Return the owners of two clubs, the first of which can challenge the other one."""
    ada, dan = accounts.register(), accounts.register()
    own, other = (
        str(owner.http.post(CLUBS, json={"name": f"Club of {owner.handle}"}).json()["id"])
        for owner in (ada, dan)
    )
    return ada, dan, f"{CLUBS}/{own}/challenges", f"{CLUBS}/{other}/challenges"


def test_challenges_over_http(accounts: Accounts, redis_client: redis.Redis) -> None:
    ada, dan, sent, received = challenge_over_http(accounts)
    eve, club = accounts.register(), received.split("/")[-2]
    assert accounts.anonymous.get(sent).status_code == 401
    assert eve.http.get(sent).status_code == 403
    nowhere = f"{CLUBS}/{'0' * 16}/challenges"
    assert ada.http.get(nowhere).status_code == 404
    assert ada.http.post(nowhere, json=settings(club)).status_code == 404
    assert ada.http.get(sent).json() == {"challenges": [], "next": None}
    assert invalid_fields(ada.http.post(sent, json=settings("x"))) == {"club"}
    assert eve.http.post(sent, json=settings(club)).status_code == 403
    made = ada.http.post(sent, json=settings(club, cycles=2))
    assert made.status_code == 201, made.text
    body = made.json()
    assert body["challenged"] == {"id": club, "name": f"Club of {dan.handle}"}
    assert body["player"] == {"id": ada.id, "handle": ada.handle}
    assert (body["boards"], body["cycles"], body["public"]) == (2, 2, False)
    assert ada.http.post(sent, json=settings(club)).status_code == 409
    for player, path in ((ada, sent), (dan, received)):
        assert player.http.get(path).json()["challenges"] == [body]
    assert eve.http.delete(f"{received}/{body['id']}").status_code == 403
    assert ada.http.delete(f"{sent}/{body['id']}").status_code == 204
    assert dan.http.delete(f"{received}/{body['id']}").status_code == 404
    again = ada.http.post(sent, json=settings(club)).json()["id"]
    accepting = f"{received}/{again}/tournament"
    assert accounts.anonymous.post(accepting).status_code == 401
    assert eve.http.post(accepting).status_code == 403
    assert invalid_fields(dan.http.post(accepting, json={"public": 1})) == {"public"}
    # Another officer has accepted it a moment before, and makes the match.
    redis_client.hset(challenges_key(club), f"accepted {again}", f"{dan.id} ")
    assert ada.http.delete(f"{sent}/{again}").status_code == 409
    match = dan.http.post(accepting)
    assert match.status_code == 201, match.text
    assert match.json()["clubs"].keys() == {club, sent.split("/")[-2]}
    assert match.json()["organisers"] == [dan.id, ada.id]
    assert dan.http.post(accepting).status_code == 404
    path = f"/api/v1/tournaments/{match.json()['id']}"
    assert eve.http.get(path).status_code == 404
    assert ada.http.get(path).status_code == 200


def test_challenges_on_the_pages(app: Flask, scene: Scene) -> None:
    service = scene.service
    bea, cid, dan, gus = (browser_of(app, service, name) for name in ("bea", "cid", "dan", "gus"))
    own, other = f"/clubs/{scene.crows}/challenges", f"/clubs/{scene.owls}/challenges"
    assert gus.get(own).status_code == 403
    assert app.test_client().get(own).status_code == 302
    assert "Challenge a club" not in cid.get(own).text
    assert "No club challenges yours." in cid.get(own).text
    assert 'value="Owls"' in bea.get(f"{own}?club={scene.owls}").text
    fields = {
        "club": "owls",
        "game": "barony",
        "boards": "1",
        "cycles": "1",
        "turn": "2",
        "days": "30",
        "closes": in_days(3)[:16],
        "public": "yes",
    }
    wrong: list[tuple[dict[str, str], str]] = [
        ({"club": "nobody"}, "Is not the name of a public club"),
        ({"game": "chess"}, "Is not one of the games"),
        ({"turn": ""}, "Must be a whole number from 1 to 30"),
        ({"days": "0"}, "Must be a whole number from 1 to 366"),
        ({"boards": "9"}, "Must be a whole number from 1 to 8"),
        ({"closes": ""}, "Must be a time such as"),
    ]
    for change, sentence in wrong:
        refused = post(bea, own, own, **{**fields, **change})
        assert refused.status_code == 400, change
        assert sentence in refused.text, change
    assert post(bea, own, own, **fields).status_code == 303
    assert "Withdraw the challenge" in bea.get(own).text
    assert "Withdraw the challenge" not in cid.get(own).text
    (id,) = scene.waiting(scene.owls, "eva")
    page = dan.get(other).text
    assert "Crows" in page
    assert "Accept the challenge" in page
    accepted = post(dan, f"{other}/acceptance", other, challenge=id, public="yes")
    assert accepted.status_code == 303
    match = accepted.headers["Location"]
    assert "A match of the clubs:" in gus.get(match).text
    assert "Only the members of its clubs can take part in this match." in gus.get(match).text
    assert match in bea.get(f"/clubs/{scene.crows}").text
    entry = f"{match}/team"
    assert "entered by its owner, or by an officer" in cid.get(entry).text
    assert '<option value="Crows"' in bea.get(entry).text
    assert '<option value="Owls"' not in bea.get(entry).text
    entered = post(bea, entry, entry, name="Crows", members="bea cid")
    assert entered.status_code == 303
    assert post(bea, own, own, **fields).status_code == 303
    (second,) = scene.waiting(scene.owls, "eva")
    assert post(dan, f"{other}/refusal", other, challenge=second).status_code == 303
    assert scene.waiting(scene.crows, "cid") == []
