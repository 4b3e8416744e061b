"""A recap: what has happened in a game over several events, in words, in points and on one board.

It contains nothing secret: its texts, points and arrows are made of public data alone, so that every reader
gets the same recap of the same events.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from domain.game import Game
from domain.hexes import Hex
from domain.messages import (
    Message,
    PlayerAt,
    Term,
    Text,
    Value,
    counted,
    message,
    plural_message,
    semicolon_list,
)
from domain.scene import Arrow, Cell, Count, Panel, Piece, Scene
from replay.history.branches import can_be_superseded
from replay.history.event_text import actor_message, outcome_message
from replay.history.timeline import Transition
from replay.render.descriptions import in_words, piece_names

ACCOUNT_EVENTS: Final = frozenset({"PlayerKeyAdded", "PlayerKeyRevoked"})
"""Events about accounts, which nobody needs to read in order to play on. A recap leaves them out."""


@dataclass(frozen=True, slots=True)
class Gain:
    """Points that a seat has gained, or lost if `points` is less than 0."""

    seat: int
    points: int


@dataclass(frozen=True, slots=True)
class Loss:
    """Pieces of one kind that a seat has lost; `name` is what the game calls the kind."""

    seat: int
    kind: str
    count: int
    name: Value

    @property
    def pieces(self) -> Value:
        """The pieces in words: `2 knights`."""
        return counted(self.count, self.name) if isinstance(self.name, Term) else self.name


@dataclass(frozen=True, slots=True)
class ActionEffects:
    """The effects of an action of a seat, which pages show as icons; the fields are those of `RecapEvent`."""

    type: str
    seat: int
    gains: tuple[Gain, ...] = ()
    losses: tuple[Loss, ...] = ()
    placed: tuple[Piece, ...] = ()
    changes: tuple[Count, ...] = ()


@dataclass(frozen=True, slots=True)
class RecapEvent:
    """An event: who did what, the changes of the scores, and the changes on the board.

    An event that was superseded later has changed nothing on the board.
    """

    seq: int
    at: str
    actor: Value
    outcome: Text
    is_action: bool = False
    gains: tuple[Gain, ...] = ()
    losses: tuple[Loss, ...] = ()
    arrows: tuple[Arrow, ...] = ()
    cells: tuple[Cell, ...] = ()
    """The hexes that it has changed, as they were after it."""
    has_board: bool = False
    """Whether the game had started, so that there is a board to show."""
    type: str = ""
    """The type of the action, if it is one."""
    round: int = 0
    scores: tuple[tuple[int, int], ...] = ()
    """The seats with their scores, at the end of a round."""
    seat: int | None = None
    """The seat that has acted."""
    placed: tuple[Piece, ...] = ()
    """The pieces that the seat has put on the board or moved on it."""
    changes: tuple[Count, ...] = ()
    """What the seat has gained beside the board, or lost: numbers less than 0."""

    @property
    def hexes(self) -> list[Hex]:
        """The hexes on which something has changed, those of the moves first."""
        moved = [at for arrow in self.arrows for at in (arrow.start, arrow.end)]
        return list(dict.fromkeys([*moved, *(cell.at for cell in self.cells)]))

    @property
    def message(self) -> Message:
        """The event in one line."""
        return message("{actor}: {outcome}", actor=self.actor, outcome=self.outcome)


@dataclass(frozen=True, slots=True)
class Recap:
    """What has happened since the last action of the seat `reader`, oldest first; None: of nobody.

    `omitted` is how many earlier events are left out. `is_since_own_turn`: whether it begins after an action
    of the reader, and not with the game.
    """

    events: tuple[RecapEvent, ...] = ()
    omitted: int = 0
    is_since_own_turn: bool = False
    reader: int | None = None

    @property
    def count(self) -> int:
        """How many events have happened, those that are left out included."""
        return len(self.events) + self.omitted

    @property
    def gains(self) -> list[Gain]:
        """By how many points the scores have changed over the events, in order of seats."""
        points: Counter[int] = Counter()
        for event in self.events:
            for gain in event.gains:
                points[gain.seat] += gain.points
        return [Gain(seat, points[seat]) for seat in sorted(points) if points[seat]]

    @property
    def losses(self) -> list[Loss]:
        """The pieces that were taken off the board, in order of seats."""
        return _added_up(loss for event in self.events for loss in event.losses)

    @property
    def sentence(self) -> Message | None:
        """All of it in one sentence: points and losses, or else the last action; None if it is nothing."""
        if all(event.scores and not event.gains for event in self.events):
            # A round that was scored without a change says nothing.
            return None
        changes = [*map(self._gain_message, self.gains), *map(self._loss_message, self.losses)]
        if changes and self.is_since_own_turn:
            return plural_message(
                "since your last turn (one event): {changes}",
                "since your last turn ({count} events): {changes}",
                count=self.count,
                changes=semicolon_list(changes),
            )
        if changes:
            return plural_message(
                "so far (one event): {changes}",
                "so far ({count} events): {changes}",
                count=self.count,
                changes=semicolon_list(changes),
            )
        last = next((each for each in self.events[::-1] if each.is_action), self.events[-1])
        if self.is_since_own_turn:
            return plural_message(
                "since your last turn: {event}",
                "since your last turn ({count} events), the last one: {event}",
                count=self.count,
                event=last.message,
            )
        return plural_message(
            "so far: {event}",
            "so far ({count} events), the last one: {event}",
            count=self.count,
            event=last.message,
        )

    @property
    def listed_events(self) -> tuple[RecapEvent, ...]:
        """The events to list beside the sentence; none if it says what the only one was."""
        is_said = self.count == 1 and not self.gains and not self.losses
        return () if is_said else self.events

    def _gain_message(self, gain: Gain) -> Message:
        if gain.seat == self.reader:
            return message("you {points:signed}", points=gain.points)
        return message("{player} {points:signed}", player=PlayerAt(gain.seat), points=gain.points)

    def _loss_message(self, loss: Loss) -> Message:
        if loss.seat == self.reader:
            return message("you lose {pieces}", pieces=loss.pieces)
        return message("{player} loses {pieces}", player=PlayerAt(loss.seat), pieces=loss.pieces)


def recap_events(transitions: Iterable[Transition], head: Game) -> tuple[RecapEvent, ...]:
    """Return successive events of a game with this head for a recap."""
    recapped: list[RecapEvent] = []
    last: tuple[Game, Scene] | None = None
    for transition in transitions:
        if transition.event["type"] in ACCOUNT_EVENTS:
            continue
        # The event before has led to the same pieces and counts as this one begins with.
        before = last[1] if last is not None and last[0] is transition.before else None
        event, scene = _recap_event(transition, head, before)
        recapped.append(event)
        last = None if scene is None else (transition.after, scene)
    return tuple(recapped)


def _recap_event(
    transition: Transition, head: Game, before: Scene | None
) -> tuple[RecapEvent, Scene | None]:
    """Return the event for a recap, and the scene after it if it has changed the board.

    `before` is a scene of the position before it; None if there is none yet.
    """
    event, after = transition.event, transition.after
    action = event["action"]
    recapped = RecapEvent(
        event["seq"],
        event["at"],
        actor_message(event),
        outcome_message(head.rules, event, after),
        is_action=action is not None,
        gains=_gains(transition),
        has_board=after.state is not None,
        type="" if action is None else action["type"],
        round=event["data"].get("round", after.round),
        scores=tuple(_scores(after).items()) if event["type"] == "RoundScored" else (),
        seat=event["data"].get("seat") if action is not None else None,
    )
    if after.state is None or (can_be_superseded(event) and head.is_superseded(event["seq"])):
        return recapped, None
    scene: Scene = after.rules.scene(after.position(None), event)
    scene = marked_by(scene, recapped.seat)
    cells = tuple(cell for cell in scene.cells if _is_marked(cell))
    recapped = replace(recapped, losses=_losses(scene), arrows=scene.arrows, cells=cells)
    if recapped.seat is None or transition.before is None or transition.before.state is None:
        return recapped, scene
    if before is None:
        before = transition.before.rules.scene(transition.before.position(None), None)
    recapped = replace(
        recapped,
        placed=_placed(before, scene, recapped.seat),
        changes=_changes(before, scene, recapped.seat),
    )
    return recapped, scene


def effects_between(before: Scene, after: Scene, seat: int, type: str) -> ActionEffects:
    """Return the effects of one or several actions of a seat, of which the last one has this type.

    `before` is the scene before the first of them; `after` is the one after the last, with all changes.
    """
    scores = {panel.seat: panel.score for panel in before.panels}
    gains = (Gain(panel.seat, panel.score - scores[panel.seat]) for panel in after.panels)
    return ActionEffects(
        type,
        seat,
        tuple(gain for gain in gains if gain.points),
        _losses(after),
        _placed(before, after, seat),
        _changes(before, after, seat),
    )


def _losses(scene: Scene) -> tuple[Loss, ...]:
    """Return the pieces that the last event of a scene has removed."""
    names = piece_names(scene)
    losses = _added_up(
        Loss(piece.seat, piece.kind, piece.count, names.get(piece.kind) or in_words(piece.kind))
        for cell in scene.cells
        for piece in cell.removed
    )
    return tuple(losses)


def _placed(before: Scene, after: Scene, seat: int) -> tuple[Piece, ...]:
    """Return the pieces of a seat that are on more hexes, or on others, than before, by kind."""
    former = {(cell.at, piece.kind): piece.count for cell, piece in _pieces_of(before, seat)}
    counts: Counter[str] = Counter()
    for cell, piece in _pieces_of(after, seat):
        counts[piece.kind] += max(0, piece.count - former.get((cell.at, piece.kind), 0))
    return tuple(Piece(kind, seat, count) for kind, count in counts.items() if count)


def _pieces_of(scene: Scene, seat: int) -> Iterator[tuple[Cell, Piece]]:
    return ((cell, piece) for cell in scene.cells for piece in cell.pieces if piece.seat == seat)


def _changes(before: Scene, after: Scene, seat: int) -> tuple[Count, ...]:
    """Return by how much the counts of a seat have changed, except those of pieces, which the board shows."""
    pieces = {entry.kind for entry in after.legend if entry.sign == "piece"}
    former = {count.kind: count for count in _counts(before, seat)}
    latter = {count.kind: count for count in _counts(after, seat)}
    changes: list[Count] = []
    for kind, count in {**former, **latter}.items():
        # A kind of which there is none may be left out.
        numbers = [counts[kind].number if kind in counts else 0 for counts in (former, latter)]
        if kind not in pieces and None not in numbers:
            changes.append(replace(count, number=(numbers[1] or 0) - (numbers[0] or 0)))
    return tuple(change for change in changes if change.number)


def _counts(scene: Scene, seat: int) -> Iterator[Count]:
    panels: list[Panel] = [panel for panel in scene.panels if panel.seat == seat]
    return (count for panel in panels for group in panel.groups for count in group.counts)


def _gains(transition: Transition) -> tuple[Gain, ...]:
    before, after = transition.before, transition.after
    if before is None or before.state is None:
        return ()
    scores = _scores(before)
    gains = (Gain(seat, score - scores[seat]) for seat, score in _scores(after).items())
    return tuple(gain for gain in gains if gain.points)


def _scores(game: Game) -> Mapping[int, int]:
    return {entry["seat"]: entry["score"] for entry in game.rules.standings(game.state)}


def _added_up(losses: Iterable[Loss]) -> list[Loss]:
    total: dict[tuple[int, str], Loss] = {}
    for loss in losses:
        former = total.get((loss.seat, loss.kind))
        count = loss.count + (0 if former is None else former.count)
        total[loss.seat, loss.kind] = replace(loss, count=count)
    return [total[key] for key in sorted(total)]


def _is_marked(cell: Cell) -> bool:
    return cell.is_changed or cell.is_contested or bool(cell.removed or cell.note)


def scene_with_recap(scene: Scene, events: Sequence[RecapEvent]) -> Scene:
    """Return a scene of the position after these events in which all that they changed is marked too."""
    marked: dict[Hex, Cell] = {}
    for event in events:
        for cell in event.cells:
            former = marked.get(cell.at)
            marked[cell.at] = cell if former is None else _marked_twice(former, cell)
    cells = tuple(
        _marked_twice(marked[cell.at], cell) if cell.at in marked else cell for cell in scene.cells
    )
    arrows = tuple(arrow for event in events for arrow in event.arrows)
    return replace(scene, cells=cells, arrows=(*arrows, *scene.arrows))


def marked_by(scene: Scene, seat: int | None) -> Scene:
    """Return a scene whose marks have the colour of the seat that has acted."""
    cells = tuple(
        replace(cell, changed_by=seat) if cell.is_changed else cell for cell in scene.cells
    )
    return replace(scene, cells=cells)


def without_marks(scene: Scene) -> Scene:
    """Return a scene without the marks of the last event."""
    cells = tuple(
        replace(cell, is_changed=False, removed=(), note="", is_contested=False, changed_by=None)
        if _is_marked(cell)
        else cell
        for cell in scene.cells
    )
    return replace(scene, cells=cells, arrows=())


def _marked_twice(former: Cell, cell: Cell) -> Cell:
    return replace(
        cell,
        is_changed=cell.is_changed or former.is_changed,
        changed_by=cell.changed_by if cell.is_changed else former.changed_by,
        is_contested=cell.is_contested or former.is_contested,
        note=cell.note or former.note,
        removed=_join([*former.removed, *cell.removed]),
    )


def _join(pieces: Iterable[Piece]) -> tuple[Piece, ...]:
    counts: Counter[Piece] = Counter()
    for piece in pieces:
        counts[replace(piece, count=1)] += piece.count
    return tuple(replace(piece, count=count) for piece, count in counts.items())
