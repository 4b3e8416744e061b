"""Plays the bots of a game through the commands that players use. A bot sees what a player in its seat sees:
the position from this seat, and the legal actions. If a bot fails, or the rules refuse its choice,
it takes a legal action at random, and resigns if that fails too: a faulty bot must not stop a game. A bot
that searches runs in a job of a separate queue, and holds no lock while it searches: if the game changes in
the meantime, its action is refused as outdated, and dropped.
"""

import logging
import secrets
from collections.abc import Callable
from typing import Any, Final, assert_never

from domain.bot_tasks import (
    AgreeToTakeback,
    BotTask,
    ProposeRuling,
    TakeAction,
    TakeTurn,
    next_bot_task,
)
from domain.chance import Chance
from domain.contract import Resign
from domain.errors import NotNow, Refused, Unreadable
from domain.game import Game
from domain.search import SearchBot
from ledger.statements import AnswerTakeback, GiveRuling
from replay.bots.absent_player import BOT, bot_action
from replay.bots.playout import RANDOM
from replay.bots.thinking_time import ThinkingTime
from service.bootstrap import Service
from service.errors import ServiceError, Stale, log_text

log = logging.getLogger(__name__)

MAX_ATTEMPTS: Final = 10
"""The number of legal actions that are tried at random after a bot has failed."""
SEED_BYTES: Final = 32
AGREED: Final = "OK"
"""The statement of a bot that agrees to a ruling; it is a text that all languages have."""


def _chance() -> Chance:
    """Return a source of chance that nobody can predict, unlike one that is derived from the log."""
    return Chance(secrets.token_bytes(SEED_BYTES))


class BotPlayer:
    """Plays the bots of the games of one service. Not thread-safe."""

    def __init__(self, service: Service, chance: Callable[[], Chance] = _chance) -> None:
        """`chance` returns a source of chance for the choices in one task."""
        self._queries = service.games.queries
        self._commands = service.games.commands
        self._statements = service.games.statements
        self._chance = chance
        self._thinking_time = ThinkingTime(service.settings.bot_seconds)

    def play(self, game_id: str) -> bool:
        """Do the next task of a bot in a game; return False if there is none.

        If the game has changed in the meantime, this does nothing: the change causes another task. Raises
        NotFound, Unreadable, Unavailable.
        """
        game = self._queries.game(game_id)
        task = next_bot_task(game)
        if task is None:
            return False
        try:
            self._do_task(game, task)
        except Stale:
            pass
        except NotNow as error:
            # The game has ended in the meantime, or the people have answered in another way.
            log.info("the bot of seat %s of game %s: %s", task.seat, game_id, log_text(error))
        return True

    def _do_task(self, game: Game, task: BotTask) -> None:
        player = game.players[task.seat]
        match task:
            case TakeTurn():
                self._take_turn(game, task)
            case TakeAction():
                self._act(game, task.seat, task.action)
            case AgreeToTakeback():
                self._statements.state(game.id, player, AnswerTakeback(task.number, agree=True))
            case ProposeRuling():
                self._statements.state(
                    game.id, player, GiveRuling(task.number, task.ruling, AGREED)
                )
            case _:
                assert_never(task)

    def _take_turn(self, game: Game, task: TakeTurn) -> None:
        """Take the action that the bot chooses; if that fails, a random legal one; if that fails, resign."""
        seat, chance = task.seat, self._chance()
        try:
            name = _bot_name(game, task)
            self._act(game, seat, bot_action(game, seat, name, chance, self._thinking_time))
        except (NotNow, ServiceError, Unreadable):
            raise
        except Exception:
            log.exception(
                "the bot of seat %s failed after event %s of game %s", seat, game.seq, game.id
            )
        else:
            return
        for action in chance.shuffle(game.rules.legal_actions(game.state, seat))[:MAX_ATTEMPTS]:
            try:
                self._act(game, seat, action)
            except NotNow:
                raise
            except Refused as error:
                log.warning("a legal action is refused in game %s: %s", game.id, log_text(error))
            else:
                return
        log.error("the bot of seat %s of game %s resigns, having no legal action", seat, game.id)
        self._act(game, seat, Resign())

    def _act(self, game: Game, seat: int, action: Any) -> None:
        raw = game.rules.action_to_json(action)
        self._commands.act(game.id, game.players[seat], raw, game.seq)


def _bot_name(game: Game, task: TakeTurn) -> str:
    """Return the name of the bot that takes a turn. A log may name a bot of another version."""
    name = game.bot_of(game.players[task.seat])
    if name is None or name not in game.rules.BOTS:
        return RANDOM
    return name if task.may_search or not isinstance(game.rules.BOTS[name], SearchBot) else BOT
