"""The names of players in a text, read from their accounts when the first name is shown."""

from collections.abc import Callable, Sequence
from contextlib import suppress

from typing_extensions import override

from replay.language.renderer import Names
from service.accounts.accounts import Players
from service.errors import Unavailable


class AccountNames(Names):
    """The handles of players for one text. `players_by_seat` returns their ids by seat.

    If the store does not respond, players are shown by seat or by id.
    """

    def __init__(self, accounts: Players, players_by_seat: Callable[[], Sequence[str]]) -> None:
        super().__init__()
        self._accounts = accounts
        self._players_by_seat = players_by_seat
        self._read: dict[str, str | None] = {}
        self._shown: dict[str, str | None] = {}

    @override
    def handle(self, id: str) -> str | None:
        if id not in self._read:
            ids = {id, *self._seated()}
            self._read.update(dict.fromkeys(ids))
            with suppress(Unavailable):
                self._read.update(self._accounts.handles(ids))
        return self._read[id]

    @override
    def player(self, id: str) -> str:
        return self._marked(id) or super().player(id)

    @override
    def seat(self, seat: int) -> str | None:
        seated = self._seated()
        return self._marked(seated[seat]) if 0 <= seat < len(seated) else None

    def _marked(self, id: str) -> str | None:
        """Return the handle of a player as texts show it, with a mark for accounts of programs."""
        if id not in self._shown:
            handle = self._shown[id] = self.handle(id)
            if handle is not None:
                with suppress(Unavailable):
                    self._shown[id] = self._accounts.shown_names([id]).get(id, handle)
        return self._shown[id]

    def _seated(self) -> tuple[str, ...]:
        """Return the ids of the players by seat; they are looked up once."""
        if not self._players:
            self._players = tuple(self._players_by_seat())
        return self._players

    @override
    def seated(self, players: Sequence[str]) -> "AccountNames":
        return AccountNames(self._accounts, lambda: players)
