"""`python -m bench.luck [GAMES]`: the luck of whole games of Baron, whose mean must be nothing.

The games are between sensible bots. Luck is computed from the draws alone
(`replay/analysis/luck.py`), with the default budget.
"""

import sys
from collections.abc import Sequence
from io import BytesIO
from math import sqrt
from typing import Final

from ledger.record import read
from replay.analysis import settings
from replay.analysis.luck import luck_of, luck_of_seats
from replay.analysis.positions import finished_game
from replay.bots.playout import plan, play

GAMES: Final = 20
SEED: Final = b"luck"


def luck_of_game(number: int) -> tuple[float, float, bool]:
    """Return the luck of the first seat in a game of this number, its standard error, and whether it won."""
    played = play(plan("baron", 2, SEED, {}, ("sensible",)), number)
    game = finished_game(read(BytesIO(played.record)))
    turns = [
        {
            "luck": [
                entry
                for each in turn.decisions
                if (entry := luck_of(game.rules, settings.DEFAULT, each))
            ]
        }
        for turn in game.turns
    ]
    first, _ = luck_of_seats({"turns": turns, "seats": game.seats})
    return first["luck"], first["error"], game.winners == (0,)


def main(arguments: Sequence[str]) -> int:
    """Print the luck of each game, and the mean; return 0 if it is within two standard errors of 0."""
    count = int(arguments[0]) if arguments else GAMES
    values = []
    for number in range(1, count + 1):
        luck, error, has_won = luck_of_game(number)
        values.append(luck)
        print(f"{number:3} {luck:+.3f} ± {error:.3f} {'won' if has_won else ''}", flush=True)
    mean = sum(values) / count
    error = sqrt(sum((value - mean) ** 2 for value in values) / (count - 1) / count)
    print(f"mean {mean:+.3f}, standard error {error:.3f}, {count} games")
    return 0 if abs(mean) <= 2 * error else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
