"""The workers: score rounds, finish games, forfeit turns, remove players, abandon games.

Each of these looks at the log first and appends nothing when there is nothing to do (any more), so doing
it twice, late, or in two processes at once appends once.
"""

from domain import lifecycle
from domain.event import Event
from service import deadlines
from service.errors import NotFound
from service.games.cache import CachedGame
from service.games.door import Door, PendingEvents

SCORER = {"system": "scorer"}
CLOCK = {"system": "clock"}
ARBITER = {"system": "arbiter"}


class Referee(Door):
    """The door for what the log calls for, and for arbiters."""

    def score(self, game_id: str) -> list[Event]:
        """Score every round that has ended, in order; then finish the game if play is over.

        The events that were appended. Raises NotFound.
        """

        def judge(folded: CachedGame) -> PendingEvents | None:
            game = folded.game
            if game.status != "playing":
                return None
            draft = PendingEvents(game_id, folded)
            if game.rounds_ended:
                round = min(game.rounds_ended)
                at_end = self.game_at(game_id, game.rounds_ended[round])
                draft.add(lifecycle.score(game, round, at_end), SCORER)
            elif game.is_played_out:
                draft.add(lifecycle.finish(game, self._seed(game_id)), SCORER)
            else:
                return None
            return draft

        appended: list[Event] = []
        while events := self._write(game_id, judge, at_head=True).events:
            appended += events
        return appended

    def forfeit(self, game_id: str, turn: int) -> list[Event]:
        """Say that the turn is over, if it is still under way and its deadline has passed by now.

        The events that were appended. Raises NotFound.
        """

        def judge(folded: CachedGame) -> PendingEvents | None:
            game = folded.game
            if game.to_act is None or game.state.turn != turn or not deadlines.has_passed(game):
                return None
            draft = PendingEvents(game_id, folded)
            draft.add(lifecycle.forfeit(game), CLOCK)
            return draft

        return list(self._write(game_id, judge, at_head=True).events)

    def remove(self, game_id: str, seat: int) -> list[Event]:
        """Remove a player by an arbiter's word. Raises NotFound, NotNow, Refused (out already)."""

        def judge(folded: CachedGame) -> PendingEvents:
            if not 0 <= seat < folded.game.seats:
                raise NotFound(f"game {game_id} has no seat {seat}")
            draft = PendingEvents(game_id, folded)
            draft.add(lifecycle.remove(folded.game, seat), ARBITER)
            return draft

        return list(self._write(game_id, judge, at_head=True).events)

    def abandon(self, game_id: str) -> list[Event]:
        """End a game without a ranking by an arbiter's word. Raises NotFound, NotNow (over)."""

        def judge(folded: CachedGame) -> PendingEvents:
            draft = PendingEvents(game_id, folded)
            draft.add(lifecycle.abandon(folded.game, self._seed(game_id)), ARBITER)
            return draft

        return list(self._write(game_id, judge, at_head=True).events)
