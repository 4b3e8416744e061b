"""Tournaments on a real service: organisers, players, and games that end quickly."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from domain.event import Clock
from domain.tournaments.tournament import Tournament
from ledger.canonical import format_timestamp
from service import clock
from service.bootstrap import Service
from tests.support.worker_harness import WorkerHarness

DAY: Final = 24 * 3600
CLOCK: Final[Clock] = {"per_turn": DAY}
SWISS: Final[Mapping[str, Any]] = {"format": "swiss", "table_size": 2, "rounds": 3}


def register_accounts(service: Service, count: int) -> list[str]:
    """Register so many players with handles `p1`, `p2` …, and return their ids."""
    return [
        service.accounts.players.register(f"p{number}", "correct horse")[0].id
        for number in range(1, count + 1)
    ]


def organiser(service: Service, handle: str = "olga") -> str:
    """Register a player with the role of an organiser, and return the id."""
    player, _ = service.accounts.players.register(handle, "correct horse")
    service.administration.set_role("operator", player.id, "organiser", "a test")
    return player.id


def settings(end: datetime, **changes: Any) -> dict[str, Any]:
    """Return the fields of a new tournament whose registration ends then, with some changes."""
    return {
        "name": "Cup",
        "description": "",
        "format": dict(SWISS),
        "rules": "barony",
        "options": {"round_limit": 1},
        "clock": CLOCK,
        "private": False,
        "least": 2,
        "most": 32,
        "closes": format_timestamp(end),
        "round_seconds": 3 * DAY,
        "invite": [],
        **changes,
    }


def create(service: Service, creator: str, **changes: Any) -> Tournament:
    """Create a tournament whose registration closes in a day."""
    closes = clock.now() + timedelta(days=1)
    return service.tournaments.tournaments.create(creator, settings(closes, **changes))


def register(service: Service, id: str, players: Iterable[str]) -> None:
    """Register players with nonces."""
    for player in players:
        service.tournaments.tournaments.register(id, player, player.encode())


def advance(harness: WorkerHarness) -> None:
    """Let a scheduler and a worker do what is due."""
    harness.scheduler.enqueue_tournament_tasks()
    harness.work()


def end_game(service: Service, game_id: str, winner: int | None = None) -> None:
    """Let everybody but `winner` (None: the first seat) resign, which ends play, and finish the game."""
    game = service.games.queries.game(game_id)
    kept = winner or 0
    for seat in range(game.seats):
        if seat == kept:
            continue
        game = service.games.queries.game(game_id)
        if game.to_act is None:
            break
        service.games.commands.act(game_id, game.players[seat], {"type": "resign"}, game.seq)
    service.games.commands.score(game_id)
