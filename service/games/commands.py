"""The commands that change a game: each loads it, applies ledger/commands.py and appends the events.

Commands of players take an optional idempotency key. The commands of the workers (`end_turn` and `score`)
check the log first and append nothing if there is nothing left to do, so running one twice, late, or in two
processes at the same time appends once.
"""

import secrets as randomness
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from domain.chance import FIRST_SEED_VERSION, Chance
from domain.errors import Malformed
from domain.event import Event, NonceSource
from domain.game import Game
from domain.lifecycle import NewGame
from ledger import commands
from ledger.clock.turn_clock import waits_for_ruling
from ledger.commands import SecretSource
from ledger.pending import PendingEvents
from replay.bots.absent_player import action_for_absent_player
from replay.bots.hints import hint_for
from service import wall_clock
from service.accounts.account_reader import AccountReader
from service.accounts.accounts import BotPlayers
from service.accounts.holidays import Holidays
from service.accounts.keys import PlayerKeys
from service.clubs.clubs import Clubs
from service.errors import Forbidden, NotFound
from service.games.access import rating_fault, require_ratable
from service.games.game_cache import CachedGame
from service.games.game_settings import DEFAULT_BOT, bot_fault, settings_faults
from service.games.invitations import Invitations
from service.games.player_signatures import PlayerSignature, PlayerSignatures
from service.games.quota import GameQuota
from service.games.registries import bring_holidays
from service.games.repository import AcceptedAction, GameRepository, game_id_of, idempotency_record
from service.games.requirements import Requirements
from service.keyring import Keyring
from service.wall_clock import TrustedClock

SECRET_BYTES = 32
"""Length of the secret of a game, and of the nonces that are drawn in games with seed version 1."""


