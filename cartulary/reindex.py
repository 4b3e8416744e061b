"""What can be worked out from the logs, made again: listings and lost notes, with word of how far it is."""

from collections.abc import Callable

from service.bootstrap import Service
from service.rebuild import rebuild
from workers.noted import rebuild_outbox

STEP = 1000
"""Games between two words."""


def reindex(service: Service, say: Callable[[int], None]) -> int:
    """Make everything again; how many games there are. `say` is told how many are done, now and then.

    Raises Unavailable; then it is to be run again.
    """
    count = 0
    for game in rebuild(service.log, service.games, service.listings):
        rebuild_outbox(service, game)
        count += 1
        if count % STEP == 0:
            say(count)
    return count
