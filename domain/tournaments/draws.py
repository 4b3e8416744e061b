"""What is drawn in a tournament, with the scheme of domain/chance.py: lots, tables, and the secrets of games.

The server commits to two secrets before anybody registers, and every player adds a nonce. The first secret is
published when registration closes: lots and tables follow from it and the nonces. The second one is published
after the last game: the secret of each game derives from it, so that nobody can choose what is drawn there.
"""

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import TypeVar

from domain import chance

T = TypeVar("T")


def draw_seed(secret: bytes, nonces: Iterable[bytes]) -> bytes:
    """The 32 bytes from which lots and tables are drawn.

    `nonces` are those of all players who ever registered, in the order of the log; empty ones add nothing.
    """
    return chance.seed(secret, nonces)


class TournamentDraw:
    """The draws of a tournament: each depends on the seed and its label alone."""

    def __init__(self, seed: bytes) -> None:
        self._seed = seed

    def shuffle(self, items: Sequence[T], label: str) -> list[T]:
        """Return the items in random order."""
        seed = sha256(b"cartulary tournament draw v1" + self._seed + label.encode()).digest()
        return chance.Chance(seed).shuffle(items)


def game_id(tournament_id: str, round: int, table: int, previous_hash: str) -> str:
    """The id of a game: 16 hex digits. Tables are counted from 1.

    `previous_hash` is that of the event before `RoundDrawn`. A round that is drawn again, because the store
    has lost events, has other games.
    """
    before = f"{tournament_id} {previous_hash}".encode()
    return sha256(b"%b round %d table %d" % (before, round, table)).hexdigest()[:16]


def game_secret(games_secret: bytes, game_id: str) -> bytes:
    """The 32 bytes to which the first event of a game commits."""
    return sha256(b"cartulary tournament game v1" + games_secret + game_id.encode()).digest()


def game_nonce(nonce: bytes, game_id: str) -> bytes:
    """What an entrant adds to the seed of a game: it derives from the nonce of the registration, if any."""
    if not nonce:
        return b""
    return sha256(b"cartulary tournament nonce v1" + nonce + game_id.encode()).digest()
