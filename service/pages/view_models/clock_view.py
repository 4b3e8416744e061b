"""The clock of a game as pages show it, in words.

That is its settings, the time left, what happens at a deadline, holidays of players, and vacant seats.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from domain.clock import decisions, substitutes
from domain.clock.deadlines import deadline_policy
from domain.clock.messages import clock_message, has_only_time_per_turn, time_amount
from domain.errors import Malformed, Refused
from domain.event import Clock
from domain.game import Game
from domain.json_types import Timestamp
from domain.messages import Amount, Message, Text, message, plural_message
from ledger.clock.turn_clock import bank_milliseconds, clock_stop, holiday_until, milliseconds_left
from service import wall_clock
from service.pages.view_models.new_game_form import time_per_turn


@dataclass(frozen=True, slots=True)
class HolidayRow:
    """A holiday of the player at a seat, which is not over."""

    seat: int
    begins: Timestamp
    ends: Timestamp


def clock_text(settings: Clock | None) -> Text:
    """Return how much time a clock allows, and which time does not count, in words."""
    if settings is None:
        return time_per_turn(None)
    if has_only_time_per_turn(settings):
        return time_per_turn(settings["per_turn"])
    return clock_message(settings)


@dataclass(frozen=True, slots=True)
class TimeLeft:
    """How much time is left until a deadline, in words; `milliseconds` is None if the time does not run."""

    text: Message
    milliseconds: int | None

    @property
    def short(self) -> Text:
        """The time alone, for where there is little room."""
        if self.milliseconds is None:
            return message("stopped")
        if self.milliseconds > 0:
            return short_duration(self.milliseconds)
        return self.text


def time_left(game: Game, at: Timestamp) -> TimeLeft | None:
    """Return how much time the player to act has left at a time, or why the clock stands still.

    None without a deadline.
    """
    milliseconds = milliseconds_left(game, at)
    if milliseconds is None:
        return None
    stop = clock_stop(game, at)
    if stop is not None:
        return TimeLeft(stop.why, None)
    text = left_message(milliseconds)
    if holiday_until(game, at) is not None:
        return TimeLeft(message("the player to act is on holiday; {time}", time=text), None)
    return TimeLeft(text, milliseconds)


_EXTENSIONS: Final = (60, 900, 3600, 6 * 3600, 86400, 2 * 86400, 3 * 86400, 7 * 86400)
"""The times that a player can choose to give another one, in seconds."""


def extension_choices(game: Game, seat: int | None) -> list[tuple[int, Amount, bool]]:
    """Return the times that a seat can give the player to act: in seconds, in words, and whether proposed.

    [] if it cannot give any now.
    """
    receiver = game.to_act
    if seat is None or receiver is None or game.clock is None:
        return []
    possible = [seconds for seconds in _EXTENSIONS if _can_give_time(game, seat, receiver, seconds)]
    usual = game.clock.get("per_turn", 0)
    proposed = max((seconds for seconds in possible if seconds <= usual), default=0)
    return [(seconds, time_amount(seconds), seconds == proposed) for seconds in possible]


def _can_give_time(game: Game, seat: int, receiver: int, seconds: int) -> bool:
    try:
        decisions.give_time(game, seat, receiver, seconds)
    except (Refused, Malformed):
        return False
    return True


def time_until(deadline: Timestamp) -> TimeLeft:
    """Return how much time is left now until a timestamp."""
    milliseconds = (wall_clock.parse(deadline) - wall_clock.now()) // timedelta(milliseconds=1)
    return TimeLeft(left_message(milliseconds), milliseconds)


def left_message(milliseconds: int) -> Message:
    """Return the time until a deadline, or since it, as people read clocks: `2 d 3 h left`, `45 s late`."""
    time = short_duration(abs(milliseconds))
    return TEMPLATES["left" if milliseconds > 0 else "late"](time)


def short_duration(milliseconds: int) -> Message:
    """Return a time in days and hours, in hours and minutes, in minutes, or in seconds in the last minute."""
    seconds = milliseconds // 1000
    minutes = seconds // 60
    hours = minutes // 60
    days = hours // 24
    if days:
        return TEMPLATES["days"](days, hours % 24)
    if hours:
        return TEMPLATES["hours"](hours, minutes % 60)
    return TEMPLATES["minutes"](minutes) if minutes else TEMPLATES["seconds"](seconds)


TEMPLATES: Final[Mapping[str, Callable[..., Message]]] = {
    "days": lambda days, hours: message("{days} d {hours} h", days=days, hours=hours),
    "hours": lambda hours, minutes: message(
        "{hours} h {minutes} min", hours=hours, minutes=minutes
    ),
    "minutes": lambda minutes: message("{minutes} min", minutes=minutes),
    "seconds": lambda seconds: message("{seconds} s", seconds=seconds),
    "left": lambda time: message("{time} left", time=time),
    "late": lambda time: message("{time} late", time=time),
}
"""The messages of which a clock that ticks is made, by name; js/clock.js fills them in as well."""
_PLACES: Final[Mapping[str, tuple[str, ...]]] = {"days": ("{0}", "{1}"), "hours": ("{0}", "{1}")}


def clock_templates(
    render: Callable[[Message], str], *, is_short: bool = False
) -> Mapping[str, str]:
    """Return TEMPLATES as texts with the places `{0}` and `{1}` for their values.

    With `is_short`, the time left stands alone.
    """
    texts = {
        name: render(template(*_PLACES.get(name, ("{0}",)))) for name, template in TEMPLATES.items()
    }
    return {**texts, "left": "{0}"} if is_short else texts


def bank_rows(game: Game) -> list[tuple[int, Message]]:
    """Return, for each seat still in the game, what was left in its time bank when this turn began."""
    if game.state is None or game.status != "playing":
        return []
    return [
        (seat, short_duration(left))
        for seat in game.state.in_game()
        if (left := bank_milliseconds(game, seat)) is not None
    ]


def holiday_rows(game: Game, at: Timestamp) -> list[HolidayRow]:
    """Return the holidays in a game that are not over at a time, the earliest first."""
    if game.status != "playing" or game.clock is None or not game.clock.get("holidays", False):
        return []
    rows = [
        HolidayRow(seat, holiday.begins, holiday.ends)
        for holiday in game.holidays
        if holiday.begins < holiday.ends
        and at < holiday.ends
        and (seat := game.seat_of(holiday.player)) is not None
    ]
    return sorted(rows, key=lambda row: (row.begins, row.seat))


def deadline_texts(game: Game) -> Sequence[Text]:
    """Return sentences that say what happens at a deadline; none for a game without a clock."""
    if game.clock is None:
        return ()
    policy = deadline_policy(game)
    texts: list[Text] = []
    if policy.excused:
        texts.append(
            plural_message(
                "The first missed deadline of each player only restarts the time.",
                "The first {count} missed deadlines of each player only restart the time.",
                count=policy.excused,
            )
        )
    texts.append(
        message("A bot plays the rest of a missed turn.")
        if policy.turn == "bot"
        else message("A missed turn is forfeited.")
    )
    texts.append(
        message("A bot places for a player who misses a placement of the set-up.")
        if policy.placement == "bot"
        else message("A player who misses a placement of the set-up loses the seat.")
    )
    if policy.remove_after is not None:
        texts.append(
            plural_message(
                "A player who misses one deadline loses the seat.",
                "A player who misses {count} deadlines in a row loses the seat.",
                count=policy.remove_after,
            )
        )
    texts.append(
        plural_message(
            "The game is abandoned when every player has missed a deadline and nobody has acted in between.",
            "The game is abandoned when every player has missed {count} deadlines in a row.",
            count=policy.abandon_after,
        )
    )
    return texts


def reason_not_to_leave(game: Game, seat: int | None) -> Text | None:
    """Return why the player at a seat cannot leave it to a substitute; None if they can."""
    if seat is None:
        return message("this is not a player of the game")
    try:
        substitutes.vacate(game, seat)
    except Refused as refusal:
        return refusal.why
    return None


def can_take_seats(game: Game, player: str | None) -> bool:
    """Return whether a player could take a vacant seat of a game, if there is one."""
    return player is not None and not game.has_joined(player) and player != game.arbiter
