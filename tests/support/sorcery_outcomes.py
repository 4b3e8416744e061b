"""Every conceivable cast on a small board, and the positions that it leads to according to `decide`."""

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
from tests.support.sorcery_positions import board_and_border


def spell_sets() -> Iterator[tuple[Spell, ...]]:
    """Every set of spells of one family, whether or not they are open."""
    for family, number in product(sorted(set(FAMILY.values())), (1, 2, 3)):
        yield from combinations([spell for spell in SPELLS if FAMILY[spell] == family], number)


def conceivable_casts(state: SorceryState) -> Iterator[Cast]:
    """Every well-formed cast on the board and the hexes adjacent to it, without `takes`.

    Paths start on the board and have at most one step to a hex that is not adjacent; recruits are up to four
    knights on any one hex, or one or two knights on each of several hexes with a building of any seat.
    """
    hexes, wide = state.board.hexes, board_and_border(state)
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


def may_be_legal(state: SorceryState, cast: Cast) -> bool:
    """Whether the spells are open, and a path has their length and leads from a knight to adjacent hexes."""
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


def outcome(state: SorceryState, cast: Cast) -> Hashable:
    """The state after the cast without the turn order, as a hashable value; or the clause that refuses it."""
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
    """The outcomes of these casts that are legal, with up to three `takes` where they are needed."""
    outcomes: set[Hashable] = set()
    for cast in casts:
        plain = outcome(state, cast)
        outcomes.add(plain)
        if cast.path:
            takes = TAKES if plain == "BY-CON-3" else TAKES[:4] if isinstance(plain, tuple) else ()
            outcomes.update(outcome(state, Cast(cast.spells, cast.path, kinds)) for kinds in takes)
    return {outcome for outcome in outcomes if not isinstance(outcome, str)}
