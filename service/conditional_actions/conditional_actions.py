"""Conditional actions of players: prepared, shown, deleted, and played when their turn comes.

A player who waits prepares a tree of actions (domain/conditional.py). While there is one, each append to
the log of the game sets the outbox entry `conditional`, and a worker calls `play`: it follows the events
after the one with which the tree begins, and takes the player's action once the game has reached it. The
action is decided on the position at that moment and appended like any other; the append fails if the player
has changed the tree in the meantime. The played actions are in the log, so a worker that dies between two
steps neither loses nor repeats an action.
"""

from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Final

from domain.conditional import Tree, TreeBounds, node_for, own_action, parse_tree, tree_after
from domain.contract import AnyRuleSystem
from domain.errors import Malformed, NotNow, Refused
from domain.event import Event, PreparedSignature
from domain.game import STATUS_MESSAGES, Game
from domain.json_types import JsonObject
from domain.messages import Text, message
from ledger.pending import PendingEvents
from ledger.player_signatures import MAX_EVENTS_BETWEEN, PreparedActions, step_of
from replay.look_ahead import Outlook, check_tree, outlook
from service.bounds import Bounds
from service.conditional_actions.store import (
    CONDITIONAL,
    ConditionalActionStore,
    SignedTree,
    StoredConditionalActions,
    VoidConditionalActions,
)
from service.errors import Unavailable
from service.games.game_cache import CachedGame
from service.games.player_signatures import PlayerSignature, PlayerSignatures
from service.games.repository import GameRepository
from service.games.visibility import GamesForViewers
from service.store.event_store import Guard, GuardFailed

MAX_STEPS: Final = 50
"""The most steps of one job, before the jobs of other games have their turn."""
MAX_ATTEMPTS: Final = 20
"""The number of times that conditional actions are checked again because the game has changed."""
_SEED_LABEL: Final = b"cartulary conditional actions v1"
_YOUR_TURN: Final = message("it is your turn: take the action itself")
_OUT: Final = message("this player is out of the game")
_NOTHING_TO_WAIT_FOR: Final = message("play is over, so there is nothing to wait for")


@dataclass(frozen=True, slots=True)
class ConditionalActionsOfPlayer:
    """The conditional actions of a player in a game, for this player alone.

    `tree` begins after event `seq`, the last one of the game. `void` is the reason why the player's last
    conditional actions are void; None if they are not, or the player knows already. `is_signed` is True if
    the player has signed them.
    """

    seq: int
    tree: Tree
    void: VoidConditionalActions | None = None
    is_signed: bool = False

    def as_json(self) -> list[JsonObject]:
        """Return the tree as JSON."""
        return [node.as_json() for node in self.tree]


