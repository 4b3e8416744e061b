"""The names by which players are shown. Messages and events contain ids and seats, and no names."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from replay.render.text_layout import clean


class Names:
    """The handles of players, as far as they are known, and who sits where.

    `handles` has them by the id of the player, and `players` are the ids by seat. Names are for reading and
    prove nothing. A handle that several players have, as in a forged record, is not used.
    """

    def __init__(
        self, handles: Mapping[str, str] | None = None, players: Sequence[str] = ()
    ) -> None:
        self._handles: dict[str, str] = {}
        self._players = tuple(players)
        if handles:
            cleaned = {id: clean(handle) for id, handle in handles.items()}
            counts = Counter(cleaned.values())
            self._handles = {id: name for id, name in cleaned.items() if name and counts[name] == 1}

    def handle(self, id: str) -> str | None:
        """Return the handle of a player for reading; None if it is not known."""
        return self._handles.get(id)

    def player(self, id: str) -> str:
        """Return the handle of a player, or the id."""
        return self.handle(id) or clean(id)

    def seat(self, seat: int) -> str | None:
        """Return the handle of the player in a seat; None if it is not known."""
        return self.handle(self._players[seat]) if 0 <= seat < len(self._players) else None

    def seated(self, players: Sequence[str]) -> "Names":
        """Return these names with other players by seat."""
        names = Names(players=players)
        names._handles = self._handles
        return names


NO_NAMES: Final = Names()
