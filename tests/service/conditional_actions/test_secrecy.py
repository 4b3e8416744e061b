"""Nobody but its player can learn that conditional actions are prepared, or anything from what is refused.

The same game is played twice, at the same times and with the same chance: once a player has prepared
something that turns out to be void, and once nothing. Everything that all others can read must be the same.
"""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, Final

import pytest
from flask import Flask
from flask.testing import FlaskClient
from freezegun import freeze_time

from domain.chance import Chance
from domain.lifecycle import NewGame
from service.bootstrap import build
from service.pages.app import create_web_app
from service.settings import Settings
from tests.support.conditional import Node, node
from tests.support.worker_harness import RecordingChannel
from workers.jobs import TaskRunner
from workers.notifications.dispatcher import Channels, Dispatcher
from workers.tasks import tasks_of

NOW: Final = "2026-11-20T09:00:00Z"
HANDLES: Final = ("ada", "bea", "eve", "boss")
"""Two players, of whom the second prepares something, somebody who does not play, and an administrator."""
RESIGN: Final = {"type": "resign"}


@contextmanager
def same_chance(seed: bytes) -> Iterator[None]:
    """Have the server draw everything from a seed."""
    stream = Chance(seed)

    def token_bytes(size: int | None = None) -> bytes:
        return bytes(stream.below(256) for _ in range(size or 32))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(secrets, "token_bytes", token_bytes)
        yield


class Observed:
    """A game of ada and bea, and everything that others than bea read in its course."""

    def __init__(self, settings: Settings, rules: str) -> None:
        self.service = build(settings)
        self.service.redis.flushdb()
        self.web: Flask = create_web_app(self.service)
        self.tokens: dict[str, str] = {}
        ids: dict[str, str] = {}
        for handle in HANDLES:
            player, self.tokens[handle] = self.service.accounts.players.register(
                handle, "correct horse"
            )
            ids[handle] = player.id
        self.service.redis.hset(f"cartulary:player:{ids['boss']}", "role", "admin")
        self.bea = ids["bea"]
        options = {"seating": "joined", "takebacks": True}
        game = self.service.games.commands.create(
            ids["ada"], NewGame(rules=rules, seats=2, options=options, clock={"per_turn": 600})
        )
        self.game = self.service.games.commands.join(game.id, ids["bea"]).id
        self.channel = RecordingChannel()
        self.responses: list[bytes] = []

    def request(self, handle: str | None, path: str, **options: Any) -> Any:
        client: FlaskClient = self.web.test_client()
        headers = {"Authorization": f"Bearer {self.tokens[handle]}"} if handle else {}
        return client.open(f"/api/v1{path}", headers=headers, **options)

    def prepare(self, tree: list[Node]) -> Any:
        """Let bea prepare something."""
        seq = self.service.games.queries.game(self.game).seq
        body = {"branches": tree, "expected_seq": seq}
        path = f"/games/{self.game}/conditional-actions"
        return self.request("bea", path, method="PUT", json=body)

    def act(self, index: int) -> None:
        """Let ada take a legal action."""
        head = self.service.games.queries.game(self.game)
        action = head.rules.legal_actions(head.state, 0)[index]
        raw = head.rules.action_to_json(action)
        body = {"action": raw, "expected_seq": head.seq}
        response = self.request("ada", f"/games/{self.game}/actions", method="POST", json=body)
        assert response.status_code == 201
        self.responses.append(response.data)

    def work(self) -> None:
        """Do all work that the outbox calls for."""
        channels = Channels([self.channel])
        runner = TaskRunner(self.service, channels.of_operator)
        for _ in range(3):
            tasks = tasks_of(self.service.store, [self.game])[self.game].next_tasks
            for task in sorted(tasks, key=lambda task: task.entry):
                if task.entry != "deadline":
                    runner.run(task)
        Dispatcher(self.service, channels).send_due()

    def observe(self) -> None:
        """Let everybody but bea read everything."""
        game = f"/games/{self.game}"
        seq = self.service.games.queries.game(self.game).seq
        paths = [
            *("/games", "/games?player=bea", "/players/bea", "/me", "/me/receipts"),
            *(game, f"{game}/position", f"{game}/legal-actions", f"{game}/record"),
            *(f"{game}/events", f"{game}/disputes", f"{game}/messages"),
            *(f"{game}/conditional-actions", f"{game}/position.svg", "/me/deliveries"),
            *(f"{game}/events/{number}" for number in range(seq - 1, seq + 1)),
            *("/admin/players", "/admin/games", "/admin/work", "/admin/log"),
        ]
        for handle in ("ada", "eve", "boss", None):
            for path in paths:
                response = self.request(handle, path)
                if response.status_code == 200:
                    self.responses.append(f"{handle} {path} ".encode() + response.data)
                else:
                    self.responses.append(f"{handle} {path} {response.status_code}".encode())
        page = self.web.test_client().get(f"/games/{self.game}")
        assert page.status_code == 200
        self.responses += [str(item.as_json()).encode() for item in self.channel.sent]


def everything_seen(settings: Settings, rules: str, *, has_tree: bool) -> list[bytes]:
    """Play the beginning of a game, and return everything that others than bea have read."""
    with same_chance(rules.encode()), freeze_time(NOW) as clock:
        observed = Observed(settings, rules)
        if has_tree:
            prepared = observed.prepare([node(0, RESIGN)])
            assert prepared.status_code == 200, prepared.text
        observed.work()
        observed.observe()
        clock.tick(timedelta(seconds=7))
        observed.act(0)
        observed.observe()
        observed.work()
        observed.observe()
        void = observed.service.conditional_action_store.void_actions(observed.game, observed.bea)
        assert (void is not None) is has_tree
        observed.service.redis.close()
    return observed.responses


@pytest.mark.parametrize("rules", ["baron", pytest.param("barony", marks=pytest.mark.soak)])
def test_others_read_the_same_whether_or_not_something_is_prepared(
    settings: Settings, rules: str
) -> None:
    without = everything_seen(settings, rules, has_tree=False)
    with_tree = everything_seen(settings, rules, has_tree=True)
    assert sum(b" 40" not in entry[:80] for entry in without) > 100
    for first, second in zip(without, with_tree, strict=True):
        assert first == second


def test_what_is_refused_does_not_depend_on_hidden_tiles(settings: Settings) -> None:
    """Whether ada can lay a tile depends on her reserve, which bea does not know."""
    with same_chance(b"hidden"), freeze_time(NOW):
        observed = Observed(settings, "baron")
        head = observed.service.games.queries.game(observed.game)
        hidden = head.rules.position(head.state, 0)["players"][0]["reserve"]
        draw = {"type": "draw", "slot": 1}
        kinds = ("vineyard", "quarry", "pond", "village", "marsh")
        assert set(hidden) & set(kinds)
        assert set(kinds) - set(hidden)
        for kind in kinds:
            lay = {"type": "place_tile", "tile": kind, "at": [0, 1]}
            response = observed.prepare([node(0, draw, node(0, lay))])
            assert response.status_code == 200, response.text
        observed.service.redis.close()
