"""The explanation of an event as a page of text for a terminal."""

from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import Final

from domain.contract import AnyRuleSystem, secret_owner
from domain.event import Event
from domain.json_types import JsonObject
from domain.messages import Instant, Message, PlayerAt, Value, message, message_in, semicolon_list
from ledger.canonical import canonical
from replay.history.diff import change_lines
from replay.history.event_text import actor_style
from replay.history.event_values import secret_label, secret_value
from replay.history.inspect_messages import (
    chance_messages,
    deadline_message,
    following_messages,
    identity_messages,
    legal_actions_message,
    turn_messages,
)
from replay.language.renderer import Renderer
from replay.language.text_layout import columns, wrap
from replay.render.geometry import is_drawable
from replay.render.styles import BOLD, DIM, Styler
from replay.render.text import text as drawing

_NARROWEST: Final = 40

_WHO: Final = message_in("label", "who")
_WHEN: Final = message_in("label", "when")
_TURN: Final = message_in("label", "turn")
_DEADLINE: Final = message_in("label", "deadline")
_ACTION: Final = message_in("label", "action")
_RESULT: Final = message_in("label", "result")
_OPENED: Final = message_in("label", "opened")
_LABELS: Final = (_WHO, _WHEN, _TURN, _DEADLINE, _ACTION, _RESULT, _OPENED)
_HASHES: Final = ("state", "prev", "hash")
"""Fields of an event, whose names are labels in every language."""


def explanation_page(
    explanation: JsonObject,
    rules: AnyRuleSystem,
    renderer: Renderer,
    styler: Styler,
    width: int,
    *,
    has_board: bool = True,
) -> str:
    """Return the result of `explain_event` as text of about `width` columns, with a final line feed.

    With `has_board`, the board that the acting seat saw is drawn too.
    """
    page = _Page(explanation, rules, renderer, styler, max(width, _NARROWEST))
    return "\n".join(page.lines(has_board=has_board)) + "\n"


