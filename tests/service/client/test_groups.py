"""The groups of calls of the client on a real web server: what each kind of call sends and returns."""

import asyncio
import itertools
from collections.abc import Iterator
from typing import Any, get_type_hints

import httpx
import pytest

from cartulary.client import (
    AsyncClient,
    Client,
    Conflict,
    Event,
    Evidence,
    GamePage,
    GamePositions,
    InvalidResponse,
    MalformedRequest,
    NotFound,
    async_pages,
    pages,
)
from client.groups.clubs import ClubDetails, create_club
from client.groups.disputes import Ruling
from client.requests import segment
from client.response_cache import MAX_BODY_BYTES, MAX_RESPONSES
from client.results import parse
from tests.games.records import FOLDER as RECORDS
from tests.support.server import WebServer

_numbers = itertools.count(1)


@pytest.fixture
def client(web: WebServer) -> Iterator[Client]:
    """A client with a player of its own."""
    with Client(web.url, evidence=Evidence.none()) as client:
        client.register(f"groups-{next(_numbers)}", "correct horse")
        yield client


@pytest.fixture
def other(web: WebServer) -> Iterator[Client]:
    """Another one."""
    with Client(web.url, evidence=Evidence.none()) as client:
        client.register(f"groups-{next(_numbers)}", "correct horse")
        yield client


def test_a_club_is_created_edited_and_closed(client: Client, other: Client) -> None:
    name = f"Club {next(_numbers)}"
    club = client.clubs.create(name=name, private=True)
    assert (club["name"], club["private"], club["members"]) == (name, True, 1)
    assert client.clubs.edit(club["id"], about="On Fridays.")["about"] == "On Fridays."
    token = client.clubs.invite(club["id"])["token"]
    assert other.clubs.join(club["id"], invitation=token) == {"you": "member"}
    members = client.clubs.list_members(club["id"], relation="member", limit=10)
    assert {member["handle"] for member in members["players"]} >= {other.me().player.handle}
    client.clubs.close(club["id"])
    with pytest.raises(NotFound):
        client.clubs.get(club["id"])


def test_null_is_sent_and_what_is_left_out_is_not(client: Client) -> None:
    assert client.account.change(locale="fr", time_zone="Europe/Paris")["player"]["locale"] == "fr"
    account = client.account.change(locale=None)["player"]
    assert (account["locale"], account["time_zone"]) == (None, "Europe/Paris")


def test_a_wrong_field_is_named(client: Client) -> None:
    with pytest.raises(MalformedRequest) as problem:
        client.clubs.create(name=3, colour="red")  # type: ignore[arg-type, call-arg] # a type checker finds both
    assert {fault.field for fault in problem.value.errors} == {"name", "colour"}


def test_a_personal_token_is_created_used_and_revoked(client: Client, web: WebServer) -> None:
    created = client.tokens.create(name="a spreadsheet", scopes=["read"], days=7)
    with Client(web.url, created["token"], evidence=Evidence.none()) as program:
        assert program.me().player == client.me().player
    assert [token["name"] for token in client.tokens.list()["tokens"]] == ["a spreadsheet"]
    client.tokens.revoke(created["id"])
    assert client.tokens.list()["tokens"] == []


def test_webhooks_exports_ratings_and_the_server_are_read(client: Client) -> None:
    assert client.webhooks.list()["webhooks"] == []
    assert client.history.export_records() == b""
    assert client.history.list_receipts()["receipts"] == []
    assert client.ratings.get_leaderboard("barony")["system"] == "barony"
    assert client.server.check_health()["status"] == "alive"
    assert "cartulary_requests_total" in client.server.get_metrics()
    assert client.server.get_statistics()["events"] >= 0
    assert client.tournaments.list(status="open", mine=True)["tournaments"] == []


