"""Rebuilds derived data: listings, active games and lost outbox entries, the skeletons of handles, the lists
of clubs, and the entries of the leaves of the transparency log.
"""

from collections.abc import Callable
from contextlib import suppress

from domain.errors import Unreadable
from service.bootstrap import Service
from service.errors import log_text
from service.games.outbox import rebuild_outbox
from service.recovery.transparency_log import index_entries
from service.store.damaged_games import work_part

PROGRESS_STEP = 1000
"""The number of games between two reports of the progress."""


def reindex(service: Service, on_progress: Callable[[int], None] | None = None) -> int:
    """Rebuild all derived data and return the number of games; a damaged game is reported and left out.

    This may run while games are played, because every append updates the listings of its game. `on_progress`,
    if given, is called with the number of games that have been reindexed so far. Raises Unavailable, after
    which it can be called again.
    """
    count = 0
    service.accounts.erasure.repeat()
    service.accounts.players.index_skeletons()
    service.clubs.reindex()
    service.games.listings.clear()
    for game_id in service.store.game_ids():
        # Outbox entries are found only if the game is among the active ones.
        service.store.mark_active(game_id)
        if service.store.statements(game_id):
            service.store.mark_statements(game_id)
        try:
            service.games.repository.update_listings(game_id)
            rebuild_game_outbox(service, game_id)
        except Unreadable as error:
            _leave_to_worker(service, game_id, error)
            continue
        count += 1
        if on_progress is not None and count % PROGRESS_STEP == 0:
            on_progress(count)
    service.tournaments.tournaments.reindex()
    index_entries(service.store, service.transparency.log)
    # All games with statements are known now.
    service.accounts.erasure.repeat(is_thorough=True)
    return count


def _leave_to_worker(service: Service, game_id: str, error: Unreadable) -> None:
    """Report a damaged game, and leave it to a worker to list it after its repair."""
    service.damaged_games.report(game_id, work_part("index"), log_text(error))
    with suppress(Unreadable):
        service.store.add_outbox_entries_if_absent(game_id, {"index": '{"seq":0}'})


def rebuild_game_outbox(service: Service, game_id: str) -> None:
    """Add the missing outbox entries of a game. Raises NotFound, Unavailable.

    As always, an entry that is out of date when it is written does no harm.
    """
    game = service.games.repository.load(game_id).game
    entries = rebuild_outbox(game)
    if service.conditional_action_store.exists(game_id):
        entries["conditional"] = f'{{"seq":{game.seq}}}'
    service.store.add_outbox_entries_if_absent(game_id, entries)
