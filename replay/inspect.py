"""Explains one event: its actor, its time, its action, the outcome, the clauses and the changes.

The explanation exists as data for programs and as text for a terminal. Nothing is checked here; that is the
task of `replay.audit`.
"""

from typing import Final

from domain.contract import AnyRuleSystem, DomainEvent
from domain.errors import Malformed
from domain.event import Event, acting_seat, recorded_data
from domain.json_types import JsonObject
from ledger.canonical import canonical
from replay.diff import change_lines, changes
from replay.render.styles import BOLD, DIM, Styler, seat_style
from replay.render.text_layout import clean, columns, wrap
from replay.timeline import Step, unreadable_on_error

_INDENT: Final = 10
_NARROWEST: Final = 40


def explain_event(step: Step, openings: JsonObject, *, ended: bool = False) -> JsonObject:
    """Return the explanation of an event as JSON.

    It has the event, its text and its action's, the clauses with their meaning on this board, the positions
    before and after it as a spectator sees them (None before the start), and the `changes` between them.
    `openings` are those of the event's secrets, `{NAME: {"salt", "value"}}`. `ended` states that the game has
    ended since, so that nothing in it is secret. Raises Unreadable.
    """
    event, rules = step.event, step.after.rules
    seat, data = acting_seat(event["by"]), recorded_data(event)
    with unreadable_on_error(event["seq"]):
        before = None if step.before is None else step.before.position(None, ended=ended)
        after = step.after.position(None, ended=ended)
        secrets = {name: opening["value"] for name, opening in openings.items()}
        decided = DomainEvent(event["type"], data, secrets)
        state = None if step.before is None else step.before.state
        clauses = rules.explain(state, seat, decided)
        return {
            "event": event,
            "by": actor_text(step),
            "action_text": _action_text(rules, event),
            "event_text": rules.event_text(event["type"], data),
            "clauses": [{"id": id, "text": text} for id, text in clauses],
            "opened": openings,
            "before": before,
            "after": after,
            "changes": changes(before, after),
        }


def explanation_page(explanation: JsonObject, styler: Styler, width: int) -> str:
    """Return what `explain_event` returned as text of about `width` columns, with a final line feed."""
    event = explanation["event"]
    text_width = max(width, _NARROWEST) - _INDENT
    rows = [
        ("when", [time_text(event)]),
        ("who", [styler(explanation["by"], actor_style(event))]),
    ]
    if event["action"] is not None:
        text = explanation["action_text"]
        short_form = [styler(clean(text), BOLD)] if text else []
        raw = wrap(clean(canonical(event["action"]).decode()), text_width, columns)
        rows.append(("action", short_form + [styler(line, DIM) for line in raw]))
    rows.append(("result", wrap(clean(explanation["event_text"]), text_width, columns)))
    for name, opening in explanation["opened"].items():
        value = clean(canonical(opening["value"]).decode())
        rows.append(("opened", wrap(f"{clean(name)}: {value}", text_width, columns)))
    title = f"event {event['seq']} of {clean(event['game'])}: {clean(event['type'])}"
    lines = [styler(title, BOLD)]
    for label, texts in rows:
        lines += _labelled(label, texts, styler)
    lines += _clause_lines(explanation["clauses"], styler, max(width, _NARROWEST))
    changed = change_lines(explanation["changes"])
    lines += (
        ["", styler("changes", BOLD)] if changed else ["", "the position is the same as before"]
    )
    lines += [f"  {line}" for line in changed]
    lines.append("")
    for name in ("state", "prev", "hash"):
        lines += _labelled(name, [styler(event[name], DIM)], styler)
    return "\n".join(lines) + "\n"


def _labelled(label: str, texts: list[str], styler: Styler) -> list[str]:
    padded = styler(f"{label:<{_INDENT}}", DIM)
    return [padded + texts[0], *(" " * _INDENT + text for text in texts[1:])] if texts else []


def _clause_lines(clauses: list[JsonObject], styler: Styler, width: int) -> list[str]:
    if not clauses:
        return []
    id_width = max(len(clause["id"]) for clause in clauses)
    margin = " " * (id_width + 4)
    lines = ["", styler("clauses", BOLD)]
    for clause in clauses:
        text = wrap(clean(clause["text"]), width - len(margin), columns)
        lines.append(f"  {clause['id']:<{id_width}}  {text[0]}")
        lines += [margin + line for line in text[1:]]
    return lines


def _action_text(rules: AnyRuleSystem, event: Event) -> str | None:
    """The action in short form; None if there is none, or if the rules of today cannot read it."""
    if event["action"] is None:
        return None
    try:
        return rules.action_text(rules.parse_action(event["action"]))
    except Malformed:
        return None


def time_text(event: Event) -> str:
    """Return the time of an event to the second, in UTC as in the log."""
    at = event["at"]
    return f"{at[:10]} {at[11:19]} UTC"


def actor_text(step: Step) -> str:
    """Return the actor of an event: `seat 1 (ID)`, the id of a player, or the part of the server."""
    by, players = step.event["by"], step.after.players
    if "seat" in by:
        seat = by["seat"]
        return f"seat {seat}" + (f" ({clean(players[seat])})" if seat < len(players) else "")
    return clean(by["player"] if "player" in by else f"the {by['system']}")


def actor_style(event: Event) -> str:
    """Return the style of an event's actor: that of its seat, if it is one."""
    seat = acting_seat(event["by"])
    return DIM if seat is None else seat_style(seat)
