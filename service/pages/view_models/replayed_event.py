"""An event of a game as its page shows it: its position, its explanation, and links to other events."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final
from urllib.parse import urlencode

from flask import request

from domain.disputes import disputes
from domain.event import Event
from domain.game import Game
from domain.json_types import JsonObject
from domain.messages import Message, PlayerAt, Text, Value, listing, message, plural_message
from domain.scene import Scene, caption
from ledger.canonical import canonical
from replay.history.diff import ChangeSection, change_sections
from replay.history.event_index import EventIndex
from replay.history.event_text import outcome_message
from replay.history.event_values import secret_label, secret_value
from replay.history.inspect import explained_clauses
from replay.history.inspect_messages import (
    chance_messages,
    deadline_message,
    following_messages,
    identity_messages,
    legal_actions_message,
    turn_messages,
)
from replay.history.recap import marked_by
from replay.history.timeline import Transition
from replay.render.map_links import NO_LINKS
from service.analyses.lines import line_steps
from service.analyses.retry import answer_of
from service.analyses.store import StoredAnalysis
from service.games.visibility import Visibility
from service.http.language import request_renderer
from service.pages.forms import number_parameter
from service.pages.templating import absolute_url
from service.pages.view_models.action_query import ACTION, CHOOSE, TRY, read_query
from service.pages.view_models.action_steps import ActionSteps, action_steps
from service.pages.view_models.game_forms import reason_not_to
from service.pages.view_models.position_view import PositionView, position_view
from service.pages.view_models.replayed_analysis import (
    BetterLine,
    ReplayedAnalysis,
    Retry,
    better_line,
)
from service.pages.view_models.replayed_game import ReplayedGame
from service.pages.view_models.replayed_moves import ReplayedMoves
from service.pages.view_models.table_view import TableView, table_view
from service.sandboxes.sandboxes import reason_against_sandbox

EXPLORE: Final = "explore"
"""The parameter of an address with which the page shows what could have been done."""
LINE: Final = "line"
"""The parameter of an address with which the page shows a step of the line that would have been better."""
RETRY: Final = "retry"
"""The parameter with which the actions before a marked event are tried, to find a better one."""
ANSWER: Final = "answer"
"""The parameter with which the action that was tried is compared with the marked one."""
_HASHES: Final = ("state", "prev", "hash")


@dataclass(frozen=True, slots=True)
class ClauseNote:
    """A clause by which an event followed: its meaning on this board, and the sentence of the rules."""

    id: str
    texts: tuple[Text, ...]
    sentence: Text | None


@dataclass(frozen=True, slots=True)
class Jump:
    """A link to another event: its words, and its address."""

    label: Value
    address: str
    is_current: bool = False


@dataclass
class ReplayedEvent:
    """An event of a game, with what is visible of it, for templates/replay.html.

    `as_seat` is the seat as which the address asks to see a finished game, None if it does not. `steps` is
    where the viewer stands on the way to an action that could have been taken after the event, None if the
    page shows no such actions. `line` is a line that would have been better, if the page shows one,
    and `retry` a marked action, if the reader looks for a better one.
    """

    source: ReplayedGame
    transition: Transition
    visibility: Visibility
    as_seat: int | None = None
    steps: ActionSteps | None = None
    line: BetterLine | None = None
    retry: Retry | None = None

    @property
    def head(self) -> Game:
        """The game at its head."""
        return self.source.head

    @property
    def event(self) -> Event:
        """The event."""
        return self.transition.event

    @property
    def seq(self) -> int:
        """The seq of the event."""
        return self.transition.event["seq"]

    @property
    def game(self) -> Game:
        """The game after the event."""
        return self.transition.after

    @cached_property
    def explanation(self) -> JsonObject:
        """The explanation of the event (replay/history/inspect.py)."""
        return self.source.events.explain(
            self.head, self.transition, self.source.player, request_renderer(), self.visibility
        )

    @cached_property
    def view(self) -> PositionView | None:
        """The position after the event, or after the action that is explored; None before the start."""
        steps = self.steps
        if steps is not None and steps.shown_action is not None:
            return position_view(steps.preview_scene, links=steps.links)
        if self.line is not None:
            return position_view(self._with_room(self.line.scene(self.visibility)))
        position = self.visibility.position(self.game)
        if position is None:
            return None
        scene = marked_by(
            self.game.rules.scene(position, self.event), self.event["data"].get("seat")
        )
        return position_view(
            self._with_room(scene), links=NO_LINKS if steps is None else steps.links
        )

    def _with_room(self, scene: Scene) -> Scene:
        """Return a scene with room for the board at the head, so that all events have the same scale."""
        if not scene.room:
            return scene
        cells = self.head.rules.scene(self.visibility.position(self.head), None).cells
        return replace(scene, room=tuple(cell.at for cell in cells))

    @property
    def table(self) -> TableView | None:
        """The table, as the viewer sees it from their seat; None before the start."""
        if self.view is None:
            return None
        seat = self.visibility.seat
        if seat is None and self.source.player is not None:
            seat = self.head.seat_of(self.source.player)
        return table_view(self.view.scene, seat, self.steps)

    # Other events

    def address(self, seq: int, **parameters: object) -> str:
        """Return the address of an event of this game, with the same secrets visible."""
        return f"{self.source.replay_address}?{self._query(seq, **parameters)}"

    @property
    def table_address(self) -> str:
        """The address of the position as a table."""
        return f"{self.source.address}/table?{self._query(self.seq)}"

    def _query(self, seq: int, **parameters: object) -> str:
        as_seat = {} if self.as_seat is None else {"as": self.as_seat}
        return urlencode({"seq": seq, **as_seat, **parameters})

    @property
    def permalink(self) -> str:
        """The whole address of the event, for other people."""
        return absolute_url(self.address(self.seq))

    @property
    def has_started(self) -> bool:
        """Whether the game had started, so that there is a board."""
        return self.game.state is not None

    @cached_property
    def moves(self) -> ReplayedMoves | None:
        """The list of moves beside the board; None before the start."""
        return ReplayedMoves(self.source, self.seq) if self.has_started else None

    @property
    def moves_version(self) -> str | None:
        """What tells the list of moves, with its links, from any other; None before the start."""
        if self.moves is None:
            return None
        return f"{self.moves.version}-{self.as_seat}-{self.analysis is not None}"

    @property
    def first(self) -> int:
        """The seq of the event with which the replay begins: the start of the game, or an event before it."""
        return self.head.start_seq if self.has_started else 1

    @property
    def previous(self) -> int | None:
        """The seq of the event that one step back leads to."""
        if self.moves is not None:
            return self.moves.previous
        return self.seq - 1 if self.seq > 1 else None

    @property
    def next(self) -> int | None:
        """The seq of the event that one step forward leads to."""
        if self.moves is not None:
            return self.moves.next
        return self.seq + 1 if self.seq < self.head.seq else None

    @cached_property
    def _index(self) -> EventIndex:
        """The index of the game, which is empty if the game is too long for one."""
        return self.source.replays.index(self.head) or EventIndex()

    @property
    def rounds(self) -> list[Jump]:
        """The events with which the rounds begin."""
        starts = self._index.rounds
        current = max((start.seq for start in starts if start.seq <= self.seq), default=None)
        return [
            Jump(
                message("set-up") if start.round == 0 else start.round,
                self.address(start.seq),
                start.seq == current,
            )
            for start in starts
        ]

    @property
    def seats(self) -> list[tuple[Value, Jump, Jump]]:
        """The players, each with the first and the last event of theirs."""
        return [
            (
                PlayerAt(entry.seat),
                Jump(
                    message("first event ({seq})", seq=entry.first),
                    self.address(entry.first),
                    entry.first == self.seq,
                ),
                Jump(
                    message("last event ({seq})", seq=entry.last),
                    self.address(entry.last),
                    entry.last == self.seq,
                ),
            )
            for entry in self._index.seats
        ]

    @property
    def perspectives(self) -> list[Jump]:
        """The ways to see a game that has ended and had secrets: everything, or as each seat saw it then."""
        if not self.head.has_ended or not self._index.has_secrets:
            return []
        address = f"{self.source.replay_address}?seq={self.seq}"
        everything = Jump(message("everything"), address, self.as_seat is None)
        return [
            everything,
            *(
                Jump(
                    message("as {player} saw it then", player=PlayerAt(seat)),
                    f"{address}&as={seat}",
                    seat == self.as_seat,
                )
                for seat in range(self.head.seats)
            ),
        ]

    @property
    def perspective_note(self) -> Message | None:
        """What a game in progress hides from the viewer; None if it hides nothing."""
        if self.head.has_ended or not self._index.has_secrets:
            return None
        if self.visibility.seat is None:
            return message("what is secret during the game is not shown")
        return message(
            "shown as {player} sees the game while it is in progress",
            player=PlayerAt(self.visibility.seat),
        )

    # What the viewer can do about it

    @property
    def sandbox_reason(self) -> Text | None:
        """Why the viewer cannot play on from the event beside the game; None if they can."""
        return reason_against_sandbox(self.head, self.source.player)

    @property
    def can_dispute(self) -> bool:
        """Whether the viewer may question the event now."""
        head, player = self.head, self.source.player
        seat = None if player is None or self.source.record is not None else head.seat_of(player)
        return seat is not None and not reason_not_to(
            lambda: disputes.open_dispute(head, seat, self.seq, None, None)
        )

    # What it meant

    @cached_property
    def stored_analysis(self) -> StoredAnalysis | None:
        """The analysis of the game, complete or not; None if nobody has requested one."""
        return self.source.analysis

    @cached_property
    def analysis(self) -> ReplayedAnalysis | None:
        """The analysis of the game, if it is finished and somebody has requested one that is complete."""
        findings = None if self.stored_analysis is None else self.stored_analysis.findings
        return None if findings is None else ReplayedAnalysis(findings)

    def read_line(self) -> None:
        """Read from the address which step of a line that would have been better is shown."""
        shown = number_parameter(LINE)
        before = self.transition.before
        if shown is not None and self.analysis is not None and before is not None:
            self.line = better_line(self.analysis, self.seq, before, self.result, shown)

    # The explanation

    @property
    def standing(self) -> Text | None:
        """How the game stands at its head, or how it has ended."""
        head = self.head
        first = [PlayerAt(entry["seat"]) for entry in head.ranking or () if entry["place"] == 1]
        if first:
            return plural_message(
                "The winner is {players}.",
                "The winners are {players}.",
                count=len(first),
                players=listing(first),
            )
        if head.has_ended:
            return message("The game is over.")
        return message("Round {round}", round=head.round) if head.round else None

    @property
    def caption(self) -> Text:
        """Who did what."""
        return caption(self.event, self.game.rules.event_message)

    @property
    def result(self) -> Text:
        """What was done, without who did it."""
        return outcome_message(self.game.rules, self.event, self.game)

    @property
    def actor(self) -> str:
        """Who caused the event."""
        by: str = self.explanation["by"]
        return by

    @property
    def identity(self) -> Iterator[Text]:
        """By what means the actor has shown who they are."""
        return identity_messages(self.explanation)

    @property
    def turn(self) -> Iterator[Text]:
        """The turn under way."""
        return turn_messages(self.explanation["time"])

    @property
    def deadline(self) -> Value | None:
        """The deadline of the turn under way."""
        return deadline_message(self.explanation["time"], self.explanation["event"])

    @property
    def action(self) -> tuple[str | None, str] | None:
        """The action in short form, if the rules can read it, and as JSON."""
        action = self.event["action"]
        if action is None:
            return None
        return self.explanation["action_text"], canonical(action).decode()

    @property
    def opened_secrets(self) -> list[tuple[str, Value, Value]]:
        """The secrets of the event that are opened: the id, the name and the value of each."""
        opened: JsonObject = self.explanation["opened"]
        rules = self.game.rules
        return [
            (id, secret_label(id, rules), secret_value(opening["value"], rules))
            for id, opening in opened.items()
        ]

    @property
    def clauses(self) -> list[ClauseNote]:
        """The clauses by which the event followed; each once, with all that it means here."""
        texts: dict[str, list[Text]] = {}
        for id, text in explained_clauses(self.transition, self.explanation["opened"]):
            texts.setdefault(id, []).append(text)
        sentences = self.game.rules.CLAUSES
        return [ClauseNote(id, tuple(texts[id]), sentences.get(id)) for id in texts]

    @property
    def chance(self) -> list[Text]:
        """The sources of the game's chance, for the event that starts it."""
        start = self.explanation["start"]
        return [] if start is None else list(chance_messages(start))

    @property
    def following(self) -> list[Text]:
        """What followed without another action."""
        return list(following_messages(self.explanation))

    @property
    def superseded_by(self) -> int | None:
        """The event with which play resumed from before this one."""
        seq: int | None = self.explanation["consequences"]["superseded_by"]
        return seq

    @property
    def changes(self) -> list[ChangeSection]:
        """What the event changed in the position."""
        return change_sections(self.explanation["changes"], self.game.rules, request_renderer())

    @property
    def hashes(self) -> list[tuple[str, str]]:
        """The hashes of the event, by the names of their fields."""
        event: JsonObject = dict(self.event)
        return [(name, event[name]) for name in _HASHES]

    # What could have been done

    @property
    def alternatives(self) -> tuple[int, Message] | None:
        """The seat that acted, and how many legal actions it had; None if the viewer may not know."""
        legal = self.explanation["legal_actions"]
        if legal is None:
            return None
        return legal["seat"], legal_actions_message(legal, self.game.rules)

    @property
    def is_explored(self) -> bool:
        """Whether the address asks for what could have been done here."""
        return any(name in request.args for name in (EXPLORE, CHOOSE, TRY, ACTION))

    @property
    def can_explore(self) -> bool:
        """Whether the viewer may see what could be done after the event."""
        seat = self.game.to_act
        return seat is not None and self.visibility.sees_as(self.game, seat)

    def read_steps(self) -> None:
        """Read from the address which action is tried. Raises Malformed for too many choices."""
        seat = self.game.to_act
        if not self.is_explored or not self.can_explore or seat is None:
            return
        fixed: list[tuple[str, str]] = [("seq", str(self.seq))]
        if self.as_seat is not None:
            fixed.append(("as", str(self.as_seat)))
        fixed.append((EXPLORE, "1"))
        decision = self._retried_decision()
        if decision is not None:
            fixed.append((RETRY, str(decision["seq"])))
        query = read_query(request.args.to_dict(flat=False), tuple(fixed))
        self.steps = action_steps(self.game, seat, query)
        if decision is not None and self.steps is not None:
            self.retry = self._retry(decision, self.steps)

    def _retried_decision(self) -> JsonObject | None:
        """Return the marked decision right after this event that the reader retries; None without one."""
        seq = number_parameter(RETRY)
        if seq != self.seq + 1 or self.analysis is None:
            return None
        return self.analysis.decision(seq)

    def _retry(self, decision: JsonObject, steps: ActionSteps) -> Retry:
        assert self.analysis is not None, "it has the decision"
        mark = self.analysis.mark(decision["seq"])
        assert mark is not None, "the decision is marked"
        played = next(line_steps(self.game.rules, self.game.state, [decision])).outcome
        answer = None
        if ANSWER in request.args and steps.action is not None:
            answer = answer_of(decision, self.game, steps.action)
        return Retry(decision["seq"], mark, played, answer)
