"""The accounts of bots, which are players like others, except that nobody can log in as one.

    cartulary:player:BOT-bot-NUMBER   hash as of every account (service/accounts/accounts.py), without a
                                      password, and with the field `bot`: the name of the bot

All games share these accounts: in each game, the first bot of a name is number 1, the second one number 2. An
account is created when it is first needed. Its handle is its id, `sensible-bot-1`, unless a person has that
handle or one that looks like it: the bot then gets a longer one.
"""

import secrets
from collections.abc import Collection, Iterator
from contextlib import suppress
from itertools import count
from typing import Final

from service.accounts.accounts import Players
from service.errors import HandleTaken

_SUFFIX_BYTES: Final = 2
_MAX_HANDLES: Final = 20
"""Handles that are tried for a new account."""


class BotPlayers:
    """The players that are bots. Thread-safe. Methods raise Unavailable if Redis does not respond."""

    def __init__(self, players: Players) -> None:
        self._players = players

    def id_of(self, bot: str, participants: Collection[str]) -> str:
        """Return the id of a bot with this name that is not among the participants of a game."""
        return next(id for number in count(1) if (id := f"{bot}-bot-{number}") not in participants)

    def ensure_account(self, bot: str, id: str) -> None:
        """Create the account with this id, of a bot with this name, unless it exists."""
        if self._players.with_account([id]):
            return
        for handle in _handles(id):
            with suppress(HandleTaken):
                self._players.create_bot(id, handle, bot)
                return


def _handles(id: str) -> Iterator[str]:
    yield id
    for _ in range(_MAX_HANDLES):
        yield f"{id}-{secrets.token_hex(_SUFFIX_BYTES)}"