def test_a_record_is_uploaded_and_pictures_are_bytes_or_text(client: Client, other: Client) -> None:
    game = client.create_game("barony", 2, options={"seating": "joined"}).id
    other.join(game)
    assert client.pictures.draw_svg(game, width=100).startswith("<svg")
    assert client.pictures.draw_png(game, width=100).startswith(b"\x89PNG")
    games = client.profiles.list_games(client.me().player.handle, status="playing")
    assert isinstance(games, GamePage)
    assert [playing.id for playing in games.games] == [game]
    record = (RECORDS / "duke-of-three.jsonl").read_bytes()
    imported = client.imports.upload(record, public=False)
    assert client.imports.get_record(imported["id"]) == record
    assert imported["id"] in [own["id"] for own in client.imports.list_own()["imports"]]
    client.imports.delete(imported["id"])


def test_an_event_has_what_came_before_and_after(client: Client, other: Client) -> None:
    game = client.create_game("barony", 2, options={"seating": "joined"}).id
    other.join(game)
    legal = client.legal_actions(game)
    client.submit(game, legal.actions[0], expected_seq=legal.seq)
    details = client.history.get_event(game, legal.seq + 1)
    assert details["event"]["type"] == "CityPlaced"
    assert details["after"] == client.position(game).json


def test_a_repeated_key_has_effect_once(client: Client, other: Client) -> None:
    game = client.create_game("barony", 2).id
    handle = other.me().player.handle
    client.invite_player(game, handle)
    assert [waiting.id for waiting in other.invitations.list().games] == [game]
    for _ in range(2):
        other.invitations.decline(game, idempotency_key="no")
    assert other.invitations.list().games == ()


def test_all_pages_are_read_with_either_client(client: Client, web: WebServer) -> None:
    names = {f"Paged {next(_numbers)}" for _ in range(3)}
    ids = [client.clubs.create(name=name)["id"] for name in names]
    listed = [club["name"] for page in pages(client.clubs.list, limit=2) for club in page["clubs"]]
    assert names <= set(listed)
    assert len(listed) == len(set(listed))
    game = client.create_game("barony", 2).id
    events = [event.seq for page in pages(client.events, game, limit=1) for event in page.events]
    assert events == list(range(1, client.game(game).head.seq + 1))

    async def read() -> list[str]:
        async with AsyncClient(web.url, evidence=Evidence.none()) as reader:
            found: list[str] = []
            async for page in async_pages(reader.clubs.list, limit=2):
                found += [club["name"] for club in page["clubs"]]
            return found

    assert asyncio.run(read()) == listed
    for id in ids:
        client.clubs.close(id)
    with pytest.raises(TypeError, match="has no pages"):
        next(pages(client.account.list_sessions))


def test_a_list_without_end_is_noticed() -> None:
    page = httpx.Response(200, json={"clubs": [], "next": "again"})
    with (
        client_of(lambda _: page) as client,
        pytest.raises(InvalidResponse, match="does not come to an end"),
    ):
        list(pages(client.clubs.list))


def client_of(respond: Any) -> Client:
    """Return a client of a server that responds like this."""

    def copy(request: httpx.Request) -> httpx.Response:
        response = respond(request)
        return httpx.Response(
            response.status_code, headers=response.headers, content=response.content
        )

    return Client(
        "http://server.test", evidence=Evidence.none(), transport=httpx.MockTransport(copy)
    )


def test_a_position_that_has_not_changed_is_not_sent_again(client: Client, other: Client) -> None:
    game = client.create_game("barony", 2, options={"seating": "joined"}).id
    other.join(game)
    statuses: list[int] = []
    client._http.event_hooks["response"].append(lambda r: statuses.append(r.status_code))
    first = client.position(game)
    assert client.position(game) == first
    assert client.position(game, seq=4) == first
    assert statuses == [200, 304, 200]
    legal = client.legal_actions(game)
    client.submit(game, legal.actions[0], expected_seq=legal.seq)
    assert client.position(game).to_act == 1
    client.token = other.token
    statuses.clear()
    assert client.position(game).to_act == 1
    assert statuses == [200]


