"""The names of players in a text, read from their accounts when one is shown."""

from collections.abc import Callable, Sequence

from typing_extensions import override

from replay.language.names import Names
from replay.render.text_layout import clean
from service.errors import Unavailable
from service.players.accounts import Players


class AccountNames(Names):
    """The handles of players for one text. `players_by_seat` returns their ids by seat.

    The accounts of all seats are read together when the first seat is shown. If the store does not respond,
    players are shown by seat or by id.
    """

    def __init__(self, accounts: Players, players_by_seat: Callable[[], Sequence[str]]) -> None:
        super().__init__()
        self._accounts = accounts
        self._players_by_seat = players_by_seat
        self._read: dict[str, str | None] = {}

    @override
    def handle(self, id: str) -> str | None:
        if id not in self._read:
            unread = [
                player for player in dict.fromkeys([id, *self._players]) if player not in self._read
            ]
            try:
                accounts = self._accounts.get(unread)
            except Unavailable:
                accounts = [None] * len(unread)
            for player, account in zip(unread, accounts, strict=True):
                self._read[player] = None if account is None else clean(account.handle)
        return self._read[id]

    @override
    def seat(self, seat: int) -> str | None:
        if not self._players:
            self._players = tuple(self._players_by_seat())
        return super().seat(seat)

    @override
    def seated(self, players: Sequence[str]) -> "AccountNames":
        names = AccountNames(self._accounts, lambda: players)
        names._read = self._read
        return names
