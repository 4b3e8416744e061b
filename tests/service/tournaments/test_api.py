"""Tournaments over HTTP: who may do what, and that nothing of a private one can be learned."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import httpx
import pytest
import redis
from freezegun import freeze_time

from ledger.keys import check_signed
from replay.tournaments.log import read_tournament
from service import wall_clock
from service.bootstrap import build
from tests.support.accounts import Accounts, Json, PlayerClient
from tests.support.administrators import WHY, register_administrator
from tests.support.http_contract import invalid_fields
from tests.support.server import WebServer
from tests.support.tournaments import settings

PATH = "/api/v1/tournaments"


@pytest.fixture
def organiser(accounts: Accounts, redis_client: redis.Redis) -> PlayerClient:
    """A player with the role of an organiser."""
    admin, player = register_administrator(accounts, redis_client), accounts.register()
    path = f"/api/v1/admin/players/{player.id}/role"
    assert admin.http.put(path, json={**WHY, "role": "organiser"}).status_code == 204
    return player


def body(**changes: Any) -> Json:
    """Return the body for a tournament whose registration closes in a day."""
    return settings(wall_clock.now() + timedelta(days=1), **changes)


def create(organiser: PlayerClient, **changes: Any) -> str:
    """Create a tournament and return its path."""
    response = organiser.http.post(PATH, json=body(**changes))
    assert response.status_code == 201, response.text
    return f"{PATH}/{response.json()['id']}"


def test_organisers_create_tournaments(accounts: Accounts, organiser: PlayerClient) -> None:
    fields = body()
    assert accounts.register().http.post(PATH, json=fields).status_code == 403
    assert organiser.http.post(PATH, json={}).status_code == 400
    key = {"Idempotency-Key": "cup"}
    first = organiser.http.post(PATH, json=fields, headers=key)
    again = organiser.http.post(PATH, json=fields, headers=key)
    assert (first.status_code, again.json()["id"]) == (201, first.json()["id"])
    other = organiser.http.post(PATH, json={**fields, "name": "Other"}, headers=key)
    assert other.status_code == 422
    shown = accounts.anonymous.get(f"{PATH}/{first.json()['id']}").json()
    assert (shown["status"], shown["secret"], shown["standings"]) == ("open", None, [])
    assert accounts.anonymous.get(f"{PATH}/t0000000000000000").status_code == 404
    listed = accounts.anonymous.get(f"{PATH}?status=open&limit=100").json()["tournaments"]
    assert shown["id"] in [tournament["id"] for tournament in listed]
    mine = organiser.http.get(f"{PATH}?mine=true").json()["tournaments"]
    assert [tournament["id"] for tournament in mine] == [shown["id"]]
    assert accounts.anonymous.get(f"{PATH}?status=now").status_code == 400


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"format": {"format": "swiss", "rounds": 0}}, "format.rounds"),
        ({"closes": "2020-01-01T00:00:00.000Z"}, "closes"),
        ({"closes": "tomorrow"}, "closes"),
        ({"closes": wall_clock.format(wall_clock.now() + timedelta(days=400))}, "closes"),
        ({"closes": "9999-12-31T23:59:59.999Z"}, "closes"),
        ({"clock": None}, "clock"),
        ({"clock": {}}, "clock.per_turn"),
        ({"least": 40}, "most"),
        ({"most": 1000}, "most"),
        ({"round_seconds": 1}, "round_seconds"),
        ({"options": {"tournament": {}}}, "options.tournament"),
        ({"options": {"rated": True}, "private": True}, "options.rated"),
        ({"options": {"no_such_option": 1}}, "options.no_such_option"),
        ({"name": ""}, "name"),
        ({"invite": ["nobody-at-all"]}, "invite"),
    ],
)
def test_each_wrong_field_is_named(
    organiser: PlayerClient, changes: dict[str, Any], field: str
) -> None:
    response = organiser.http.post(PATH, json=body(**changes))
    assert response.status_code == 400
    assert field in [error["field"] for error in response.json()["errors"]], response.text


def test_players_register_and_withdraw(accounts: Accounts, organiser: PlayerClient) -> None:
    path = create(organiser, most=2)
    ada, bea, cid = (accounts.register() for _ in range(3))
    me = f"{path}/players/me"
    entered = ada.http.put(me, json={"nonce": "00ff"}).json()
    keys = accounts.anonymous.get("/api/v1/keys").json()["keys"]
    check_signed(entered["receipt"], keys)
    assert entered["receipt"]["hash"] == entered["tournament"]["hash"]
    assert ada.http.put(me).json()["tournament"]["seq"] == entered["tournament"]["seq"]
    assert bea.http.put(me, json={"nonce": "0"}).status_code == 400
    assert bea.http.put(me).status_code == 200
    assert cid.http.put(me).status_code == 409
    assert cid.http.delete(me).status_code == 409
    assert bea.http.delete(me).status_code == 204
    unknown = f"{PATH}/t0000000000000000"
    assert cid.http.put(f"{unknown}/players/me").status_code == 404
    assert cid.http.delete(f"{unknown}/players/me").status_code == 404
    for part in ("events", "record", "standings"):
        assert accounts.anonymous.get(f"{unknown}/{part}").status_code == 404
    assert accounts.anonymous.get(f"{path}/events?limit=0").status_code == 400
    page = accounts.anonymous.get(f"{path}/events?limit=2").json()
    assert [event["type"] for event in page["events"]] == ["TournamentCreated", "PlayerRegistered"]
    rest = accounts.anonymous.get(f"{path}/events?after={page['next']}").json()
    assert [event["type"] for event in rest["events"]] == ["PlayerRegistered", "PlayerWithdrawn"]
    record = read_tournament(accounts.anonymous.get(f"{path}/record").content)
    assert list(record.events) == page["events"] + rest["events"]
    shown = accounts.anonymous.get(f"{path}/standings").json()
    assert shown == {"final": False, "groups": [], "individuals": []}
    picky = create(organiser, options={"round_limit": 1, "least_finished": 3})
    assert ada.http.put(f"{picky}/players/me").status_code == 403


def test_byes_are_asked_for_over_http(accounts: Accounts, organiser: PlayerClient) -> None:
    path = create(
        organiser, half_point_byes=1, late_rounds=1, late_points="1/2", starts_when_full=True
    )
    ada, visitor = accounts.register(), accounts.anonymous
    bye = f"{path}/byes/1"
    assert visitor.put(bye).status_code == 401
    assert ada.http.put(bye).status_code == 409
    ada.http.put(f"{path}/players/me")
    assert ada.http.put(bye).status_code == 204
    assert ada.http.put(bye).status_code == 409
    shown = visitor.get(path).json()
    assert shown["byes"] == [{"player": ada.id, "round": 1}]
    assert (shown["half_point_byes"], shown["late_points"], shown["late"]) == (1, "1/2", [])
    assert visitor.delete(bye).status_code == 401
    assert ada.http.delete(bye).status_code == 204
    assert ada.http.delete(bye).status_code == 409
    unknown = path.replace(path.rpartition("/")[2], "t0000000000000000")
    assert ada.http.put(f"{unknown}/byes/1").status_code == 404
    assert ada.http.delete(f"{unknown}/byes/1").status_code == 404
    private = create(organiser, private=True, half_point_byes=1)
    assert ada.http.put(f"{private}/byes/1").status_code == 404


def test_only_the_organiser_decides(accounts: Accounts, organiser: PlayerClient) -> None:
    path, private = create(organiser), create(organiser, private=True)
    ada = accounts.register()
    ada.http.put(f"{path}/players/me")
    player, invitation = f"{path}/players/{ada.handle}", f"{private}/invitations/{ada.handle}"
    replacement = {"entrant": ada.handle, "substitute": organiser.handle}
    assert ada.http.put(invitation).status_code == 404
    assert organiser.http.put(invitation).status_code == 204
    for refused in (
        ada.http.delete(player),
        ada.http.put(invitation),
        ada.http.post(f"{path}/replacements", json=replacement),
        ada.http.post(f"{path}/cancellation"),
    ):
        assert refused.status_code == 403
    unknown = f"{PATH}/t0000000000000000"
    for missing in (
        organiser.http.delete(f"{unknown}/players/{ada.handle}"),
        organiser.http.post(f"{unknown}/replacements", json=replacement),
        organiser.http.post(f"{unknown}/cancellation"),
    ):
        assert missing.status_code == 404
    assert organiser.http.delete(f"{path}/players/nobody-at-all").status_code == 400
    assert organiser.http.put(f"{private}/invitations/nobody-at-all").status_code == 400
    assert organiser.http.put(f"{path}/invitations/{ada.handle}").status_code == 409
    assert organiser.http.post(f"{path}/replacements", json=replacement).status_code == 409
    assert organiser.http.post(f"{path}/replacements", json={}).status_code == 400
    assert organiser.http.delete(player).status_code == 204
    assert organiser.http.delete(player).status_code == 409
    assert organiser.http.post(f"{path}/cancellation").json()["status"] == "cancelled"
    assert organiser.http.post(f"{path}/cancellation").status_code == 409


def test_an_organiser_makes_changes(accounts: Accounts, organiser: PlayerClient) -> None:
    path, ada = create(organiser, contact="by mail"), accounts.register()
    changes = f"{path}/changes"

    def change(type: str, player: PlayerClient = organiser, **data: Any) -> httpx.Response:
        return player.http.post(changes, json={"type": type, "reason": "because", "data": data})

    assert accounts.anonymous.get(path).json()["contact"] == "by mail"
    assert change("TextsChanged", name="Spring cup").json()["name"] == "Spring cup"
    assert change("TextsChanged", ada, name="Ada's cup").status_code == 403
    assert change("TextsChanged", name="Spring cup").status_code == 409
    assert invalid_fields(change("TextsChanged", name="")) == {"name"}
    assert invalid_fields(change("TextsChanged", closes=7)) == {"closes"}
    assert invalid_fields(change("PlayerRegistered")) == {"type"}
    empty = organiser.http.post(changes, json={"type": "TournamentPaused", "reason": " "})
    assert invalid_fields(empty) == {"reason"}
    unknown = f"{PATH}/t0000000000000000/changes"
    pause = {"type": "TournamentPaused", "reason": "a holiday"}
    assert organiser.http.post(unknown, json=pause).status_code == 404
    paused = organiser.http.post(changes, json=pause).json()
    assert paused["paused_at"] is not None
    (last,) = accounts.anonymous.get(f"{path}/events?after={paused['seq'] - 1}").json()["events"]
    assert (last["type"], last["data"]) == ("TournamentPaused", {"reason": "a holiday"})
    assert last["by"] == {"player": organiser.id}
    assert change("TournamentResumed").json()["paused_at"] is None


def test_each_place_is_explained_in_the_language_of_the_request(
    accounts: Accounts, organiser: PlayerClient, web: WebServer
) -> None:
    ada, bea = (accounts.register() for _ in range(2))
    path = create(organiser)
    for player in (ada, bea):
        assert player.http.put(f"{path}/players/me").status_code == 200
    bounds = replace(web.settings.bounds, max_clock_jump_seconds=1e12)
    with freeze_time(wall_clock.now() + timedelta(days=2)):
        service = build(replace(web.settings, bounds=bounds))
        service.tournaments.progress.advance(path.rsplit("/")[-1])
    service.redis.close()
    standings = f"{path}/standings"
    ((first, last),) = accounts.anonymous.get(standings).json()["groups"]
    assert (first["place"], last["place"]) == (1, 2)
    assert (first["decision"], last["decision"]) == (None, None)
    ruling = {"round": 1, "table": 1, "places": [1, 2]}
    body = {"type": "TableRuled", "reason": "they agreed", "data": ruling}
    ruled = organiser.http.post(f"{path}/changes", json=body).json()
    ((first, last),) = ruled["standings"]
    handle = ruled["handles"][last["player"]]
    assert first["decision"] == {
        "tie_break": "points",
        "value": "1",
        "against": "0",
        "text": f"Before {handle}: Points, 1 against 0.",
    }
    assert last["decision"] is None
    french = accounts.anonymous.get(standings, headers={"Accept-Language": "fr"})
    text = french.json()["groups"][0][0]["decision"]["text"]
    assert text.startswith(f"Devant {handle}"), text


def test_an_organiser_gives_a_place_to_a_substitute(
    accounts: Accounts, organiser: PlayerClient, web: WebServer
) -> None:
    ada, bea, cid = (accounts.register() for _ in range(3))
    path = create(organiser)
    for player in (ada, bea):
        assert player.http.put(f"{path}/players/me").status_code == 200
    bounds = replace(web.settings.bounds, max_clock_jump_seconds=1e12)
    with freeze_time(wall_clock.now() + timedelta(days=2)):
        service = build(replace(web.settings, bounds=bounds))
        service.tournaments.progress.advance(path.rsplit("/")[-1])
        service.redis.close()
    assert cid.http.put(f"{path}/players/me").status_code == 200
    body = {"entrant": f" {ada.handle.upper()}\u00a0", "substitute": f"@{cid.handle}\u200b"}
    replaced = organiser.http.post(f"{path}/replacements", json=body).json()
    assert sorted(replaced["entrants"]) == sorted([bea.id, cid.id])
    assert replaced["substitutes"] == []


def test_a_private_tournament_looks_nonexistent(
    accounts: Accounts, organiser: PlayerClient
) -> None:
    ada, stranger = accounts.register(), accounts.register()
    before = [reads(accounts, stranger, f"{PATH}/t0000000000000000")]
    path = create(organiser, private=True, invite=[ada.handle])
    ada.http.put(f"{path}/players/me")
    hidden = reads(accounts, stranger, path)
    assert [text.replace(path.rsplit("/")[-1], "t0000000000000000") for text in hidden] == before[0]
    assert ada.http.get(path).json()["players"] == 1
    assert organiser.http.get(path).status_code == 200


def reads(accounts: Accounts, stranger: PlayerClient, path: str) -> list[str]:
    """Return all responses about a tournament to somebody who may not see it, and to nobody."""
    parts = ("", "/events", "/record", "/standings")
    texts = [
        client.get(path + part) for client in (accounts.anonymous, stranger.http) for part in parts
    ]
    texts += [
        stranger.http.put(f"{path}/players/me"),
        stranger.http.delete(f"{path}/players/me"),
        stranger.http.delete(f"{path}/players/{stranger.handle}"),
        stranger.http.put(f"{path}/invitations/{stranger.handle}"),
        stranger.http.post(f"{path}/cancellation"),
        stranger.http.post(f"{path}/changes", json={"type": "TournamentPaused", "reason": "x"}),
    ]
    ids = [
        tournament["id"]
        for client in (accounts.anonymous, stranger.http)
        for tournament in client.get(f"{PATH}?limit=100").json()["tournaments"]
    ]
    return [
        *(f"{response.status_code} {response.json().get('detail')}" for response in texts),
        str(path.rsplit("/", maxsplit=1)[-1] in ids),
    ]


def new_club(owner: PlayerClient, *members: PlayerClient, private: bool) -> str:
    """Create a club with these members, and return its id."""
    fields = {"name": f"Club of {owner.handle}", "private": private}
    club = str(owner.http.post("/api/v1/clubs", json=fields).json()["id"])
    for member in members:
        path = f"/api/v1/clubs/{club}"
        owner.http.post(f"{path}/invitations", json={"handle": member.handle}).raise_for_status()
        member.http.put(f"{path}/members/me").raise_for_status()
    return club


def test_only_members_take_part_in_a_tournament_of_a_club(accounts: Accounts) -> None:
    ada, bea, eve = (accounts.register() for _ in range(3))
    club = new_club(ada, bea, private=False)
    options = {"round_limit": 1, "club": club}
    # The owner needs no role for it, and no member and no other club will do.
    assert bea.http.post(PATH, json=body(options=options)).status_code == 403
    assert ada.http.post(PATH, json=body()).status_code == 403
    for other in (new_club(eve, private=False), "0" * 16, "x", None, 7):
        refused = ada.http.post(PATH, json=body(options={**options, "club": other}))
        assert refused.status_code == 403
    tournament = create(ada, options=options)
    assert accounts.anonymous.get(tournament).json()["options"]["club"] == club
    refused = eve.http.put(f"{tournament}/players/me", json={})
    assert refused.status_code == 403
    assert "members of its club" in refused.text
    assert bea.http.put(f"{tournament}/players/me", json={}).status_code == 200
    invited = body(options=options, private=True, invite=[bea.handle])
    assert invalid_fields(ada.http.post(PATH, json=invited)) == {"invite"}


def test_an_organiser_needs_to_be_a_member_of_the_club(
    accounts: Accounts, organiser: PlayerClient
) -> None:
    ada = accounts.register()
    for club in (new_club(ada, private=True), "0" * 16, "x", 7):
        refused = organiser.http.post(PATH, json=body(options={"club": club}, private=True))
        assert invalid_fields(refused) == {"options.club"}, club
    club = new_club(accounts.register(), organiser, private=False)
    create(organiser, options={"round_limit": 1, "club": club})


def test_tournaments_are_listed_by_club(accounts: Accounts) -> None:
    ada, bea, eve = (accounts.register() for _ in range(3))
    club = new_club(ada, bea, private=False)
    options = {"round_limit": 1, "club": club}

    def listed(player: httpx.Client, query: str = "") -> list[str]:
        """Return the ids on the page of a player, which has no further one."""
        shown = player.get(f"{PATH}?club={club}{query}").json()
        assert shown["next"] is None
        return [tournament["id"] for tournament in shown["tournaments"]]

    public = create(ada, options=options).rpartition("/")[2]
    # An outsider cannot learn from the pages, however small, that there are private ones.
    private = [create(ada, options=options, private=True).rpartition("/")[2] for _ in range(2)]
    for outsider in (eve.http, accounts.anonymous):
        assert listed(outsider) == listed(outsider, "&limit=1") == [public]
    assert listed(bea.http) == listed(ada.http, "&mine=true") == [*reversed(private), public]
    assert listed(bea.http, "&mine=true") == []
    first = bea.http.get(f"{PATH}?club={club}&limit=2").json()
    assert listed(bea.http, f"&limit=2&cursor={first['next']}") == [public]
    ada.http.post(f"{PATH}/{public}/cancellation").raise_for_status()
    assert listed(eve.http, "&status=open") == []
    assert listed(eve.http, "&status=cancelled") == [public]
    other = create(eve, options={"round_limit": 1, "club": new_club(eve, private=False)})
    assert other.rpartition("/")[2] not in listed(eve.http)
    assert listed(eve.http, "&mine=true") == []
    for unknown in ("0" * 16, "x"):
        shown = ada.http.get(f"{PATH}?club={unknown}").json()
        assert shown == {"tournaments": [], "next": None}


def test_a_tournament_of_a_private_club_is_private_to_its_members(accounts: Accounts) -> None:
    ada, bea, eve = (accounts.register() for _ in range(3))
    club = new_club(ada, bea, private=True)
    options = {"round_limit": 1, "club": club}
    refused = ada.http.post(PATH, json=body(options=options))
    assert invalid_fields(refused) == {"private"}
    tournament = create(ada, options=options, private=True)
    for part in ("", "/events", "/record", "/standings"):
        assert bea.http.get(f"{tournament}{part}").status_code == 200
        for stranger in (eve.http, accounts.anonymous):
            assert stranger.get(f"{tournament}{part}").status_code == 404
    assert eve.http.put(f"{tournament}/players/me", json={}).status_code == 404
    invite = f"{tournament}/invitations/{eve.handle}"
    assert ada.http.put(invite).status_code == 409
    assert bea.http.put(f"{tournament}/players/me", json={}).status_code == 200
    # Whoever takes part stays in it, and is a stranger to it as soon as they withdraw before the draw.
    path = f"/api/v1/clubs/{club}/members/me"
    bea.http.delete(path).raise_for_status()
    assert bea.http.get(tournament).status_code == 200
    assert bea.http.delete(f"{tournament}/players/me").status_code == 204
    assert bea.http.put(f"{tournament}/players/me", json={}).status_code == 404
    assert bea.http.get(tournament).status_code == 404
    id = tournament.rpartition("/")[2]
    for stranger in (bea.http, eve.http, accounts.anonymous):
        for query in (f"club={club}", f"club={club}&limit=1"):
            assert stranger.get(f"{PATH}?{query}").json() == {"tournaments": [], "next": None}
    for stranger in (eve.http, accounts.anonymous):
        assert id not in stranger.get(f"{PATH}?limit=100").text
    assert id in ada.http.get(f"{PATH}?club={club}").text
