"""The options that every game has, and the names of games.

`COMMON_OPTION_FIELDS` presents these options to people. `check_common_options` decides which values are
valid: some options are left out of the log where they are not used, and some depend on others.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Final, cast

from domain.event import Options, TournamentTable
from domain.json_fields import is_integer, one_of
from domain.json_types import CLUB_ID, GAME_ID
from domain.messages import Message, Text, message, message_in
from domain.option_fields import FlagField, NumberField, OptionField, SelectionField, TextField

MAX_NAME_CHARACTERS: Final = 60
_JOINERS: Final = frozenset("\u200c\u200d")
"""Invisible characters that some scripts need inside words, and emoji between their parts."""
_MAX_MARKS: Final = 4
"""The most marks (accents and the like) in a row: more of them would cover the lines around the name."""


def name_fault(name: object) -> Message | None:
    """What is wrong with the name of a game, as the end of a sentence about it; None if it is allowed."""
    if not isinstance(name, str):
        return message("must be a text")
    if not 1 <= len(name) <= MAX_NAME_CHARACTERS:
        return message("must have 1 to {count} characters", count=MAX_NAME_CHARACTERS)
    marks = 0
    for character in name:
        category = unicodedata.category(character)
        if category in {"Cc", "Cs", "Co", "Zl", "Zp"} or (
            category == "Cf" and character not in _JOINERS
        ):
            return message("must not contain the character U+{code}", code=f"{ord(character):04X}")
        marks = marks + 1 if category[0] == "M" else 0
        if marks > _MAX_MARKS:
            return message("must not have more than {count} accents on a letter", count=_MAX_MARKS)
    if name != name.strip() or not name.strip("".join(_JOINERS)):
        return message("must not begin or end with a space")
    return None


SEATINGS: Final = ("drawn", "joined")
MOST_POINTS: Final = 10_000
"""The largest rating that a game can require."""
REQUIREMENTS: Final[Mapping[str, tuple[int, int]]] = {
    "least_reliability": (1, 100),
    "least_finished": (1, 1000),
    "least_rating": (0, MOST_POINTS),
    "most_rating": (0, MOST_POINTS),
}
"""The options with what a game requires of the players who join it, with the least and the largest number."""
RANGES: Final = tuple(
    (name, f"most_{name.removeprefix('least_')}")
    for name in REQUIREMENTS
    if name.startswith("least_") and f"most_{name.removeprefix('least_')}" in REQUIREMENTS
)
"""The pairs of requirements that are the least and the largest number of one range."""
_FLAGS: Final = ("rated", "takebacks", "substitutes", "tutorial", "hints")
"""The options that are left out of a game where they are false."""
COMMON_OPTIONS: Final = (
    *("seating", "private", *_FLAGS),
    *("name", "rematch_of", "tournament", "club"),
    *REQUIREMENTS,
)
"""The options of every game."""


def check_common_options(options: Mapping[str, object]) -> tuple[Options, dict[str, Text]]:
    """The common ones of some options with their defaults, and what is wrong with them, by field.

    An option that a game can do without is left out: `rated`, `takebacks`, `substitutes`, `tutorial` and
    `hints` if they are false, `name`, `rematch_of`, `tournament`, `club` and the requirements if they are
    missing or null.
    """
    faults: dict[str, Text] = {}
    seating = options.get("seating", "drawn")
    flags = {name: options.get(name, False) for name in ("private", *_FLAGS)}
    name, rematch_of, club = options.get("name"), options.get("rematch_of"), options.get("club")
    if seating not in SEATINGS:
        faults["options.seating"] = one_of(SEATINGS)
    for flag, value in flags.items():
        if not isinstance(value, bool):
            faults[f"options.{flag}"] = message("must be true or false")
    if flags["rated"] is True and flags["tutorial"] is True:
        faults["options.rated"] = message("tutorial games are never rated")
    elif flags["rated"] is True and flags["private"] is True and club is None:
        faults["options.rated"] = message("only the private games of a club are rated")
    if flags["hints"] is True and (flags["rated"] is True or options.get("tournament") is not None):
        faults["options.hints"] = message("there are no hints in rated games and in tournaments")
    if name is not None and (fault := name_fault(name)) is not None:
        faults["options.name"] = fault
    if rematch_of is not None and not _matches(GAME_ID, rematch_of):
        faults["options.rematch_of"] = message("must be the id of a game")
    tournament = options.get("tournament")
    if tournament is not None and not _is_table(tournament):
        faults["options.tournament"] = message("must be a table of a tournament")
    if club is not None and not _matches(CLUB_ID, club):
        faults["options.club"] = message("must be the id of a club")
    requirements = {name: options[name] for name in REQUIREMENTS if options.get(name) is not None}
    for required, value in requirements.items():
        least, most = REQUIREMENTS[required]
        if not is_integer(value) or not least <= value <= most:
            faults[f"options.{required}"] = message(
                "must be a whole number from {least} to {most}", least=least, most=most
            )
    checked: Options = {
        "seating": "joined" if seating == "joined" else "drawn",
        "private": flags["private"] is True,
    }
    checked.update(cast("Options", {flag: True for flag in _FLAGS if flags[flag] is True}))
    if isinstance(name, str):
        checked["name"] = name
    if isinstance(rematch_of, str):
        checked["rematch_of"] = rematch_of
    if tournament is not None and _is_table(tournament):
        checked["tournament"] = cast("TournamentTable", tournament)
    if isinstance(club, str):
        checked["club"] = club
    checked.update(cast("Options", requirements))
    return checked, faults


def range_faults(options: Mapping[str, object]) -> dict[str, Text]:
    """Return which requirements of a new game nobody can meet, by field.

    Games of earlier versions can have such requirements, so `check_common_options` allows them.
    """
    faults: dict[str, Text] = {}
    for least, most in RANGES:
        lowest, highest = options.get(least), options.get(most)
        if is_integer(lowest) and is_integer(highest) and lowest > highest:
            faults[f"options.{most}"] = message("must not be smaller than {field}", field=least)
    return faults


def _matches(pattern: str, value: object) -> bool:
    return isinstance(value, str) and re.fullmatch(pattern, value) is not None


def _is_table(value: object) -> bool:
    if not isinstance(value, dict) or value.keys() != TournamentTable.__annotations__.keys():
        return False
    numbers = (value["round"], value["table"])
    patterns = ((value["id"], "t[0-9a-f]{16}"), (value["drawn"], "[0-9a-f]{64}"))
    return all(is_integer(number) and number >= 1 for number in numbers) and all(
        isinstance(text, str) and re.fullmatch(pattern, text) is not None
        for text, pattern in patterns
    )


COMMON_OPTION_FIELDS: Final[Sequence[OptionField]] = (
    TextField(
        "name",
        message_in("label", "name of the game"),
        message(
            "What the game is called in lists and notifications. Everybody who sees the game sees it."
        ),
        MAX_NAME_CHARACTERS,
        default=None,
    ),
    SelectionField(
        "seating",
        message_in("label", "order of seats"),
        message("The order of seats determines who begins and who plays after whom."),
        {
            "drawn": message_in("order of seats", "drawn when the game starts"),
            "joined": message_in("order of seats", "the order in which players join"),
        },
    ),
    FlagField(
        "private",
        message_in("label", "private game"),
        message(
            "Only the players, those who are invited and the arbiter can see a private game, and one can join"
            " it only by invitation."
        ),
    ),
    FlagField(
        "rated",
        message_in("label", "rated game"),
        message(
            "The result changes the ratings of the players. Bots and guests cannot play in a rated game. A"
            " private game is rated only as a game of a club, and changes the ratings in this club alone."
        ),
    ),
    FlagField(
        "takebacks",
        message_in("label", "takebacks"),
        message("A player can take back the last action if all other players agree."),
    ),
    FlagField(
        "hints",
        message_in("label", "hints"),
        message(
            "Against bots, a player can ask for a hint at their turn. Each hint is on the record. There are"
            " none while another person plays, and in rated games."
        ),
    ),
    FlagField(
        "substitutes",
        message_in("label", "substitutes"),
        message("A player who cannot go on can leave the seat, and another player can take it."),
    ),
    NumberField(
        "least_reliability",
        message_in("label", "least reliability"),
        message(
            "Players who take fewer of their turns in time, in percent, cannot join, unless you invite them."
        ),
        *REQUIREMENTS["least_reliability"],
    ),
    NumberField(
        "least_finished",
        message_in("label", "least number of finished games"),
        message("Players who have finished fewer public games without bots cannot join."),
        *REQUIREMENTS["least_finished"],
    ),
    NumberField(
        "least_rating",
        message_in("label", "lowest rating"),
        message("Players with a lower rating in this game cannot join. New players have 1000."),
        *REQUIREMENTS["least_rating"],
    ),
    NumberField(
        "most_rating",
        message_in("label", "highest rating"),
        message("Players with a higher rating in this game cannot join."),
        *REQUIREMENTS["most_rating"],
    ),
)
"""The options of every game."""
