"""An arena on a real service, over, with its record and those of its games."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any, Final
from unittest.mock import patch

from typing_extensions import override

from domain.tournaments.tournament import DrawnRound
from service.bootstrap import Service
from tests.support.organised_tournaments import OrganisedTournament
from tests.support.tournaments import CLOCK, create, end_game, register, register_accounts

ARENA: Final[dict[str, Any]] = {"format": "arena", "table_size": 2, "minutes": 60}
FAST: Final[dict[str, Any]] = {"per_turn": 300, "on_deadline": {"remove_after": 1}}


class Arena(OrganisedTournament):
    """An arena of an hour. One lets a game pass, one rests, one is excluded, one leaves and comes back, one
    enters late, an organiser rules a table, and a game is settled after the end.
    """

    @override
    def _play(self) -> None:
        tournaments, breaks = self.service.tournaments.tournaments, self.service.tournaments.breaks
        # The same secret and nonces each time, and so the same pairings.
        with patch("service.tournaments.tournaments.randomness.token_bytes", bytes):
            self.id = create(
                self.service,
                self.olga,
                format=ARENA,
                clock=FAST,
                round_seconds=900,
                most=7,
                options={"round_limit": 1},
            ).id
        more = [
            self.service.accounts.players.register(f"p{number}", "correct horse")[0].id
            for number in (6, 7)
        ]
        self.players = [*self.players, *more]
        for number, player in enumerate(self.players[:6]):
            tournaments.register(self.id, player, b"%d" % number)
        self._wait(days=1)
        drawn = self.load().rounds[0]
        assert len(drawn.tables) == 3
        tournaments.register(self.id, self.players[6], b"late")
        end_game(self.service, drawn.games[1] or "", winner=0)
        self._wait(seconds=1)
        assert len(self.load().rounds) == 2
        left, waiting = drawn.players[2]
        breaks.take(self.id, waiting)
        tournaments.withdraw(self.id, left)
        self._wait(seconds=1)
        self.change("TableRuled", round=1, table=3, places=[1, 1])
        self._wait(seconds=1)
        tournaments.register(self.id, left, b"again")
        self._wait(seconds=31)
        breaks.end(self.id, waiting)
        self._end_games(self.load().rounds[1:])
        # At the first table, one never acts, loses the seat, and is seated no more.
        self._let_pass(drawn.games[0] or "")
        arena = self.load().arena
        assert arena is not None
        (sleeper,) = arena.resting & {*drawn.tables[0]}
        breaks.end(self.id, self.load().entrants[sleeper])
        excluded = next(p for p in self.players if p not in drawn.players[0])
        handle = self.service.accounts.players.handles({excluded})[excluded]
        tournaments.exclude(self.id, self.olga, handle or "")
        for _ in range(3):
            self._wait(seconds=31)
            self._end_games(self.load().open_rounds[:-1])
        self._wait(hours=1)
        assert self.load().status == "running"
        count = len(self.load().rounds)
        self._wait(minutes=16)
        assert self.load().status == "finished", self.load().open_rounds
        assert len(self.load().rounds) == count

    def _end_games(self, rounds: Iterable[DrawnRound]) -> None:
        for drawn in rounds:
            for table in drawn.open_tables:
                end_game(self.service, drawn.games[table - 1] or "", winner=table % 2)
        self._wait(seconds=1)

    def _let_pass(self, game_id: str) -> None:
        while not self.service.games.queries.game(game_id).has_ended:
            self.time.tick(timedelta(seconds=301))
            self.harness.scheduler.sweep(is_first=True)
            self.harness.scheduler.check_deadlines()
            self.harness.work()
        self._wait(seconds=1)


def begin_arena(service: Service, creator: str, count: int, **changes: Any) -> list[str]:
    """Create an arena, and return its id and the ids of its players, who have registered."""
    fields = {"format": ARENA, "clock": CLOCK, "round_seconds": 900, **changes}
    id = create(service, creator, **fields).id
    players = register_accounts(service, count)
    register(service, id, players)
    return [id, *players]
