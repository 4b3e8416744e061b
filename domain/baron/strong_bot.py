"""The strong bot of Baron: a search (`domain.search`) whose playouts follow the sensible bot for a few turns.

The order of the pile and the reserves of others are drawn from the tiles that the seat does not see. A whole
game would depend on these draws more than on the action, so playouts are short, and end with an evaluation.
"""

from collections import Counter
from collections.abc import Mapping
from math import inf
from typing import Final

from domain.baron.actions import Action
from domain.baron.apply import apply, apply_consequences
from domain.baron.bots import sensible
from domain.baron.bots import score_actions
from domain.baron.components import COUNTS, KNIGHT, TILES, VALUES
from domain.baron.consequences import consequences_of_end
from domain.baron.decide import decide
from domain.baron.evaluation import Evaluation
from domain.baron.formats import BaronPosition
from domain.baron.legal import known_reserve, legal_actions
from domain.baron.position import from_position, position
from domain.baron.state import State
from domain.baron.turn_order import is_decided
from domain.chance import Chance
from domain.contract import Bot
from domain.search import SearchBot, SearchModel

MARGIN: Final = 6.0
"""A lead that decides most games."""
HORIZON: Final = 2
"""Turns of a playout."""
PRIOR_WEIGHT: Final = 0.5
PROSPECT: Final = 0.65
"""The part of a knight's prospect that counts. This and the values below were fitted by least squares to the
final differences in honour of 150 games among sensible bots.
"""
KEEP_IN_HAND: Final = 1.7
"""What a keep in hand is worth, which can still be put down where it gains most."""
KNIGHT_ON_BOARD: Final = -0.6
"""What a knight is worth beside its prospect: less than nothing, because it may be beaten."""
BARON_ON_BOARD: Final = -1.0
"""What a baron is worth beside the honour that it has gained: it can only be beaten."""
TILE: Final = 0.4
"""The part of the value of the tiles in reserve that counts."""


def draw_unknown(state: State, seat: int, chance: Chance) -> None:
    """BN-MAT-1: deal the tiles that the seat does not see to the reserves of others and to the pile.

    `seat` sees the board, the market, the tiles that were taken out and its own reserve.
    """
    unseen = Counter(COUNTS)
    for tiles in (state.tiles.values(), state.market, state.removed, known_reserve(state, seat)):
        unseen.subtract(tiles)
    pool = chance.shuffle([kind for kind in TILES for _ in range(unseen[kind])])
    for player in state.players:
        if player.reserve is None:
            player.reserve = tuple(sorted(pool[: player.reserve_size]))
            pool = pool[player.reserve_size :]
    state.pile = tuple(pool[: state.pile_left])


def expected_scores(state: State, viewer: int) -> list[float]:
    """BN-END-2: the honour of each seat; in play, with what its knights and its keeps in hand promise."""
    if state.to_act is None:
        after = state.copy()
        if not is_decided(after):
            apply_consequences(after, consequences_of_end(after))
        return [
            -inf if player.out is not None else float(player.honour) for player in after.players
        ]
    evaluation = Evaluation(position(state, viewer), viewer)
    scores = [
        -inf
        if player.out is not None
        else player.honour
        + KEEP_IN_HAND * (player.keeps + player.resting)
        + TILE * sum(VALUES[tile] for tile in player.reserve or ())
        for player in state.players
    ]
    for at, (owner, side) in state.keeps.items():
        scores[owner] += (
            KNIGHT_ON_BOARD + PROSPECT * evaluation.prospect(at, owner)
            if side == KNIGHT
            else BARON_ON_BOARD
        )
    return scores


MODEL: Final[SearchModel[State, Action, BaronPosition]] = SearchModel(
    read_position=from_position,
    draw_unknown=draw_unknown,
    score_actions=score_actions,
    expected_scores=expected_scores,
    margin=MARGIN,
    horizon=HORIZON,
    prior_weight=PRIOR_WEIGHT,
    legal_actions=legal_actions,
    decide=decide,
    apply=apply,
    copy=State.copy,
    position=position,
)

BOTS: Final[Mapping[str, Bot[Action, BaronPosition]]] = {
    "sensible": sensible,
    "strong": SearchBot(MODEL),
}
