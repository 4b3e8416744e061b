"""Handles, addresses and codes over HTTP: white space and capital letters that phones add do not matter."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final, TypeAlias
from urllib.parse import quote

import httpx
import pytest
import redis

from service import wall_clock
from service.accounts.accounts import Players
from service.accounts.erased import ErasedPlayers
from service.bounds import Bounds
from service.http.route_words import HANDLE_PARAMETERS
from service.notifications.feed_tokens import FeedTokens
from tests.support.accounts import PASSWORD, Accounts, PlayerClient, http_client
from tests.support.administrators import ADMIN, WHY, register_administrator
from tests.support.http_contract import Contract
from tests.support.tournaments import settings

API = "/api/v1"
URL: Final = "https://example.org/games"
ENTERED: Final = frozenset(
    {"handle", "other", "invite", "arbiter", "entrant", "substitute", "opponent", "player"}
    | {"members", "players"}
    | {"email", "url", "invitation", "token"}
)
"""The names of strings that people type or paste: handles, addresses and codes."""
OTHERS: Final[Mapping[str, frozenset[str]]] = {
    "passwords are taken as they are": frozenset({"password", "new_password"}),
    "texts, each with rules of its own": frozenset(
        {
            "about",
            "answer",
            "contact",
            "description",
            "details",
            "name",
            "question",
            "reason",
            "statement",
            "text",
            "title",
        }
    ),
    "programs copy ids and cursors": frozenset(
        {"after", "announcement", "club", "cursor", "delivery", "feed", "game", "game_id"}
        | {
            "holiday",
            "id",
            "imported",
            "key",
            "meeting",
            "poll",
            "challenge",
            "report",
            "sandbox_id",
            "session",
            "subscription",
        }
        | {"tournament", "webhook"}
    ),
    "programs make these bytes and notes": frozenset(
        {"auth", "checkpoint", "endpoint", "nonce", "p256dh", "proof", "public", "seed"} | {"state"}
    ),
    "words of a fixed list, dates, and conditions of filters": frozenset(
        {
            "bot",
            "bots",
            "clause",
            "at",
            "closes",
            "date",
            "dates",
            "ends",
            "first_day",
            "from",
            "hex",
            "last_day",
            "locale",
        }
        | {
            "period",
            "scopes",
            "seat",
            "status",
            "system",
            "table",
            "time_zone",
            "to",
            "type",
            "value",
        }
    ),
}
"""The names of all other strings, by why they are not typed."""
NOT_ENTERED: Final = frozenset(
    {
        "GET /admin/games player",  # an id
        "POST /admin/games/{game}/seat-moves player",  # an id
    }
)
ELSEWHERE: Final = frozenset(
    {
        # test_an_organiser_gives_a_place_to_a_substitute
        "POST /tournaments/{id}/replacements entrant",
        "POST /tournaments/{id}/replacements substitute",
        # test_a_password_is_replaced_with_a_token
        "POST /password-resets handle",
        "PUT /password-resets token",
    }
)


@dataclass
class Scene:
    """Ada, who organises a tournament and owns a club and games, and two players who are like each other."""

    ada: PlayerClient
    bea: PlayerClient
    cid: PlayerClient
    admin: PlayerClient
    anonymous: httpx.Client
    club: str
    other_club: str
    game: str
    games: list[str]
    cup: str
    private_cup: str
    feeds: FeedTokens

    def call(self, method: str, path: str, body: Any = None) -> httpx.Response:
        """Send a request of Ada's."""
        return self.ada.http.request(method, API + path, json=body)

    def create_club_link(self) -> str:
        """Return the token of a new link to the other club."""
        return str(self.call("POST", f"/clubs/{self.other_club}/invitations").json()["token"])


@pytest.fixture
def scene(accounts: Accounts, redis_client: redis.Redis) -> Scene:
    admin = register_administrator(accounts, redis_client)
    ada, bea, cid = (accounts.register() for _ in range(3))
    role = admin.http.put(f"{ADMIN}/players/{ada.id}/role", json={**WHY, "role": "organiser"})
    assert role.status_code == 204
    club, other = (
        ada.http.post(f"{API}/clubs", json={"name": f"{name} of {ada.handle}"}).json()["id"]
        for name in ("Club", "Other club")
    )
    closes = wall_clock.now() + timedelta(days=1)
    cup, private = (
        ada.http.post(f"{API}/tournaments", json=settings(closes, private=is_private)).json()["id"]
        for is_private in (False, True)
    )
    game = ada.create_game(4)
    for player in (bea, cid):
        player.http.put(f"{API}/clubs/{club}/members/me")
        player.http.put(f"{API}/tournaments/{cup}/players/me")
    games = [ada.create_game(2, options={"private": True}) for _ in range(2)]
    return Scene(
        *(ada, bea, cid, admin, accounts.anonymous, club, other, game, games, cup, private),
        FeedTokens(redis_client, 5),
    )


