"""The legal actions against brute force: exactly those that `decide` accepts; what nothing changes."""

from collections.abc import Iterator

import pytest

from domain import baron
from domain.baron.actions import Action, DiscardTile, Draw, EndTurn, PlaceKeep, PlaceTile
from domain.baron.components import COUNTS, KEEPS, TILES
from domain.baron.state import State
from domain.errors import Refused
from tests.support.baron_diagrams import drawing
from tests.support.baron_positions import random_game


def everything(state: State) -> Iterator[Action]:
    """Every action of the form on the hexes of the board and around it."""
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
def test_what_is_listed_is_what_is_accepted(seats: int) -> None:
    for number, (state, _) in enumerate(random_game(seats, seed=3)):
        if number % 13 or state.to_act is None:
            continue
        before = drawing(state)
        for seat in range(seats):
            listed = baron.legal_actions(state, seat)
            assert len(set(listed)) == len(listed)
            accepted = {action for action in everything(state) if is_accepted(state, seat, action)}
            assert accepted == set(listed)
        assert drawing(state) == before


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_tiles_and_keeps_are_where_they_can_be(seats: int) -> None:
    """While nobody is out no tile and no keep is lost, but for tiles that were given up."""
    for state, _ in random_game(seats, seed=12, forfeits=0.05):
        assert state.pile is not None
        there = [*state.tiles.values(), *state.market, *state.removed]
        there += state.pile[len(state.pile) - state.pile_left :]
        for seat, player in enumerate(state.players):
            assert player.reserve is not None
            assert player.reserve_size == len(player.reserve)
            there += player.reserve
            on_board = sum(owner == seat for owner, _ in state.keeps.values())
            whole = on_board + player.keeps + player.resting
            assert whole == KEEPS[seats] if player.out is None else whole == on_board
        counts = {kind: there.count(kind) for kind in TILES}
        if any(player.out is not None for player in state.players):
            assert all(counts[kind] <= COUNTS[kind] for kind in TILES)
        else:
            assert counts == COUNTS
        barons = {at for at, (_, side) in state.keeps.items() if side == "baron"}
        assert state.values.keys() == barons
