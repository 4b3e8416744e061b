"""Opens, shows and changes sandboxes (replay/sandbox.py) for players and for everybody who has their link."""

from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock
from typing import Final

from cachetools import LRUCache

from domain.errors import Malformed
from domain.game import Game
from domain.json_types import JsonObject
from domain.messages import Text, message, plural_message
from replay.bots.playout import quick_bot_names
from replay.language.renderer import Renderer
from replay.sandbox import Sandbox, check_bots
from service.bounds import Bounds
from service.errors import Forbidden, NotFound, SandboxConflict
from service.games.loader import GameLoader
from service.games.visibility import GamesForViewers
from service.sandboxes.store import SandboxStore, StoredSandbox

MAX_CACHED: Final = 50
"""Sandboxes that a process keeps as they were played last."""


@dataclass(frozen=True, slots=True)
class OpenSandbox:
    """A sandbox as it is stored, and as it is played."""

    stored: StoredSandbox
    sandbox: Sandbox

    def as_json(self, renderer: Renderer) -> JsonObject:
        """Return the sandbox as the API shows it to everybody who has its link.

        The sentences in it are in the language of the renderer.
        """
        stored, sandbox = self.stored, self.sandbox
        rules = sandbox.rules
        return {
            "id": stored.id,
            "game": stored.game,
            "seq": stored.seq,
            "as": stored.viewer,
            "rules": rules.NAME,
            "seats": sandbox.game.seats,
            "to_act": sandbox.to_act,
            "position": sandbox.position(),
            "legal_actions": sandbox.legal_actions(),
            "actions": [
                {
                    **step.as_json(),
                    "outcome": [
                        renderer(rules.event_message(event.type, event.data))
                        for event in step.events
                    ],
                }
                for step in sandbox.steps
            ],
            "expires": stored.expires,
        }


def seat_of_maker(game: Game, player: str) -> int | None:
    """Return the seat whose secrets a sandbox of the game knows that this player makes now.

    None for a game that has ended, of which a sandbox knows everything. Raises Forbidden for a game in
    progress in which the player has no seat.
    """
    if game.has_ended:
        return None
    seat = game.seat_of(player)
    if seat is None and game.status != "open":
        raise Forbidden.with_message("only its players can make a sandbox of a game in progress")
    return seat


def reason_against_sandbox(game: Game, player: str | None) -> Text | None:
    """Return why a player cannot make a sandbox of a game now; None if the player can.

    A visitor without an account is None.
    """
    if game.state is None:
        return message("the game has not started, so there is nothing to make a sandbox of")
    if player is None:
        return message("log in to make a sandbox of the game")
    try:
        seat_of_maker(game, player)
    except Forbidden as error:
        return error.why
    return None


