"""The texts about single events that the log, the explanations and the charts share: who, when and what.

Players are named here, and nowhere else: events contain ids, and rule systems only know seats.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, cast

from domain.contract import AnyRuleSystem
from domain.event import Event, EventData, acting_seat, recorded_data
from domain.game import Game
from ledger.turn_clock import milliseconds_left
from replay.language.renderer import english
from replay.render.styles import DIM, seat_style
from replay.render.text_layout import clean
from replay.timeline import Step


@dataclass(frozen=True, slots=True)
class Names:
    """The handles of the players, by id, as far as they are known. They are for reading and prove nothing."""

    handles: Mapping[str, str] = field(default_factory=dict)

    def player(self, id: str) -> str:
        """Return the handle of a player, or the id."""
        return clean(self.handles.get(id, id))

    def handle(self, id: str) -> str | None:
        """Return the handle of a player; None if it is not known."""
        return self.handles.get(id)

    def seat(self, seat: int, players: Sequence[str]) -> str:
        """Return a seat with the handle of its player, `seat 1 (ada)`; `seat 1` if that is not known.

        `players` are the ids of the players by seat.
        """
        handle = self.handles.get(players[seat]) if 0 <= seat < len(players) else None
        return f"seat {seat}" if handle is None else f"seat {seat} ({clean(handle)})"


NO_NAMES: Final = Names()


def actor_text(event: Event, players: Sequence[str], names: Names) -> str:
    """Return who caused an event: `seat 1 (ada)`, a player before the start, or `the clock`.

    `players` are the ids of the players by seat.
    """
    by = event["by"]
    if "seat" in by:
        return names.seat(by["seat"], players)
    return names.player(by["player"]) if "player" in by else f"the {clean(by['system'])}"


def actor_style(event: Event) -> str:
    """Return the style of an event's actor: that of its seat, if it is one."""
    seat = acting_seat(event["by"])
    return DIM if seat is None else seat_style(seat)


def outcome_text(rules: AnyRuleSystem, event: Event, names: Names) -> str:
    """Return what happened with an event, as one line without the actor in front.

    Raises what the rules raise for data that they cannot read.
    """
    data = recorded_data(event)
    if event["type"] == "GameStarted":
        players = [names.player(id) for id in event["data"]["players"]]
        data = cast("EventData", {**data, "players": players})
    elif event["type"] == "DisputeRuled" and isinstance(event["data"]["arbiter"], str):
        arbiter = names.player(event["data"]["arbiter"])
        data = cast("EventData", {**data, "arbiter": arbiter})
    return clean(english(rules.event_message(event["type"], data)))


def time_text(timestamp: str) -> str:
    """Return a timestamp of the log for reading, to the millisecond: `2026-11-20 09:15:00.000 UTC`."""
    return f"{timestamp[:10]} {timestamp[11:23]} UTC"


def remaining_milliseconds(step: Step) -> int | None:
    """Return how long before the deadline of the turn under way an event was appended; 0 or less if later.

    None if the event did not act on that turn, or the turn had no deadline.
    """
    turn = turn_under_way(step)
    return None if turn is None else milliseconds_left(turn, step.event["at"])


def turn_under_way(step: Step) -> Game | None:
    """Return the game before an event, if the event was an action on the turn under way or forfeited it."""
    before = step.before
    if before is None or before.to_act is None:
        return None
    return before if seat_in_play(step.event) == before.to_act else None


def seat_in_play(event: Event) -> int | None:
    """Return the seat that took an action, or whose turn the clock ended.

    None for any other event, such as one that a seat caused without an action (a dispute).
    """
    by, seat = event["by"], event["data"].get("seat")
    if "system" in by and by["system"] == "clock" and type(seat) is int:
        return seat
    return None if event["action"] is None else acting_seat(by)


def scored_round_end(step: Step) -> int | None:
    """Return the event that ended the round which `RoundScored` has scored; None for any other event."""
    if step.event["type"] != "RoundScored" or step.before is None:
        return None
    return step.before.rounds_ended.get(step.event["data"]["round"])
