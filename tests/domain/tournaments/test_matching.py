"""Pairs of the least cost: compared with every pairing that there is, ties included."""

import random
from collections.abc import Callable, Mapping
from functools import cache
from itertools import combinations, pairwise

import pytest

from domain.tournaments.matching import least_costly_pairs

Pairs = tuple[tuple[int, int], ...]


def pairs_of(count: int, cost: Callable[[int, int], int]) -> list[tuple[int, int]]:
    """Return the pairs, if all pairs are possible."""
    pairs = least_costly_pairs(count, cost)
    assert pairs is not None
    return pairs


def first_of_the_cheapest(count: int, cost: Callable[[int, int], int]) -> Pairs:
    """Return the cheapest pairing, by trying all; the first one in the order of partners of equals."""

    @cache
    def rest(paired: int) -> tuple[int, Pairs]:
        free = [vertex for vertex in range(count) if not paired >> vertex & 1]
        if not free:
            return 0, ()
        one, *others = free
        found = []
        for other in others:
            total, pairs = rest(paired | 1 << one | 1 << other)
            found.append((total + cost(one, other), ((one, other), *pairs)))
        return min(found)

    return rest(0)[1]


def assert_first_of_the_cheapest(count: int, costs: Mapping[tuple[int, int], int]) -> None:
    def cost(one: int, other: int) -> int:
        return costs[one, other]

    assert tuple(pairs_of(count, cost)) == first_of_the_cheapest(count, cost), costs


def nothing(one: int, other: int) -> int:
    return 0


@pytest.mark.parametrize("most", [0, 1, 2, 10, 10**9])
def test_the_pairs_are_the_first_of_the_cheapest_pairings(most: int) -> None:
    # Small costs make many ties, and odd circles of equally cheap pairs.
    chance = random.Random(most)
    for _ in range(120):
        count = chance.choice([2, 4, 6, 8, 10, 12])
        costs = {two: chance.randint(0, most) for two in combinations(range(count), 2)}
        assert_first_of_the_cheapest(count, costs)


def test_costs_may_be_negative() -> None:
    costs = {two: -(sum(two) ** 2) for two in combinations(range(6), 2)}
    assert_first_of_the_cheapest(6, costs)


@pytest.mark.nightly
def test_equally_cheap_pairings_are_decided_by_the_order_alone() -> None:
    assert pairs_of(0, nothing) == []
    for count in (2, 16, 128):
        pairs = pairs_of(count, nothing)
        assert pairs == [(one, one + 1) for one in range(0, count, 2)]


def test_a_pairing_that_is_forced_is_found_among_64() -> None:
    # A path on which only every second step leaves nobody over: three of four steps of a search turn back.
    order = random.Random(5).sample(range(64), 64)
    allowed = {frozenset(two) for two in pairwise(order)}
    forced = {frozenset(order[place : place + 2]) for place in range(0, 64, 2)}

    def cost(one: int, other: int) -> int:
        return 0 if {one, other} in allowed else 1

    assert {frozenset(two) for two in pairs_of(64, cost)} == forced


def test_an_odd_number_cannot_be_paired() -> None:
    with pytest.raises(ValueError, match="odd"):
        pairs_of(3, nothing)
