"""The explanation of an event as a page of text for a terminal."""

from collections.abc import Mapping
from itertools import zip_longest
from typing import Final

from domain.contract import AnyRuleSystem
from domain.event import Event
from domain.json_types import JsonObject
from ledger.canonical import canonical
from ledger.turn_clock import time_left_text
from replay.diff import change_lines
from replay.event_text import Names, actor_style, time_text
from replay.render.geometry import is_drawable
from replay.render.styles import BOLD, DIM, Styler
from replay.render.text import text as drawing
from replay.render.text_layout import clean, columns, wrap

_INDENT: Final = 10
_NARROWEST: Final = 40
_MEANS: Final[Mapping[str, str]] = {
    "token": "not signed: the server states that the request had the token of the player",
    "signature": "signed with the player's own key, as audit checks",
}
_NONCE_SOURCES: Final[Mapping[str | None, str]] = {
    "player": "supplied by the player",
    "server": "drawn by the server",
    None: "the record does not state who supplied it",
}


def explanation_page(
    explanation: JsonObject,
    rules: AnyRuleSystem,
    names: Names,
    styler: Styler,
    width: int,
    *,
    has_board: bool = True,
) -> str:
    """Return what `explain_event` returned as text of about `width` columns, with a final line feed.

    `has_board`: also draw the board that the seat that acted saw.
    """
    width = max(width, _NARROWEST)
    event = explanation["event"]
    title = f"event {event['seq']} of {clean(event['game'])}: {clean(event['type'])}"
    lines = [styler(title, BOLD)]
    for label, texts in _rows(explanation, styler, width - _INDENT):
        lines += _labelled(label, texts, styler)
    lines += _clause_lines(explanation["clauses"], styler, width)
    lines += _start_lines(explanation["start"], names, styler, width)
    lines += _work_lines(explanation, names, styler, width)
    changed = change_lines(explanation["changes"])
    lines += (
        ["", styler("changes", BOLD)] if changed else ["", "the position is the same as before"]
    )
    lines += [f"  {line}" for line in changed]
    lines += _legal_action_lines(explanation["legal_actions"], styler, width)
    lines += (
        _seen_position_lines(explanation["seen_position"], rules, styler, width)
        if has_board
        else []
    )
    lines.append("")
    for name in ("state", "prev", "hash"):
        lines += _labelled(name, [styler(event[name], DIM)], styler)
    return "\n".join(lines) + "\n"


def _rows(explanation: JsonObject, styler: Styler, width: int) -> list[tuple[str, list[str]]]:
    """The rows at the top of the page: a label and its lines."""
    event: Event = explanation["event"]
    actor, time = explanation["actor"], explanation["time"]
    actor_lines = [styler(explanation["by"], actor_style(event))]
    if actor["player"] is not None and explanation["by"] != actor["player"]:
        actor_lines.append(styler(f"player {clean(actor['player'])}", DIM))
    if actor["means"] in _MEANS:
        actor_lines += [styler(line, DIM) for line in wrap(_MEANS[actor["means"]], width, columns)]
    if actor["key"] is not None:
        is_last = actor["signed_head"] == event["prev"]
        hash = f"{clean(actor['signed_head'])[:16]}…"
        head = f"event {event['seq'] - 1}" if is_last else f"the event {hash}"
        key = f"key {clean(actor['key'])}, for the position after {head}"
        actor_lines += [styler(line, DIM) for line in wrap(key, width, columns)]
    rows = [("who", actor_lines), ("when", [time_text(event["at"])])]
    if time["turn_of"] is not None:
        turn = f"round {time['round']}, turn {time['turn']}, of seat {time['turn_of']}"
        rows.append(("turn", [turn, f"began {time_text(time['turn_began'])}"]))
    if time["deadline"] is not None:
        remaining = time["remaining_ms"]
        lateness = "" if remaining is None else f", {time_left_text(remaining)}"
        rows.append(("deadline", [f"{time_text(time['deadline'])}{lateness}"]))
    if event["action"] is not None:
        text = explanation["action_text"]
        short_form = [styler(clean(text), BOLD)] if text else []
        raw = wrap(clean(canonical(event["action"]).decode()), width, columns)
        rows.append(("action", short_form + [styler(line, DIM) for line in raw]))
    rows.append(("result", wrap(explanation["event_text"], width, columns)))
    for name, opening in explanation["opened"].items():
        value = clean(canonical(opening["value"]).decode())
        rows.append(("opened", wrap(f"{clean(name)}: {value}", width, columns)))
    return rows


def _labelled(label: str, texts: list[str], styler: Styler) -> list[str]:
    padded = styler(f"{label:<{_INDENT}}", DIM)
    return [padded + texts[0], *(" " * _INDENT + text for text in texts[1:])] if texts else []


def _section(title: str, texts: list[str], styler: Styler, width: int) -> list[str]:
    """A heading with a paragraph for each text; nothing if there are no texts."""
    if not texts:
        return []
    lines = ["", styler(title, BOLD)]
    for text in texts:
        first, *others = wrap(clean(text), width - 4, columns)
        lines += [f"  {first}", *(f"    {line}" for line in others)]
    return lines


