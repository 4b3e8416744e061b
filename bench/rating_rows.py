"""Rows on ratings: adding a finished game to those of many games costs the same as to those of few."""

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from bench.measure import Row, latency_row
from bench.redis_client import wait_for_rewrite
from ledger.canonical import canonical
from replay.ratings.player_ratings import FIRST_HASH, Rating, Result, rated_game
from service.bootstrap import Service, build
from service.operation.embedded_redis import EmbeddedRedis
from service.projections.projections import Projections
from service.ratings.ratings import ALL, PlayerRating, RatingExclusions, Ratings, RatingsProjection
from service.settings import load_settings
from tests.support.service_games import start_game

FEW: Final = 100
MANY: Final = 100_000
GAMES_PER_PLAYER: Final = 20
ROUNDS: Final = 21
MOST_RATIO: Final = 1.5
_BATCH: Final = 5_000
_VALUES: Final = f"cartulary:{{projection:{RatingsProjection.name}}}:1"


class RatedService:
    """A service on a Redis of its own whose ratings have this number of games."""

    def __init__(self, running: ExitStack, folder: Path, games: int) -> None:
        folder.mkdir(mode=0o700)
        redis = running.enter_context(EmbeddedRedis(folder))
        settings = {"CARTULARY_REDIS_URL": redis.url, "CARTULARY_DATA": str(folder)}
        self.service: Service = build(load_settings(settings))
        running.callback(self.service.redis.close)
        self.service.keyring.publish_key()
        _fill(self.service, games)
        wait_for_rewrite(self.service.redis)
        assert self.service.games.ratings.statement()["games"] == games
        feed = self.service.games.event_feed
        self._ratings = Projections(
            self.service.redis, feed, [RatingsProjection(RatingExclusions(self.service.redis))]
        )

    def add_game(self) -> float:
        """Finish a rated game, and return how many seconds it takes until the ratings contain it."""
        self._finish_game()
        start = time.perf_counter()
        assert self._ratings.catch_up()
        return time.perf_counter() - start

    def commands_to_add_game(self) -> int:
        """Return how many commands Redis handles while the ratings take in one more game."""
        self.add_game()
        self._finish_game()
        before = self._commands()
        assert self._ratings.catch_up()
        return self._commands() - before

    def _finish_game(self) -> None:
        """Finish a rated game of two players of the table, and log its head."""
        service = self.service
        game = start_game(service, players=("player-0", "player-1"), rules="baron", rated=True)
        seq = service.games.queries.game(game.id).seq
        service.games.commands.act(game.id, game.players[0], {"type": "resign"}, seq)
        while service.games.queries.game(game.id).status != "finished":
            service.games.commands.score(game.id)
        service.transparency.head_log.log([game.id])

    def _commands(self) -> int:
        return int(self.service.redis.info("stats")["total_commands_processed"])

    @property
    def ratings(self) -> Ratings:
        """The ratings of the service."""
        return self.service.games.ratings


def measure(folder: Path, many: int = MANY) -> Iterator[Row]:
    """Measure the rows of this group."""
    with ExitStack() as running:
        few_games = RatedService(running, folder / "few-ratings", FEW)
        many_games = RatedService(running, folder / "many-ratings", many)
        pairs = []
        for round in range(ROUNDS + 1):
            # What comes second finds the caches of the processor warmer.
            if round % 2:
                few = few_games.add_game()
                pairs.append((many_games.add_game(), few))
            else:
                pairs.append((many_games.add_game(), few_games.add_game()))
    label = f"adding a finished game to the ratings of {many:,} games"
    yield latency_row(label, f"the same with {FEW:,} games", pairs[1:], MOST_RATIO)


def _fill(service: Service, games: int) -> None:
    """Store the values that the projection has after games of two, each of which is decided in the same way.

    The ratings themselves are those after one game, because computing them takes longer than all else.
    """
    players = max(2, 2 * games // GAMES_PER_PLAYER)
    number, hash = 0, FIRST_HASH
    counts = [0] * players
    for start in range(0, games, _BATCH):
        values: dict[Any, Any] = {}
        boards: dict[str, dict[Any, Any]] = {}
        for index in range(start, min(games, start + _BATCH)):
            first = 2 * index % players
            pair = [first, (first + 1) % players]
            number, hash = _add(number, hash, pair, counts, values, boards)
        values["head"] = f"{number} {hash}"
        with service.redis.pipeline(transaction=False) as pipeline:
            pipeline.hset(_VALUES, mapping=values)
            for board, scores in boards.items():
                pipeline.sadd(f"{_VALUES}:boards", board)
                pipeline.zadd(f"{_VALUES}:{board}", scores)
            pipeline.execute()


_AT: Final = "2026-11-22T10:53:12.345Z"
_AFTER: Final = {True: Rating(27_000_000, 8_000_000), False: Rating(23_000_000, 8_000_000)}


def _add(
    number: int,
    hash: str,
    pair: Sequence[int],
    counts: list[int],
    values: dict[str, str],
    boards: dict[str, dict[str, int]],
) -> tuple[int, str]:
    """Add one game to the values, and return number and hash of its line."""
    names = [f"player-{player}" for player in pair]
    end = sha256(str(number).encode()).hexdigest()
    result = Result(
        game=end[:16], hash=end, at=_AT, system="baron", places={names[0]: 1, names[1]: 2}
    )
    after = {name: _AFTER[place == 1] for name, place in result.places.items()}
    line = rated_game(number + 1, result, after, hash)
    values[f"line {line['number']}"] = canonical(line).decode()
    values[f"game {result.game}"] = result.hash
    for player, name in zip(pair, names, strict=True):
        counts[player] += 1
        current = PlayerRating(after[name], counts[player], 0).encode()
        values[f"of baron {name}"] = current
        values[f"of baron {name} {counts[player]}"] = str(line["number"])
        for period in (ALL, _AT[:4], _AT[:7]):
            boards.setdefault(f"baron {period}", {})[name] = after[name].cautious
            values[f"on baron {period} {name}"] = current
    return line["number"], line["hash"]
