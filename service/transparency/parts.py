"""Creates the objects of `service.transparency`, and connects them."""

from dataclasses import dataclass

import redis

from ledger.transparency.signed_note import NoteKey
from service.keyring import Keyring
from service.replication import Replication
from service.settings import Settings
from service.store.redis_event_store import RedisEventStore
from service.transparency.checkpoints import Checkpoints
from service.transparency.head_log import HeadLog
from service.transparency.last_signed import LastSigned
from service.transparency.proofs import Proofs
from service.transparency.restores import Restores
from service.transparency.store import TransparencyStore


@dataclass(frozen=True, slots=True)
class Transparency:
    """The objects of `service.transparency` for one process. Thread-safe."""

    log: TransparencyStore
    head_log: HeadLog
    checkpoints: Checkpoints
    proofs: Proofs


def build_transparency(
    client: redis.Redis,
    settings: Settings,
    store: RedisEventStore,
    keyring: Keyring,
    replication: Replication,
    *,
    read_only: bool,
) -> Transparency:
    """Return the transparency log that these settings describe; for `read_only` see `Keyring`."""
    log = TransparencyStore(client)
    checkpoints = Checkpoints(
        log,
        keyring,
        LastSigned(settings.signing_key),
        Restores(client, settings.data, is_embedded=settings.is_embedded),
        settings.origin,
        [NoteKey.parse(key) for key in settings.witnesses],
        settings.bounds.checkpoint_seconds,
        read_only,
        replication,
    )
    return Transparency(log, HeadLog(store, log), checkpoints, Proofs(log, checkpoints, store))
