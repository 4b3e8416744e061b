"""The games of the simulation, and the people in them: who acts when, and who stops."""

import random
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from domain.event import Clock

HOUR: Final = 3600
DAY: Final = 24 * HOUR
SYSTEMS: Final[tuple[tuple[str, dict[str, Any]], ...]] = (
    ("barony", {"round_limit": 30}),
    ("barony", {"sorcery": True, "round_limit": 30}),
    ("baron", {}),
)
CLOCKS: Final[tuple[Clock, ...]] = (
    {"per_turn": DAY},
    {"per_turn": 8 * HOUR, "on_deadline": {"turn": "bot", "excused": 1, "remove_after": 3}},
    {"per_turn": 2 * HOUR, "bank": 2 * DAY, "increment": HOUR},
    {
        "per_turn": 10 * HOUR,
        "time_zone": "Europe/Paris",
        "nights": ["22:00", "08:00"],
        "weekends": True,
        "on_deadline": {"excused": 1, "remove_after": 3},
    },
    {"per_turn": 3 * DAY, "holidays": True, "on_deadline": {"turn": "bot", "abandon_after": 3}},
    {"per_turn": 12 * HOUR, "on_deadline": {"placement": "remove", "remove_after": 2}},
    {
        "bank": 4 * DAY,
        "increment": 6 * HOUR,
        "time_zone": "America/New_York",
        "nights": ["23:00", "07:00"],
    },
    {"per_turn": 6 * HOUR, "holidays": True, "on_deadline": {"remove_after": 2, "turn": "bot"}},
)


CLOCKS_OF_DESERTED_GAMES: Final = tuple(CLOCKS[number] for number in (0, 1, 2, 5, 7))
"""Those with which a game ends some days after everybody has left: the others may take weeks."""


@dataclass(frozen=True, slots=True)
class GamePlan:
    """One game: its settings, how many people and bots play, and when all people stop, if they do."""

    rules: str
    options: dict[str, Any]
    clock: Clock
    people: int
    bots: int
    everybody_leaves: timedelta | None

    @property
    def seats(self) -> int:
        """The number of seats."""
        return self.people + self.bots


def plans(games: int, days: float, chance: random.Random) -> list[GamePlan]:
    """Return plans for so many games, among them one of each system that everybody leaves."""
    result = []
    for number in range(games):
        rules, options = SYSTEMS[number % len(SYSTEMS)]
        people = 1 + number % 3
        bots = 1 if people == 1 else number % 2
        leaves = timedelta(days=days * (0.1 if number < len(SYSTEMS) else chance.uniform(0.1, 0.4)))
        is_left = number < len(SYSTEMS) or chance.random() < 0.2
        clocks = CLOCKS_OF_DESERTED_GAMES if is_left else CLOCKS
        result.append(
            GamePlan(
                rules,
                {
                    **options,
                    "seating": "joined",
                    # A substitute would keep the game alive.
                    "substitutes": number % 4 == 3 and not is_left,
                },
                clocks[number % len(clocks)],
                people,
                bots,
                leaves if is_left else None,
            )
        )
    return result


class Habits:
    """When people act: most in time, some too late, and some not any more."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._departures: dict[tuple[str, str], datetime] = {}

    def leave(self, game_id: str, player: str, at: datetime) -> None:
        """Let a player not act any more in a game from a moment on."""
        self._departures[game_id, player] = at

    def acts_at(
        self, game_id: str, player: str, now: datetime, deadline: datetime
    ) -> datetime | None:
        """Return when a player acts in a turn that has just begun; None if the player misses it."""
        departure = self._departures.get((game_id, player))
        if self._chance.random() < 0.12:
            return None
        share = self._chance.choice((0.001, 0.05, 0.2, 0.5, 0.9))
        at = now + (deadline - now) * share
        return None if departure is not None and at >= departure else at
