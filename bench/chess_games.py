"""Games for python-chess: two games between masters, so that it is measured on positions from real play."""

from typing import Final

import chess

OPERA_GAME: Final = """
e4 e5 Nf3 d6 d4 Bg4 dxe5 Bxf3 Qxf3 dxe5 Bc4 Nf6 Qb3 Qe7 Nc3 c6 Bg5 b5 Nxb5 cxb5 Bxb5+ Nbd7 O-O-O Rd8 Rxd7
Rxd7 Rd1 Qe6 Bxd7+ Nxd7 Qb8+ Nxb8 Rd8#
"""
"""Morphy against the Duke of Brunswick and Count Isouard, Paris 1858."""
WIJK_AAN_ZEE_GAME: Final = """
e4 d6 d4 Nf6 Nc3 g6 Be3 Bg7 Qd2 c6 f3 b5 Nge2 Nbd7 Bh6 Bxh6 Qxh6 Bb7 a3 e5 O-O-O Qe7 Kb1 a6 Nc1 O-O-O Nb3 exd4
Rxd4 c5 Rd1 Nb6 g3 Kb8 Na5 Ba8 Bh3 d5 Qf4+ Ka7 Rhe1 d4 Nd5 Nbxd5 exd5 Qd6 Rxd4 cxd4 Re7+ Kb6 Qxd4+ Kxa5 b4+
Ka4 Qc3 Qxd5 Ra7 Bb7 Rxb7 Qc4 Qxf6 Kxa3 Qxa6+ Kxb4 c3+ Kxc3 Qa1+ Kd2 Qb2+ Kd1 Bf1 Rd2 Rd7 Rxd7 Bxc4 bxc4
Qxh8 Rd3 Qa8 c3 Qa4+ Ke1 f4 f5 Kc1 Rd2 Qa7
"""
"""Kasparov against Topalov, Wijk aan Zee 1999."""


def parse(text: str) -> list[chess.Move]:
    """Parse the moves of a game, in standard algebraic notation."""
    board = chess.Board()
    return [board.push_san(san) for san in text.split()]


GAMES: Final = [parse(OPERA_GAME), parse(WIJK_AAN_ZEE_GAME)]


def boards() -> list[chess.Board]:
    """Return the board before each move of the games."""
    copies = []
    for moves in GAMES:
        board = chess.Board()
        for move in moves:
            copies.append(board.copy(stack=False))
            board.push(move)
    return copies
