"""What no page and no call repeats to anybody: the name of a private game, and a foreign header Host.

Every address that can be read is requested, with the ids that a stranger can have: a new route is among them.
"""

import re
from collections.abc import Iterator

import pytest
from flask import Flask
from flask.testing import FlaskClient

from domain.lifecycle import NewGame
from service.bootstrap import Service
from tests.support.page_forms import PASSWORD

NAME = "Zanzibar quorum"
FOREIGN = "foreign.example"


def addresses(app: Flask, values: dict[str, str]) -> Iterator[str]:
    """Iterate over all addresses that can be read, with these values for their arguments."""
    for rule in app.url_map.iter_rules():
        if "GET" not in (rule.methods or ()) or rule.rule.endswith("stream"):
            continue
        address = re.sub(r"<(?:[^>]*:)?(\w+)>", lambda match: values.get(match[1], "1"), rule.rule)
        yield address
        if "<" in rule.rule:
            yield f"{address}?seq=4"


def start_game(service: Service, **options: object) -> tuple[str, str, dict[str, str]]:
    """Start a game of ada and bea with these options, and a sandbox of it.

    Returns the id of ada, her token, and the values of arguments of addresses.
    """
    (ada, token), (bea, _) = (
        service.accounts.players.register(handle, PASSWORD) for handle in ("ada", "bea")
    )
    game = service.games.commands.create(
        ada.id,
        NewGame(
            rules="barony",
            seats=2,
            options={"seating": "joined", "name": NAME, **options},
            invited=(bea.id,),
        ),
    )
    service.games.commands.join(game.id, bea.id)
    sandbox = service.sandboxes.create(ada.id, "192.0.2.0", game.id, None, b"seed")
    values = {"game_id": game.id, "sandbox_id": sandbox.stored.id, "system": "barony"}
    return ada.id, token, {**values, "name": "barony", "handle": "ada", "other": "bea"}


def logged_in(app: Flask, token: str) -> FlaskClient:
    client = app.test_client()
    with client.session_transaction() as session:
        session["token"] = token
    return client


@pytest.mark.parametrize("is_logged_in", [True, False])
def test_nobody_else_reads_the_name_of_a_private_game(
    app: Flask, service: Service, is_logged_in: bool
) -> None:
    _, own, values = start_game(service, private=True)
    _, stranger = service.accounts.players.create_guest()
    client = logged_in(app, stranger) if is_logged_in else app.test_client()
    headers = {"Authorization": f"Bearer {stranger}"} if is_logged_in else {}
    read = [
        address
        for address in addresses(app, values)
        if NAME in client.get(address, headers=headers).data.decode(errors="replace")
    ]
    assert read == []
    sandbox = f"/sandboxes/{values['sandbox_id']}"
    assert client.get(sandbox).status_code == 200
    assert NAME in logged_in(app, own).get(sandbox).text
    assert NAME in logged_in(app, own).get(f"/games/{values['game_id']}").text


def test_no_response_repeats_a_foreign_host(app: Flask, service: Service) -> None:
    _, token, values = start_game(service)
    client = logged_in(app, token)
    repeated, found = [], 0
    for address in addresses(app, values):
        response = client.get(address, headers={"Host": FOREIGN})
        found += response.status_code == 200
        text = response.data.decode(errors="replace") + str(response.headers)
        if FOREIGN in text:
            repeated.append(address)
    assert found > 60
    assert repeated == []


@pytest.mark.parametrize(
    ("host", "shown"),
    [
        ("127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("localhost:5000", "http://localhost:5000"),
        ("192.168.1.7:8000", "http://192.168.1.7:8000"),
        ("[::1]:8000", "http://[::1]:8000"),
        ("8.8.8.8", "http://127.0.0.1:8000"),
        ("localhost.foreign.example", "http://127.0.0.1:8000"),
        ("127.0.0.1.foreign.example", "http://127.0.0.1:8000"),
    ],
)
def test_links_begin_with_the_public_address_or_one_of_the_visitors_own_network(
    app: Flask, service: Service, host: str, shown: str
) -> None:
    _, _, values = start_game(service)
    page = app.test_client().get(f"/games/{values['game_id']}", headers={"Host": host}).text
    assert f'<meta property="og:url" content="{shown}/games/{values["game_id"]}">' in page