@dataclass(eq=False, repr=False)
class ConditionalActions:
    """The conditional actions of all players. Thread-safe.

    Every method raises NotFound if there is no such game or the player may not see it, and Unavailable if the
    store does not respond.
    """

    _repository: GameRepository
    _games: GamesForViewers
    _store: ConditionalActionStore
    _signatures: PlayerSignatures
    _bounds: Bounds

    def get(self, game_id: str, player: str) -> ConditionalActionsOfPlayer:
        """Return the conditional actions of a player. Raises Forbidden if they are not in the game."""
        game = self._repository.game_of_player(game_id, player)
        stored = self._store.get(game_id, player)
        if stored is None or game.has_ended:
            return ConditionalActionsOfPlayer(
                game.seq, (), self._store.void_actions(game_id, player)
            )
        tree, void = self._follow(game, player, stored)
        return ConditionalActionsOfPlayer(game.seq, tree, void, stored.signed is not None)

    def put(
        self,
        game_id: str,
        player: str,
        raw_tree: object,
        expected_seq: int,
        signature: PlayerSignature | None = None,
    ) -> ConditionalActionsOfPlayer:
        """Replace the conditional actions of a player by this tree (decoded JSON), and return them.

        The tree begins after event `expected_seq`. If it is empty, all are deleted. With a signature, the
        events that play the actions prove that the player had prepared them. Raises Forbidden (not a player
        of the game), Malformed (wrong forms, contradictions, too large), Stale (the position has changed
        since), NotNow (there is nothing to wait for), Refused if the rules certainly refuse one of the
        actions, and the errors of `PlayerSignatures.check_tree`.
        """
        max_bytes = self._bounds.max_conditional_bytes
        bounds = TreeBounds(
            self._bounds.max_conditional_actions,
            self._bounds.max_conditional_width,
            self._bounds.max_conditional_depth,
        )
        for _ in range(MAX_ATTEMPTS):
            cached = self._repository.load(game_id)
            game = cached.game
            seat = self._repository.access.require_seat(game, player)
            tree = parse_tree(game.rules, game.seats, seat, raw_tree, bounds)
            self._repository.require_current(cached, expected_seq)
            _require_waiting(game, seat)
            stored = StoredConditionalActions(seat, game.seq, game.hash, tree)
            if len(stored.encoded()) > max_bytes:
                raise Malformed(
                    {"": message("is too large: at most {count} bytes", count=max_bytes)}
                )
            check_tree(self.outlook(game, seat), tree)
            if not tree:
                self._store.delete(player, game_id)
                return ConditionalActionsOfPlayer(game.seq, ())
            if signature is not None:
                head = self._signatures.check_tree(
                    game, player, tree, signature.seen_at(expected_seq)
                )
                signed = SignedTree(
                    signature.key,
                    signature.signature,
                    signature.salt or "",
                    expected_seq,
                    head,
                    tree,
                )
                stored = replace(stored, signed=signed)
            if self._store.put(game_id, player, stored):
                return ConditionalActionsOfPlayer(game.seq, tree)
        raise Unavailable(
            message("too many requests write to this game at the same time"), retry_after=1
        )

    def delete(self, game_id: str, player: str) -> None:
        """Delete the conditional actions of a player, and the note on earlier ones that are void.

        None of them is played after this returns. Raises Forbidden for a player who is not in the game.
        """
        self._repository.game_of_player(game_id, player)
        self._store.delete(player, game_id)

    def reason_not_to_prepare(self, game: Game, seat: int) -> Text | None:
        """Return the reason why a seat cannot prepare actions now; None if it can."""
        try:
            _require_waiting(game, seat)
        except NotNow as error:
            return error.why
        return None

    def outlook(self, game: Game, seat: int) -> Outlook:
        """Return the outlook of a seat from the head of a game, with what it may know."""
        seed = sha256(_SEED_LABEL + f"{game.id} {seat} {game.seq}".encode()).digest()
        return outlook(
            self._games.game(game.id, game.seq, seat, seed), seat, self._games.secrets(game)
        )

    def play(self, game_id: str) -> bool:
        """Play the conditional actions of a game that are due; delete those that are void.

        Returns False if more may be left to do.
        """
        for _ in range(MAX_STEPS):
            stored = self._store.all_of(game_id)
            if not any(self._play_next(game_id, *entry) for entry in stored.items()):
                return True
        return False

    def _play_next(self, game_id: str, player: str, stored: StoredConditionalActions) -> bool:
        """Do the next step of a player's conditional actions; return False if they only wait."""
        game = self._repository.load(game_id).game
        tree, void = self._follow(game, player, stored)
        if void is not None:
            self._store.make_void(game_id, player, stored, void)
            return True
        action = own_action(tree, stored.seat)
        if action is not None:
            self._take(game, player, stored, action)
            return True
        if game.seq == stored.seq:
            return False
        remainder = replace(stored, seq=game.seq, hash=game.hash, branches=tree) if tree else None
        self._store.advance(game_id, player, stored, remainder)
        return True

    def _take(
        self, game: Game, player: str, stored: StoredConditionalActions, action: JsonObject
    ) -> None:
        """Take an action of a tree on this position, unless the game or the tree changes in the meantime."""
        seq = game.seq
        prepared = None if stored.signed is None else self._proof(game, stored.signed, stored.seat)

        def handler(cached: CachedGame, pending: PendingEvents) -> None:
            if cached.game.seq == seq:
                parsed = cached.game.rules.parse_action(action)
                pending.act(stored.seat, parsed, is_conditional=True, prepared=prepared)

        try:
            self._repository.execute(
                game.id,
                handler,
                at_head=True,
                has_receipt=True,
                guards=[Guard(CONDITIONAL, player, stored.value)],
            )
        except GuardFailed:
            return
        except Refused as error:
            note = VoidConditionalActions(seq, "refused", error.clause, action)
            self._store.make_void(game.id, player, stored, note)

    def _proof(self, game: Game, signed: SignedTree, seat: int) -> PreparedSignature | None:
        """Return the proof that a player prepared the action to be taken now; None if it was prepared too
        many events ago.
        """
        events = self._repository.event_range(game.id, signed.seq, game.seq)
        if len(events) > MAX_EVENTS_BETWEEN:
            return None
        steps, tree = [], signed.tree
        for event in events:
            node = node_for(tree, event)
            if node is not None:
                steps.append(step_of(node))
                tree = node.then
        steps.append({"seat": seat, "action": own_action(tree, seat)})
        actions = PreparedActions(signed.tree, seat, bytes.fromhex(signed.salt))
        return actions.proof(steps, signed.key, signed.head, signed.signature)

    def _follow(
        self, game: Game, player: str, stored: StoredConditionalActions
    ) -> tuple[Tree, VoidConditionalActions | None]:
        """Return the rest of conditional actions at the head of their game, or why they are void."""
        events = self._repository.event_range(game.id, stored.seq - 1, game.seq)
        if not events or events[0]["hash"] != stored.hash or game.seat_of(player) != stored.seat:
            return (), VoidConditionalActions(game.seq, "event")
        tree = stored.branches
        for event in events[1:]:
            after = tree_after(tree, event)
            if after is None or _is_revocation(event, stored.signed):
                return (), VoidConditionalActions(event["seq"], "event")
            tree = after
        return tree, None


