"""The least costly way to seat players at tables for two: a minimum weight perfect matching, by networkx.

All weights are whole numbers, with which networkx computes exactly. No two pairings weigh the same, because
the weight has the order of equally costly ones in it. So the result is a property of the costs alone: every
correct algorithm finds the same pairing, whatever its version or machine.
"""

from collections.abc import Callable
from itertools import combinations
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from networkx import Graph

Vertex: TypeAlias = int


def least_costly_pairs(
    count: int, cost: Callable[[Vertex, Vertex], int | None]
) -> list[tuple[Vertex, Vertex]] | None:
    """Return the pairs of the vertices from 0 to `count` - 1 whose costs have the least sum; None if there is
    no way to pair all.

    `count` is even. The cost of two vertices, the smaller one first, is a whole number, or None for a pair
    that is left out. Of equally costly
    pairings, it is the one in which vertex 0 has the smallest partner; of those with the same, the next
    vertex that is not paired yet; and so on. The pairs are sorted, the smaller vertex of each first.
    """
    if count % 2:
        raise ValueError("an odd number of vertices cannot be paired")
    pairs = most_pairs(count, cost)
    return pairs if 2 * len(pairs) == count else None


def most_pairs(
    count: int, cost: Callable[[Vertex, Vertex], int | None]
) -> list[tuple[Vertex, Vertex]]:
    """Return as many pairs as possible of the vertices from 0 to `count` - 1, whose costs have the least sum.

    `cost` and the choice among equally costly pairings are those of `least_costly_pairs`; a vertex that is
    left over counts as one with the smallest partner of all.
    """
    # networkx takes 25 MB of memory, and a quarter of a second to import, so only who pairs imports it.
    import networkx as nx

    graph: Graph[Vertex] = nx.Graph()
    # The partners of the vertices, as the digits of one number, are in the order of equally costly pairings.
    scale = count**count
    for one, other in combinations(range(count), 2):
        if (price := cost(one, other)) is None:
            continue
        weight = price * scale + other * count ** (count - 1 - one)
        graph.add_edge(one, other, weight=-weight)
    # Variables of the environment can give the work to other packages, unless networkx itself is named.
    matching = nx.max_weight_matching(graph, maxcardinality=True, backend="networkx")
    return sorted((min(two), max(two)) for two in matching)