def _clause_lines(clauses: list[JsonObject], styler: Styler, width: int) -> list[str]:
    """The clauses: what each means on this board, and once below that the sentence of the rules."""
    if not clauses:
        return []
    id_width = max(len(clause["id"]) for clause in clauses)
    margin = " " * (id_width + 4)
    lines = ["", styler("clauses", BOLD)]
    for clause, following in zip_longest(clauses, clauses[1:]):
        text = wrap(clean(clause["text"]), width - len(margin), columns)
        lines.append(f"  {clause['id']:<{id_width}}  {text[0]}")
        lines += [margin + line for line in text[1:]]
        is_last = following is None or following["id"] != clause["id"]
        if clause["sentence"] is not None and is_last:
            sentence = wrap(clean(clause["sentence"]), width - len(margin), columns)
            lines += [margin + styler(line, DIM) for line in sentence]
    return lines


def _start_lines(start: JsonObject | None, names: Names, styler: Styler, width: int) -> list[str]:
    """The sources of the game's chance, for the event that starts it."""
    if start is None:
        return []
    texts = [f"commitment {start['commitment']}"]
    if start["secret"] is None:
        texts.append("the secret of the server is not published before the end of the game")
    else:
        texts += [f"secret {start['secret']}", f"seed {start['seed']}"]
    texts += [
        f"nonce of {names.player(entry['player'])}: {entry['nonce'] or '(empty)'},"
        f" {_NONCE_SOURCES.get(entry['nonce_from'], clean(str(entry['nonce_from'])))}"
        for entry in start["nonces"]
    ]
    return _section("chance", texts, styler, width)


def _seen_position_lines(
    seen: JsonObject | None, rules: AnyRuleSystem, styler: Styler, width: int
) -> list[str]:
    """The board that the seat saw."""
    if seen is None:
        return []
    heading = ["", styler(f"what seat {seen['seat']} saw, after event {seen['seq']}", BOLD)]
    scene = rules.scene(seen["position"], None)
    if not is_drawable(scene):
        return [*heading, "  the board is too wide to be drawn"]
    board = drawing(scene, styler, width - 2).rstrip("\n")
    return heading + [f"  {line}".rstrip() for line in board.split("\n")]


def _legal_action_lines(legal: JsonObject | None, styler: Styler, width: int) -> list[str]:
    """What the seat could have done."""
    if legal is None:
        return []
    title = f"what seat {legal['seat']} could do"
    if not legal["count"]:
        text = "nothing: it was another seat's turn, in which only resign and agree are possible"
        return _section(title, [text], styler, width)
    counts = ", ".join(f"{count} {_words(type)}" for type, count in legal["by_type"].items())
    total = "1 action" if legal["count"] == 1 else f"{legal['count']} actions"
    texts = [f"{total}: {counts}"]
    if legal["actions"] is not None:
        texts.append("; ".join(legal["actions"]))
    return _section(title, texts, styler, width)


def _work_lines(explanation: JsonObject, names: Names, styler: Styler, width: int) -> list[str]:
    """What followed without another action, and what the workers sent."""
    outcome: JsonObject = explanation["consequences"]
    texts = []
    if outcome["deadline"] is not None:
        deadline = time_text(outcome["deadline"])
        texts.append(f"turn of seat {outcome['to_act']} until {deadline}")
    elif outcome["to_act"] is not None:
        texts.append(f"turn of seat {outcome['to_act']}, without a deadline")
    texts += [
        f"round {entry['round']} ended, "
        + (f"scored by event {entry['scored_by']}" if entry["scored_by"] else "not scored yet")
        for entry in outcome["rounds"]
    ]
    if outcome["round_ended_by"] is not None:
        texts.append(f"the round ended with event {outcome['round_ended_by']}")
    if outcome["ends_play"]:
        finished_by = outcome["finished_by"]
        texts.append(
            "play is over, "
            + (f"finished by event {finished_by}" if finished_by else "not finished yet")
        )
    if outcome["superseded_by"] is not None:
        texts.append(
            f"superseded: with event {outcome['superseded_by']}, play resumed from an earlier event"
        )
    deliveries = explanation["deliveries"]
    texts += [_delivery_text(delivery, names) for delivery in deliveries or ()]
    if deliveries == []:
        texts.append("no notification is stored")
    return _section("what followed", texts, styler, width)


def _delivery_text(delivery: JsonObject, names: Names) -> str:
    recipients = ", ".join(names.player(id) for id in delivery["players"]) or "nobody"
    attempts = delivery["attempts"]
    tries = "" if attempts == 1 else f" at attempt {attempts}"
    match delivery["status"]:
        case "accepted":
            result = f"accepted {time_text(delivery['accepted_at'])}{tries}"
        case "given_up":
            result = f"given up {time_text(delivery['tried_at'])}, after {attempts} attempts"
        case _:
            result = f"not accepted yet, last tried {time_text(delivery['tried_at'])}"
    return f"notification {_words(delivery['subject'])} to {recipients}, by {delivery['notifier']}: {result}"


def _words(name: str) -> str:
    return clean(name.replace("_", " "))
