"""The form for a new game: its fields are generated from the rule systems.

The names of the fields are `rules`, `seats`, `invite`, `arbiter`, `option-NAME`, `bots-NAME`, and those of
the clock (clock_form.py).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from domain.contract import AnyRuleSystem
from domain.json_types import JsonObject
from domain.lifecycle import MOST_SEATS, seat_counts
from domain.messages import Message, Text, counted, message, message_in, term
from domain.option_fields import OptionField, entered_number
from domain.options import COMMON_OPTION_FIELDS
from domain.registry import RegisteredRuleSystem
from replay.bots.playout import RANDOM, STRONG, bot_names
from service.entered_text import trim
from service.games.game_settings import DEFAULT_BOT
from service.pages.view_models.clock_form import clock_of, field_of_fault

OPTION: Final = "option-"
CLUB_OPTION: Final = "option-club"
BOTS: Final = "bots-"
LAST_BOT: Final = "last_bot"
"""A field that the script of the page adds (js/last-bot.js): `later` if it adds the last bot itself."""
_USUAL_SEATS: Final = 3
USUAL_CLOCK: Final = 24 * 3600
_UNITS: Final = (
    (24 * 3600, term("day; plural: days")),
    (3600, term("hour; plural: hours")),
    (60, term("minute; plural: minutes")),
    (1, term("second; plural: seconds")),
)
CLOCKS: Final = (300, 3600, 8 * 3600, USUAL_CLOCK, 3 * 24 * 3600, 7 * 24 * 3600)
"""The times for a turn that the form offers, in seconds."""
BOT_LABELS: Final[Mapping[str, Text]] = {
    "beginner": message_in("bot", "beginner bots"),
    "casual": message_in("bot", "casual bots"),
    DEFAULT_BOT: message_in("bot", "sensible bots"),
    STRONG: message_in("bot", "strong bots"),
    RANDOM: message_in("bot", "random bots"),
}
"""What people call bots; the order is that of their strength, and bots by chance are the last."""
BOT_HELP: Final[Mapping[str, Text]] = {
    "beginner": message("They know what they want, and often misjudge what brings them there."),
    "casual": message("They play like sensible bots, but overlook things now and then."),
    DEFAULT_BOT: message("They know the game and play it as a person who has played a few times."),
    STRONG: message("They try out their best actions for a few seconds before they choose one."),
    RANDOM: message("They choose any legal action by chance."),
}


@dataclass(frozen=True, slots=True)
class Preset:
    """A usual kind of game: `values` are what its form begins with, where they differ from the defaults."""

    title: Text
    description: Text
    values: Mapping[str, str]


WEEKS: Final = "weeks"
PRESETS: Final[Mapping[str, Preset]] = {
    "today": Preset(
        message("A quick game"),
        message(
            "Today, in one sitting: five minutes for each turn, and a bot plays a missed turn. Bots can take"
            " the places that stay free."
        ),
        {"clock": "300", "clock-turn": "bot"},
    ),
    WEEKS: Preset(
        message("A turn a day"),
        message("Over some weeks: each turn has a day, and the first missed deadline is excused."),
        {},
    ),
    "club": Preset(
        message("A club game"),
        message(
            "In peace: a day for each turn and a reserve of a week, without nights and holidays. Takebacks by"
            " agreement, and substitutes for players who cannot go on."
        ),
        {
            "clock-bank": str(7 * 24 * 3600),
            "clock-night_from": "22:00",
            "clock-night_to": "08:00",
            "clock-holidays": "yes",
            "option-takebacks": "yes",
            "option-substitutes": "yes",
        },
    ),
}
"""The kinds of games that the page offers first, by their names in its address."""


def usual_seats(rules: AnyRuleSystem) -> int:
    """Return the number of seats that a game has by default."""
    return min(seat_counts(rules), key=lambda seats: abs(seats - _USUAL_SEATS))


def time_per_turn(seconds: int | None) -> Message:
    """Return the time that a clock allows for a turn, in words."""
    if seconds is None:
        return message("no time limit")
    for length, unit in _UNITS:
        if seconds % length == 0:
            return message("{time} for each turn", time=counted(seconds // length, unit))
    raise AssertionError(seconds)


def offered_bots(rules: AnyRuleSystem) -> list[str]:
    """Return the names of the bots that can play a game, the weakest first, by chance last."""
    names = bot_names(rules)
    return [name for name in BOT_LABELS if name in names] + [
        name for name in names if name not in BOT_LABELS
    ]


def option_fields(rules: AnyRuleSystem) -> tuple[OptionField, ...]:
    """Return the fields for the options of a game: its own ones, and those of every game."""
    return (*rules.OPTION_FIELDS, *COMMON_OPTION_FIELDS)


def request_body(entry: RegisteredRuleSystem, values: Mapping[str, str]) -> JsonObject:
    """Return the body of `POST /games` of the API that corresponds to the values of the form.

    What is not a number is left as it was entered, for the checks of the API to refuse it.
    """
    options: dict[str, object] = dict(entry.options)
    for field in option_fields(entry.system):
        options[field.name] = field.from_form(values.get(OPTION + field.name, ""))
    if club := values.get(CLUB_OPTION, ""):
        options["club"] = club
    bots = [
        bot for bot in bot_names(entry.system) for _ in range(_count(values.get(BOTS + bot, "")))
    ]
    return {
        "rules": entry.rules,
        "seats": entered_number(values.get("seats", "")),
        "options": options,
        "clock": clock_of(values),
        "bots": bots,
        "invite": entered_handles(values.get("invite", "")),
        "arbiter": trim(values.get("arbiter", "")) or None,
    }


def take_last_bot(body: JsonObject, values: Mapping[str, str]) -> str | None:
    """Take the last bot out of the body of a game that bots would fill, and return its name.

    Returns None, and changes nothing, if bots do not fill the game, or if the form has no script that adds
    the bot afterwards. The random bytes that come with the last bot prove that the server did not choose the
    draws only if the visitor's browser has seen the commitment of the game before it drew them.
    """
    bots: list[str] = body["bots"]
    if values.get(LAST_BOT) != "later" or not bots or len(bots) + 1 != body["seats"]:
        return None
    return bots.pop()


def new_game_address(game_id: str, last_bot: str | None) -> str:
    """Return the address of the page of a new game, which offers to add the last bot if it was taken out."""
    return f"/games/{game_id}" + (f"?bot={last_bot}" if last_bot is not None else "")


def faults_by_field(faults: Mapping[str, Text], body: JsonObject) -> dict[str, Text]:
    """Return the faults of a body by the names of the form's fields, the first one of each field."""
    by_field: dict[str, Text] = {}
    for path, fault in faults.items():
        name, _, rest = path.partition(".")
        match name:
            case "options":
                by_field.setdefault(OPTION + rest, fault)
            case "clock":
                by_field.setdefault(field_of_fault(path), fault)
            case "invite" if rest:
                handle = body["invite"][int(rest)]
                by_field.setdefault(name, message("{handle}: {fault}", handle=handle, fault=fault))
            case _:
                by_field.setdefault(name, fault)
    return by_field


def _count(text: str) -> int:
    """Return a number of bots, no larger than the checks need to refuse it."""
    number = entered_number(text)
    return min(number, MOST_SEATS) if isinstance(number, int) else 0


def entered_handles(text: str) -> list[str]:
    """Return the handles in a field for several, which are separated by white space, commas or semicolons."""
    return list(filter(None, map(trim, re.split(r"[\s,;]+", text))))
