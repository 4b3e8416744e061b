"""Rows on the rules: folding, listing and deciding, compared with python-chess and eventsourcing."""

from collections.abc import Iterator, Mapping
from typing import Final
from uuid import UUID

import chess
import orjson
from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event

from bench.chess_games import GAMES, boards
from bench.measure import Row, Workload, compare
from bench.our_games import PlayedGame, Turn, baron_games, sorcery_games
from domain.contract import evolve
from domain.fold import fold

REPEATS: Final = 20
"""How often one run does its work, so that it takes long enough to be measured."""


class WordList(Aggregate):  # type: ignore[misc] # the library is only installed in .venv-bench
    """An aggregate as in the library's tutorial: each event appends a word."""

    @event("Created")  # type: ignore[untyped-decorator] # as above
    def __init__(self) -> None:
        self.words: list[str] = []

    @event("WordAdded")  # type: ignore[untyped-decorator] # as above
    def add(self, word: str) -> None:
        self.words.append(word)


def measure(games: list[PlayedGame]) -> Iterator[Row]:
    """Measure the rows of this group with games of Barony, and with games of Sorcery and Baron."""
    baron = baron_games()
    yield from _fold_rows(games, baron)
    yield from _legal_actions_rows(
        {
            "list the legal actions": (games, 1),
            "… with five spells open": (sorcery_games(), 0.7),
            "… of Baron": (baron, 1),
        }
    )
    yield compare(
        "decide and evolve one action",
        "python-chess: is_legal and push",
        _decide_and_evolve([turn for played in games for turn in played.turns]),
        _check_and_push_moves,
        least=1.2,
        unit="actions/s",
    )


def _fold_rows(games: list[PlayedGame], baron: list[PlayedGame]) -> Iterator[Row]:
    label, unit = "fold a stored log into a state", "events/s"
    peer = "python-chess: push parsed moves"
    yield compare(label, peer, _fold(games), _push_moves, least=1, unit=unit)
    yield compare("… of Baron", peer, _fold(baron), _push_moves, least=1, unit=unit)

    longest = max(games, key=lambda played: len(played.lines))
    rebuild = _rebuild_aggregate(len(longest.lines))
    peer = "eventsourcing: an aggregate of as many events, in memory, without snapshots"
    yield compare(label, peer, _fold(games), rebuild, least=10, unit=unit)
    yield compare(
        "… including decoding", peer, _decode_and_fold(longest), rebuild, least=6, unit=unit
    )


def _legal_actions_rows(rows: Mapping[str, tuple[list[PlayedGame], float]]) -> Iterator[Row]:
    """Measure a row for each label, with these games and this target."""
    chess_boards = boards()

    def list_moves() -> int:
        return sum(len(list(board.legal_moves)) for _ in range(5) for board in chess_boards)

    for label, (games, least) in rows.items():
        turns = [turn for played in games for turn in played.turns]
        peer = "python-chess: legal_moves"
        yield compare(
            label, peer, _list_legal_actions(turns), list_moves, least=least, unit="actions/s"
        )


def _fold(games: list[PlayedGame]) -> Workload:
    def run() -> int:
        for _ in range(REPEATS):
            for played in games:
                fold(played.events, None, played.opened)
        return REPEATS * sum(len(played.events) for played in games)

    return run


def _decode_and_fold(played: PlayedGame) -> Workload:
    def run() -> int:
        for _ in range(REPEATS):
            fold([orjson.loads(line) for line in played.lines])
        return REPEATS * len(played.lines)

    return run


def _list_legal_actions(turns: list[Turn]) -> Workload:
    def run() -> int:
        return sum(len(turn.game.rules.legal_actions(turn.game.state, turn.seat)) for turn in turns)

    return run


def _decide_and_evolve(turns: list[Turn]) -> Workload:
    def run() -> int:
        for _ in range(REPEATS):
            for turn in turns:
                rules, state = turn.game.rules, turn.game.state
                evolve(rules, state, [rules.decide(state, turn.seat, turn.action)])
        return REPEATS * len(turns)

    return run


def _push_moves() -> int:
    for _ in range(REPEATS):
        for moves in GAMES:
            board = chess.Board()
            for move in moves:
                board.push(move)
    return REPEATS * sum(map(len, GAMES))


def _check_and_push_moves() -> int:
    for _ in range(REPEATS):
        for moves in GAMES:
            board = chess.Board()
            for move in moves:
                board.is_legal(move)
                board.push(move)
    return REPEATS * sum(map(len, GAMES))


def _rebuild_aggregate(events: int) -> Workload:
    """Rebuild an aggregate of so many events from the library's store in memory."""
    application: Application[UUID] = Application()
    words = WordList()
    for _ in range(events - 1):
        words.add("word")
    application.save(words)

    def run() -> int:
        for _ in range(REPEATS):
            application.repository.get(words.id)
        return REPEATS * events

    return run
