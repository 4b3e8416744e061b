"""An analysis as text: a table of the turns, the marked actions with their lines, and the summary."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from domain.json_types import JsonObject
from domain.messages import Message, PlayerAt, Text, comma_list, message, message_in, plural_message
from replay.analysis.estimates import TWO_SIDED_95
from replay.analysis.summary import DROP_MARKS, marked_decisions
from replay.history.event_text import rules_title
from replay.language.renderer import Renderer
from replay.language.text_layout import HARD_SPACE, columns, wrap
from replay.render.descriptions import player_label
from replay.render.styles import BOLD, Styler, seat_style, unbreakable

if TYPE_CHECKING:
    from rich.table import Table

_ASSUMPTION: Final = message(
    "Shares are those of playouts in which all players go on like the program's quick bots."
)


def analysis_text(analysis: JsonObject, renderer: Renderer, styler: Styler, width: int) -> str:
    """Return a complete analysis as text, in lines of at most `width` columns where its words allow it."""
    title = message(
        "{title}, game {game}: shares of winning at the beginning of each turn",
        title=rules_title(analysis["rules"]),
        game=analysis["game"],
    )
    lines = [styler(line, BOLD) for line in wrap(renderer(title), width, columns)]
    lines += wrap(renderer(_ASSUMPTION), width, columns)
    lines += [line.rstrip() for line in styler.lines(_table(analysis, renderer), width)]
    for text in _sentences(analysis):
        first, *others = wrap(renderer(text), width, columns)
        lines += [first, *(f"  {line}" for line in others)]
    return "\n".join(lines) + "\n"


def puzzle_text(result: JsonObject, renderer: Renderer, width: int) -> str:
    """Return a complete result for a puzzle as text: whether it is one, and the two checks."""
    lines = []
    for number, check in enumerate(result["checks"], 1):
        text = message(
            "Check {number}, {playouts} playouts of each action: {action} {share} %",
            number=number,
            playouts=check["playouts"],
            action=check["best"],
            share=_percent(check["share"]),
        )
        lines += [renderer(text)]
        for other in check["others"]:
            text = message(
                "{action} {share} %, worse by {points} % (± {error})",
                action=other["action"],
                share=_percent(other["share"]),
                points=_percent(other["lead"]),
                error=_percent(other["error"]),
            )
            lines += [f"  {line}" for line in wrap(renderer(text), width - 2, columns)]
    verdict = (
        message("Before event {seq}, one action is clearly best.", seq=result["seq"])
        if result["is_puzzle"]
        else message("Before event {seq}, no action is clearly best.", seq=result["seq"])
    )
    return "\n".join([*lines, *wrap(renderer(verdict), width, columns)]) + "\n"


def _table(analysis: JsonObject, renderer: Renderer) -> "Table":
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
    headings = (
        message_in("heading", "turn"),
        message_in("heading", "round"),
        message_in("heading", "event"),
    )
    for heading in headings:
        table.add_column(renderer(heading), justify="right")
    for seat in range(analysis["seats"]):
        table.add_column(
            renderer(player_label(seat)), justify="right", header_style=seat_style(seat)
        )
    table.add_column("")
    for turn in analysis["turns"]:
        shares = zip(turn["shares"], turn["margins"], strict=True)
        marks = [
            f"{decision['action']}{HARD_SPACE}{decision['mark']}"
            for decision in turn.get("decisions", ())
            if "mark" in decision
        ]
        cells = (
            *(str(turn[name]) for name in ("turn", "round", "seq")),
            *(f"{_percent(share)} ± {_percent(margin)}" for share, margin in shares),
            "; ".join(marks),
        )
        table.add_row(*(unbreakable(cell) for cell in cells))
    return table


def _percent(share: float) -> str:
    return f"{100 * share:.0f}"


def _sentences(analysis: JsonObject) -> Iterator[Text]:
    for _, decision in marked_decisions(analysis):
        yield _mark_message(decision)
    summary = analysis["summary"]
    point = summary["turning_point"]
    if point is not None:
        yield message(
            "Turning point: turn {turn} (event {event}), after which the share of {player} was"
            " greater by {points} % for good",
            turn=point["turn"],
            event=point["seq"],
            player=PlayerAt(point["winner"]),
            points=_percent(point["change"]),
        )
    else:
        yield message("There is no turning point: the share of the winner never changed for good.")
    for accuracy in summary["accuracy"]:
        yield _accuracy_message(accuracy)
    for luck in summary["luck"]:
        yield message(
            "{player:label}: luck {points:signed} % ± {margin}, of what came up and nobody could know",
            player=PlayerAt(luck["seat"]),
            points=round(100 * luck["luck"]),
            margin=_percent(TWO_SIDED_95 * luck["error"]),
        )


def _mark_message(decision: JsonObject) -> Message:
    seq, player = decision["seq"], PlayerAt(decision["seat"])
    action, mark, error = decision["action"], decision["mark"], _percent(decision["error"])
    if mark not in DROP_MARKS:
        return message(
            "{event}  {player:label}: {action} {mark} is better by {points} % (± {error}) than {next}",
            event=seq,
            player=player,
            action=action,
            mark=mark,
            points=_percent(decision["lead"]),
            error=error,
            next=decision["next"],
        )
    line = comma_list(
        message("{player:label} {action}", player=PlayerAt(step["seat"]), action=step["action"])
        for step in decision["line"]
    )
    return message(
        "{event}  {player:label}: {action} {mark} is worse by {points} % (± {error}) than this line: {line}",
        event=seq,
        player=player,
        action=action,
        mark=mark,
        points=_percent(decision["drop"]),
        error=error,
        line=line,
    )


def _accuracy_message(accuracy: Mapping[str, object]) -> Message:
    player = PlayerAt(int(str(accuracy["seat"])))
    if "accuracy" not in accuracy:
        return message("{player:label}: no decision was examined", player=player)
    marks = accuracy["marks"]
    assert isinstance(marks, dict)
    numbers = comma_list(
        message("{mark} {number}", mark=mark, number=number) for mark, number in marks.items()
    )
    return plural_message(
        "{player:label}: accuracy {accuracy} % ± {margin}, of {count} decision; marks: {marks}",
        "{player:label}: accuracy {accuracy} % ± {margin}, of {count} decisions; marks: {marks}",
        count=int(str(accuracy["decisions"])),
        player=player,
        accuracy=f"{100 * float(str(accuracy['accuracy'])):.1f}",
        margin=f"{100 * float(str(accuracy['margin'])):.1f}",
        marks=numbers,
    )
