"""The search for puzzles in finished public games, in steps that a worker makes while nobody waits."""

import logging
import time
from dataclasses import replace
from io import BytesIO
from typing import Final

from domain.errors import Unreadable
from domain.game import Game
from ledger.record import read
from replay.analysis.positions import FinishedGame, NotFinished, finished_game
from replay.analysis.puzzle import (
    NoPuzzle,
    continued,
    is_decided,
    is_of,
    likely_puzzles,
    new_search,
    puzzle_position,
)
from service import wall_clock
from service.analyses.analyses import STEP_SECONDS, Analyses
from service.analyses.store import StoredAnalysis
from service.bounds import Bounds
from service.errors import NotFound, log_text
from service.games.listings import Listings
from service.games.queries import GameQueries
from service.puzzles.store import PuzzleStore, Search

log = logging.getLogger(__name__)

RECENT_GAMES: Final = 50
"""The public games that ended last, among which the search chooses."""
EXAMINED_OF_GAME: Final = 4
"""The positions of a game that are examined, the clearest mark first."""
FOUND_IN_GAME: Final = 2
"""The most puzzles from one game."""
MAX_TRIALS: Final = 3
"""The steps that may be begun without being completed, before the search leaves a game."""


class PuzzleSearch:
    """Searches the public games of a service for puzzles. Not thread-safe. Methods raise Unavailable."""

    def __init__(
        self,
        queries: GameQueries,
        listings: Listings,
        analyses: Analyses,
        store: PuzzleStore,
        bounds: Bounds,
    ) -> None:
        self._queries = queries
        self._listings = listings
        self._analyses = analyses
        self._store = store
        self._bounds = bounds

    def is_due(self) -> bool:
        """Return whether there is a step to make now.

        There is none while analyses wait that somebody has requested, and if the search has taken its time of
        the day or has made as many puzzles as a day has.
        """
        spent, made = self._store.spent_and_made(_today())
        return (
            spent < self._bounds.puzzle_seconds_per_day
            and made < self._bounds.max_puzzles_per_day
            and not self._analyses.store.waiting(1)
            and (self._store.search() is not None or self._next_game() is not None)
        )

    def step(self) -> None:
        """Go on with the search for STEP_SECONDS, one step at least, if it is due. Store what is done."""
        if not self.is_due():
            return
        began_at = time.thread_time()
        try:
            self._step()
        finally:
            spent = time.thread_time() - began_at
            self._store.count_spent(_today(), round(1000 * spent))

    def _step(self) -> None:
        search = self._store.search()
        if search is None:
            game_id = self._next_game()
            if game_id is None:
                return
            search = Search(game_id, "")
        # If this process dies in each step, the search goes on without the game.
        search = replace(search, trials=search.trials + 1)
        self._store.put_search(search)
        try:
            game = self._queries.visible_game(search.game, None)
            if search.trials > MAX_TRIALS or not self.is_searched(game):
                self._store.end_search(search.game)
                return
            if search.hash != game.hash:
                search = Search(game.id, game.hash)
            after = self._in_game(game, search)
        except (NotFound, NotFinished, Unreadable) as error:
            log.warning("game %s cannot be searched for puzzles: %s", search.game, log_text(error))
            after = None
        if after is None:
            self._store.end_search(search.game)
        else:
            self._store.put_search(replace(after, trials=0))

    def is_searched(self, game: Game) -> bool:
        """Return whether a game can have puzzles: it is public and finished, and not too long."""
        return not game.options["private"] and self._analyses.can_analyse(game)

    def _in_game(self, game: Game, search: Search) -> Search | None:
        """Return how far the search in a game is after a step; None if nothing is left in it."""
        left = search.left
        if left is None:
            stored = self._analyses.of(game)
            if stored is None:
                stored = StoredAnalysis(game.id, game.hash, wall_clock.format(wall_clock.now()))
                self._analyses.store.put(stored)
            if stored.failure is not None:
                return None
            if not stored.is_complete or stored.state is None:
                self._analyses.advance(game.id)
                return search
            left = likely_puzzles(stored.state)[:EXAMINED_OF_GAME]
        if not left or search.found >= FOUND_IN_GAME:
            return None
        record = read(BytesIO(b"".join(self._queries.record(game.id))))
        return self._examined(finished_game(record), replace(search, left=left))

    def _examined(self, game: FinishedGame, search: Search) -> Search:
        """Return the search after the first of the positions that are left was examined for a while."""
        left = list(search.left or ())
        after = replace(search, left=left[1:], state=None)
        try:
            position = puzzle_position(game, left[0])
        except NoPuzzle:
            return after
        state = search.state
        if state is None or not is_of(position, state):
            state = new_search(position)
        ends_at = time.monotonic() + STEP_SECONDS
        for later in continued(position, state):
            state = later
            if time.monotonic() >= ends_at:
                break
        if not is_decided(state):
            return replace(search, state=state)
        if not state["is_puzzle"]:
            return after
        at = wall_clock.format(wall_clock.now())
        self._store.add(game.id, state["rules"], game.seats, at, state)
        return replace(after, found=search.found + 1)

    def _next_game(self) -> str | None:
        """Return the public game that ended last of those that have not been examined."""
        page = self._listings.page(("finished",), limit=RECENT_GAMES)
        return next(iter(self._store.not_examined(page.games)), None)


def _today() -> str:
    return wall_clock.format(wall_clock.now())[:10]
