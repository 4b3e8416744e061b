"""The texts about events that the log, the explanations and the charts share, and the titles of games."""

from collections.abc import Mapping
from typing import Any

from domain.contract import AnyRuleSystem
from domain.event import Event, acting_seat
from domain.game import Game
from domain.messages import Text, Value, message
from domain.registry import rule_systems
from domain.scene import Scene, outcome_of
from ledger.clock.turn_clock import clock_stop, milliseconds_left
from replay.history.event_values import actor
from replay.history.timeline import Transition
from replay.render.descriptions import player_label
from replay.render.styles import DIM, seat_style


def actor_message(event: Event) -> Value:
    """Return the actor of an event, as a label: a player, or a part of the server such as `the clock`.

    A ruling has the arbiter, or the players who agreed; events that follow from it have the ruling.
    """
    seat = acting_seat(event["by"])
    if seat is not None:
        return player_label(seat)
    if event["type"] != "DisputeRuled":
        return actor(event["by"])
    by_agreement = event["data"].get("arbiter") is None
    return message("agreement of the players") if by_agreement else message("the arbiter")


def actor_style(event: Event) -> str:
    """Return the style of an event's actor: that of the seat, if the actor has one."""
    seat = acting_seat(event["by"])
    return DIM if seat is None else seat_style(seat)


def outcome_message(rules: AnyRuleSystem, event: Event, after: Game | None = None) -> Text:
    """Return the outcome of an event, without the actor in front, and whether it had been prepared.

    With `after`, the game after the event or later, the end of a game has its reason. Raises the errors of
    the rules for data that they cannot read.
    """
    if event["type"] == "GameFinished" and after is not None and after.status == "finished":
        scene: Scene = rules.scene(after.position(None, ended=True), event)
        if scene.caption is not None:
            return scene.caption
    return outcome_of(event, rules.event_message)


def remaining_milliseconds(transition: Transition) -> int | None:
    """Return the milliseconds from an event to the deadline of the turn under way; 0 or less if it was late.

    None if the event did not act on that turn, or the turn had no deadline.
    """
    turn = turn_under_way(transition)
    return None if turn is None else milliseconds_left(turn, transition.event["at"])


def has_clock_stopped(transition: Transition) -> bool:
    """Return whether the clock was stopped, for an unknown time, when an event acted on a turn."""
    turn = turn_under_way(transition)
    return turn is not None and clock_stop(turn, transition.event["at"]) is not None


def turn_under_way(transition: Transition) -> Game | None:
    """Return the game before an event, if the event was an action on the turn under way or forfeited it."""
    before = transition.before
    if before is None or before.to_act is None:
        return None
    return before if seat_in_play(transition.event) == before.to_act else None


def seat_in_play(event: Event) -> int | None:
    """Return the seat that took an action, or whose turn the clock ended.

    None for any other event, such as one that a seat caused without an action (a dispute).
    """
    by, seat = event["by"], event["data"].get("seat")
    if "system" in by and by["system"] == "clock" and type(seat) is int:
        return seat
    return None if event["action"] is None else acting_seat(by)


def scored_round_end(transition: Transition) -> int | None:
    """Return the event that ended the round that a `RoundScored` scores; None for any other event."""
    if transition.event["type"] != "RoundScored" or transition.before is None:
        return None
    return transition.before.rounds_ended.get(transition.event["data"]["round"])


def game_title(rules: AnyRuleSystem, options: Mapping[str, Any]) -> Text:
    """Return the title of a game with these rules and options: `Friday evening (Barony)`, or `Barony`."""
    name = options.get("name")
    title: Text = rules.TITLE
    return title if name is None else message("{name} ({game})", name=name, game=title)


def rules_title(name: str) -> Value:
    """Return the title of the rule system of this name; the name itself if it is not known here."""
    entry = rule_systems().get(name)
    return name if entry is None else entry.system.TITLE