def typed(text: str) -> str:
    """Return a text as a phone may send it: with spaces around it, some of which nobody sees."""
    return f"\ufeff \u00a0{text}\u200b \u00a0\n"


def broken(code: str) -> str:
    """Return a code that a mail program has broken into two lines."""
    return typed(f"{code[:20]}\r\n {code[20:]}")


Send: TypeAlias = Callable[[Scene, str], httpx.Response]


def _path(method: str, template: str, query: str = "") -> Send:
    """Return a call of Ada's that has a handle in its path, or in its query."""

    def send(scene: Scene, handle: str) -> httpx.Response:
        values = {name: getattr(scene, name) for name in ("club", "game", "cup", "private_cup")}
        path = template.format(**values, handle=quote(handle), ada=scene.ada.handle)
        return scene.call(method, path + (query + quote(handle) if query else ""))

    return send


def _body(method: str, template: str, name: str, **others: Any) -> Send:
    """Return a call of Ada's that has a handle in its body."""

    def send(scene: Scene, handle: str) -> httpx.Response:
        values = {key: getattr(scene, key) for key in ("club", "game", "cup")}
        fields = {key: value(scene) if callable(value) else value for key, value in others.items()}
        value = [handle] if name == "invite" else handle
        return scene.call(method, template.format(**values), {**fields, name: value})

    return send


def _cup_that_invites(scene: Scene, handle: str) -> httpx.Response:
    closes = wall_clock.now() + timedelta(days=1)
    return scene.call("POST", "/tournaments", settings(closes, private=True, invite=[handle]))


def _teams(scene: Scene, *captains: PlayerClient) -> str:
    """Return the path of a new tournament of Ada's, with teams of these captains that have named Ada."""
    format = {"format": "swiss", "table_size": 2, "rounds": 3, "boards": 1}
    fields = settings(wall_clock.now() + timedelta(days=1), format=format)
    path = f"/tournaments/{scene.call('POST', '/tournaments', fields).json()['id']}/teams"
    for captain in captains:
        team = {"name": captain.handle, "members": [captain.handle, scene.ada.handle]}
        assert captain.http.put(f"{API}{path}/mine", json=team).is_success
    return path


def _enter_team(scene: Scene, handle: str) -> httpx.Response:
    team = {"name": "Crows", "members": [scene.ada.handle, handle]}
    return scene.call("PUT", f"{_teams(scene)}/mine", team)


def _join_team(scene: Scene, handle: str) -> httpx.Response:
    path = _teams(scene, scene.bea, scene.cid)
    return scene.call("PUT", f"{path}/{quote(handle)}/players/me")


def _line_up_of_captain(scene: Scene, handle: str) -> httpx.Response:
    path = _teams(scene, scene.bea, scene.cid)
    captain = scene.bea if handle == scene.bea.handle else scene.cid
    line_up = {"players": [captain.handle]}
    return scene.call("PUT", f"{path}/{quote(handle)}/line-ups/1", line_up)


def _line_up_of_player(scene: Scene, handle: str) -> httpx.Response:
    path = _teams(scene, scene.bea, scene.cid)
    captain = scene.bea if handle == scene.bea.handle else scene.cid
    return scene.call("PUT", f"{path}/{captain.handle}/line-ups/1", {"players": [handle]})


def _name_captain(scene: Scene, handle: str) -> httpx.Response:
    """Hand a team of this captain, in the path, on to Ada, and back by this handle, in the body."""
    path = _teams(scene, scene.bea, scene.cid)
    captain = scene.bea if handle == scene.bea.handle else scene.cid
    scene.call("PUT", f"{path}/{captain.handle}/players/me")
    handed_on = scene.call("PUT", f"{path}/{quote(handle)}/captain", {"handle": scene.ada.handle})
    if not handed_on.is_success:
        return handed_on
    return scene.call("PUT", f"{path}/{scene.ada.handle}/captain", {"handle": handle})


