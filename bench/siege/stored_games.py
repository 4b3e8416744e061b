"""Stores what a siege needs before the service starts: accounts, long games, and games to act in.

A game in which the knights only move never ends, so a log of thousands of events is played and sealed within
seconds.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import orjson

from bench.http_client import request_bytes
from bench.siege.attack import API, Target
from domain.chance import Chance
from ledger import commands
from ledger.canonical import canonical
from ledger.pending import PendingEvents
from service.bootstrap import Service, build
from service.embedded_redis import EmbeddedRedis
from service.reindex import reindex
from service.settings import load_settings
from service.store.event_store import AppendRequest

TIMESTAMP: Final = "2026-01-01T00:00:00.000Z"
PASSWORD: Final = "correct horse"  # noqa: S105 # of made-up players
EVENTS_PER_APPEND: Final = 500
STORED_EVENTS: Final = 10
"""Of a game to act in: its start and its set-up."""


@dataclass(frozen=True, slots=True)
class Account:
    """A registered player."""

    id: str
    handle: str
    token: str


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much to store."""

    clients: int = 8
    long_game_events: int = 7_200
    games: int = 20
    events_per_game: int = 1_200
    games_to_act_in: int = 4
    prepared_actions: int = 1_000
    """For each game to act in."""


@dataclass(frozen=True, slots=True)
class StoredGames:
    """What was stored: two accounts for each client that plays, and the target of the attacks."""

    clients: tuple[tuple[Account, Account], ...]
    target: Target


def store_games(data: Path, port: int, webhook_port: int, sizes: Sizes) -> StoredGames:
    """Store accounts and games in the embedded Redis of this data folder, which no service uses yet.

    `port` and `webhook_port` are those of the target.
    """
    settings = load_settings({"CARTULARY_DATA": str(data)})
    with EmbeddedRedis(data):
        service = build(settings)
        stored = store_in(service, port, webhook_port, sizes)
        service.redis.close()
    return stored


def store_in(service: Service, port: int, webhook_port: int, sizes: Sizes) -> StoredGames:
    """Store accounts and games through this service."""
    clients = tuple(
        (_register(service, f"player-{number}-a"), _register(service, f"player-{number}-b"))
        for number in range(sizes.clients)
    )
    attackers = [_register(service, f"attacker-{number}") for number in range(2)]
    long_game = "siege-long-game"
    _store(service, _play(long_game, attackers, sizes.long_game_events, 0), 0)
    games = [f"siege-game-{number}" for number in range(sizes.games)]
    for number, id in enumerate(games, start=1):
        _store(service, _play(id, attackers, sizes.events_per_game, number), number)
    prepared = tuple(
        _store_with_prepared_actions(service, number, attackers, sizes)
        for number in range(sizes.games, sizes.games + sizes.games_to_act_in)
    )
    reindex(service)
    target = Target(
        port=port,
        tokens=tuple(account.token for account in attackers),
        player_handles=tuple(first.handle for first, _ in clients),
        long_game=long_game,
        long_game_events=sizes.long_game_events,
        games=tuple(games),
        events_per_game=sizes.events_per_game,
        prepared_actions=prepared,
        webhook_port=webhook_port,
    )
    return StoredGames(clients, target)


def _register(service: Service, handle: str) -> Account:
    player, token = service.players.register(handle, PASSWORD)
    return Account(player.id, handle, token)


def _play(game_id: str, players: Sequence[Account], events: int, number: int) -> PendingEvents:
    """Return the events of a game of Barony in which the knights only move; equal numbers play alike."""
    secret = _secret(number)
    pending = PendingEvents(game_id, None, timestamp=lambda: TIMESTAMP)
    commands.create(
        pending,
        players[0].id,
        rules="barony",
        seats=len(players),
        options={"seating": "joined"},
        clock=None,
        secret=secret,
        nonce=b"",
    )
    for player in players[1:]:
        commands.join(pending, player.id, b"", lambda: secret)
    chance = Chance(secret)
    while len(pending.sealed) < events:
        game = pending.game
        assert game.to_act is not None
        legal: Sequence[Any] = game.rules.legal_actions(game.state, game.to_act)
        choices = [action for action in legal if action.type == "move"] or legal
        commands.act(pending, game.to_act, choices[chance.below(len(choices))])
    return pending


def _secret(number: int) -> bytes:
    return number.to_bytes(32, "big")


def _store(service: Service, pending: PendingEvents, number: int, upto: int | None = None) -> None:
    """Append the events of a game, up to the event `upto`."""
    lines = pending.lines[:upto]
    secrets = {"seed": _secret(number).hex()}
    for seq, openings in pending.openings.items():
        for name, opening in openings.items():
            secrets[f"{seq}/{name}"] = canonical(opening).decode()
    for start in range(0, len(lines), EVENTS_PER_APPEND):
        service.store.append(
            pending.game_id,
            start,
            AppendRequest(
                lines[start : start + EVENTS_PER_APPEND], secrets=secrets if start == 0 else {}
            ),
        )


def _store_with_prepared_actions(
    service: Service, number: int, players: Sequence[Account], sizes: Sizes
) -> tuple[bytes, ...]:
    """Store the beginning of a game; return requests that submit the actions after it."""
    game_id = f"siege-actions-{number}"
    pending = _play(game_id, players, STORED_EVENTS + sizes.prepared_actions, number)
    _store(service, pending, number, upto=STORED_EVENTS)
    requests = []
    for event in pending.events[STORED_EVENTS:]:
        head = event["seq"] - 1
        seat = pending.game_at(head).to_act
        assert seat is not None
        body = orjson.dumps({"action": event["action"], "expected_seq": head})
        path = f"{API}/games/{game_id}/actions"
        requests.append(request_bytes("POST", path, body, players[seat].token))
    return tuple(requests)
