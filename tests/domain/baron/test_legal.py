"""The legal actions are exactly those that `decide` accepts; tiles and keeps are conserved."""

from collections.abc import Iterator

import pytest

from domain import baron
from domain.baron.actions import Action, DiscardTile, Draw, EndTurn, PlaceKeep, PlaceTile
from domain.baron.components import COUNTS, KEEPS, TILES
from domain.baron.state import State
from domain.errors import Refused
from tests.support.baron_diagrams import diagram
from tests.support.baron_positions import random_game


def all_actions(state: State) -> Iterator[Action]:
    """Every well-formed action on the hexes of the board and around it."""
    reach = range(min(min(at) for at in state.tiles) - 2, max(max(at) for at in state.tiles) + 3)
    yield from map(Draw, (1, 2, 3))
    yield from map(DiscardTile, TILES)
    yield EndTurn()
    for q in reach:
        for r in reach:
            yield PlaceKeep((q, r))
            yield from (PlaceTile(tile, (q, r)) for tile in TILES)


def is_accepted(state: State, seat: int, action: Action) -> bool:
    try:
        baron.decide(state, seat, action)
    except Refused:
        return False
    return True


@pytest.mark.parametrize("seats", [2, 5])
def test_exactly_the_accepted_actions_are_listed(seats: int) -> None:
    for number, (state, _) in enumerate(random_game(seats, seed=3)):
        if number % 13 or state.to_act is None:
            continue
        before = diagram(state)
        for seat in range(seats):
            actions = baron.legal_actions(state, seat)
            assert len(set(actions)) == len(actions)
            accepted = {action for action in all_actions(state) if is_accepted(state, seat, action)}
            assert accepted == set(actions)
        assert diagram(state) == before


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_the_number_of_tiles_and_keeps_stays_the_same(seats: int) -> None:
    """While no seat is out, no tile and no keep is lost except tiles that were discarded."""
    for state, _ in random_game(seats, seed=12, forfeits=0.05):
        assert state.pile is not None
        tiles = [*state.tiles.values(), *state.market, *state.removed]
        tiles += state.pile[len(state.pile) - state.pile_left :]
        for seat, player in enumerate(state.players):
            assert player.reserve is not None
            assert player.reserve_size == len(player.reserve)
            tiles += player.reserve
            on_board = sum(owner == seat for owner, _ in state.keeps.values())
            keeps = on_board + player.keeps + player.resting
            assert keeps == (KEEPS[seats] if player.out is None else on_board)
        counts = {kind: tiles.count(kind) for kind in TILES}
        if any(player.out is not None for player in state.players):
            assert all(counts[kind] <= COUNTS[kind] for kind in TILES)
        else:
            assert counts == COUNTS
        barons = {at for at, (_, side) in state.keeps.items() if side == "baron"}
        assert state.values.keys() == barons
