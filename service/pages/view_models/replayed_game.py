"""What pages replay: a game of this server, or an imported record. Both have the same pages."""

from collections.abc import Callable
from dataclasses import dataclass

from flask import g

from domain.game import Game
from service.analyses.store import StoredAnalysis
from service.errors import GameDamaged, NotFound
from service.games.event_queries import EventQueries
from service.games.replays import Replays
from service.http.context import service
from service.imports.imports import no_intact_events
from service.imports.replayed_record import ReplayedRecord
from service.pages.session import current_player


@dataclass(frozen=True, slots=True)
class ReplayedGame:
    """A game with this head, who looks at it, and how it is read.

    `address` is the beginning of the addresses of its pages, and `replay_address` that of its events.
    `record` is the imported record; None for a game of this server. `damage` is what follows on `head` if the
    game is damaged.
    """

    head: Game
    player: str | None
    events: EventQueries
    replays: Replays
    game_at: Callable[[int], Game]
    address: str
    replay_address: str
    record: ReplayedRecord | None = None
    damage: GameDamaged | None = None

    @property
    def analysis(self) -> StoredAnalysis | None:
        """The analysis of a finished game of this server, complete or not; None without one."""
        is_over = self.record is None and self.head.status == "finished"
        return service().analyses.of(self.head) if is_over else None

    @property
    def can_be_analysed(self) -> bool:
        """Whether a player may request the analysis of the game."""
        return self.record is None and service().analyses.can_analyse(self.head)


def replayed_game(game_id: str, seq: int | None = None) -> ReplayedGame:
    """Return a game of this server for the visitor, of which they look at event `seq` (None: the last).

    Raises NotFound, also if they may not see it. A game that is damaged after that event is returned as it
    was before the damage.
    """
    player, games = current_player(), service().games
    head, damage = games.queries.visible_history(game_id, player, seq)
    address = f"/games/{game_id}"
    return ReplayedGame(
        head,
        player,
        games.events,
        games.replays,
        lambda seq: games.queries.game_at(game_id, seq),
        address,
        address,
        damage=damage,
    )


def replayed_record(record: ReplayedRecord) -> ReplayedGame:
    """Return an imported record, at which everybody looks as a spectator.

    The texts of the request have the names that the record gives to the players. Raises NotFound if no event
    is intact.
    """
    head = record.head
    if head is None:
        raise NotFound(no_intact_events())
    use_names_of(record)
    address = f"/imports/{record.imported.id}"
    return ReplayedGame(
        head,
        None,
        record.events,
        record.replays,
        lambda seq: record.loader.game_at(head.id, seq),
        address,
        f"{address}/replay",
        record,
    )


def use_names_of(record: ReplayedRecord) -> None:
    """Have the texts of the request name the players as an imported record does."""
    g.names = record.names
