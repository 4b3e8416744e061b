"""The table of the entries of an outbox: their names, their payloads, and the work that they require.

Entries are appended together with the events (`outbox.py`) and acknowledged (removed) after the work is
done (`workers/jobs.py`). A game has at most one entry of each name: a later one replaces an earlier one,
whose work is no longer needed. All work can be done twice without harm, so an entry is acknowledged only
after its work, and only if it has not changed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

Work: TypeAlias = Literal["score", "forfeit", "notify", "index", "bot", "think", "conditional"]


@dataclass(frozen=True, slots=True)
class EntryDescription:
    """The entries of one name: their work, and the fields of their payloads."""

    name: str
    work: Work
    one_for_each: Literal["number", "player"] | None = None
    """The suffix after the name and a slash: a number, or the id of a player. None without a suffix."""
    numbers: tuple[str, ...] = ("seq",)
    """The numbers in its payload. `seq` is the event that causes the work."""
    times: tuple[str, ...] = ()
    """The timestamps in its payload. Any payload may have `at`, the time from which on the work is done."""
    is_about_turn: bool = False
    """Whether the work is needed only if no conditional action takes the turn."""


_TABLE: Final = (
    # The round of this number has ended with that event and is to be scored.
    EntryDescription("score", "score", one_for_each="number"),
    # Play is over: the game is to be finished once all rounds are scored. It has the time `at` if a dispute
    # is open: the game waits for the ruling until then.
    EntryDescription("finish", "score"),
    # The clock ends the turn at that time (domain/clock/deadlines.py).
    EntryDescription("deadline", "forfeit", numbers=("turn",), times=("at",), is_about_turn=True),
    # The seat is to be reminded of the deadline at `remind_at`. The work is done from `at` on, because the
    # player's quiet hours may be in between.
    EntryDescription(
        "remind", "notify", numbers=("seat", "turn", "seq"), times=("at", "remind_at", "deadline")
    ),
    # That event has ended the turn of the seat of this number. The reminder of that `deadline` to that
    # `player` may have been created but not sent. The entry of the seat's next turn replaces this one, so
    # that the outbox is bounded.
    EntryDescription("cancel/reminder", "notify", one_for_each="number", times=("deadline",)),
    # That event invited the player, who has not answered yet.
    EntryDescription("notify/invited", "notify", one_for_each="player"),
    # The player took a place with that event in the open game of another.
    EntryDescription("notify/joined", "notify", one_for_each="player"),
    # The player declined the invitation to the open game with that event.
    EntryDescription("notify/declined", "notify", one_for_each="player"),
    # A game of a club was created with that event.
    EntryDescription("notify/created", "notify"),
    # The game started with that event.
    EntryDescription("notify/started", "notify"),
    # It has been that seat's turn since that event.
    EntryDescription("notify/turn", "notify", numbers=("seat", "seq"), is_about_turn=True),
    # The round of this number was scored by that event.
    EntryDescription("notify/round", "notify", one_for_each="number"),
    # The game ended with that event.
    EntryDescription("notify/over", "notify"),
    # The event of this number concerns players (service/notification_subjects/table.py). `seat` and `turn`
    # are added for a turn that a bot has played.
    EntryDescription("notify/event", "notify", one_for_each="number"),
    # That event changed what the listings show of the game.
    EntryDescription("index", "index"),
    # After that event, the game waits for a bot (domain/bot_tasks.py).
    EntryDescription("bot", "bot"),
    # The same, for a bot that searches before it takes its turn.
    EntryDescription("think", "think"),
    # That event was appended while a player of the game had conditional actions. The script that appends sets
    # this entry by itself.
    EntryDescription("conditional", "conditional"),
)
ENTRIES: Final[Mapping[str, EntryDescription]] = {entry.name: entry for entry in _TABLE}


def entry_of(name: str) -> EntryDescription | None:
    """Return the description of the entry with a name; None if this version does not know it."""
    entry = ENTRIES.get(name)
    if entry is not None:
        return entry if entry.one_for_each is None else None
    prefix, _, part = name.rpartition("/")
    entry = ENTRIES.get(prefix)
    match entry:
        case EntryDescription(one_for_each="player"):
            return entry
        case EntryDescription(one_for_each="number") if part.isdecimal():
            return entry
        case _:
            return None
