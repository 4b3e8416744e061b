"""Checks of what the service does that read many games: work that is late, and the log of heads."""

from collections.abc import Iterator
from contextlib import suppress
from itertools import chain, islice
from typing import Final

import orjson

from domain.errors import Unreadable
from domain.messages import message, plural_message
from service import wall_clock
from service.administration.finding import Finding
from service.administration.health import LONG_WAIT
from service.bootstrap import Service
from service.transparency.restores import Restores
from service.transparency.store import TransparencyStore
from workers.tasks import tasks_of

GAMES: Final = 1000
"""Games whose outboxes are read at most: those that have changed lately come first."""


def check_work(service: Service) -> Iterator[Finding]:
    """What events call for must be done soon: outboxes, queues, deadlines, deliveries; nothing is damaged."""
    late = _late_games(service)
    yield Finding(
        "fault" if late else "ok",
        plural_message(
            "{count} game has work in its outbox that has been due for over a minute",
            "{count} games have work in their outboxes that has been due for over a minute",
            count=late,
        )
        if late
        else message("no work in the outboxes is late"),
        message("look at the logs of the scheduler and the workers; start more workers")
        if late
        else None,
    )
    yield from service.health.work()


def _late_games(service: Service) -> int:
    """Return the number of active games with work that has been due for longer than LONG_WAIT.

    An entry is at least as old as the last event of its game, unless it states a time.
    """
    before = wall_clock.format(wall_clock.now() - LONG_WAIT)
    late = 0
    changed = (game_id for game_id, _ in service.store.changed_games())
    game_ids = dict.fromkeys(islice(chain(changed, service.store.active_games()), GAMES))
    for game_id, game_tasks in tasks_of(service.store, game_ids).items():
        due = [task for task in game_tasks.tasks if task.kind and task.due_at < before]
        if any(task.due_at for task in due) or (due and _last_time(service, game_id) < before):
            late += 1
    return late


def _last_time(service: Service, game_id: str) -> str:
    """Return the time of the last event of a game; "" if there is none that can be read."""
    with suppress(Unreadable, IndexError, KeyError):
        lines = service.store.read(game_id, after=service.store.head(game_id) - 1)
        return str(orjson.loads(lines[-1])["at"])
    return ""


def check_transparency(service: Service) -> Iterator[Finding]:
    """Heads must be logged and signed, and cosigned where witnesses are configured."""
    restores = Restores(
        service.redis, service.settings.data, is_embedded=service.settings.is_embedded
    )
    if restores.is_marked:
        yield Finding(
            "warning",
            message("the data was restored, and no new epoch has begun yet"),
            message("it begins with the next checkpoint, which a web process signs"),
        )
    store = TransparencyStore(service.redis)
    logged = store.size()
    note, _ = store.latest_checkpoint()
    yield Finding(
        "ok",
        plural_message("{count} head is logged", "{count} heads are logged", count=logged)
        if note
        else message("no checkpoint has been signed yet"),
    )
    if service.settings.witnesses and note and store.cosigned_checkpoint() is None:
        yield Finding(
            "warning",
            message("no witness has signed a checkpoint yet"),
            message("ask the operators of the witnesses whether they follow this server"),
        )