class _Page:
    """The parts of one page, as lines."""

    def __init__(
        self,
        explanation: JsonObject,
        rules: AnyRuleSystem,
        renderer: Renderer,
        styler: Styler,
        width: int,
    ) -> None:
        self._explanation = explanation
        self._rules = rules
        self._render = renderer
        self._styler = styler
        self._width = width
        self._indent = 2 + max(columns(label) for label in (*map(renderer, _LABELS), *_HASHES))

    def lines(self, *, has_board: bool) -> Iterator[str]:
        """Yield the lines of the page."""
        explanation = self._explanation
        event: Event = explanation["event"]
        summary = explanation["conclusion"]
        yield from (self._heading(line) for line in self._wrapped(summary["sentence"], self._width))
        yield from self._wrapped(" ".join(summary["meaning"]), self._width)
        yield ""
        title = message(
            "event {seq} of {game}: {type}",
            seq=event["seq"],
            game=event["game"],
            type=event["type"],
        )
        yield self._heading(title)
        yield from self._actor(event)
        when = Instant(event["at"], is_exact=True)
        yield from self._labelled(_WHEN, self._wrapped(when, self._width - self._indent))
        yield from self._time()
        yield from self._action(event)
        yield from self._clauses()
        yield from self._start()
        yield from self._consequences()
        yield from self._changes()
        yield from self._legal_actions()
        if has_board:
            yield from self._seen_position()
        yield ""
        for name in _HASHES:
            yield from self._labelled(name, [self._dim(event[name])])

    def _heading(self, title: Value) -> str:
        return self._styler(self._render(title), BOLD)

    def _dim(self, text: str) -> str:
        return self._styler(text, DIM)

    def _wrapped(self, value: Value, width: int) -> list[str]:
        return wrap(self._render(value), width, columns)

    def _labelled(self, label: Value, texts: list[str]) -> Iterator[str]:
        text = self._render(label)
        for line in texts:
            yield self._dim(text + " " * (self._indent - columns(text))) + line
            text = ""

    def _dim_lines(self, value: Value) -> list[str]:
        return [self._dim(line) for line in self._wrapped(value, self._width - self._indent)]

    def _actor(self, event: Event) -> Iterator[str]:
        explanation = self._explanation
        lines = [self._styler(explanation["by"], actor_style(event))]
        for text in identity_messages(explanation):
            lines += self._dim_lines(text)
        yield from self._labelled(_WHO, lines)

    def _time(self) -> Iterator[str]:
        time = self._explanation["time"]
        yield from self._labelled(_TURN, list(map(self._render, turn_messages(time))))
        deadline = deadline_message(time, self._explanation["event"])
        if deadline is not None:
            yield from self._labelled(_DEADLINE, [self._render(deadline)])

    def _action(self, event: Event) -> Iterator[str]:
        explanation, width = self._explanation, self._width - self._indent
        if event["action"] is not None:
            text = explanation["action_text"]
            short_form = [self._styler(self._render(text), BOLD)] if text else []
            raw = self._dim_lines(canonical(event["action"]).decode())
            yield from self._labelled(_ACTION, short_form + raw)
        yield from self._labelled(_RESULT, wrap(explanation["event_text"], width, columns))
        for name, opening in explanation["opened"].items():
            label: Value = secret_label(name, self._rules)
            if secret_owner(name) is not None:
                label = message("{name} ({id})", name=label, id=name)
            value = secret_value(opening["value"], self._rules)
            opened = message("{name}: {value}", name=label, value=value)
            yield from self._labelled(_OPENED, self._wrapped(opened, width))

    def _section(self, title: Message, values: Iterable[Value]) -> Iterator[str]:
        """Yield a heading with a paragraph for each value; nothing if there are none."""
        for index, value in enumerate(values):
            if not index:
                yield ""
                yield self._heading(title)
            first, *others = self._wrapped(value, self._width - 4)
            yield f"  {first}"
            yield from (f"    {line}" for line in others)

    def _clauses(self) -> Iterator[str]:
        """Yield the clauses: the meaning of each on this board, and below it the sentence of the rules."""
        clauses: list[JsonObject] = self._explanation["clauses"]
        if not clauses:
            return
        id_width = max(len(clause["id"]) for clause in clauses)
        margin = " " * (id_width + 4)
        width = self._width - len(margin)
        yield ""
        yield self._heading(message_in("heading", "clauses"))
        for clause, following in zip_longest(clauses, clauses[1:]):
            first, *others = wrap(clause["text"], width, columns)
            yield f"  {clause['id']:<{id_width}}  {first}"
            yield from (margin + line for line in others)
            is_last = following is None or following["id"] != clause["id"]
            if clause["sentence"] is not None and is_last:
                sentence = wrap(clause["sentence"], width, columns)
                yield from (margin + self._dim(line) for line in sentence)

    def _start(self) -> Iterator[str]:
        start: JsonObject | None = self._explanation["start"]
        if start is not None:
            yield from self._section(message_in("heading", "chance"), chance_messages(start))

    def _consequences(self) -> Iterator[str]:
        values = following_messages(self._explanation)
        yield from self._section(message_in("heading", "what followed"), values)

    def _changes(self) -> Iterator[str]:
        lines = change_lines(self._explanation["changes"], self._rules, self._render)
        yield ""
        if not lines:
            yield self._render(message("the position is the same as before"))
            return
        yield self._heading(message_in("heading", "changes"))
        yield from (f"  {line}" for line in lines)

    def _legal_actions(self) -> Iterator[str]:
        legal: JsonObject | None = self._explanation["legal_actions"]
        if legal is None:
            return
        title = message("what {player} could do", player=PlayerAt(legal["seat"]))
        listed = [] if not legal["actions"] else [semicolon_list(legal["actions"])]
        summary = legal_actions_message(legal, self._rules)
        yield from self._section(title, [summary, *listed])

    def _seen_position(self) -> Iterator[str]:
        seen: JsonObject | None = self._explanation["seen_position"]
        if seen is None:
            return
        title = message(
            "what {player} saw, after event {seq}", player=PlayerAt(seen["seat"]), seq=seen["seq"]
        )
        scene = self._rules.scene(seen["position"], None)
        if not is_drawable(scene):
            yield from self._section(title, [message("the board is too wide to be drawn")])
            return
        yield ""
        yield self._heading(title)
        board = drawing(scene, self._render, self._styler, self._width - 2).rstrip("\n")
        yield from (f"  {line}".rstrip() for line in board.split("\n"))
