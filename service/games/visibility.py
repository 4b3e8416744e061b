"""The visibility of a game: which of its secrets a viewer may see, and the game as a viewer knows it.

While a game is in progress, a player sees what their seat may see, and everybody else what a spectator may
see. After its end everybody sees everything, and can also look at it as any seat saw it during the game.

In a game as a viewer knows it, the secrets that the viewer does not know are replaced by random ones. A
position depends on the secrets of the start of the game, and of the events that draw them again. If the
viewer knows all of these, the game is read from the snapshots in the loader's cache; otherwise it is folded
from its start.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from domain.contract import STATEMENT, Opened, secret_owner
from domain.errors import Malformed
from domain.event import Event
from domain.game import Game
from domain.json_types import JsonObject
from domain.messages import message
from replay.sandbox import game_with_drawn_secrets
from service.errors import Forbidden
from service.games.loader import GameLoader
from service.store.event_store import LogReader
from service.store.log_check import decode_opening


@dataclass(frozen=True, slots=True)
class Visibility:
    """The visibility of a game: everything, or only what `seat` may see (None: a spectator)."""

    seat: int | None
    sees_everything: bool

    def may_see(self, secret: str) -> bool:
        """Return whether the secret with this name is shown."""
        if self.sees_everything or secret == STATEMENT:
            return True
        return self.seat is not None and self.seat == secret_owner(secret)

    def position(self, game: Game) -> JsonObject | None:
        """Return the position of the game after one of its events; None before the start."""
        position: JsonObject | None = game.position(self.seat, ended=self.sees_everything)
        return position

    def sees_as(self, game: Game, seat: int) -> bool:
        """Return whether everything is shown that this seat saw of the game at its last event.

        The game must have started.
        """
        if self.sees_everything or seat == self.seat or game.has_ended:
            return True
        rules, state = game.rules, game.state
        return bool(rules.position(state, seat) == rules.position(state, self.seat))


def visibility_for(head: Game, player: str | None, seat: int | None = None) -> Visibility:
    """Return the visibility of a game for a player (None: a visitor without a token).

    `head` is the game at its head, which the player must be allowed to see. With `seat`, the result is the
    visibility for this seat during the game. Raises Malformed if there is no such seat, and Forbidden if the
    game has not ended and the seat is not the player's.
    """
    own = None if player is None else head.seat_of(player)
    if seat is None:
        return Visibility(own, head.has_ended)
    if not head.players or not 0 <= seat < head.seats:
        raise Malformed({"as": message("must be the number of a seat of this game")})
    if seat != own and not head.has_ended:
        raise Forbidden.with_message(
            "what another player sees is shown only after the end of the game"
        )
    return Visibility(seat, sees_everything=False)


class GamesForViewers:
    """Reads games as viewers know them. Thread-safe.

    Every method raises Unavailable if the store does not respond, and Unreadable if the game is damaged.
    """

    def __init__(self, loader: GameLoader, log_reader: LogReader) -> None:
        self._loader = loader
        self._log_reader = log_reader

    def game(self, game_id: str, seq: int, viewer: int | None, seed: bytes) -> Game:
        """Return the game after event `seq` as the seat `viewer` knows it; None stands for full knowledge.

        The secrets that the viewer does not know are drawn from `seed`. Raises NotFound if there is no such
        event.
        """
        game = self._loader.game_at(game_id, seq)
        if viewer is None or all(secret_owner(name) == viewer for name in self.secrets(game)):
            return game
        before = self._loader.game_at(game_id, game.start_seq - 1)
        events = [*self._loader.event_range(game_id, before.seq, seq)]
        return game_with_drawn_secrets(events, self._open_secrets(events, viewer), seed, before)

    def secrets(self, game: Game) -> Iterator[str]:
        """Yield the names of the secrets on which the position of a game depends."""
        dealing = (game.start_seq, *(resumption.seq for resumption in game.resumptions))
        for seq in dealing if game.start_seq else ():
            for event in self._loader.event_range(game.id, seq - 1, seq):
                yield from event.get("secrets", ())

    def _open_secrets(self, events: list[Event], viewer: int) -> Opened:
        """Return the values of the secrets that the viewer may see. Other secrets are not even read."""
        names = [
            f"{event['seq']}/{name}"
            for event in events
            for name in event.get("secrets", ())
            if secret_owner(name) == viewer
        ]
        opened: dict[int, dict[str, object]] = {}
        for key, opening in self._log_reader.secrets(events[0]["game"], names).items():
            seq, _, name = key.partition("/")
            opened.setdefault(int(seq), {})[name] = decode_opening(opening)["value"]
        return opened