def test_a_bounded_number_of_responses_is_known() -> None:
    asked: list[str | None] = []

    def respond(request: httpx.Request) -> httpx.Response:
        asked.append(request.headers.get("if-none-match"))
        long = (
            {"filler": "x" * MAX_BODY_BYTES} if request.url.path.endswith("/long/position") else {}
        )
        return httpx.Response(200, headers={"ETag": '"1"'}, json={"round": 1, "to_act": 0, **long})

    with client_of(respond) as client:
        for number in range(MAX_RESPONSES + 1):
            client.position(str(number))
        assert asked == [None] * (MAX_RESPONSES + 1)
        asked.clear()
        for game in (str(MAX_RESPONSES), "0", "long", "long"):
            client.position(game)
    assert asked == ['"1"', None, None, None]


def test_all_games_of_a_player_are_streamed(client: Client, other: Client) -> None:
    first = client.create_game("barony", 2, options={"seating": "joined"}).id
    with_stream = client.stream_mine()
    positions = next(with_stream)
    assert isinstance(positions, GamePositions)
    assert positions.games == {first: client.game(first).head.seq}
    other.join(first)
    joined = [next(with_stream), next(with_stream)]
    types = [event.type for event in joined if isinstance(event, Event)]
    assert types[0] == "SeatTaken"
    with_stream.close()  # type: ignore[attr-defined] # it is a generator


@pytest.mark.parametrize("value", ["..", ".", "a/b", "a?b", "é", ""])
def test_an_id_cannot_lead_to_another_path(value: str) -> None:
    paths: list[bytes] = []

    def respond(request: httpx.Request) -> httpx.Response:
        paths.append(request.url.raw_path)
        return httpx.Response(404, json={})

    with client_of(respond) as client, pytest.raises(NotFound):
        client.webhooks.remove(value)
    assert paths == [b"/api/v1/me/webhooks/" + segment(value).encode()]
    assert paths[0].count(b"/") == 5


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"name": 3}, "name"),
        ({"owner": {"id": "A"}}, "owner.handle"),
        ({"members": None}, "members"),
        ({"about": ...}, "about"),
    ],
)
def test_a_response_without_its_form_is_refused(changes: dict[str, Any], field: str) -> None:
    club = {
        "id": "c",
        "name": "N",
        "about": "",
        "private": False,
        "created": "now",
        "owner": {"id": "A", "handle": "ada"},
        "members": 1,
        "you": None,
        "rights": [],
        "question": None,
    }
    assert parse(ClubDetails, {**club, "later": 1}) == {**club, "later": 1}
    wrong = {name: value for name, value in {**club, **changes}.items() if value is not ...}
    with pytest.raises(InvalidResponse, match=f"see the field {field}$"):
        parse(ClubDetails, wrong)


def test_a_value_of_one_of_several_forms_is_read() -> None:
    assert parse(Ruling, {"type": "remove_seat", "seat": 1}) == {"type": "remove_seat", "seat": 1}  # type: ignore[arg-type] # a union is no class
    with pytest.raises(InvalidResponse):
        parse(Ruling, [])  # type: ignore[arg-type] # as above


def test_text_that_is_not_text_is_refused() -> None:
    with (
        client_of(lambda _: httpx.Response(200, content=b"\xff")) as client,
        pytest.raises(InvalidResponse, match="is not text"),
    ):
        client.server.get_metrics()


def test_a_call_that_begins_a_session_sends_no_token(client: Client) -> None:
    client.token = "expired"
    assert client.server.check_health()["status"] == "alive"


def test_a_post_without_a_key_is_not_repeated() -> None:
    described = create_club(name="A")
    assert (described.can_repeat, described.body) == (False, {"name": "A"})
    assert get_type_hints(create_club)["return"] is not None


def test_a_conflict_is_raised(client: Client) -> None:
    name = f"Club {next(_numbers)}"
    client.clubs.create(name=name)
    with pytest.raises(Conflict):
        client.clubs.create(name=name)
