"""The lessons of Barony, in the order in which they matter in a usual game."""

from collections import Counter
from collections.abc import Sequence
from typing import Final, TypeAlias

from domain.barony.actions import Action, Move
from domain.barony.components import RANKS
from domain.barony.formats import BaronyPosition
from domain.hexes import Hex, hex_of, neighbours
from domain.lessons import Lesson
from domain.lessons import Moment as AnyMoment
from domain.messages import message

Moment: TypeAlias = AnyMoment[Action, BaronyPosition]
BaronyLesson: TypeAlias = Lesson[Action, BaronyPosition]


def is_in_play(moment: Moment) -> bool:
    """Whether the set-up is over."""
    return moment.position["phase"] == "play"


def _faces_opponents(moment: Moment) -> bool:
    """BY-MOV-4 to BY-MOV-6: whether one of the seat's knights is adjacent to an opponent's pawn."""
    theirs = {
        hex_of(pawns["at"]) for pawns in moment.position["pawns"] if pawns["seat"] != moment.seat
    }
    return any(
        not theirs.isdisjoint(neighbours(hex_of(pawns["at"])))
        for pawns in moment.position["pawns"]
        if pawns["seat"] == moment.seat and pawns["knights"]
    )


def _can_destroy(moment: Moment) -> bool:
    """BY-CON-1: whether a legal move lets two pawns of the seat meet on a hex with an opponent's pawn."""
    own: Counter[Hex] = Counter()
    theirs: set[Hex] = set()
    for pawns in moment.position["pawns"]:
        at = hex_of(pawns["at"])
        if pawns["seat"] == moment.seat:
            own[at] = pawns["knights"] + (pawns["building"] is not None)
        else:
            theirs.add(at)
    return any(
        _destroys(action, own, theirs) for action in moment.actions if isinstance(action, Move)
    )


def _destroys(move: Move, own: Counter[Hex], theirs: set[Hex]) -> bool:
    after = own.copy()
    for start, end in move.moves:
        after[start] -= 1
        after[end] += 1
        if end in theirs and after[end] > 1:
            return True
    return False


def _has_rank_before_last(moment: Moment) -> bool:
    """BY-END-2: whether a player needs one more title to become duke."""
    return any(player["rank"] == RANKS[-2] for player in moment.position["players"])


LESSONS: Final[Sequence[BaronyLesson]] = (
    Lesson(
        "first_city",
        ("BY-SET-3", "BY-SET-4"),
        message(
            "Choose a hex for a city; it comes with your first knight there. Different terrains around it are"
            " useful. Lakes, forests and hexes beside another city are not possible."
        ),
        lambda moment: moment.can("place_city"),
    ),
    Lesson(
        "turn",
        ("BY-TURN-1", "BY-MAT-1"),
        message(
            "From now on, each turn is one action. You bring knights into the land, turn them into buildings,"
            " and buy noble titles with what the buildings yield. The most points win."
        ),
        is_in_play,
    ),
    Lesson(
        "movement",
        ("BY-MOV-1", "BY-MOV-2", "BY-MOV-3"),
        message(
            "To move is one action for one or two knights: each goes to an adjacent hex, but never onto a"
            " lake."
        ),
        lambda moment: moment.can("move"),
    ),
    Lesson(
        "construction",
        ("BY-BLD-1", "BY-BLD-2", "BY-BLD-5"),
        message(
            "A knight on a hex without a building can become a village or a stronghold. The building yields a"
            " token of its terrain. One action can build on several hexes."
        ),
        lambda moment: moment.can("build"),
        after=("turn",),
    ),
    Lesson(
        "recruitment",
        ("BY-REC-1", "BY-REC-2"),
        message(
            "If you run short of knights on the board, recruit up to two from your reserve in one of your"
            " cities, or up to three if the city is beside a lake."
        ),
        lambda moment: moment.can("recruit"),
        after=("movement",),
    ),
    Lesson(
        "opponents",
        ("BY-MOV-4", "BY-MOV-5", "BY-MOV-6"),
        message(
            "An opponent is near one of your knights. You cannot enter a hex with their city or stronghold,"
            " with two of their pawns, or a mountain where they stand."
        ),
        lambda moment: moment.can("move") and _faces_opponents(moment),
        after=("movement",),
    ),
    Lesson(
        "conflict",
        ("BY-CON-1", "BY-CON-2", "BY-CON-3"),
        message(
            "You can strike: if two of your pawns meet on a hex, all pawns of opponents there are destroyed."
            " For each village you take a token from its owner."
        ),
        _can_destroy,
        after=("opponents",),
    ),
    Lesson(
        "title",
        ("BY-TTL-1", "BY-TTL-2", "BY-MAT-3"),
        message(
            "Your tokens are worth at least 15 resource points, enough for a noble title. Each title is worth"
            " 15 points, and no change is given."
        ),
        lambda moment: moment.can("noble_title"),
    ),
    Lesson(
        "new_city",
        ("BY-CTY-1", "BY-CTY-2", "BY-CTY-3", "BY-CTY-4"),
        message(
            "One of your villages can become a city, which is worth 10 points and recruits knights. A city in"
            " a forest or beside another city is not possible."
        ),
        lambda moment: moment.can("new_city"),
    ),
    Lesson(
        "expedition",
        ("BY-EXP-1", "BY-EXP-2", "BY-EXP-4"),
        message(
            "An expedition takes a knight from your reserve to an empty hex on the edge of the board, however"
            " far away. It costs a second knight, which leaves the game."
        ),
        lambda moment: moment.can("expedition"),
        after=("recruitment", "construction"),
    ),
    Lesson(
        "end",
        ("BY-END-1", "BY-END-2", "BY-END-3"),
        message(
            "Somebody is only one title away from duke. When a player becomes duke, the round is played to"
            " its end and the game is over. Tokens that are left then count too."
        ),
        _has_rank_before_last,
    ),
    Lesson(
        "passing",
        ("BY-TURN-2", "BY-TURN-4"),
        message("No other action is possible for you now, so you pass."),
        lambda moment: moment.can("pass"),
    ),
)
