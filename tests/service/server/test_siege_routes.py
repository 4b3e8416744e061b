"""Every route of the service is attacked by the siege, or there is a reason why it is not."""

from dataclasses import replace
from itertools import islice

import pytest
from flask import Flask
from werkzeug.exceptions import HTTPException
from werkzeug.routing import RequestRedirect

from bench.siege.attacks import ATTACKS
from bench.siege.stored_games import page_addresses
from bench.siege.traffic import Send
from service.bootstrap import Service
from service.pages.app import create_web_app
from tests.test_bench_siege import TARGET as ONE_TARGET

TARGET = replace(ONE_TARGET, games_to_start=("start",) * 40, long_game_events=7_200)
MOST_CONNECTIONS = 60
MOST_STEPS = 4_000
_PASSWORD = "hashes a password, like POST /api/v1/tokens, in the same threads"
_WOULD_END = "would end the attacker's own account or session, and with them the attack"
_REDIRECTION = "redirects without reading anything"
NOT_ATTACKED: dict[str, str] = {
    "GET /branches/<sandbox_id>": _REDIRECTION,
    "GET /healthz": "is answered by the event loop, and the monitor of every attack requests it",
    "POST /login": _PASSWORD,
    "POST /register": _PASSWORD,
    "POST /api/v1/players": _PASSWORD,
    "POST /account/password": _PASSWORD,
    "POST /account/name": _PASSWORD,
    "POST /account/sessions": _WOULD_END,
    "POST /account/sessions/others": _WOULD_END,
    "DELETE /api/v1/me/tokens": "reads and deletes a few keys, like DELETE /api/v1/me/tokens/<id>",
    "POST /password/new": _PASSWORD,
    "PUT /api/v1/password-resets": _PASSWORD,
    "POST /account/erase": _WOULD_END,
    "PUT /api/v1/me/password": _PASSWORD,
    "PUT /api/v1/me/handle": _PASSWORD,
    "DELETE /api/v1/me": _WOULD_END,
    "DELETE /api/v1/me/email": "changes one field of the account, like PATCH /api/v1/me",
    "DELETE /api/v1/me/sessions": _WOULD_END,
    "DELETE /api/v1/tokens/current": _WOULD_END,
    "POST /logout": _WOULD_END,
    "DELETE /api/v1/games/<game_id>/seats/me": "would end the long game",
}
"""By method and rule, why no attack requests a route."""


@pytest.fixture
def app(service: Service) -> Flask:
    return create_web_app(service)


def routes(app: Flask) -> set[str]:
    """Return all routes, each as its method and rule."""
    return {
        f"{method} {rule.rule}"
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }


def attacked_routes(app: Flask) -> set[str]:
    """Return the routes that the requests of all attacks reach."""
    adapter = app.url_map.bind("siege")
    target = replace(TARGET, pages=page_addresses(app))
    lines: set[bytes] = set()
    for attack in ATTACKS.values():
        traffic = attack.traffic(target)
        total = traffic.total or traffic.connections
        connections = {*range(min(total, MOST_CONNECTIONS)), total - 1}
        for connection in connections:
            steps = islice(traffic.script(connection), MOST_STEPS)
            lines |= {
                bytes(step.data[:4096]).split(b"\r\n", 1)[0]
                for step in steps
                if isinstance(step, Send)
            }
    calls = set()
    for line in lines:
        words = line.split(b" ")
        if len(words) == 3 and words[1].startswith(b"/"):
            method, path = words[0].decode(), words[1].split(b"?")[0].decode()
            try:
                rule, _ = adapter.match(path, method=method, return_rule=True)
            except (HTTPException, RequestRedirect):
                continue
            calls.add(f"{method} {rule.rule}")
    return calls


def test_every_route_is_attacked_or_there_is_a_reason_why_not(app: Flask) -> None:
    not_attacked = routes(app) - attacked_routes(app)
    assert not_attacked == NOT_ATTACKED.keys()
