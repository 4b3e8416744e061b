"""Analyses of games that are over: who may request one, and the steps in which a worker computes it."""

import logging
import time
from dataclasses import replace
from io import BytesIO
from typing import Final

from domain.errors import Malformed, NotNow, Unreadable
from domain.game import Game
from domain.json_types import JsonObject
from domain.messages import message
from ledger.record import read
from replay.analysis import settings
from replay.analysis.analysis import check_state, continued, is_complete, new_analysis, progress_of
from replay.analysis.positions import FinishedGame, NotFinished, finished_game
from service import wall_clock
from service.analyses.store import AnalysisStore, StoredAnalysis
from service.bounds import Bounds
from service.errors import NotFound, log_text
from service.games.queries import GameQueries

log = logging.getLogger(__name__)

STEP_SECONDS: Final = 3.0
"""How long a step goes on to examine turns, so that analyses take turns."""


class Analyses:
    """The analyses of games of this server. Thread-safe. Every method raises Unavailable."""

    def __init__(self, queries: GameQueries, store: AnalysisStore, bounds: Bounds) -> None:
        self._queries = queries
        self.store = store
        self._bounds = bounds

    def request(self, game_id: str, player: str) -> StoredAnalysis:
        """Return the analysis of a game, which is requested if there is none. Idempotent.

        Raises NotFound, NotNow (the game is not finished, or too long), TooManyAnalyses if as many of this
        player wait as are allowed, and Unavailable if as many of all players do.
        """
        game = self._queries.visible_game(game_id, player)
        self._require_analysable(game)
        stored = self.of(game)
        if stored is not None:
            if stored.is_waiting:
                self.store.list_again(game.id)
            return stored
        new = StoredAnalysis(game.id, game.hash, wall_clock.format(wall_clock.now()))
        self.store.add(new, player)
        return new

    def get(self, game_id: str, viewer: str | None) -> StoredAnalysis:
        """Return the analysis of a game that the viewer may see. Raises NotFound if there is none."""
        stored = self.of(self._queries.visible_game(game_id, viewer))
        if stored is None:
            raise NotFound.with_message("nobody has requested an analysis of this game")
        return stored

    def of(self, game: Game) -> StoredAnalysis | None:
        """Return the analysis of a game up to its last event, which the caller may see; None without one."""
        stored = self.store.get(game.id)
        return stored if stored is not None and stored.hash == game.hash else None

    def complete(self, game: Game) -> JsonObject | None:
        """Return the complete analysis of a finished game, which the caller may see; None without one."""
        stored = self.of(game) if game.status == "finished" else None
        return None if stored is None else stored.findings

    def advance(self, game_id: str) -> bool:
        """Examine the next turns of a game for STEP_SECONDS, one at least, and store what is done.

        Returns False if turns are left. Does nothing for a game without an analysis that waits.
        """
        stored = self.store.get(game_id)
        if stored is None or not stored.is_waiting:
            self.store.remove(game_id)
            return True
        try:
            game = finished_game(read(BytesIO(b"".join(self._queries.record(game_id)))))
        except (NotFound, NotFinished, Unreadable) as error:
            log.warning("game %s cannot be analysed: %s", game_id, log_text(error))
            self.store.put(replace(stored, failure=log_text(error)))
            return True
        if game.head != stored.hash:
            # The store has lost events; the analysis of the others is requested again.
            self.store.remove(game_id)
            return True
        state = _next_state(game, stored.state)
        done, total = progress_of(state)
        self.store.put(
            replace(
                stored, state=state, progress=done / max(1, total), is_complete=is_complete(state)
            )
        )
        return is_complete(state)

    def can_analyse(self, game: Game) -> bool:
        """Return whether a game can be analysed: it is finished, and not too long."""
        return game.status == "finished" and game.seq <= self._bounds.max_analysed_events

    def _require_analysable(self, game: Game) -> None:
        if game.status != "finished":
            raise NotNow(None, message("only a game that is finished can be analysed"))
        if not self.can_analyse(game):
            raise NotNow(
                None,
                message(
                    "the server analyses games of at most {events} events",
                    events=self._bounds.max_analysed_events,
                ),
            )


def _next_state(game: FinishedGame, state: JsonObject | None) -> JsonObject:
    """Return the state of an analysis after a step, which begins again if another version has stored it."""
    start = new_analysis(game, settings.DEFAULT) if state is None else state
    ends_at = time.monotonic() + STEP_SECONDS
    try:
        check_state(game, settings.DEFAULT, start)
    except Malformed:
        start = new_analysis(game, settings.DEFAULT)
    for later in continued(game, settings.DEFAULT, start):
        start = later
        if time.monotonic() >= ends_at:
            break
    return start
