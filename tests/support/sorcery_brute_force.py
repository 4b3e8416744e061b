"""Every cast that could be thought of on a small board, and the positions that `decide` lets them lead to."""

from collections.abc import Hashable, Iterable, Iterator
from itertools import combinations, pairwise, product
from operator import attrgetter

from domain.barony import sorcery
from domain.barony.actions import Cast
from domain.barony.components import FAMILY, RESOURCES, SPELLS, Spell
from domain.barony.sorcery.state import SorceryState
from domain.contract import evolve
from domain.errors import Refused
from domain.hexes import distance, neighbours
from tests.support.sorcery_positions import around


def spell_sets() -> Iterator[tuple[Spell, ...]]:
    """Every set of spells of one family, open or not."""
    for family, number in product(sorted(set(FAMILY.values())), (1, 2, 3)):
        yield from combinations([spell for spell in SPELLS if FAMILY[spell] == family], number)


def conceivable_casts(state: SorceryState) -> Iterator[Cast]:
    """Every cast of the form that stays on the board and beside it, and takes no tokens.

    Paths begin on the board and jump once at most; recruits have up to four knights on any one hex, or one
    or two each on any hexes with a building, whoever owns it.
    """
    hexes, wide = state.board.hexes, around(state)
    pairs = list(product(hexes, wide))
    triples = [
        (start, middle, end)
        for start, middle in pairs
        for end in (wide if middle in neighbours(start) else neighbours(middle))
    ]
    sites = [at for hex, at in enumerate(hexes) if state.building[hex]] or [hexes[0]]
    for spells in spell_sets():
        if FAMILY[spells[0]] == "construction":
            yield from (Cast(spells, at=at) for at in wide)
        elif FAMILY[spells[0]] == "movement":
            yield from (Cast(spells, path=path) for path in (*pairs, *triples))
        else:
            one = product(wide, (1, 2, 3, 4))
            yield from (Cast(spells, recruits=(recruit,)) for recruit in one)
            for counts in product((0, 1, 2), repeat=len(sites)):
                chosen = tuple(pair for pair in zip(sites, counts, strict=True) if pair[1])
                if len(chosen) > 1:
                    yield Cast(spells, recruits=chosen)


def has_a_chance(state: SorceryState, cast: Cast) -> bool:
    """Whether the spells lie open, and a path is of their length and goes from a knight step by step."""
    if not set(cast.spells) <= set(state.spells):
        return False
    if not cast.path:
        return True
    start = state.board.index[cast.path[0]]
    return (
        bool(state.knights[state.to_act or 0][start])
        and len(cast.path) == 2 + ("celerity" in cast.spells)
        and all(distance(here, there) == 1 for here, there in pairwise(cast.path))
    )


def after(state: SorceryState, cast: Cast) -> Hashable:
    """The position after the cast as values, the course left out; or the clause that refuses it."""
    try:
        event = sorcery.decide(state, state.to_act or 0, cast)
    except Refused as refused:
        return refused.clause
    later = evolve(sorcery, state, [event])
    built = zip(later.building, later.owner, strict=True)
    return (
        tuple(map(bytes, later.knights)),
        tuple((building, owner) if building else () for building, owner in built),
        tuple(map(_hashable, _by_seat(later))),
        (*later.bank, *later.magic, *later.imprints),
    )


_by_seat = attrgetter(
    "reserve_knights",
    "reserve_villages",
    "reserve_strongholds",
    "reserve_cities",
    "removed_knights",
    "resources",
    "rank",
    "new_cities",
    "score",
    "is_out",
)


def _hashable(value: object) -> Hashable:
    return tuple(value) if isinstance(value, list) else value


TAKES = [kinds for number in (1, 2, 3) for kinds in product(RESOURCES, repeat=number)]


def every_outcome(state: SorceryState, casts: Iterable[Cast]) -> set[Hashable]:
    """The positions after these casts, with up to three takes where some are missing."""
    found: set[Hashable] = set()
    for cast in casts:
        plain = after(state, cast)
        found.add(plain)
        if cast.path:
            takes = TAKES if plain == "BY-CON-3" else TAKES[:4] if isinstance(plain, tuple) else ()
            found.update(after(state, Cast(cast.spells, cast.path, kinds)) for kinds in takes)
    return {outcome for outcome in found if not isinstance(outcome, str)}
