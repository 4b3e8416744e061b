"""The lessons of Sorcery: those of the base game, and what magic adds to them."""

from collections.abc import Sequence
from functools import partial
from typing import Final

from domain.barony import lessons as base
from domain.barony.actions import Cast, Move
from domain.barony.components import Spell
from domain.barony.lessons import BaronyLesson, Moment
from domain.hexes import hex_of
from domain.lessons import Lesson
from domain.messages import Text, message

_CASTING: Final = "casting"


def _can_cast(moment: Moment, *, spell: Spell) -> bool:
    return any(spell in action.spells for action in moment.actions if isinstance(action, Cast))


def _can_reach_place(moment: Moment) -> bool:
    """BS-MYS-2: whether a legal move ends on a mysterious place without an imprint of the seat."""
    visited = {hex_of(at) for at in moment.position["players"][moment.seat]["imprints"]}
    places = {
        hex_of(cell["at"])
        for cell in moment.position["board"]
        if cell["terrain"] == "mysterious_place"
    } - visited
    moves = (action.moves for action in moment.actions if isinstance(action, Move))
    return any(end in places for move in moves for _, end in move)


def _has_imprint(moment: Moment) -> bool:
    return bool(moment.position["players"][moment.seat]["imprints"])


def _spell_lesson(spell: Spell, clauses: tuple[str, ...], text: Text) -> BaronyLesson:
    return Lesson(spell, clauses, text, partial(_can_cast, spell=spell), after=(_CASTING,))


LESSONS: Final[Sequence[BaronyLesson]] = (
    base.LESSONS[0],
    Lesson(
        "places_in_set_up",
        ("BS-SET-2", "BS-SET-3"),
        message(
            "The mysterious places hold magic for the knights that reach them. A first city cannot be on or"
            " beside one, but one nearby makes the way short."
        ),
        lambda moment: moment.can("place_city"),
    ),
    *base.LESSONS[1:3],
    Lesson(
        "mysterious_places",
        ("BS-MYS-1", "BS-MYS-2", "BS-MYS-3", "BS-MAT-1"),
        message(
            "One of your knights can reach a mysterious place. There it leaves an imprint and earns magic"
            " tokens: three for the first player, then two, then one. Nothing can be built there."
        ),
        _can_reach_place,
        after=("movement",),
    ),
    Lesson(
        "imprints",
        ("BS-MYS-5",),
        message("You have left an imprint: each is worth 3 points at the end of the game."),
        _has_imprint,
        after=("mysterious_places",),
    ),
    Lesson(
        _CASTING,
        ("BS-SPL-1", "BS-SPL-2", "BS-SPL-3", "BS-SET-4"),
        message(
            "Instead of an action, you can now cast a spell, and pay for it with magic tokens. Five spells"
            " are available in this game, for everybody; those of one family can be combined."
        ),
        lambda moment: moment.can("cast"),
    ),
    _spell_lesson(
        "celerity",
        ("BS-CEL-1", "BS-CEL-2"),
        message("Celerity: one knight makes two steps, and each arrival has its full effect."),
    ),
    _spell_lesson(
        "teleportation",
        ("BS-TEL-1", "BS-TEL-3"),
        message(
            "Teleportation: a knight steps onto a mountain where an opponent has nothing but a village."
        ),
    ),
    _spell_lesson(
        "tornado",
        ("BS-TOR-1", "BS-TOR-3", "BS-SPL-5"),
        message(
            "Tornado: where the move begins and ends, villages and knights of opponents that stand alone are"
            " destroyed."
        ),
    ),
    _spell_lesson(
        "charm",
        ("BS-CHA-1",),
        message("Charm: a knight is recruited in each of your cities that you choose."),
    ),
    _spell_lesson(
        "illusion",
        ("BS-ILL-1", "BS-ILL-2"),
        message("Illusion: one of your strongholds recruits as if it were a city."),
    ),
    _spell_lesson(
        "portal",
        ("BS-POR-1", "BS-POR-2"),
        message(
            "Portal: you recruit in a city, and knights that had left the game come back first."
        ),
    ),
    _spell_lesson(
        "abundance",
        ("BS-ABU-1",),
        message("Abundance: the new city also yields a token of its terrain."),
    ),
    _spell_lesson(
        "petrification",
        ("BS-PET-1",),
        message("Petrification: the new city may be in a forest, or beside your own cities."),
    ),
    _spell_lesson(
        "sanctuary",
        ("BS-SAN-1", "BS-SAN-2", "BS-SPL-6"),
        message("Sanctuary: the new city takes the place of a knight instead of a village."),
    ),
    *base.LESSONS[3:],
)