class Sandboxes:
    """The sandboxes of a service. Thread-safe; raises Unavailable if Redis does not respond."""

    def __init__(
        self, loader: GameLoader, games: GamesForViewers, store: SandboxStore, bounds: Bounds
    ) -> None:
        self._loader = loader
        self._games = games
        self._store = store
        self._bounds = bounds
        self._played: LRUCache[str, tuple[bytes, Sandbox]] = LRUCache(MAX_CACHED)
        """By id, sandboxes with the values from which they were read. They are never changed."""
        self._lock = Lock()

    def create(
        self, player: str, network: str, game_id: str, seq: int | None, seed: bytes
    ) -> OpenSandbox:
        """Make a sandbox that begins after event `seq` of a game (None: after its last event).

        A sandbox of a game that has ended knows everything. One of a game in progress knows what the player's
        seat may see. Raises NotFound, Forbidden (a game in progress in which the player has no seat), NotNow
        (the game had not started) and TooManySandboxes.
        """
        head = self._loader.visible_game(game_id, player)
        seat = seat_of_maker(head, player)
        self._store.require_room(player, network)
        game = self._loader.game_at(game_id, head.seq if seq is None else seq)
        new = StoredSandbox("", player, network, game_id, game.seq, game.hash, seat, seed.hex())
        sandbox = self._begin(new)
        return self._kept(self._store.add(new), sandbox)

    def of_player(self, player: str, game_id: str) -> list[StoredSandbox]:
        """Return the sandboxes of a game that a player has made, the one that expires last first."""
        return [stored for stored in self._store.of_player(player) if stored.game == game_id]

    def get(self, sandbox_id: str) -> StoredSandbox:
        """Return a sandbox as it is stored. Raises NotFound."""
        return self._store.get(sandbox_id)

    def open(self, stored: StoredSandbox) -> OpenSandbox:
        """Return a stored sandbox with its position. Raises NotFound if its game has lost its events."""
        return OpenSandbox(stored, self._open(stored))

    def act(
        self, stored: StoredSandbox, raw_action: object, seat: int | None, after: int | None
    ) -> OpenSandbox:
        """Let a seat act, by default the one whose turn it is; `after` is the number of actions so far.

        Raises Malformed, Refused with the clause, NotNow when play is over, and SandboxConflict if the
        sandbox has another number of actions, or as many as are allowed.
        """
        sandbox = self._checked(stored, after)
        try:
            sandbox.rules.parse_action(raw_action)
        except Malformed as error:
            raise Malformed(
                {
                    f"action.{path}" if path else "action": fault
                    for path, fault in error.fields.items()
                }
            ) from None
        self._require_room(sandbox, 1)
        sandbox.act(raw_action, seat)
        return self._replaced(stored, sandbox)

    def let_bots_act(
        self, stored: StoredSandbox, seats: Collection[int], bot: str, turns: int, after: int | None
    ) -> OpenSandbox:
        """Let a bot act for these seats, until it is another seat's turn, for at most `turns` turns.

        One request takes a bounded number of actions, and only bots that do not search can act. Raises
        Malformed and SandboxConflict, like `act`.
        """
        sandbox = self._checked(stored, after)
        check_bots(sandbox.game, seats, bot, quick_bot_names(sandbox.rules))
        self._require_room(sandbox, 1)
        room = self._bounds.max_sandbox_actions - len(sandbox.steps)
        sandbox.let_bots_act(
            seats, bot, turns=turns, max_actions=min(room, self._bounds.max_bot_actions)
        )
        return self._replaced(stored, sandbox)

    def undo(self, stored: StoredSandbox, count: int, after: int | None) -> OpenSandbox:
        """Go back by some actions. Raises NotNow if there are fewer, and SandboxConflict like `act`."""
        sandbox = self._checked(stored, after)
        sandbox.undo(count)
        return self._replaced(stored, sandbox)

    def delete(self, stored: StoredSandbox) -> None:
        """Delete a sandbox."""
        self._store.delete(stored)

    def delete_all_of(self, player: str) -> None:
        """Delete all sandboxes that a player has made."""
        self._store.delete_all_of(player)

    def _open(self, stored: StoredSandbox) -> Sandbox:
        """Return a sandbox that the caller may change, after the steps that are stored."""
        with self._lock:
            value, played = self._played.get(stored.id, (b"", None))
        if played is not None and value == stored.stored:
            return played.copy()
        sandbox = self._begin(stored)
        sandbox.replay(stored.steps)
        return self._kept(stored, sandbox).sandbox.copy()

    def _kept(self, stored: StoredSandbox, sandbox: Sandbox) -> OpenSandbox:
        """Cache a sandbox, which must not change afterwards, and return it."""
        with self._lock:
            self._played[stored.id] = (stored.stored, sandbox)
        return OpenSandbox(stored, sandbox)

    def _begin(self, stored: StoredSandbox) -> Sandbox:
        """Return a sandbox before its first step."""
        return Sandbox(self._first_game(stored), bytes.fromhex(stored.seed))

    def _first_game(self, stored: StoredSandbox) -> Game:
        """Return the game with which a sandbox begins, as its maker knew it."""
        with suppress(NotFound):
            seed = bytes.fromhex(stored.seed)
            game = self._games.game(stored.game, stored.seq, stored.viewer, seed)
            if game.hash == stored.hash:
                return game
        raise NotFound.with_message(
            "the game of this sandbox has lost the event with which it began"
        )

    def _checked(self, stored: StoredSandbox, after: int | None) -> Sandbox:
        if after is not None and after != len(stored.steps):
            raise SandboxConflict(
                plural_message(
                    "the sandbox has one action, not {expected}",
                    "the sandbox has {count} actions, not {expected}",
                    count=len(stored.steps),
                    expected=after,
                )
            )
        return self._open(stored)

    def _require_room(self, sandbox: Sandbox, count: int) -> None:
        maximum = self._bounds.max_sandbox_actions
        if len(sandbox.steps) + count > maximum:
            raise SandboxConflict(
                plural_message(
                    "a sandbox has at most one action: take it back",
                    "a sandbox has at most {count} actions: take some back",
                    count=maximum,
                )
            )

    def _replaced(self, stored: StoredSandbox, sandbox: Sandbox) -> OpenSandbox:
        steps = tuple(step.as_json() for step in sandbox.steps)
        return self._kept(self._store.replace(stored, steps), sandbox)
