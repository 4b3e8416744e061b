"""Stores what a siege needs before the service starts: accounts and games.

A game in which the knights only move never ends, so a log of thousands of events is played and sealed within
seconds.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from flask import Flask, session
from flask_wtf.csrf import generate_csrf  # type: ignore[import-untyped] # has no annotations

from bench.siege.attack import GAME, Target
from domain.chance import Chance
from domain.lifecycle import NewGame
from ledger import commands
from ledger.canonical import canonical
from ledger.pending import PendingEvents
from service.bootstrap import Service, build
from service.operation.embedded_redis import EmbeddedRedis
from service.pages.app import create_web_app
from service.pages.forms import CSRF_FIELD
from service.pages.session import COOKIE_NAME, PageSessions
from service.recovery.reindex import reindex
from service.settings import load_settings
from service.store.event_store import AppendRequest

TIMESTAMP: Final = "2026-01-01T00:00:00.000Z"
PASSWORD: Final = "correct horse"  # noqa: S105 # of made-up players
EVENTS_PER_APPEND: Final = 500
ATTACKERS: Final = 7
EVENTS_OF_NEW_GAME: Final = 2
"""Its creation, and the place of its creator."""
FOREVER: Final = 1_000_000
"""More events than a game with a limit of rounds has."""
SET_UP_EVENTS: Final = 9
EVENTS_OF_SHORT_GAME: Final = SET_UP_EVENTS + 1
"""The start of a game and its set-up."""
ROUNDS_OF_FINISHED_GAME: Final = 12


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
    fresh_clients: int = 4
    long_game_events: int = 7_200
    games: int = 12
    events_per_game: int = 1_000
    sandboxes: int = 10
    open_games: int = 4
    games_to_start: int = 40
    finished_games: int = 100


@dataclass(frozen=True, slots=True)
class StoredGames:
    """What was stored: two accounts for each client that plays, and the target of the attacks."""

    clients: tuple[tuple[Account, Account], ...]
    fresh_clients: tuple[tuple[Account, Account], ...]
    """Those that open a connection for each request."""
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
        for number in range(sizes.clients + sizes.fresh_clients)
    )
    accounts = tuple(_register(service, f"attacker-{number}") for number in range(ATTACKERS))
    attackers = accounts[:2]
    numbers = iter(range(1_000))

    def store(name: str, events: int, seats: int = 2) -> str:
        number = next(numbers)
        id = f"siege-{name}-{number}"
        _store(service, _play(id, attackers, events, number, seats), number)
        return id

    long_game = store("long", sizes.long_game_events)
    cookies, form_token = _sessions(service, attackers)
    target = Target(
        port=port,
        tokens=tuple(account.token for account in accounts),
        cookies=cookies,
        form_token=form_token,
        sandboxes=tuple(
            service.sandboxes.create(attackers[0].id, "siege", long_game, seq + 1, b"").stored.id
            for seq in range(SET_UP_EVENTS, SET_UP_EVENTS + sizes.sandboxes)
        ),
        player_handles=tuple(first.handle for first, _ in clients[: sizes.clients]),
        long_game=long_game,
        long_game_events=sizes.long_game_events,
        games=tuple(store("game", sizes.events_per_game) for _ in range(sizes.games)),
        events_per_game=sizes.events_per_game,
        short_game=store("short", EVENTS_OF_SHORT_GAME),
        short_game_events=EVENTS_OF_SHORT_GAME,
        open_games=tuple(
            store("open", EVENTS_OF_NEW_GAME, seats=3) for _ in range(sizes.open_games)
        ),
        games_to_start=tuple(
            store("start", EVENTS_OF_NEW_GAME) for _ in range(sizes.games_to_start)
        ),
        finished_games=tuple(
            _store_finished(service, attackers, next(numbers)) for _ in range(sizes.finished_games)
        ),
        webhook_port=webhook_port,
        pages=page_addresses(create_web_app(service)),
    )
    reindex(service)
    return StoredGames(clients[: sizes.clients], clients[sizes.clients :], target)


def page_addresses(app: Flask) -> tuple[str, ...]:
    """Return the addresses of pages that need at most the id of a game, for which they have GAME.

    Event streams, which do not end, are not among them.
    """
    rules = (
        rule
        for rule in app.url_map.iter_rules()
        if rule.endpoint.startswith("pages.") and "GET" in (rule.methods or ())
    )
    return tuple(
        rule.rule.replace("<game_id>", GAME)
        for rule in rules
        if rule.arguments <= {"game_id"} and not rule.rule.endswith("/stream")
    )


def _register(service: Service, handle: str) -> Account:
    player, token = service.accounts.players.register(handle, PASSWORD)
    return Account(player.id, handle, token)


def _sessions(service: Service, accounts: Sequence[Account]) -> tuple[tuple[str, ...], str]:
    """Return the session cookies of accounts that have logged in, and the token of their forms."""
    app = Flask("siege")
    sessions = PageSessions(service.redis, "/api")
    sessions.load_key(app)
    serializer = sessions.get_signing_serializer(app)
    assert serializer is not None
    with app.test_request_context():
        form_token = generate_csrf()
        values = {CSRF_FIELD: session[CSRF_FIELD]}
    cookies = ({"token": account.token, "player": account.id, **values} for account in accounts)
    return tuple(f"{COOKIE_NAME}={serializer.dumps(cookie)}" for cookie in cookies), form_token


def _store_finished(service: Service, players: Sequence[Account], number: int) -> str:
    """Store a game that is over, and return its id."""
    id = f"siege-finished-{number}"
    pending = _play(id, players, FOREVER, number, 2, round_limit=ROUNDS_OF_FINISHED_GAME)
    commands.finish(pending, lambda: _secret(number))
    _store(service, pending, number)
    return id


def _play(
    game_id: str, players: Sequence[Account], events: int, number: int, seats: int, **options: int
) -> PendingEvents:
    """Return the events of a game of Barony in which the knights only move; equal numbers play alike.

    The game has this number of events, or one more, or it is played out. With few events it has not started.
    """
    secret = _secret(number)
    pending = PendingEvents(game_id, None, timestamp=TIMESTAMP)
    commands.create(
        pending,
        players[0].id,
        NewGame(rules="barony", seats=seats, options={"seating": "joined", **options}),
        secret=secret,
        nonce=b"",
    )
    for player in players[1 : events - EVENTS_OF_NEW_GAME + 1]:
        commands.join(pending, player.id, b"", lambda: secret)
    chance = Chance(secret)
    while len(pending.sealed) < events:
        game = pending.game
        if game.to_act is None:
            break
        legal: Sequence[Any] = game.rules.legal_actions(game.state, game.to_act)
        choices = [action for action in legal if action.type == "move"] or legal
        pending.act(game.to_act, choices[chance.below(len(choices))])
        if pending.game.rounds_ended:
            # Otherwise the workers of the service would have thousands of rounds to score first.
            commands.score_next_round(pending, pending.game_at)
    return pending


def _secret(number: int) -> bytes:
    return number.to_bytes(32, "big")


def _store(service: Service, pending: PendingEvents, number: int) -> None:
    secrets = {"seed": _secret(number).hex()}
    for seq, openings in pending.openings.items():
        for name, opening in openings.items():
            secrets[f"{seq}/{name}"] = canonical(opening).decode()
    lines = pending.lines
    for start in range(0, len(lines), EVENTS_PER_APPEND):
        service.store.append(
            pending.game_id,
            start,
            AppendRequest(
                lines[start : start + EVENTS_PER_APPEND], secrets=secrets if start == 0 else {}
            ),
        )
