"""No page of a game contains what its viewer may not know: previews and refusals included.

Every page is requested twice: from the game as it is, and from one whose log is the same, but whose pile has
another order, and whose other player was dealt another tile. The two must not differ.
"""

import re
from collections.abc import Iterator
from unittest.mock import ANY

import orjson
import pytest
from flask import Flask
from flask.testing import FlaskClient

from service import bootstrap
from service.bootstrap import Service
from service.pages.app import create_web_app
from service.store import log_check
from tests.support.page_players import PlayersOfPages

START = 4
RANDOM_VALUES = re.compile(
    r'name="(?:csrf_token|key)" value="[^"]*"|http://localhost/invitations/[\w-]+|Nov \d+[^<]*'
    r'|(?:"|&\#34;)(?:shown_at|signature)(?:"|&\#34;):(?:"|&\#34;)[^"&]*'
)
ADDRESSES = (
    *("?choose=1", "?choose=2", "?choose=3", "?try=4", "?action=draw+1", "?action=resign"),
    *("?choose=meadow", "?choose=meadow&choose=0,1", "?try=marsh", "?action=lay+marsh+1,0"),
    *("?choose=place_tile", "?try=discard_tile", "?action=discard+pond"),
    *(f"?seq={START}", f"?seq={START + 1}", f"?seq={START}&choose=2", f"?seq={START}&as=1"),
    *("/compare?from=4&to=5", "/table?seq=4", "/table?as=1", "/log?type=TileDrawn"),
)


@pytest.fixture
def players(app: Flask, service: Service) -> PlayersOfPages:
    return PlayersOfPages(app, service)


def addresses(app: Flask, game: str) -> Iterator[str]:
    """Iterate over the addresses of all pages of a game, and of some with choices."""
    yield from (f"/games/{game}{rest}" for rest in ADDRESSES)
    for rule in app.url_map.iter_rules():
        is_page = rule.endpoint.startswith("pages.") and "GET" in (rule.methods or ())
        if is_page and "game_id" in rule.arguments and not rule.rule.endswith("/stream"):
            yield re.sub("<[^>]+>", "4", rule.rule.replace("<game_id>", game))


def contents(app: Flask, client: FlaskClient, game: str) -> dict[str, tuple[int, str]]:
    """The statuses and contents of all pages, without what is random in them."""
    pages = {}
    for address in addresses(app, game):
        response = client.get(address)
        text = response.data.decode(errors="replace")  # of a picture, too
        pages[address] = response.status_code, RANDOM_VALUES.sub("", text)
    return pages


def exchange_secrets(service: Service, game: str) -> None:
    """Reverse the rest of the pile, and deal another tile to seat 1."""
    key = f"cartulary:{{{game}}}:secrets"
    state = service.games.queries.game(game).state
    assert state is not None
    left = state.pile_left
    for name in ("pile", "reserve/1"):
        stored = service.redis.hget(key, f"{START}/{name}")
        assert isinstance(stored, bytes)
        opening = orjson.loads(stored)
        tiles = opening["value"]
        if name == "pile":
            opening["value"] = [*tiles[: len(tiles) - left], *reversed(tiles[-left:])]
        else:
            opening["value"] = sorted(("meadow", {"pond": "quarry"}.get(tiles[-1], "pond")))
        assert opening["value"] != tiles
        service.redis.hset(key, f"{START}/{name}", orjson.dumps(opening))


def test_pages_do_not_depend_on_secrets_that_the_viewer_may_not_know(
    app: Flask, service: Service, players: PlayersOfPages, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The log commits to the first secrets, and the others would be reported as damage.
    monkeypatch.setattr(log_check, "commitment", lambda _: ANY)
    game = players.game("baron")
    ada = players["ada"].client
    expected = contents(app, ada, game)
    assert sum(status == 200 for status, _ in expected.values()) > len(ADDRESSES)
    exchange_secrets(service, game)
    other_service = bootstrap.build(service.settings)
    other_app = create_web_app(other_service)
    other = other_app.test_client()
    with ada.session_transaction() as session, other.session_transaction() as copy:
        copy.update(session)
    assert contents(other_app, other, game) == expected
    players.act(game)
    assert contents(other_app, other, game) == contents(app, ada, game)
    visitor = contents(app, players.visitor, game)
    assert contents(other_app, other_app.test_client(), game) == visitor
    assert pile_and_reserve(other_service, game) != pile_and_reserve(service, game)


def pile_and_reserve(service: Service, game: str) -> tuple[object, object]:
    """The pile and the tiles of seat 1, as the service has them in its cache."""
    state = service.games.queries.game(game).state
    assert state is not None
    return state.pile, state.players[1].reserve