def _hand_on(scene: Scene, handle: str) -> httpx.Response:
    """Hand the club on to a member, who hands it back."""
    for player in (scene.bea, scene.cid):
        scene.call("PUT", f"/clubs/{scene.club}/members/{player.handle}")
    response = scene.call("PUT", f"/clubs/{scene.club}/owner", {"handle": handle})
    for player in (scene.bea, scene.cid):
        player.http.put(f"{API}/clubs/{scene.club}/owner", json={"handle": scene.ada.handle})
    return response


def _appoint(scene: Scene, handle: str) -> httpx.Response:
    """Make a member an officer."""
    for player in (scene.bea, scene.cid):
        scene.call("PUT", f"/clubs/{scene.club}/members/{player.handle}")
    return scene.call("PUT", f"/clubs/{scene.club}/officers/{quote(handle)}", {"rights": ["edit"]})


def _log_in(scene: Scene, handle: str) -> httpx.Response:
    return scene.anonymous.post(f"{API}/tokens", json={"handle": handle, "password": PASSWORD})


def _search(scene: Scene, handle: str) -> httpx.Response:
    found = scene.admin.http.get(f"{ADMIN}/players", params={"handle": handle})
    return found if found.json()["players"] else httpx.Response(404)


_GAME: Final = {"rules": "barony", "seats": 2}
OF_HANDLES: Final[Mapping[str, Send]] = {
    "GET /players/{handle} handle": _path("GET", "/players/{handle}"),
    "GET /players/{handle}/games handle": _path("GET", "/players/{handle}/games"),
    "GET /players/{handle}/head-to-head/{other} handle": _path(
        "GET", "/players/{handle}/head-to-head/{ada}"
    ),
    "GET /players/{handle}/head-to-head/{other} other": _path(
        "GET", "/players/{ada}/head-to-head/{handle}"
    ),
    "GET /admin/players handle": _search,
    "POST /tokens handle": _log_in,
    "PUT /me/mutes/{handle} handle": _path("PUT", "/me/mutes/{handle}"),
    "DELETE /me/mutes/{handle} handle": _path("DELETE", "/me/mutes/{handle}"),
    "POST /games invite": _body("POST", "/games", "invite", **_GAME),
    "POST /games arbiter": _body("POST", "/games", "arbiter", **_GAME),
    "POST /games/{game_id}/invitations handle": _body(
        "POST", "/games/{game}/invitations", "handle"
    ),
    "DELETE /games/{game_id}/invitations/players/{handle} handle": _path(
        "DELETE", "/games/{game}/invitations/players/{handle}"
    ),
    "PUT /clubs/{club}/members/{handle} handle": _path("PUT", "/clubs/{club}/members/{handle}"),
    "PUT /clubs/{club}/owner handle": _hand_on,
    "PUT /clubs/{club}/officers/{handle} handle": _appoint,
    "DELETE /clubs/{club}/officers/{handle} handle": _path(
        "DELETE", "/clubs/{club}/officers/{handle}"
    ),
    "DELETE /clubs/{club}/members/{handle} handle": _path(
        "DELETE", "/clubs/{club}/members/{handle}"
    ),
    "POST /clubs/{club}/invitations handle": _body("POST", "/clubs/{club}/invitations", "handle"),
    "POST /tournaments invite": _cup_that_invites,
    "PUT /tournaments/{id}/invitations/{handle} handle": _path(
        "PUT", "/tournaments/{private_cup}/invitations/{handle}"
    ),
    "PUT /tournaments/{id}/teams/mine members": _enter_team,
    "PUT /tournaments/{id}/teams/{handle}/players/me handle": _join_team,
    "PUT /tournaments/{id}/teams/{handle}/captain handle": _name_captain,
    "PUT /tournaments/{id}/teams/{handle}/line-ups/{round} handle": _line_up_of_captain,
    "PUT /tournaments/{id}/teams/{handle}/line-ups/{round} players": _line_up_of_player,
    "DELETE /tournaments/{id}/players/{handle} handle": _path(
        "DELETE", "/tournaments/{cup}/players/{handle}"
    ),
}
"""A request for each handle that a request has: it succeeds for a player, and fails for nobody's handle."""
SELECTING: Final[Mapping[str, str]] = {
    "GET /games player": "/games?player=",
    "GET /players/{handle}/games opponent": "/players/{ada}/games?opponent=",
}
"""Lists that a handle narrows; nobody's handle makes them empty."""
OF_NEW_ACCOUNTS: Final = frozenset(
    {"POST /players handle", "PUT /me/handle handle", "POST /players email", "PUT /me/handle email"}
    | {"POST /me/email email"}
)
OF_CODES: Final = frozenset(
    {"GET /invitations/{token} token", "POST /games/{game_id}/players invitation"}
    | {"PUT /clubs/{club}/members/me invitation"}
    | {"GET /feeds/{token}/deadlines.ics token", "GET /feeds/{token}/games.atom token"}
)
OF_URLS: Final = frozenset({"POST /me/webhooks url", "PUT /clubs/{club}/webhook url"})


