"""What is proven about a game, and by whom, as its page of proofs shows it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from domain.chance import FIRST_SEED_VERSION
from domain.contract import STATEMENT, secret_owner
from domain.errors import CartularyError
from domain.event import Event
from domain.game import Game, Resumption
from domain.messages import PlayerAt, PlayerWithId, Text
from ledger.transparency.checkpoint import Checkpoint
from ledger.transparency.signed_note import NoteKey, SignedNote
from replay.audit.chance import CREATORS_PLACE
from replay.audit.findings import Topic
from service import wall_clock
from service.bootstrap import Service
from service.errors import NotFound

MAX_SHOWN_FINDINGS: Final = 20
"""Findings of an audit that a page lists."""
_EVENTS_PER_READ: Final = 100
_MAX_EVENTS_BEFORE_START: Final = 1_000
"""Events that are read to find the start of a game, in which places are taken and left."""


@dataclass(frozen=True, slots=True)
class Commitment:
    """A value that event `seq` commits to. `owner` is the seat that may see it during the game, if any."""

    seq: int
    name: str
    digest: str
    owner: int | None
    is_visible: bool
    """Whether the viewer may see the value now."""


@dataclass(frozen=True, slots=True)
class Nonce:
    """The random bytes that a player contributed to the draws by event `seq`; `source` is who chose them.

    For a bot, the player is the creator of the game, whose program may send them.
    """

    seq: int
    player: str
    source: str | None


@dataclass(frozen=True, slots=True)
class NewDraws:
    """What was drawn when play resumed with event `seq`.

    `supplier` sent the last random bytes for it; None if the server could have chosen it.
    """

    seq: int
    supplier: PlayerAt | PlayerWithId | None


@dataclass(frozen=True, slots=True)
class LoggedHead:
    """The head of the game in the transparency log, and the checkpoint that covers it.

    `cosigners` are the witnesses that have cosigned this checkpoint, each with the time when it did.
    """

    seq: int
    hash: str
    index: int
    size: int
    signer: str
    cosigners: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class PlayerKey:
    """A public key with which a player signs actions, unless it is revoked (`public` is None)."""

    player: str
    id: str
    public: str | None


def commitments(service: Service, game: Game, viewer: int | None) -> list[Commitment]:
    """Return the commitments of a game to values that not everybody may see, in the order of the log."""
    start = next((event for event in _opening_events(service, game) if _is_start(event)), None)
    events = [] if start is None else [start]
    for resumption in game.resumptions:
        events += service.games.queries.event_page(game.id, resumption.seq - 1, 1)
    return [
        Commitment(event["seq"], name, digest, secret_owner(name), game.may_see(name, viewer))
        for event in events
        for name, digest in sorted(event.get("secrets", {}).items())
        if name != STATEMENT
    ]


def nonces(service: Service, game: Game) -> list[Nonce]:
    """Return the nonces from which the seed of a game derives, in the order of the log."""
    taken = [event for event in _opening_events(service, game) if event["type"] == "SeatTaken"]
    if game.seed_version == FIRST_SEED_VERSION:
        last_of = {event["data"]["player"]: event for event in taken}
        taken = [event for player, event in last_of.items() if game.has_joined(player)]
    else:
        taken = [event for event in taken if event["data"]["nonce"]]
    return [
        Nonce(event["seq"], _supplier(game, event), event["data"].get("nonce_from"))
        for event in taken
    ]


def _supplier(game: Game, taken: Event) -> str:
    """Return the player who could send a nonce when a place was taken."""
    player: str = game.creator if "bot" in taken["data"] else taken["data"]["player"]
    return player


def decisive_nonce(nonces: Sequence[Nonce]) -> Nonce | None:
    """Return the nonce because of which the server could not choose the draws; None if there is none.

    It is the last one, if a player sent it after the commitment was published.
    """
    if not nonces or nonces[-1].source != "player" or nonces[-1].seq <= CREATORS_PLACE:
        return None
    return nonces[-1]


def open_topics(
    service: Service, game: Game, nonces: Sequence[Nonce], head: LoggedHead | None
) -> set[Topic]:
    """Return the topics of the questions that nobody who checks the record of a game now can answer."""
    topics: set[Topic] = set()
    if game.status != "open" and decisive_nonce(nonces) is None:
        topics.add("draws")
    if any(draws.supplier is None for draws in new_draws(service, game)):
        topics.add("redraws")
    if game.status != "open" and not game.has_ended:
        topics.add("progress")
    if head is None or head.seq < game.seq:
        topics.add("history")
    return topics


def new_draws(service: Service, game: Game) -> list[NewDraws]:
    """Return the events with which play has resumed and something was drawn again, in order."""
    return [
        NewDraws(resumption.seq, _last_supplier(game, resumption))
        for resumption in game.resumptions
        if service.games.queries.event_page(game.id, resumption.seq - 1, 1)[0].get("secrets")
    ]


def _last_supplier(game: Game, resumption: Resumption) -> PlayerAt | PlayerWithId | None:
    """Return who sent the last nonce for new draws, if that one decides about them."""
    nonces = resumption.nonces
    if game.seed_version == FIRST_SEED_VERSION or not nonces or not nonces[-1].value:
        return None
    seat = nonces[-1].seat
    return PlayerWithId(game.arbiter or "") if seat is None else PlayerAt(seat)


def player_keys(game: Game) -> list[PlayerKey]:
    """Return the keys that players of the game have registered for signing actions."""
    return [
        PlayerKey(player, id, public)
        for player, keys in game.keys.items()
        for id, public in keys.items()
    ]


def logged_head(service: Service, game: Game) -> tuple[LoggedHead | None, Text | None]:
    """Return the head of the game in the transparency log, or why there is no proof of one now."""
    try:
        proof = service.transparency.proofs.inclusion(game.id)
        note = SignedNote.parse(proof["checkpoint"])
        checkpoint = Checkpoint.of_note(note)
        witnesses = [NoteKey.parse(key) for key in service.settings.witnesses]
        verified = note.verified_keys(witnesses)
    except NotFound:
        return None, None
    except CartularyError as error:
        return None, error.message
    cosigners = {
        key.short_name: wall_clock.format(datetime.fromtimestamp(signature.timestamp, UTC))
        for key, signature in verified.items()
    }
    return (
        LoggedHead(
            proof["seq"],
            proof["hash"],
            proof["index"],
            checkpoint.size,
            checkpoint.origin,
            cosigners,
        ),
        None,
    )


def receipts_of(service: Service, game: Game, player: str) -> Iterator[Mapping[str, Any]]:
    """Iterate over all receipts of a player for actions in a game, in the order of the log."""
    cursor: str | None = None
    while True:
        page = service.games.receipts.page(player, cursor, _EVENTS_PER_READ, game.id)
        yield from page.receipts
        cursor = page.next
        if cursor is None:
            return


def _opening_events(service: Service, game: Game) -> Sequence[Event]:
    """Return the events of a game up to its start."""
    events: list[Event] = []
    while len(events) < min(game.seq, _MAX_EVENTS_BEFORE_START):
        page = service.games.queries.event_page(game.id, len(events), _EVENTS_PER_READ)
        for event in page:
            events.append(event)
            if _is_start(event):
                return events
        if len(page) < _EVENTS_PER_READ:
            break
    return events


def _is_start(event: Event) -> bool:
    return event["type"] == "GameStarted"
