"""The least costly way to seat players at tables for two: a minimum weight perfect matching.

The algorithm is that of Edmonds ("Maximum matching and a polyhedron with 0,1-vertices", 1965), in the form
with labels and one search per pair that Galil describes ("Efficient algorithms for finding maximum matching
in graphs", ACM Computing Surveys 18, 1986). It takes about the cube of the number of players.

All weights are whole numbers, so nothing is rounded. No two pairings weigh the same, because the weight has
the order of equally costly ones in it. So the result is a property of the costs alone: every correct
algorithm finds the same pairing, whatever its version or machine.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

Vertex: TypeAlias = int


class Edge(NamedTuple):
    """Two vertices: the first one in the node that the edge is seen from."""

    near: Vertex
    far: Vertex

    def reversed(self) -> "Edge":
        """Return the edge as it is seen from the other node."""
        return Edge(self.far, self.near)


Label: TypeAlias = Literal["", "outer", "inner"]
"""Where a node stands in the search: at an even distance from an unmatched vertex, at an odd one, or none."""


class _Node:
    """A vertex, or a blossom: an odd circle of nodes, each two neighbours of which are joined by an edge."""

    __slots__ = ("base", "children", "dual", "edges", "entry", "label", "vertices")

    def __init__(
        self, vertices: list[Vertex], base: Vertex, children: list["_Node"], edges: list[Edge]
    ) -> None:
        self.vertices: Final = vertices
        self.base = base
        """The vertex that is not matched within the node."""
        self.children = children
        """In the order of the circle, first the one with the base; a vertex has none."""
        self.edges = edges
        """By child, the edge from it to the next one; the last one leads to the first child."""
        self.dual = 0
        self.label: Label = ""
        self.entry: Edge | None = None
        """Of an inner node, the edge by which the search has come to it, seen from the outer node."""


def least_costly_pairs(
    count: int, cost: Callable[[Vertex, Vertex], int]
) -> list[tuple[Vertex, Vertex]]:
    """Return the pairs of the vertices from 0 to `count` - 1 whose costs have the least sum.

    `count` is even. The cost of two vertices, the smaller one first, is a whole number. Of equally costly
    pairings, it is the one in which vertex 0 has the smallest partner; of those with the same, the next
    vertex that is not paired yet; and so on. The pairs are sorted, the smaller vertex of each first.
    """
    if count % 2:
        raise ValueError("an odd number of vertices cannot be paired")
    # The partners of the vertices, as the digits of one number, are in the order of equally costly pairings.
    scale = count**count
    weights = [[0] * count for _ in range(count)]
    for one in range(count):
        for other in range(one + 1, count):
            weight = cost(one, other) * scale + other * count ** (count - 1 - one)
            weights[one][other] = weights[other][one] = weight
    mate = _Search(weights).mate
    return [(one, mate[one]) for one in range(count) if one < mate[one]]


class _Search:
    """The search for a pairing of the least weight. `mate` has the partner of each vertex."""

    def __init__(self, weights: Sequence[Sequence[int]]) -> None:
        # Duals start even and four times the weights are compared, so that half a slack is a whole number.
        self._weights = [[4 * weight for weight in row] for row in weights]
        count = len(weights)
        self._vertices: Final = range(count)
        self._nodes = [_Node([vertex], vertex, [], []) for vertex in self._vertices]
        self._top = list(self._nodes)
        """By vertex, the outermost node that contains it."""
        self.mate: list[Vertex] = [-1] * count
        self._nearest: list[Vertex] = []
        """By vertex, the outer vertex to which it has the least slack; -1 before there is one."""
        self._queue: list[Vertex] = []
        """Outer vertices whose edges have not been looked at."""
        for vertex, node in enumerate(self._nodes):
            others = (weights[vertex][other] for other in self._vertices if other != vertex)
            node.dual = 2 * min(others)
        for _ in range(count // 2):
            self._match_two_more()

    def _slack(self, one: Vertex, other: Vertex) -> int:
        """Return how far an edge between two outermost nodes is from being allowed: not at all at 0."""
        return self._weights[one][other] - self._nodes[one].dual - self._nodes[other].dual

    def _tops(self) -> Iterator[_Node]:
        """Iterate over the outermost nodes."""
        return (node for vertex, node in enumerate(self._top) if node.vertices[0] == vertex)

    def _match_two_more(self) -> None:
        """Match two vertices more, by trees of edges without slack from all those that are unmatched."""
        self._nearest = [-1 for _ in self._vertices]
        self._queue = []
        for node in self._tops():
            node.label, node.entry = "", None
            if self.mate[node.base] < 0:
                self._make_outer(node)
        while not (self._is_matched_along_queue() or self._is_matched_after_change()):
            pass

    def _make_outer(self, node: _Node) -> None:
        node.label, node.entry = "outer", None
        self._queue += node.vertices

    def _is_matched_along_queue(self) -> bool:
        """Follow the edges without slack; return whether two vertices more are matched."""
        while self._queue:
            vertex = self._queue.pop()
            row, dual = self._weights[vertex], self._nodes[vertex].dual
            for other in self._vertices:
                top = self._top[other]
                if top is self._top[vertex]:
                    continue
                slack = row[other] - dual - self._nodes[other].dual
                nearest = self._nearest[other]
                if nearest < 0 or slack < self._slack(nearest, other):
                    self._nearest[other] = vertex
                if not slack and top.label != "inner" and self._is_matched_by(Edge(vertex, other)):
                    return True
        return False

    def _is_matched_after_change(self) -> bool:
        """Change the duals until an edge has no slack any more, or an inner blossom is dissolved.

        Returns whether that edge has matched two vertices more.
        """
        least: int | None = None
        edge: Edge | None = None
        dissolved: _Node | None = None
        for vertex in self._vertices:
            top, nearest = self._top[vertex], self._nearest[vertex]
            if nearest < 0 or top.label == "inner":
                continue
            change = self._slack(nearest, vertex)
            if top.label == "outer":
                change //= 2
            if least is None or change < least:
                least, edge = change, Edge(nearest, vertex)
        for node in self._tops():
            if node.label == "inner" and node.children:
                change = node.dual // 2
                if least is None or change < least:
                    least, edge, dissolved = change, None, node
        assert least is not None, "all vertices can be paired"
        for node in self._tops():
            if node.label:
                sign = 1 if node.label == "outer" else -1
                for vertex in node.vertices:
                    self._nodes[vertex].dual += sign * least
                if node.children:
                    node.dual += sign * 2 * least
        if dissolved is not None:
            self._dissolve(dissolved)
            return False
        assert edge is not None, "an edge or a blossom has the least change"
        return self._is_matched_by(edge)

    def _is_matched_by(self, edge: Edge) -> bool:
        """Extend the trees by an edge without slack from an outer vertex to a node that is not inner.

        Returns whether it has matched two vertices more.
        """
        top = self._top[edge.far]
        if not top.label:
            top.label, top.entry = "inner", edge
            self._make_outer(self._top[self.mate[top.base]])
            return False
        common = self._common_ancestor(edge)
        if common is not None:
            self._contract(common, edge)
            return False
        for way in (edge, edge.reversed()):
            self._augment(way)
        return True

    def _path(self, vertex: Vertex) -> Iterator[tuple[_Node, Edge, _Node, Edge]]:
        """Iterate over the outer and inner nodes from an outer vertex to the root of its tree.

        Each step has an outer node, the edge to the inner node above it, that node, and the edge from there
        to the next outer node. There is none at the root.
        """
        node = self._top[vertex]
        while self.mate[node.base] >= 0:
            matched = Edge(node.base, self.mate[node.base])
            inner = self._top[matched.far]
            assert inner.entry is not None, "the search has come to the inner node by an edge"
            yield node, matched, inner, inner.entry.reversed()
            node = self._top[inner.entry.near]

    def _common_ancestor(self, edge: Edge) -> _Node | None:
        """Return the first outer node on the paths of both ends; None if they are in different trees."""
        first = {id(self._top[edge.near])}
        first |= {id(self._top[onward.far]) for *_, onward in self._path(edge.near)}
        if id(self._top[edge.far]) in first:
            return self._top[edge.far]
        for *_, onward in self._path(edge.far):
            if id(self._top[onward.far]) in first:
                return self._top[onward.far]
        return None

    def _contract(self, common: _Node, edge: Edge) -> None:
        """Make a blossom of the circle that an edge closes between two outer nodes of a tree."""
        sides: list[tuple[list[_Node], list[Edge]]] = []
        for vertex in edge:
            nodes: list[_Node] = []
            edges: list[Edge] = []
            if self._top[vertex] is not common:
                for outer, matched, inner, onward in self._path(vertex):
                    nodes += (outer, inner)
                    edges += (matched, onward)
                    if self._top[onward.far] is common:
                        break
            sides.append((nodes, edges))
        (near, near_edges), (far, far_edges) = sides
        children = [common, *reversed(near), *far]
        down = [step.reversed() for step in reversed(near_edges)]
        vertices = [vertex for child in children for vertex in child.vertices]
        blossom = _Node(vertices, common.base, children, [*down, edge, *far_edges])
        blossom.label = "outer"
        for child in children:
            if child.label == "inner":
                self._queue += child.vertices
        for vertex in vertices:
            self._top[vertex] = blossom
        outer_vertices = [
            vertex
            for vertex in self._vertices
            if self._top[vertex].label == "outer" and self._top[vertex] is not blossom
        ]
        for vertex in vertices:
            self._nearest[vertex] = min(
                outer_vertices, key=lambda other: self._slack(other, vertex), default=-1
            )

    def _dissolve(self, blossom: _Node) -> None:
        """Put the children of an inner blossom in its place; those between its two ends stay in the tree."""
        for child in blossom.children:
            child.label, child.entry = "", None
            for vertex in child.vertices:
                self._top[vertex] = child
        entry = blossom.entry
        assert entry is not None, "the search has come to the blossom by an edge"
        count = len(blossom.children)
        place = blossom.children.index(self._top[entry.far])
        step = 1 if place % 2 else -1
        while True:
            inner = blossom.children[place % count]
            inner.label, inner.entry = "inner", entry
            if place % count == 0:
                return
            self._make_outer(blossom.children[(place + step) % count])
            entry = self._edge_between(blossom, place + step, step)
            place += 2 * step

    @staticmethod
    def _edge_between(blossom: _Node, place: int, step: int) -> Edge:
        """Return the edge from a child to the next one, or to the one before it."""
        count = len(blossom.children)
        if step > 0:
            return blossom.edges[place % count]
        return blossom.edges[(place - 1) % count].reversed()

    def _augment(self, edge: Edge) -> None:
        """Exchange matched and unmatched edges from the near end of an edge to the root of its tree."""
        steps = [(matched, onward) for _, matched, _, onward in self._path(edge.near)]
        self._rebase(self._top[edge.near], edge.near)
        self.mate[edge.near] = edge.far
        for _, onward in steps:
            for vertex in onward:
                self._rebase(self._top[vertex], vertex)
            self.mate[onward.near], self.mate[onward.far] = onward.far, onward.near

    def _rebase(self, node: _Node, vertex: Vertex) -> None:
        """Match the vertices of a node among each other such that this one is left over, its new base."""
        node.base = vertex
        if not node.children:
            return
        count = len(node.children)
        start = next(place for place, child in enumerate(node.children) if vertex in child.vertices)
        self._rebase(node.children[start], vertex)
        place, step = start, 1 if start % 2 else -1
        while place % count:
            one = self._edge_between(node, place + step, step)
            self._rebase(node.children[(place + step) % count], one.near)
            self._rebase(node.children[(place + 2 * step) % count], one.far)
            self.mate[one.near], self.mate[one.far] = one.far, one.near
            place += 2 * step
        node.children = node.children[start:] + node.children[:start]
        node.edges = node.edges[start:] + node.edges[:start]