def entered_strings(contract: Contract) -> Iterator[tuple[str, str]]:
    """Yield operation and name of all strings that requests have, but for headers and choices."""
    for path, methods in contract.document["paths"].items():
        for method, operation in methods.items():
            if method not in ("get", "post", "put", "patch", "delete"):
                continue
            call = f"{method.upper()} {path.removeprefix(API)}"
            for parameter in operation.get("parameters", []) + methods.get("parameters", []):
                described = resolved(contract, parameter)
                if described["in"] != "header" and is_text(contract, described["schema"]):
                    yield call, described["name"]
            content = operation.get("requestBody", {}).get("content", {})
            if "application/json" in content:
                body = resolved(contract, content["application/json"]["schema"])
                for name, schema in body.get("properties", {}).items():
                    if is_text(contract, schema):
                        yield call, name


def is_text(contract: Contract, schema: Any) -> bool:
    schema = resolved(contract, schema)
    if schema.get("type") == "array":
        schema = resolved(contract, schema["items"])
    return schema.get("type") == "string" and "enum" not in schema


def resolved(contract: Contract, schema: Any) -> Any:
    while "$ref" in schema:
        reference, schema = schema["$ref"], contract.document
        for part in reference.split("/")[1:]:
            schema = schema[part]
    return schema


def test_every_string_of_a_request_is_tested_or_not_typed(contract: Contract) -> None:
    strings = set(entered_strings(contract))
    assert {name for _, name in strings} == ENTERED.union(*OTHERS.values())
    in_paths = {name for call, name in strings if f"{{{name}}}" in call and name in ENTERED}
    assert {f"<{name}>" for name in in_paths - {"token"}} == HANDLE_PARAMETERS
    entered = {f"{call} {name}" for call, name in strings if name in ENTERED} - NOT_ENTERED
    tested = {*OF_HANDLES, *SELECTING, *OF_NEW_ACCOUNTS, *OF_CODES, *OF_URLS, *ELSEWHERE}
    assert entered == tested


def test_a_handle_is_found_with_white_space_a_mark_or_capitals_around_it(scene: Scene) -> None:
    for name, send in OF_HANDLES.items():
        plain = send(scene, scene.bea.handle)
        entered = send(scene, typed(f"@{scene.cid.handle.upper()}"))
        assert plain.is_success, f"{name}: {plain.text}"
        assert entered.status_code == plain.status_code, f"{name}: {entered.text}"
        assert not send(scene, "nobody-at-all").is_success, name


def test_lists_are_narrowed_by_a_handle_with_white_space(scene: Scene) -> None:
    for player in (scene.bea, scene.cid):
        player.join(scene.game)
    for name, template in SELECTING.items():
        path = API + template.format(ada=scene.ada.handle)
        plain, entered, nobodys = (
            scene.anonymous.get(path + quote(handle)).json().get("games", [])
            for handle in (scene.bea.handle, typed(scene.bea.handle.upper()), "nobody-at-all")
        )
        assert [game["id"] for game in plain] == [scene.game], name
        assert (entered, nobodys) == (plain, []), name


def test_new_accounts_have_neither_white_space_in_the_handle_nor_in_the_address(
    accounts: Accounts, contract: Contract
) -> None:
    handle = f"x{accounts.register().handle}"
    body = {"handle": typed(handle), "password": PASSWORD, "email": typed("x@Example.org")}
    registered = accounts.anonymous.post(f"{API}/players", json=body)
    assert registered.status_code == 201, registered.text
    guest = accounts.anonymous.post(f"{API}/guests").json()
    named = {**body, "handle": typed(f"y{handle}")}
    with http_client(accounts.url, contract, guest["token"]) as client:
        assert client.put(f"{API}/me/handle", json=named).status_code == 200
        for expected in ("x@example.org", "z@example.org"):
            player = client.get(f"{API}/me").json()["player"]
            assert (player["handle"], player["email"]) == (f"y{handle}", expected)
            address = {"email": typed("z@example.org"), "password": PASSWORD}
            assert client.post(f"{API}/me/email", json=address).is_success
    assert registered.json()["player"]["handle"] == handle


