"""Tournaments on a real service: organisers, players, and games that end quickly."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, Final, Protocol

from freezegun import freeze_time

from domain.errors import NotNow
from domain.event import Clock
from domain.json_types import JsonObject
from domain.tournaments.tournament import Tournament
from ledger.canonical import canonical, entry_hash, format_timestamp
from replay.tournaments.log import TournamentRecord, read_tournament
from service import wall_clock
from service.bootstrap import Service
from tests.support.processes import wait_until
from tests.support.service_games import play_set_up, take_action
from tests.support.worker_harness import WorkerHarness

DAY: Final = 24 * 3600
CLOCK: Final[Clock] = {"per_turn": DAY}
START: Final = "2026-03-02T09:00:00Z"
SWISS: Final[Mapping[str, Any]] = {"format": "swiss", "table_size": 2, "rounds": 3}


class FrozenClock(Protocol):
    """What `freeze_time` returns."""

    def tick(self, delta: timedelta) -> object:
        """Let time pass."""


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
    closes = wall_clock.now() + timedelta(days=1)
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


def play_without(
    service: Service,
    harness: WorkerHarness,
    time: FrozenClock,
    game_id: str,
    absent: int,
    days: int,
) -> None:
    """Let days pass in which the player of one seat never acts, and the others take their turns."""
    for _ in range(days * 4):
        time.tick(timedelta(hours=6))
        harness.scheduler.sweep(is_first=True)
        harness.scheduler.check_deadlines()
        harness.work()
        while service.games.queries.game(game_id).to_act not in (None, absent):
            take_action(service, game_id)


class FinishedTournament:
    """A tournament of five at tables of three, with a game that was settled at the last date."""

    def __init__(self, service: Service) -> None:
        self.service = service
        with freeze_time(START) as time:
            harness = WorkerHarness(service)
            creator, players = organiser(service), register_accounts(service, 6)
            format = {"format": "swiss", "table_size": 3, "rounds": 2}
            options = {"round_limit": 1, "takebacks": False}
            self.id = create(service, creator, format=format, options=options).id
            register(service, self.id, players[:5])
            time.tick(timedelta(days=1))
            advance(harness)
            register(service, self.id, players[5:])
            first, second = (game for game in self.load().rounds[0].games if game is not None)
            end_game(service, first)
            play_set_up(service, second)
            service.tournaments.tournaments.withdraw(self.id, self.load().entrants[0])
            time.tick(timedelta(days=3, minutes=1))
            advance(harness)
            end_game(service, second)
            for game in self.load().rounds[1].games:
                if game is not None:
                    end_game(service, game)
            time.tick(timedelta(minutes=1))
            advance(harness)
            time.tick(timedelta(hours=2))
            advance(harness)
            harness.close()
            data = b"".join(service.tournaments.tournaments.record(self.id, None))
            self.data = data
            self.record = read_tournament(data)
            self.games = {
                game: b"".join(service.games.queries.record(game))
                for drawn in self.load().rounds
                for game in drawn.games
                if game is not None
            }

    def load(self) -> Tournament:
        """Return the tournament at its head."""
        return self.service.tournaments.tournaments.load(self.id)


def begin(service: Service, creator: str, players: Sequence[str], **changes: Any) -> str:
    """Create a tournament on a running service, and return its id when a scheduler has drawn the first round.

    On a machine so slow that registration has closed before all have registered, another one is created.
    """
    tournaments, id = service.tournaments.tournaments, ""
    for seconds in (2, 8, 32, 128):
        closes = wall_clock.now() + timedelta(seconds=seconds)
        id = tournaments.create(creator, settings(closes, **changes)).id
        with suppress(NotNow):
            register(service, id, players)
            break
    wait_until(lambda: tournaments.load(id).status == "running")
    return id


class RecordedTournament(Protocol):
    """A tournament on a service, with its record."""

    service: Service
    record: TournamentRecord


def forged(
    finished: RecordedTournament, change: Callable[[list[JsonObject]], None]
) -> TournamentRecord:
    """Return a record with changed events, with every hash and the head repaired and signed."""
    events: list[JsonObject] = json.loads(json.dumps(list(finished.record.events)))
    change(events)
    prev = "0" * 64
    for seq, event in enumerate(events, 1):
        event |= {"seq": seq, "prev": prev}
        prev = event["hash"] = entry_hash(event)
    header = {
        name: value
        for name, value in finished.record.header.items()
        if name not in ("inclusion", "log")
    }
    header["head"] = {"seq": len(events), "hash": prev}
    header = finished.service.keyring.signing_key.sign_head(header)
    lines = [canonical(header), *map(canonical, events)]
    return read_tournament(b"\n".join(lines) + b"\n")


def of_type(events: list[JsonObject], type: str, number: int = 0) -> JsonObject:
    """Return an event of a type."""
    return [event for event in events if event["type"] == type][number]