def _is_revocation(event: Event, signed: SignedTree | None) -> bool:
    """Return whether an event revokes the key with which a tree is signed."""
    return (
        signed is not None
        and event["type"] == "PlayerKeyRevoked"
        and event["data"]["key"] == signed.key
    )


def _require_waiting(game: Game, seat: int) -> None:
    """Raise NotNow unless the seat is in the game and waits for another one to act."""
    if game.status != "playing":
        raise NotNow(None, STATUS_MESSAGES[game.status])
    if game.to_act is None or game.state is None:
        raise NotNow(None, _NOTHING_TO_WAIT_FOR)
    if seat not in game.state.in_game():
        raise NotNow(None, _OUT)
    if game.to_act == seat:
        raise NotNow(None, _YOUR_TURN)


def void_message(void: VoidConditionalActions, rules: AnyRuleSystem) -> Text:
    """Return the reason why the last conditional actions of a player are void."""
    if void.reason == "event":
        return message(
            "what you had prepared is void: event {seq} is none of those that you expected",
            seq=void.seq,
        )
    action = _action_text(void, rules)
    if void.clause is None or void.clause not in rules.CLAUSES:
        return message(
            "what you had prepared is void: after event {seq}, “{action}” was not possible",
            seq=void.seq,
            action=action,
        )
    return message(
        "what you had prepared is void: after event {seq}, “{action}” was refused: {clause}",
        seq=void.seq,
        action=action,
        clause=rules.CLAUSES[void.clause],
    )


def _action_text(void: VoidConditionalActions, rules: AnyRuleSystem) -> str:
    """Return the refused action in short form; "" if the current rules cannot read it."""
    try:
        return rules.action_text(rules.parse_action(void.action))
    except Malformed:
        return ""