def test_the_spaces_of_a_password_count(accounts: Accounts) -> None:
    handle, password = f"z{accounts.register().handle}", "\u00a0 correct horse "
    body = {"handle": handle, "password": password}
    assert accounts.anonymous.post(f"{API}/players", json=body).status_code == 201
    for entered, status in ((password, 201), (password.strip(), 401)):
        login = {"handle": handle, "password": entered}
        assert accounts.anonymous.post(f"{API}/tokens", json=login).status_code == status


def test_a_code_is_found_with_white_space_in_it(scene: Scene) -> None:
    for player, game in zip((scene.bea, scene.cid), scene.games, strict=True):
        token = scene.call("POST", f"/games/{game}/invitations").json()["token"]
        shown = scene.anonymous.get(f"{API}/invitations/{quote(broken(token))}")
        assert shown.json()["game"]["id"] == game
        join = {"invitation": broken(token), "nonce": "00"}
        assert player.http.post(f"{API}/games/{game}/players", json=join).status_code == 201
    link = {"invitation": broken(scene.create_club_link())}
    path = f"{API}/clubs/{scene.other_club}/members/me"
    assert scene.bea.http.put(path, json=link).json() == {"you": "member"}
    _, feed = scene.feeds.create(scene.ada.id)
    for document in ("deadlines.ics", "games.atom"):
        assert scene.anonymous.get(f"{API}/feeds/{quote(broken(feed))}/{document}").is_success


def test_the_address_of_a_webhook_has_no_white_space(scene: Scene) -> None:
    own = scene.call("POST", "/me/webhooks", {"url": typed(URL)})
    clubs = scene.call("PUT", f"/clubs/{scene.club}/webhook", {"url": typed(URL)})
    assert [response.json().get("url") for response in (own, clubs)] == [URL, URL]


def test_white_space_around_a_handle_gives_no_further_guesses_of_its_password(
    accounts: Accounts,
) -> None:
    handle = accounts.register().handle
    forms = (handle, f" {handle}", f"@{handle}", f"{handle}\u200b", handle.upper())
    statuses = [
        accounts.anonymous.post(
            f"{API}/tokens", json={"handle": form, "password": "no"}
        ).status_code
        for _ in range(3)
        for form in forms
    ]
    others = [
        accounts.anonymous.post(
            f"{API}/tokens", json={"handle": f"{handle}-nobody", "password": "no"}
        )
    ]
    assert others[0].status_code == 401
    assert statuses.index(429) <= Bounds().max_password_guesses


@pytest.mark.parametrize("place", ["members", "tournament"])
def test_a_player_who_is_called_like_a_word_of_ours_is_addressed_with_a_mark(
    scene: Scene, place: str, redis_client: redis.Redis, accounts: Accounts, tmp_path: Any
) -> None:
    # An earlier version has registered this player.
    players = Players(redis_client, Bounds(), ErasedPlayers(redis_client, tmp_path))
    me = players.by_handle("me") or players.register("me", PASSWORD)[0]
    token = players.login("me", PASSWORD)
    with http_client(accounts.url, accounts.contract, token) as http:
        if place == "members":
            path = f"/clubs/{scene.club}/members"
            assert http.put(f"{API}{path}/me").json() == {"you": "requesting"}
            assert scene.call("PUT", f"{path}/@me").status_code == 204
            assert http.put(f"{API}{path}/me").json() == {"you": "member"}
        else:
            path = f"/tournaments/{scene.cup}/players"
            assert http.put(f"{API}{path}/me").is_success
            assert scene.call("PUT", f"{path}/me").is_success
            assert scene.call("DELETE", f"{path}/@me").status_code == 204
            events = scene.call("GET", f"/tournaments/{scene.cup}/events").json()["events"]
            withdrawn = events[-1]
            assert (withdrawn["type"], withdrawn["data"]["player"]) == ("PlayerWithdrawn", me.id)
    assert accounts.anonymous.get(f"{API}/players/@ME").json()["id"] == me.id
