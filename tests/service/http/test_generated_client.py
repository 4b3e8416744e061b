"""A client that another program generates from the OpenAPI document plays whole games.

The generator knows nothing but the document, so what the document leaves out or gets wrong fails here.
"""

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import pytest

from tests.support.processes import run_program
from tests.support.server import WebServer

PACKAGE = "cartulary_client"
CONFIG = """
post_hooks: []
content_type_overrides:
  application/jsonl: application/octet-stream
  application/x-ndjson: application/octet-stream
  image/svg+xml: application/octet-stream
  image/png: application/octet-stream
  application/atom+xml: text/plain
  text/calendar: text/plain
"""

Import = Callable[[str], ModuleType]


@pytest.fixture(scope="module")
def module(web: WebServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Import]:
    """Imports a module of the generated client, such as `api.games.create_game`."""
    folder = tmp_path_factory.mktemp("client")
    (folder / "config.yml").write_text(CONFIG)
    (folder / "openapi.json").write_bytes(httpx.get(web.url + "/api/v1/openapi.json").content)
    generator = Path(sys.executable).with_name("openapi-python-client")
    words = ["generate", "--path", "openapi.json", "--meta", "none", "--config", "config.yml"]
    result = run_program([str(generator), *words], cwd=folder, check=True)
    assert "WARNING" not in result.stdout + result.stderr
    sys.path.insert(0, str(folder))
    yield lambda name: importlib.import_module(f"{PACKAGE}.{name}")
    sys.path.remove(str(folder))


@pytest.fixture
def connect(module: Import, web: WebServer) -> Iterator[Callable[..., Any]]:
    """Returns a client, of a player if there is a token. All are closed after the test."""
    clients = []

    def connect(token: str = "") -> Any:
        kinds = module("client")
        client = kinds.AuthenticatedClient(web.url, token) if token else kinds.Client(web.url)
        clients.append(client)
        return client

    yield connect
    for client in clients:
        client.get_httpx_client().close()


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("rules", "options"),
    [
        ("barony", {"round_limit": 2}),
        ("barony", {"round_limit": 2, "sorcery": True}),
        ("baron", {}),
    ],
    ids=["barony", "sorcery", "baron"],
)
def test_a_generated_client_plays_a_game(
    module: Import, connect: Callable[..., Any], rules: str, options: dict[str, Any]
) -> None:
    models = module("models")

    def call(operation: str, client: Any, *arguments: str, **keywords: Any) -> Any:
        reply = module(f"api.{operation}").sync(*arguments, client=client, **keywords)
        assert not isinstance(reply, models.Problem), reply
        return reply

    anonymous = connect()
    handles = [f"generated-{rules}-{len(options)}-{name}" for name in ("ada", "bea")]
    players = {}
    for handle in handles:
        body = models.Register(handle=handle, password="correct horse")
        account = call("players.register_player", anonymous, body=body)
        players[account.player.id] = connect(account.token)
    first, second = players.values()
    new_game = models.CreateGame(
        rules=models.CreateGameRules(rules),
        seats=2,
        options=models.CreateGameOptions.from_dict(options),
    )
    game_id = call("games.create_game", first, body=new_game).id
    game = call("games.join_game", second, game_id, body=models.JoinGame())
    clients = [players[player.id] for player in sorted(game.players, key=lambda p: p.seat)]

    event_types = set()
    for _ in range(40):
        game = call("games.get_game", anonymous, game_id)
        if game.to_act is None:
            break
        client = clients[game.to_act]
        legal = call("play.get_legal_actions", client, game_id)
        body = models.SubmitAction(action=legal.actions[0], expected_seq=legal.seq)
        accepted = call("play.submit_action", client, game_id, body=body)
        assert accepted.receipt.hash_ == accepted.events[0].hash_
        event_types.add(accepted.events[0].type_)
        position = call("play.get_position", client, game_id)
        assert position.to_dict()["rules"] == rules
        assert len(position.players) == 2
        details = call("history.get_event", client, game_id, legal.seq + 1)
        assert details.event.to_dict() == accepted.events[0].to_dict()
        assert details.after.to_dict() == position.to_dict()
    game = call("games.get_game", anonymous, game_id)
    if game.to_act is not None:
        body = models.SubmitAction(
            action=models.Resign(type_=models.ResignType.RESIGN), expected_seq=game.head.seq
        )
        call("play.submit_action", clients[game.to_act], game_id, body=body)
    assert call("games.get_game", anonymous, game_id).to_act is None
    assert len(event_types) >= 2
    events = call("history.list_events", anonymous, game_id, limit=500).events
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert (
        b'"format":"cartulary/1"'
        in module("api.history.get_record").sync_detailed(game_id, client=anonymous).content
    )
