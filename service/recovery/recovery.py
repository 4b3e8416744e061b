"""Recovers the data of a service after writes were lost, and rebuilds derived data."""

from collections.abc import Iterable
from dataclasses import dataclass

from ledger.transparency.merkle import root
from service.accounts.erased import ErasedPlayers
from service.accounts.handle_index import HandleIndex
from service.bootstrap import Service
from service.recovery.games import LostEvents, find_lost_events, find_lost_seeds, remove_lost_events
from service.recovery.other_data import OtherLosses, remove_unreadable_names, restore_order
from service.recovery.reindex import reindex
from service.recovery.transparency_log import remove_lost_leaves
from service.transparency.last_signed import LastSigned
from service.transparency.store import TransparencyStore


@dataclass(frozen=True, slots=True)
class Losses:
    """The losses: events by game, other data, and leaves of the transparency log.

    `archived` is the number of games that were found again in the archive.
    """

    events: tuple[LostEvents, ...]
    seeds: tuple[str, ...]
    """The ids of the games whose secret is lost."""
    archived: int
    other: OtherLosses
    leaves: int
    contradicts_checkpoint: bool
    """Whether the transparency log no longer begins with the tree of the last checkpoint that was signed."""

    @property
    def are_none(self) -> bool:
        """Whether no loss was found."""
        other = self.other.accounts or self.other.deliveries or self.other.keys
        return not (self.events or self.seeds or self.archived or self.leaves or other)


def recover(service: Service, damaged: Iterable[tuple[str, int]]) -> Losses:
    """Remove data that depends on lost writes, rebuild derived data, and return the losses.

    `damaged` are events (id of the game, seq) that were recognized among damaged writes. No other process may
    use the store. Raises Unavailable.
    """
    client = service.redis
    remove_unreadable_names(client)
    archived = sum(map(service.archive.restore_stub, service.archive.objects.names()))
    log = TransparencyStore(client)
    lost = find_lost_events(client, service.store, [*damaged, *log.logged_events()])
    for events in lost:
        remove_lost_events(client, events)
    erased = ErasedPlayers(client, service.settings.data)
    other = restore_order(client, HandleIndex(client, erased))
    leaves = remove_lost_leaves(client, log)
    signed = LastSigned(service.settings.signing_key).read()
    contradicts = signed is not None and (
        signed.size > log.size() or root(log, signed.size) != signed.root
    )
    reindex(service)
    seeds = find_lost_seeds(client, service.store)
    return Losses(tuple(lost), seeds, archived, other, leaves, contradicts)
