"""Rows about the rules: folding, listing and deciding, beside python-chess and eventsourcing."""

from collections.abc import Iterator
from uuid import UUID

import chess
import orjson
from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event

from bench.chess_games import GAMES, positions
from bench.measure import Row, compared
from bench.our_games import Played, expanded_games, games_with_secrets
from domain.contract import evolve
from domain.game import fold

TIMES = 20
"""How often a run does its work: long enough to be measured, and for both with warm caches."""


class Shelf(Aggregate):
    """An aggregate as the library's tutorial has it: each event appends a word."""

    @event("Created")
    def __init__(self) -> None:
        self.words: list[str] = []

    @event("WordAdded")
    def add(self, word: str) -> None:
        self.words.append(word)


def rows(games: list[Played]) -> Iterator[Row]:
    """The rows, one after the other."""
    logs = [played.events for played in games]

    def fold_logs() -> int:
        for _ in range(TIMES):
            for log in logs:
                fold(log)
        return TIMES * sum(map(len, logs))

    def push_games() -> int:
        for _ in range(TIMES):
            for moves in GAMES:
                board = chess.Board()
                for move in moves:
                    board.push(move)
        return TIMES * sum(map(len, GAMES))

    yield compared(
        "evolve a stored log to a state",
        "python-chess push of parsed moves",
        fold_logs,
        push_games,
        least=1,
        unit="events/s",
    )

    baron = games_with_secrets()

    def fold_baron() -> int:
        for _ in range(TIMES):
            for played in baron:
                fold(played.events, None, played.opened)
        return TIMES * sum(len(played.events) for played in baron)

    yield compared(
        "… of Baron",
        "python-chess push of parsed moves",
        fold_baron,
        push_games,
        least=1,
        unit="events/s",
    )

    longest = max(games, key=lambda played: len(played.lines))
    application: Application[UUID] = Application()
    shelf = Shelf()
    for _ in range(len(longest.lines) - 1):
        shelf.add("word")
    application.save(shelf)

    def rebuild_aggregate() -> int:
        for _ in range(TIMES):
            application.repository.get(shelf.id)
        return TIMES * len(longest.lines)

    def rebuild_game() -> int:
        for _ in range(TIMES):
            fold(map(orjson.loads, longest.lines))
        return TIMES * len(longest.lines)

    peer = "eventsourcing: an aggregate of as many events, no snapshot, from memory"
    yield compared(
        "evolve a stored log to a state",
        peer,
        fold_logs,
        rebuild_aggregate,
        least=10,
        unit="events/s",
    )
    yield compared(
        "… its bytes decoded as well",
        peer,
        rebuild_game,
        rebuild_aggregate,
        least=10,
        unit="events/s",
    )

    turns = [turn for played in games for turn in played.turns]
    with_casts = [turn for played in expanded_games() for turn in played.turns]
    boards = positions()

    def list_ours() -> int:
        return sum(len(game.rules.legal_actions(game.state, seat)) for game, seat, _ in turns)

    def list_ours_with_casts() -> int:
        return sum(len(game.rules.legal_actions(game.state, seat)) for game, seat, _ in with_casts)

    def list_theirs() -> int:
        return sum(len(list(board.legal_moves)) for _ in range(5) for board in boards)

    yield compared(
        "list the legal actions",
        "python-chess legal_moves",
        list_ours,
        list_theirs,
        least=1,
        unit="actions/s",
    )

    yield compared(
        "… with five spells open",
        "python-chess legal_moves",
        list_ours_with_casts,
        list_theirs,
        least=0.7,
        unit="actions/s",
    )

    turns_of_baron = [turn for played in baron for turn in played.turns]

    def list_baron() -> int:
        return sum(
            len(game.rules.legal_actions(game.state, seat)) for game, seat, _ in turns_of_baron
        )

    yield compared(
        "… of Baron",
        "python-chess legal_moves",
        list_baron,
        list_theirs,
        least=1,
        unit="actions/s",
    )

    def decide_ours() -> int:
        for _ in range(TIMES):
            for game, seat, action in turns:
                fact = game.rules.decide(game.state, seat, action)
                evolve(game.rules, game.state, [fact])
        return TIMES * len(turns)

    def decide_theirs() -> int:
        for _ in range(TIMES):
            for moves in GAMES:
                board = chess.Board()
                for move in moves:
                    board.is_legal(move)
                    board.push(move)
        return TIMES * sum(map(len, GAMES))

    yield compared(
        "decide and evolve one action",
        "python-chess is_legal + push",
        decide_ours,
        decide_theirs,
        least=1,
        unit="actions/s",
    )
