"""Attempts of Sorcery: the action that a choice amounts to, whether or not the rules allow it."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from domain.barony.actions import Action, Cast
from domain.barony.attempts import attempt as base_attempt
from domain.barony.attempts import hexes_or_any, hexes_with_knights, most_favourable, token_of
from domain.barony.choices import DONE
from domain.barony.components import FAMILY, VILLAGE, Spell
from domain.barony.sorcery.choices import spells_of
from domain.barony.sorcery.components import COST
from domain.barony.sorcery.decide import decide, legal_casts
from domain.barony.sorcery.recruitment import sites
from domain.barony.sorcery.state import SorceryState
from domain.choices import Choice
from domain.hexes import Hex, distance, hex_from_text, neighbours, number_from_text


def attempt(state: SorceryState, seat: int, path: Sequence[Choice], value: str) -> Action | None:
    """The simplest action that choosing `value` after the choices of `path` amounts to; None if none."""
    type, *values = [*(choice.value for choice in path), value]
    if type != "cast":
        return base_attempt(state, seat, path, value, decide)
    try:
        return most_favourable(state, seat, _casts(state, seat, values), decide)
    except ValueError:  # the text of spells, a hex or a number
        return None


def _casts(state: SorceryState, seat: int, values: Sequence[str]) -> Iterable[Cast]:
    """The casts to which the values can lead. Raises ValueError."""
    if values:
        return _casts_of(state, seat, spells_of(values[0]), values[1:])
    affordable = [spell for spell in state.spells if COST[spell] <= state.magic[seat]]
    if not affordable:  # any cast is refused for its cost
        cheapest = min(state.spells, key=lambda spell: COST[spell])
        return islice(_casts_of(state, seat, (cheapest,), []), 1)
    casts = (_casts_of(state, seat, (spell,), []) for spell in affordable)
    return chain(legal_casts(state, seat)[:1], chain.from_iterable(casts))


def _casts_of(
    state: SorceryState, seat: int, spells: tuple[Spell, ...], values: Sequence[str]
) -> Iterable[Cast]:
    """The casts of these spells to which the values after them can lead. Raises ValueError."""
    match FAMILY[spells[0]], values:
        case "construction", []:
            villages = hexes_or_any(state, state.built(seat, VILLAGE))
            has_sanctuary = "sanctuary" in spells
            places = hexes_with_knights(state, seat) if has_sanctuary else villages
            return [Cast(spells, at=at) for at in places]
        case "construction", [at]:
            return [Cast(spells, at=hex_from_text(at))]
        case "recruitment", []:
            places = hexes_or_any(state, sites(state, seat, spells))
            return [Cast(spells, recruits=((at, 1),)) for at in places]
        case "recruitment", [at]:
            return [Cast(spells, recruits=((hex_from_text(at), 1),))]
        case "recruitment", _ if "charm" in spells:
            places = [hex_from_text(at) for at in values[: -1 if values[-1] == DONE else None]]
            recruits = tuple((at, 1) for at in sorted(set(places)))
            return [Cast(spells, recruits=recruits)] if len(recruits) == len(places) else []
        case "recruitment", [at, knights] if number_from_text(knights) > 0:
            return [Cast(spells, recruits=((hex_from_text(at), number_from_text(knights)),))]
        case "movement", _:
            return _movements(state, seat, spells, values)
        case _:
            return []


def _movements(
    state: SorceryState, seat: int, spells: tuple[Spell, ...], values: Sequence[str]
) -> Iterator[Cast]:
    """The casts of these spells with a path to which the values lead. Raises ValueError."""
    takes = tuple(token for value in values if (token := token_of(value)))
    places = [hex_from_text(value) for value in values if not token_of(value)]
    has_celerity = "celerity" in spells
    if len(places) > 2 + has_celerity:
        return
    for start in places[:1] or hexes_with_knights(state, seat):
        for path in _paths(start, places[1:], has_celerity=has_celerity):
            yield Cast(spells, path, takes)


def _paths(start: Hex, places: Sequence[Hex], *, has_celerity: bool) -> Iterator[tuple[Hex, ...]]:
    """Paths from a hex; `places` are the hex where they end and the one between, as far as chosen."""
    match places:
        case [end, middle]:
            yield start, middle, end
        case [end] if has_celerity:
            steps = {middle: distance(middle, end) for middle in neighbours(start) if middle != end}
            yield from (
                (start, middle, end) for middle in steps if steps[middle] == min(steps.values())
            )
        case [end]:
            yield start, end
        case _ if has_celerity:
            yield from (
                (start, middle, end) for middle in neighbours(start) for end in neighbours(middle)
            )
        case _:
            yield from ((start, end) for end in neighbours(start))
