"""A player who has left a private club, or was removed from it, is a stranger to it on every route.

Every route of the pages and of the API with an id of the club, of what it has, or of a comment is requested
with every method, and so is every address without one. A new route is among them.
"""

import re
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from datetime import timedelta
from typing import Final

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from domain.lifecycle import NewGame
from service import wall_clock
from service.bootstrap import Service
from service.chat.reports import ChatMessageReports
from tests.support.page_forms import PASSWORD, csrf_token
from tests.support.tournaments import settings

WORD: Final = "Zanzibar"
"""Is in everything that members write: names, descriptions, comments."""
OF_CLUB: Final = {"club", "club_id"}
OF_GAME: Final = {"game", "game_id"}
OF_TOURNAMENT: Final = {"tournament", "tournament_id", "id"}
FIELDS: Final = {
    "text": "I was here",
    "reason": "rude",
    "handle": "ada",
    "name": "Other",
    "about": "Other",
    "seq": "4",
    "statement": "I object",
    "action": "resign",
    "url": "https://example.org/hook",
}
"""What is sent with each form and, as JSON, with each call: some of it is right for each of them."""


class Club:
    """A private club of ada with ben, with a game of each status, comments, and a tournament."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.ids: dict[str, str] = {}
        self.tokens: dict[str, str] = {}
        for handle in ("ada", "ben", "dan", "eve", "fay", "sam"):
            player, self.tokens[handle] = service.accounts.players.register(handle, PASSWORD)
            self.ids[handle] = player.id
        clubs = service.clubs
        self.id = clubs.create(self.ids["ada"], f"{WORD} club", WORD, is_private=True).id
        for handle in ("ben", "dan", "eve", "fay"):
            clubs.invite(self.id, self.ids["ada"], self.ids[handle])
            clubs.join(self.id, self.ids[handle])
        self.open = self._create(seats=3)
        self.running, self.ended = self._start(), self._start()
        self._resign(self.ended)
        comments = service.comments
        self.comments = {
            handle: comments.post(self.ended, self.ids[handle], f"{WORD} {handle}").number
            for handle in ("ada", "eve")
        }
        options = {"club": self.id}
        fields = settings(wall_clock.now() + timedelta(days=2), options=options, private=True)
        fields |= {"name": f"{WORD} cup", "description": WORD}
        self.tournament = service.tournaments.tournaments.create(self.ids["ada"], fields).id
        service.tournament_posts.post(self.tournament, self.ids["ada"], f"{WORD} post")
        service.club_wall.post(self.id, self.ids["ada"], f"{WORD} post")

    def _create(self, seats: int = 2) -> str:
        options = {"private": True, "rated": True, "seating": "joined", "club": self.id}
        options["name"] = f"{WORD} game"
        create = self.service.games.commands.create
        return create(self.ids["ada"], NewGame(rules="baron", seats=seats, options=options)).id

    def _start(self) -> str:
        game = self._create()
        self.service.games.commands.join(game, self.ids["ben"])
        return game

    def _resign(self, game: str) -> None:
        seq = self.service.games.queries.game(game).seq
        self.service.games.commands.act(game, self.ids["ada"], {"type": "resign"}, seq)
        while self.service.games.queries.game(game).status != "finished":
            self.service.games.commands.score(game)

    def values(self, comment: int, game: str) -> dict[str, str]:
        """Return values of the arguments of addresses, with this game and this comment."""
        club = dict.fromkeys(OF_CLUB, self.id)
        games = {**dict.fromkeys(OF_GAME, game), "seq": "4", "number": str(comment)}
        return {
            **club,
            **games,
            **dict.fromkeys(OF_TOURNAMENT, self.tournament),
            "handle": "ada",
            "other": "ben",
            "name": "baron",
            "system": "baron",
            "language": "en",
        }


@pytest.fixture
def club(service: Service) -> Club:
    return Club(service)


class Visitor:
    """Sends requests of a player, to the pages with a session and to the API with a token."""

    def __init__(self, app: Flask, club: Club, handle: str) -> None:
        self.browser: FlaskClient = app.test_client()
        with self.browser.session_transaction() as session:
            session["token"] = club.tokens[handle]
        self.bearer = {"Authorization": f"Bearer {club.tokens[handle]}"}
        self.csrf_token = csrf_token(self.browser, "/verify")

    def send(self, method: str, address: str) -> TestResponse:
        if address.startswith("/api/"):
            body = None if method == "GET" else dict(FIELDS)
            return self.browser.open(address, method=method, json=body, headers=self.bearer)
        data = None if method == "GET" else {**FIELDS, "csrf_token": self.csrf_token}
        return self.browser.open(address, method=method, data=data)


def filled(rule: str, values: Mapping[str, str]) -> str:
    """Return a rule with these values for its arguments, and 1 for the others."""
    return re.sub(r"<(?:[^>]*:)?(\w+)>", lambda match: values.get(match[1], "1"), rule)


def addresses(
    app: Flask, values: Mapping[str, str], names: AbstractSet[str]
) -> Iterator[tuple[str, str]]:
    """Iterate over methods and addresses of the routes that have one of these arguments."""
    for rule in app.url_map.iter_rules():
        if not names & rule.arguments:
            continue
        address = filled(rule.rule, values)
        for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"}):
            yield method, address


def contents(response: TestResponse) -> str:
    """Return what a response says, and where it leads."""
    data: bytes = response.data
    return data.decode(errors="replace") + str(response.headers)


def requests(app: Flask, club: Club) -> dict[tuple[str, str], None]:
    """Return all methods and addresses with an id of what the club has, each once."""
    result: dict[tuple[str, str], None] = {}
    for game in (club.ended, club.running, club.open):
        values = club.values(club.comments["ada"], game)
        result |= dict.fromkeys(addresses(app, values, OF_GAME))
    values = club.values(club.comments["eve"], club.ended)
    result |= dict.fromkeys(addresses(app, values, {"number"}))
    return result | dict.fromkeys(addresses(app, values, OF_CLUB | OF_TOURNAMENT))


def test_a_former_member_is_a_stranger_on_every_route(app: Flask, club: Club) -> None:
    feeds = Visitor(app, club, "eve").send("POST", "/api/v1/me/feeds").json
    clubs, ids = club.service.clubs, club.ids
    clubs.leave(club.id, ids["eve"])
    clubs.remove(club.id, ids["ada"], ids["fay"])
    member, stranger, *former = (Visitor(app, club, name) for name in ("dan", "sam", "eve", "fay"))
    shown_addresses: list[str] = []
    different: list[str] = []
    shown = 0
    for method, address in requests(app, club):
        expected = stranger.send(method, address)
        assert expected.status_code != 429, "the bounds of the test are too low"
        for visitor in former:
            response = visitor.send(method, address)
            if WORD in contents(response):
                shown_addresses.append(f"{method} {address}")
            if response.status_code != expected.status_code:
                statuses = f"{response.status_code}, not {expected.status_code}"
                different.append(f"{method} {address}: {statuses}")
        if method == "GET" and not address.endswith(("stream", "/live")):
            shown += WORD in contents(member.send(method, address))
    assert shown_addresses == []
    assert different == []
    assert shown > 40, "a member is told what is looked for"
    comments = club.service.comments
    for handle, number in club.comments.items():
        assert comments.require(club.ended, number).text == f"{WORD} {handle}"
    assert ChatMessageReports(club.service.redis, 10, 10).page()[0] == []
    assert isinstance(feeds, dict)
    for kind in ("atom", "calendar"):
        feed = former[0].send("GET", feeds[kind].partition("localhost")[2])
        assert feed.status_code == 200
        assert WORD not in feed.text


def test_no_address_without_an_id_tells_a_former_member_anything(app: Flask, club: Club) -> None:
    club.service.clubs.leave(club.id, club.ids["eve"])
    former, member = Visitor(app, club, "eve"), Visitor(app, club, "dan")
    shown_addresses: list[str] = []
    shown = 0
    for rule in app.url_map.iter_rules():
        if "GET" not in (rule.methods or ()) or rule.rule.endswith("stream"):
            continue
        if rule.arguments & (OF_CLUB | OF_GAME | OF_TOURNAMENT):
            continue
        address = filled(rule.rule, club.values(1, club.ended))
        for query in ("", f"?club={club.id}", f"?game={club.ended}"):
            if WORD in contents(former.send("GET", address + query)):
                shown_addresses.append(address + query)
            shown += not query and WORD in contents(member.send("GET", address))
    assert shown_addresses == []
    assert shown > 2
