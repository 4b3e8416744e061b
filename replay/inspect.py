"""One event explained: who, when, the action, what came of it, the clauses that let it, what differs now.

As data for programs and as a page for a terminal. It judges nothing; whether the event is true is
`replay.audit`'s business.
"""

from typing import Final

from domain.contract import AnyRuleSystem, DomainEvent, Json
from domain.errors import Malformed
from domain.event import Event, acting_seat, recorded_data
from ledger.canonical import canonical
from replay import diff
from replay.render.styles import BOLD, DIM, Styler, seat_style
from replay.render.text_layout import clean, columns, wrap
from replay.timeline import Step, reading

_INDENT: Final = 10
_NARROWEST: Final = 40


def inspected(step: Step, opens: Json, *, ended: bool = False) -> Json:
    """The event, what it says in words, the clauses with what they mean on this board, the positions before
    and after it as a spectator sees them (None before the start) and their `changes`.

    `opens` are the openings of the event's secrets, `{NAME: {"salt", "value"}}`; `ended`: the game has ended
    since, and nothing in it is secret. Raises Unreadable.
    """
    event, rules = step.event, step.after.rules
    seat, data = acting_seat(event["by"]), recorded_data(event)
    with reading(event["seq"]):
        before = None if step.before is None else step.before.position(None, ended=ended)
        after = step.after.position(None, ended=ended)
        secrets = {name: opening["value"] for name, opening in opens.items()}
        fact = DomainEvent(event["type"], data, secrets)
        state = None if step.before is None else step.before.state
        return {
            "event": event,
            "by": who(step),
            "action_text": _action_text(rules, event),
            "event_text": rules.event_text(event["type"], data),
            "clauses": [{"id": id, "text": text} for id, text in rules.explain(state, seat, fact)],
            "opened": opens,
            "before": before,
            "after": after,
            "changes": diff.changes(before, after),
        }


def page(shown: Json, styler: Styler, width: int) -> str:
    """What `inspected` says, for people, in lines of about `width` columns; ends with a line feed."""
    event = shown["event"]
    wide = max(width, _NARROWEST) - _INDENT
    rows = [("when", [when(event)]), ("who", [styler(shown["by"], who_style(event))])]
    if event["action"] is not None:
        said = [styler(clean(shown["action_text"]), BOLD)] if shown["action_text"] else []
        raw = wrap(clean(canonical(event["action"]).decode()), wide, columns)
        rows.append(("action", said + [styler(line, DIM) for line in raw]))
    rows.append(("result", wrap(clean(shown["event_text"]), wide, columns)))
    for name, opening in shown["opened"].items():
        value = clean(canonical(opening["value"]).decode())
        rows.append(("opened", wrap(f"{clean(name)}: {value}", wide, columns)))
    title = f"event {event['seq']} of {clean(event['game'])}: {clean(event['type'])}"
    lines = [styler(title, BOLD)]
    for label, texts in rows:
        lines += _labelled(label, texts, styler)
    lines += ["", styler("clauses", BOLD)] if shown["clauses"] else []
    margin = max((len(clause["id"]) for clause in shown["clauses"]), default=0) + 4
    for clause in shown["clauses"]:
        text = wrap(clean(clause["text"]), max(width, _NARROWEST) - margin, columns)
        lines.append(f"  {clause['id']:<{margin - 4}}  {text[0]}")
        lines += [" " * margin + line for line in text[1:]]
    changed = diff.as_text(shown["changes"])
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


def _action_text(rules: AnyRuleSystem, event: Event) -> str | None:
    """The action in short form; None where there is none, or the rules of today cannot read it."""
    if event["action"] is None:
        return None
    try:
        return rules.action_text(rules.parse_action(event["action"]))
    except Malformed:
        return None


def when(event: Event) -> str:
    """The time of an event, to the second, as the log has it: UTC."""
    at = event["at"]
    return f"{at[:10]} {at[11:19]} UTC"


def who(step: Step) -> str:
    """Who brought an event about: `seat 1 (ID)`, a player's id, or the part of the system."""
    by, players = step.event["by"], step.after.players
    if "seat" in by:
        seat = by["seat"]
        return f"seat {seat}" + (f" ({clean(players[seat])})" if seat < len(players) else "")
    return clean(by["player"] if "player" in by else f"the {by['system']}")


def who_style(event: Event) -> str:
    """The style that whoever brought an event about is written in: a seat in its colours."""
    seat = acting_seat(event["by"])
    return DIM if seat is None else seat_style(seat)
