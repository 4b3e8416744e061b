"""What the terminal client knows of a game, and how it shows it: board, events and legal actions."""

from collections.abc import Sequence
from typing import Any, Final

from cartulary.client import Client, Conflict, Event, GameSummary, LegalActions, Position
from domain.contract import AnyRuleSystem
from domain.errors import CartularyError, Malformed
from domain.json_types import JsonObject
from domain.life_cycle_messages import places_taken
from domain.messages import Message, PlayerAt, comma_list, message, message_in, plural_message
from domain.registry import rule_system_for
from replay.history.event_text import actor_message, outcome_message
from replay.language.renderer import Names, Renderer
from replay.language.text_layout import clean, columns, wrap
from replay.render.geometry import is_drawable
from replay.render.styles import BOLD, DIM, HIGHLIGHT, Styler
from replay.render.text import text as drawing

NO_ACTIONS: Final = LegalActions(0, ())
_MAX_READS: Final = 5
_MAX_RECENT: Final = 200
"""Events before the last one among which the player's own last action is looked for."""


class UnknownGame(CartularyError):
    """This version of the program does not have the rules of the game."""


class Table:
    """A game as one player sees it."""

    def __init__(self, client: Client, game: str, player: str, renderer: Renderer) -> None:
        """Read the game. `player` is the id of the player. Raises ClientError and UnknownGame."""
        self._client = client
        self._player = player
        self._renderer = renderer
        self.game = game
        self.summary: GameSummary = client.game(game)
        self.rules: AnyRuleSystem = _rules_of(self.summary)
        self.legal: LegalActions = NO_ACTIONS
        self.forms: dict[str, JsonObject] = {}
        """The legal actions by their short forms."""
        self._position: Position | None = None
        self._last_event: Event | None = None
        self.read()

    def read(self) -> None:
        """Read the game as it is now. If events are appended meanwhile, it is read again, a few times."""
        for _ in range(_MAX_READS):
            self._read()
            if self.legal.seq in {0, self.summary.head.seq}:
                return

    def _read(self) -> None:
        self.summary = self._client.game(self.game)
        self.names = Names(
            {player.id: player.handle for player in self.summary.players if player.handle},
            [
                player.id
                for player in sorted(self.summary.players, key=lambda player: player.seat or 0)
            ],
        )
        self.render = self._renderer.with_names(self.names)
        if self.has_started:
            self._position = self._client.position(self.game)
            self._read_actions()

    def _read_actions(self) -> None:
        try:
            self.legal = NO_ACTIONS if self.is_over else self._client.legal_actions(self.game)
        except Conflict:
            self.legal = NO_ACTIONS
        # A game in the list of legal actions that a newer server has is left out: it cannot be typed.
        self.forms = {}
        for action in self.legal.actions:
            try:
                self.forms[self.rules.action_text(self.rules.parse_action(action))] = action
            except Malformed:
                continue

    @property
    def seat(self) -> int | None:
        """The player's seat; None before the start, or for a spectator."""
        return self.summary.seat_of(self._player)

    @property
    def has_started(self) -> bool:
        """Whether there is a board."""
        return self.summary.status != "open" and all(
            player.seat is not None for player in self.summary.players
        )

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.summary.has_ended

    @property
    def can_act(self) -> bool:
        """Whether it is the player's turn."""
        return bool(self.legal.actions)

    @property
    def takeback_to_answer(self) -> int | None:
        """The number of a takeback that the player has to agree to or decline."""
        takeback = self.summary.json.get("takeback")
        if not isinstance(takeback, dict) or self.seat is None:
            return None
        is_answered = self.seat == takeback.get("seat") or self.seat in takeback.get(
            "agreed_by", ()
        )
        number = takeback.get("takeback")
        return number if type(number) is int and not is_answered else None

    def recent_events(self) -> Sequence[Event]:
        """Return the events after the player's last action, at most some hundred."""
        after = max(0, self.summary.head.seq - _MAX_RECENT)
        page = self._client.events(self.game, after=after, limit=_MAX_RECENT)
        events = [event for event in page.events if event.seq <= self.summary.head.seq]
        own = [i for i, event in enumerate(events) if self.is_own(event) and event.action]
        self._last_event = events[-1] if events else None
        return events[own[-1] + 1 :] if own else events

    def is_own(self, event: Event) -> bool:
        """Return whether the player caused an event."""
        return event.by.get("seat", -1) == self.seat or event.by.get("player") == self._player

    def note(self, event: Event) -> None:
        """Remember the last event, which is marked on the board."""
        self._last_event = event

    def event_line(self, event: Event, styler: Styler) -> str:
        """Return an event in a line: its number, who caused it, and what happened."""
        raw: Any = event.json
        actor = self.render(actor_message(raw))
        outcome = self.render(outcome_message(self.rules, raw))
        return f"{styler(f'{event.seq:>5}', DIM)}  {styler(actor, BOLD)}  {outcome}"

    def board(self, styler: Styler, width: int) -> str:
        """Return the board as text, or who has joined before the start."""
        if self._position is None:
            return self.render.sentence(
                message(
                    "the game has not started: {places}",
                    places=places_taken(len(self.summary.players), self.summary.seats),
                )
            )
        position: Any = self._position.json
        event: Any = None if self._last_event is None else self._last_event.json
        scene = self.rules.scene(position, event)
        if not is_drawable(scene):
            return self.render.sentence(message("the board is too wide to be drawn"))
        return drawing(scene, self.render, styler, width).rstrip("\n")

    def lesson_lines(self, styler: Styler, width: int) -> str:
        """Return the lessons that are due in a tutorial game, each with its clauses; empty if none are."""
        if not self.summary.options.get("tutorial") or not self.can_act:
            return ""
        lines = []
        for lesson in self._client.lessons(self.game).lessons:
            lines += wrap(clean(lesson.text), width - 4, columns)
            clauses = message("rules: {clauses}", clauses=comma_list(lesson.clauses))
            lines += [styler(self.render(clauses), DIM), ""]
        return "\n".join(f"  | {line}".rstrip() for line in lines[:-1])

    def state_line(self, styler: Styler) -> str:
        """Return whose turn it is."""
        if self.is_over:
            return styler(self.render.sentence(message("the game is over")), BOLD)
        if self.can_act:
            return styler(f" {self.render.sentence(message('it is your turn'))} ", HIGHLIGHT)
        return self.render.sentence(self._waiting_message())

    def _waiting_message(self) -> Message:
        to_act = self.summary.to_act
        if to_act is None:
            return message("waiting for the game to go on")
        return message("it is the turn of {player}", player=PlayerAt(to_act))

    def actions_overview(self, styler: Styler) -> str:
        """Return the kinds of legal actions, each with an example in short form and their number."""
        by_type: dict[str, list[str]] = {}
        for form, action in self.forms.items():
            by_type.setdefault(action["type"], []).append(form)
        rows = [(forms[0], self._label(kind), len(forms)) for kind, forms in by_type.items()]
        width = max((len(form) for form, _, _ in rows), default=0)
        lines = []
        for form, label, count in rows:
            number = plural_message("one possibility", "{count} possibilities", count=count)
            lines.append(
                f"  {styler(form.ljust(width), BOLD)}   {label}"
                f" {styler(f'({self.render(number)})', DIM)}"
            )
        return "\n".join(lines)

    def _label(self, kind: str) -> str:
        label = self.rules.LABELS.get(kind)
        return self.render(message_in("label", "{word}", word=kind) if label is None else label)


def _rules_of(summary: GameSummary) -> AnyRuleSystem:
    try:
        return rule_system_for(summary.rules, summary.options)
    except Malformed:
        raise UnknownGame.with_message(
            "this program does not have the rules of the game {rules}", rules=summary.rules
        ) from None