@dataclass(eq=False, repr=False)
class GameCommands:
    """All commands on games. Thread-safe.

    Every command raises NotFound if there is no such game or the player may not see it, and
    Unavailable if the store does not respond. Commands with an idempotency key raise
    IdempotencyConflict if the key was used for another request.
    """

    _repository: GameRepository
    _keyring: Keyring
    _quota: GameQuota
    _signatures: PlayerSignatures
    _player_keys: PlayerKeys
    _accounts: AccountReader
    _bot_players: BotPlayers
    _invitations: Invitations
    _holidays: Holidays
    _requirements: Requirements
    _clubs: Clubs
    _trusted_clock: TrustedClock
    _min_seconds_per_turn: int = 1

    def create(
        self,
        player: str,
        new: NewGame,
        *,
        default_arbiter: str | None = None,
        bots: tuple[str, ...] = (),
        nonce: bytes | None = None,
        idempotency_key: str | None = None,
        game_id: str | None = None,
    ) -> Game:
        """Create a game and return it; the player takes its first place, and these bots the next ones.

        `bots` are names of bots of the rules, which can be repeated. `default_arbiter` is the id of the
        player who becomes the arbiter if the new game names none and this player does not play in it. `nonce`
        is the contribution of the player's program to the seed. `game_id` is the id of the game, if several
        players may create the same game. Raises Malformed, which names every wrong field, TooManyGames, and
        IdempotencyConflict if a game with this id exists.
        """
        least_seconds = self._min_seconds_per_turn
        if faults := settings_faults(
            new.rules, new.seats, new.options, new.clock, bots, least_seconds
        ):
            raise Malformed(faults)
        if fault := rating_fault(new.options, player, self._accounts):
            raise Malformed({"options.rated": fault})
        if faults := self._clubs.option_faults(new.options, player):
            raise Malformed(faults)
        request = [
            new.rules,
            new.seats,
            dict(new.options),
            new.clock,
            list(new.invited),
            _hex(nonce),
        ]
        if new.arbiter is not None:
            # Without an arbiter, the request is that of versions without arbiters, whose records are still
            # valid.
            request.append(new.arbiter)
        if bots:
            request.append({"bots": list(bots)})
        if new.arbiter is None and default_arbiter not in (player, *new.invited):
            new = replace(new, arbiter=default_arbiter)
        others = tuple(invitee for invitee in dict.fromkeys(new.invited) if invitee != player)
        record = idempotency_record(player, idempotency_key, request)
        # The same key always leads to the same game id, so the record can be kept with that game.
        if game_id is None:
            game_id = randomness.token_hex(8) if record is None else game_id_of(record)
        with self._quota.place(player, idempotency_key) as refusal:
            if refusal is not None:
                repeat = self._repository.repeat_of(game_id, record, refusal)
                if repeat is None:
                    raise refusal
                return self._repository.game_after(game_id, repeat)
            secret = randomness.token_bytes(SECRET_BYTES)
            pending = self._repository.new_game(game_id)
            commands.create(
                pending,
                player,
                replace(new, invited=others),
                secret=secret,
                nonce=nonce or b"",
                keys=self._player_keys.valid_keys(player),
            )
            for bot in bots:
                self._add_bot(pending, bot, None, lambda: secret)
            bring_holidays(pending, player, self._holidays)
            # The record of a game is signed, so the key must be public before there is a game.
            self._keyring.publish_key()
            return self._repository.game_after(
                game_id, self._repository.create(pending, secret, record)
            )

    def join(
        self,
        game_id: str,
        player: str,
        nonce: bytes | None = None,
        idempotency_key: str | None = None,
        invitation: str | None = None,
    ) -> Game:
        """Give the player a place and return the game.

        Taking the last free place starts it. `invitation` is the token of an invitation, for a private game
        that the player could not see otherwise. Raises NotNow (the game is full or has started, the player
        has a place, or is a guest and the game is rated), Forbidden (requirements that the player does not
        meet), Malformed (nonce), TooManyGames, NotFound (also if the invitation is not valid).
        """
        keys = self._player_keys.valid_keys(player)

        def handler(cached: CachedGame, pending: PendingEvents) -> None:
            game, inviter = cached.game, None
            if invitation is None or self._repository.access.can_see(game, player):
                self._repository.access.require_visible(game, player)
            else:
                inviter = self._invitations.inviter(game, invitation)
            require_ratable(game, player, self._accounts)
            if game.status == "open" and not game.has_joined(player):
                self._requirements.require_member(game, player)
            if inviter is None and game.status == "open" and not game.has_joined(player):
                self._requirements.require(game, player)
            player_nonce, source = _joining_nonce(game, nonce)
            commands.join(
                pending,
                player,
                player_nonce,
                partial(self._repository.secret, game_id),
                keys,
                nonce_from=source,
                invited_by=inviter,
            )
            bring_holidays(pending, player, self._holidays)
            if refusal is not None:
                raise refusal

        request = ["join", _hex(nonce), *([] if invitation is None else [invitation])]
        with self._quota.place(player, idempotency_key) as refusal:
            return self._repository.change(game_id, player, handler, idempotency_key, request)

    def add_bot(
        self,
        game_id: str,
        player: str,
        bot: str = DEFAULT_BOT,
        nonce: bytes | None = None,
        idempotency_key: str | None = None,
    ) -> Game:
        """Let the creator of a game give the next place to a bot, and return the game.

        Taking the last free place starts the game. `nonce` is the nonce of the bot, which the creator can
        supply. Raises Forbidden (not the creator), Malformed (no such bot, nonce), NotNow (the game is full
        or has started, or the creator has left it).
        """

        def handler(cached: CachedGame, pending: PendingEvents) -> None:
            game = cached.game
            self._repository.access.require_visible(game, player)
            if player != game.creator:
                raise Forbidden.with_message("only the creator of a game adds bots to it")
            if fault := bot_fault(game.rules, bot):
                raise Malformed({"bot": fault})
            self._add_bot(pending, bot, nonce, lambda: self._repository.secret(game_id))

        request = ["bot", bot, _hex(nonce)]
        return self._repository.change(game_id, player, handler, idempotency_key, request)

    def _add_bot(
        self, pending: PendingEvents, bot: str, nonce: bytes | None, secret: SecretSource
    ) -> None:
        """Give the next place to a bot."""
        id = self._bot_players.id_of(bot, pending.game.participants)
        self._bot_players.ensure_account(bot, id)
        bot_nonce, source = _joining_nonce(pending.game, nonce)
        commands.join(pending, id, bot_nonce, secret, nonce_from=source, bot=bot)

    def leave(self, game_id: str, player: str, idempotency_key: str | None = None) -> Game:
        """Free the player's place before the start and return the game.

        The game is abandoned when its last player leaves. Raises NotNow (no place, or started).
        """

        def handler(cached: CachedGame, pending: PendingEvents) -> None:
            self._repository.access.require_visible(cached.game, player)
            commands.leave(pending, player, lambda: self._repository.secret(game_id))

        return self._repository.change(game_id, player, handler, idempotency_key, ["leave"])

    def act(
        self,
        game_id: str,
        player: str,
        raw_action: object,
        expected_seq: int,
        idempotency_key: str | None = None,
        signature: PlayerSignature | None = None,
    ) -> AcceptedAction:
        """Let the player act on the position that they saw at event `expected_seq`.

        A `signature` is checked with the keys that the log has registered for the player, and becomes part of
        the event. Raises Forbidden (not a player of this game), Malformed (not an action), Stale (the
        position has changed since `expected_seq`, or there is no such event yet), NotNow (the game has not
        started, is being scored, or is over), KeyNotUsable (not a key of the player in this game), Refused
        with the clause, InvalidPlayerSignature. A request that is repeated with its idempotency key gets the
        same result, and acts only once.
        """

        def handler(cached: CachedGame, pending: PendingEvents) -> None:
            game = cached.game
            seat = self._repository.access.require_seat(game, player)
            action = game.rules.parse_action(raw_action)
            self._repository.require_current(cached, expected_seq)
            pending.act(seat, action)

        request: Sequence[object] = [raw_action, expected_seq]
        if signature is None:
            return self._repository.accept(game_id, player, handler, idempotency_key, request)
        signed, request = self._signatures.signed(
            player, handler, request, signature.seen_at(expected_seq), is_action=True
        )
        return self._repository.accept(game_id, player, signed, idempotency_key, request)

    def leave_seat(
        self,
        game_id: str,
        player: str,
        idempotency_key: str | None = None,
        signature: PlayerSignature | None = None,
    ) -> Game:
        """Leave the player's seat vacant, and return the game, which is abandoned if nobody is left in it.

        Raises Forbidden (no seat), NotNow (no substitutes, not in play, or out of the game).
        """

        def handler(cached: CachedGame, pending: PendingEvents) -> None:
            seat = self._repository.access.require_seat(cached.game, player)
            secret = partial(self._repository.secret, game_id)
            commands.leave_seat(pending, seat, {"seat": seat}, secret)

        signed, request = self._signatures.signed(player, handler, ["leave seat"], signature)
        return self._repository.change(game_id, player, signed, idempotency_key, request)

    def take_seat(
        self,
        game_id: str,
        player: str,
        seat: int,
        idempotency_key: str | None = None,
        signature: PlayerSignature | None = None,
    ) -> Game:
        """Give a vacant seat to the player, and return the game.

        Raises NotFound (also if there is no such seat), NotNow (the seat is not vacant, or the player has or
        had a seat in the game, is its arbiter, or is a guest and the game is rated), Forbidden (requirements
        that the player does not meet), TooManyGames.
        """
        keys = self._player_keys.valid_keys(player)

        def handler(cached: CachedGame, pending: PendingEvents) -> None:
            self._repository.access.require_visible(cached.game, player)
            if seat >= cached.game.seats:
                raise NotFound.with_message(
                    "game {game} has no seat {seat}", game=game_id, seat=seat
                )
            require_ratable(cached.game, player, self._accounts)
            if seat in cached.game.open_seats() and not cached.game.has_joined(player):
                self._requirements.require_member(cached.game, player)
                self._requirements.require(cached.game, player)
            commands.seat_substitute(pending, seat, player, keys)
            bring_holidays(pending, player, self._holidays)
            if refusal is not None:
                raise refusal

        signed, request = self._signatures.signed(player, handler, ["substitute", seat], signature)
        with self._quota.place(player, idempotency_key) as refusal:
            return self._repository.change(game_id, player, signed, idempotency_key, request)

    def add_move(self, pending: PendingEvents, administrator: str, seat: int, player: str) -> None:
        """Add an administrator's decision to give the seat of a person to another player, and the move
        itself.

        Raises NotNow (`domain.administration.move_seat`), TooManyGames.
        """
        keys = self._player_keys.valid_keys(player)
        commands.move_seat(pending, administrator, seat, player, keys)
        bring_holidays(pending, player, self._holidays)
        refusal = self._quota.refusal(player)
        if refusal is not None:
            raise refusal

    def give_hint(self, game_id: str, player: str) -> tuple[Game, Any]:
        """Return the hint for the position in which it is the player's turn, and the game; record it first.

        A hint that was given already is returned again. Raises Forbidden (no seat), NotNow (see
        `domain.hints`).
        """

        def handler(cached: CachedGame, pending: PendingEvents) -> None:
            game = cached.game
            seat = self._repository.access.require_seat(game, player)
            if game.to_act != seat or game.hinted_at != game.position_seq:
                commands.give_hint(pending, seat)

        game = self._repository.change(game_id, player, handler, None, ["hint"])
        seat = self._repository.access.require_seat(game, player)
        return game, hint_for(game, seat)

    def end_turn(self, game_id: str, turn: int) -> list[Event]:
        """End a turn if it is still under way and its deadline has passed by a reliable clock.

        Depending on the game's options, the turn is forfeited, a bot plays the rest of it, its time starts
        again, or the seat is removed or left vacant. If the game is then deserted, it is abandoned. The turn
        of a vacant seat is ended without delay. Returns the events that were appended.
        """
        if not self._trusted_clock.is_reliable():
            return []
        # The clock is read before the events are dated, so that none of them is dated before the deadline.
        now = wall_clock.format(self._trusted_clock.now())

        def handler(cached: CachedGame, pending: PendingEvents) -> None:
            game = cached.game
            if game.to_act is None or game.turn != turn or not commands.is_due(game, now):
                return
            # Nobody can predict this chance, unlike chance that is derived from the log.
            chance = Chance(randomness.token_bytes(SECRET_BYTES))
            choose_action = partial(action_for_absent_player, chance=chance)
            commands.end_turn(pending, choose_action, lambda: self._repository.secret(game_id))

        return list(self._repository.execute(game_id, handler, at_head=True).events)

    def score(self, game_id: str, *, limit: int | None = None) -> list[Event]:
        """Score the rounds that have ended, in order, and finish the game if play is over.

        While a dispute is open, the end waits for the ruling, but no longer than until its limit. Returns
        the events that were appended: at most `limit`, and fewer only if there is nothing left to do now.
        """

        def handler(cached: CachedGame, pending: PendingEvents) -> None:
            if cached.game.status != "playing":
                return
            if cached.game.rounds_ended:
                commands.score_next_round(
                    pending, lambda seq: self._repository.game_at_round_end(game_id, seq)
                )
            elif cached.game.is_played_out and not waits_for_ruling(cached.game, pending.next_at):
                commands.finish(pending, lambda: self._repository.secret(game_id))

        appended: list[Event] = []
        while limit is None or len(appended) < limit:
            events = self._repository.execute(game_id, handler, at_head=True).events
            if not events:
                break
            appended += events
        return appended


def _joining_nonce(game: Game, nonce: bytes | None) -> tuple[bytes, NonceSource]:
    """Return the nonce for taking a place, and who supplies it.

    For a request without a nonce, the server draws one in a game with seed version 1. With version 2, nothing
    that the server chooses may influence the seed.
    """
    if nonce is not None:
        return nonce, "player"
    if game.seed_version == FIRST_SEED_VERSION:
        return randomness.token_bytes(SECRET_BYTES), "server"
    return b"", "none"


def _hex(nonce: bytes | None) -> str | None:
    return None if nonce is None else nonce.hex()
