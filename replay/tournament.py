"""Many playouts: their records written into a folder, by several processes where asked."""

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import cast

from domain.contract import Json
from domain.registry import EXPANSIONS
from replay.playout import Plan, play


def played_to_files(plan: Plan, games: int, folder: Path, jobs: int = 1) -> Iterator[Json]:
    """Play the first `games` games of a plan and write a record of each; what became of it, in order.

    Files are named by rules and expansions, seats, the game's seed and its number, so that equal plans write
    equal files. Raises OSError where one cannot be written.
    """
    one = partial(_played_to_file, plan, folder)
    numbers = range(1, games + 1)
    if jobs == 1 or games == 1:
        yield from map(one, numbers)
        return
    with ProcessPoolExecutor(min(jobs, games), get_context("spawn")) as pool:
        yield from pool.map(one, numbers, chunksize=4)


def _played_to_file(plan: Plan, folder: Path, number: int) -> Json:
    played = play(plan, number)
    game = played.game
    chosen = [
        name
        for rules, name in EXPANSIONS
        if rules == plan.rules and cast("Json", plan.options)[name]
    ]
    words = (plan.rules, *chosen, plan.seats, plan.game_seed(number).hex()[:8], f"{number:04}")
    path = folder / f"{'-'.join(map(str, words))}.jsonl"
    path.write_bytes(played.record)
    return {
        "file": str(path),
        "game": game.id,
        "events": game.seq,
        "actions": played.actions,
        "rounds": game.rounds_scored,
        "ranking": [
            {**place, "player": game.players[place["seat"]]} for place in game.ranking or ()
        ],
    }
