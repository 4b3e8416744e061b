"""The laws of rule systems, which are checked in whole games among bots.

A law is a statement about the parts of a rule system, for example that `decide` and `apply` agree, that
exactly the legal actions are accepted, or what a viewer may see. `check_game` counts how many times each law
was checked, and keeps the first case in which it does not hold, in English for the author of the game. A law
that holds in some games may still be broken in others.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from io import BytesIO
from itertools import islice
from typing import Any, Final

from domain.chance import Chance
from domain.choices import Choice, action_choice
from domain.contract import ALL_SECRETS, AnyRuleSystem, DomainEvent, Opened, Resign, package_of
from domain.errors import CartularyError, Malformed, Refused
from domain.event import Event, recorded_data
from domain.fold import evolve
from domain.game import Game
from domain.hexes import Hex, hex_text
from domain.messages import PlayerAt, Text, mentions, message
from domain.search import playouts
from ledger.pending import PendingEvents
from replay.audit import audit
from replay.bots.playout import bot_named, plan, play
from replay.language.renderer import english, renderer
from replay.laws.typed_json import faults
from replay.render.svg import svg
from replay.sandbox import known_secrets

LAWS: Final[Mapping[str, Text]] = {
    "play": message("The seat to act has an action, and the game ends."),
    "bots": message("Every bot chooses one of the actions that it gets."),
    "apply": message(
        "An event that is applied leads to what `decide` has stated, and changes no copy."
    ),
    "legal actions": message(
        "`decide` accepts the legal actions, and no other action has another outcome."
    ),
    "forms": message("Actions, events, positions and standings have the forms of their types."),
    "short form": message("An action can be read again from its JSON and from its short form."),
    "choices": message("The choices lead to every legal action, and to nothing else."),
    "secrets": message("A viewer sees the same whether or not the secrets of others are known."),
    "turns": message(
        "A forfeit ends the turn, and the number of the turn grows by one with each turn."
    ),
    "scores": message("The changes of the scores add up to the scores of the ranking."),
    "clauses": message(
        "Refusals and explanations name clauses of the game, and departures the seat."
    ),
    "rules page": message(
        "The page of rules beside the game has all of its clauses, and no others."
    ),
    "pictures": message("Every position can be drawn, and every event has a sentence."),
    "record": message("The record of a game is sound for the audit."),
}
"""The statement of each law, by its name."""

MOST_ACTIONS: Final = 60
"""The most legal actions of a position whose choices are all followed."""
_ENGLISH: Final = renderer("en")
SAMPLE: Final = 25
"""The most illegal actions that are tried in a position."""
MOST_VARIANTS: Final = 300
"""The most actions with another hex that are tried in a position."""
MOST_EVENTS: Final = 5000
"""The number of events after which a game counts as endless."""
BETWEEN_BOTS: Final = 10
"""The interval, in positions, at which every bot chooses an action."""
_PLAYOUTS: Final = 3
"""The number of games that a searching bot then plays ahead."""
_ANCHOR: Final = re.compile(r'<a id="([A-Z]+(?:-[A-Z]+)+-\d+)"></a>')


@dataclass(slots=True)
class LawReport:
    """The number of checks of each law, by its name, and the first case in which it was broken."""

    checked: dict[str, int] = field(default_factory=lambda: dict.fromkeys(LAWS, 0))
    broken: dict[str, str] = field(default_factory=dict)

    @property
    def has_held(self) -> bool:
        """Whether every law was checked and none is broken."""
        return not self.broken and all(self.checked.values())


def check_game(
    name: str, rules: AnyRuleSystem, options: Mapping[str, Any], seats: Sequence[int], games: int
) -> Iterator[LawReport]:
    """Play `games` games with each number of seats, and yield the report so far after each game.

    `name` and `options` select the rule system in a new game.
    """
    report = LawReport()
    for count in seats:
        for number in range(games):
            seed = bytes([count, number % 256]) * 16
            check = _GameCheck(rules, report)
            try:
                record = play(plan(name, count, seed, options), number + 1, check.follow).record
            except Exception as error:  # noqa: BLE001 # whatever a faulty game raises
                check.give_up(count, error)
            else:
                check.finish(record)
            yield report


class _EndlessGame(Exception):
    """A game continues after the most events that it may have."""


class _GameCheck:
    """The check of one game, while it is played."""

    def __init__(self, rules: AnyRuleSystem, report: LawReport) -> None:
        self._rules, self._report = rules, report
        self._game: Game | None = None
        self._events: list[Event] = []
        self._positions = 0
        self._scores: dict[int, int] = {}
        self._earlier_actions: dict[str, Any] = {}
        self._views: dict[int | None, Game | None] = {}
        """The game as each viewer knows it, None a spectator; none in a game without secrets."""

    def follow(self, pending: PendingEvents) -> None:
        """Check the events that have been added, and the position after them.

        Notes the first case of each law that is broken. Raises _EndlessGame.
        """
        opened = {
            seq: {name: opening["value"] for name, opening in by_name.items()}
            for seq, by_name in pending.openings.items()
        }
        for event in pending.events[len(self._events) :]:
            self._check_event(event, opened)
        if len(self._events) > MOST_EVENTS:
            raise _EndlessGame

    def finish(self, record: bytes) -> None:
        """Check the game that has been played to its end."""
        self._check("scores", "the end", self._check_scores)
        self._check("record", "the record", self._check_record, record)
        self._check("clauses", "the tables of the game", self._check_tables)
        self._check("rules page", "rules.md", self._check_rules_page)

    def give_up(self, seats: int, error: Exception) -> None:
        """Note the reason why a game with this number of seats could not be continued."""
        game, broken = self._game, self._report.broken
        place = f"a game of {seats} seats"
        if isinstance(error, _EndlessGame):
            broken.setdefault("play", f"{place} goes on after {MOST_EVENTS} events")
        elif isinstance(error, Refused):
            why = english(error.message)
            broken.setdefault("legal actions", f"{place}: a listed action is refused: {why}")
        elif game is not None and game.to_act is not None and not self._legal_actions(game):
            broken.setdefault("play", f"{place}: seat {game.to_act} is to act and has no action")
        elif not broken:
            broken["play"] = f"{place} cannot be played on: {error!r}"

    def _legal_actions(self, game: Game) -> list[Any]:
        seat = game.to_act
        assert seat is not None
        return list(self._rules.legal_actions(game.state, seat))

    def _check_event(self, event: Event, opened: Opened) -> None:
        before = self._game
        self._events.append(event)
        game = self._game = evolve(before, event, opened)
        place = f"event {event['seq']} ({event['type']})"
        self._check("secrets", place, self._advance_views, event, opened)
        for law, check in (
            ("forms", self._check_event_forms),
            ("scores", self._add_scores),
            ("clauses", self._check_explanation),
            ("pictures", self._check_pictures),
        ):
            self._check(law, place, check, before, event, game)
        if game.state is not None and game.to_act is not None:
            self._check_position(game, place)

    def _check_position(self, game: Game, place: str) -> None:
        seat = game.to_act
        assert seat is not None
        actions = self._legal_actions(game)
        self._positions += 1
        for law, check in (
            ("play", self._check_turn_has_action),
            ("bots", self._check_bots),
            ("apply", self._check_apply),
            ("legal actions", self._check_legal_actions),
            ("short form", self._check_short_forms),
            ("choices", self._check_choices),
            ("turns", self._check_turns),
            ("secrets", self._check_secrets),
        ):
            self._check(law, f"the position after {place}", check, game, seat, actions)
        self._earlier_actions.update(
            (self._rules.action_text(action), action) for action in actions
        )

    def _check(
        self, law: str, place: str, check: Callable[..., str | None], *arguments: Any
    ) -> None:
        """Run a check; its result, or its error, says how the law is broken."""
        if law in self._report.broken:
            return
        self._report.checked[law] += 1
        try:
            fault = check(*arguments)
        except Exception as error:  # noqa: BLE001 # whatever a faulty game raises
            text = english(error.message) if isinstance(error, CartularyError) else repr(error)
            fault = f"an error: {text}"
        if fault:
            self._report.broken[law] = f"{place}: {fault}"

    # The laws of positions

    def _check_turn_has_action(self, _: Game, seat: int, actions: Sequence[Any]) -> str | None:
        return None if actions else f"seat {seat} is to act and has no action"

    def _check_bots(self, game: Game, seat: int, actions: Sequence[Any]) -> str | None:
        if self._positions % BETWEEN_BOTS != 1 or not actions:
            return None
        position = game.position(seat)
        for name in self._rules.BOTS:
            bot = bot_named(self._rules, name, playouts(_PLAYOUTS))
            chosen = bot(position, actions, seat, Chance(bytes(32)))
            if chosen not in actions:
                return f"the bot {name} chooses {chosen!r}"
        return None

    def _check_apply(self, game: Game, seat: int, actions: Sequence[Any]) -> str | None:
        rules = self._rules
        state: Any = game.state
        before = rules.position(state, ALL_SECRETS)
        for action in _sample(actions):
            event = rules.decide(state, seat, action)
            after = rules.copy(state)
            rules.apply(after, event.type, event.data)
            if rules.position(state, ALL_SECRETS) != before:
                return f"{rules.action_text(action)} has changed the state that was copied"
            then = dict(event.data).get("then")
            if isinstance(then, dict):
                expected = {
                    name: then[name] for name in ("round", "turn", "to_act") if name in then
                }
                actual = {name: getattr(after, name) for name in expected}
                if actual != expected:
                    return f"after {rules.action_text(action)}: {actual}, not {expected}"
            again = rules.copy(state)
            rules.apply(again, event.type, event.data)
            if rules.position(again, ALL_SECRETS) != rules.position(after, ALL_SECRETS):
                return f"{rules.action_text(action)} leads to two positions"
        return None

    def _check_legal_actions(self, game: Game, seat: int, actions: Sequence[Any]) -> str | None:
        rules = self._rules
        state: Any = game.state
        decided = []
        for action in actions:
            try:
                decided.append(rules.decide(state, seat, action))
            except Refused as error:
                return (
                    f"{rules.action_text(action)} is listed and refused: {english(error.message)}"
                )
        outcomes: set[str] = set()
        listed = set(map(rules.action_text, actions))
        others = [action for text, action in self._earlier_actions.items() if text not in listed]
        for action in (*_sample(others), *self._attempts(game, seat, actions)):
            try:
                event = rules.decide(state, seat, action)
            except Refused:
                continue
            if event in decided or action in rules.actions_at_any_time(state, seat):
                continue
            outcomes = outcomes or {self._outcome(game, other) for other in decided}
            if self._outcome(game, event) not in outcomes:
                return f"{rules.action_text(action)} is accepted and not listed"
        for other in state.in_game():
            if other != seat and rules.legal_actions(state, other):
                return f"seat {other} has legal actions in the turn of seat {seat}"
        return None

    def _outcome(self, game: Game, event: DomainEvent) -> str:
        """Return the position after an event."""
        after = self._rules.copy(game.state)
        self._rules.apply(after, event.type, event.data)
        return repr(self._rules.position(after, ALL_SECRETS))

    def _attempts(self, game: Game, seat: int, actions: Sequence[Any]) -> Iterator[Any]:
        """Yield attempts of players: every type of action on every hex, and legal ones with other hexes."""
        rules = self._rules
        hexes = [cell.at for cell in rules.scene(game.position(seat), None).cells]
        tried = []
        for type in rules.ACTIONS:
            for path, values in (((), [type]), ((action_choice(type),), map(hex_text, hexes))):
                for value in values:
                    action = rules.action_for_choice(game.state, seat, path, value)
                    if action is not None and not isinstance(action, Resign):
                        tried.append(action)
        yield from _sample(tried)
        # Others come first in each position, because there can be thousands.
        bases = [*_sample(tried), *actions]
        first = self._positions * SAMPLE % len(bases) if bases else 0
        variants = (
            raw
            for action in (*bases[first:], *bases[:first])
            for raw in _with_other_hexes(rules.action_to_json(action), hexes)
        )
        for raw in islice(variants, MOST_VARIANTS):
            try:
                yield rules.parse_action(raw)
            except Malformed:
                continue

    def _check_short_forms(self, game: Game, seat: int, actions: Sequence[Any]) -> str | None:
        rules = self._rules
        for action in (*_sample(actions), *rules.actions_at_any_time(game.state, seat)):
            raw = rules.action_to_json(action)
            if form_faults := faults(raw, rules.ACTIONS[action.type]):
                return f"the JSON of {action}: {form_faults[0]}"
            if rules.parse_action(raw) != action:
                return f"{raw} is read as {rules.parse_action(raw)}"
            text = rules.action_text(action)
            if rules.parse_action_text(text) != action:
                return f"{text!r} is read as {rules.parse_action_text(text)}"
        return None

    def _check_choices(self, game: Game, seat: int, actions: Sequence[Any]) -> str | None:
        rules = self._rules
        state: Any = game.state
        chosen = actions if len(actions) <= MOST_ACTIONS else list(_sample(actions))
        paths: dict[tuple[Choice, ...], Any] = {}
        for action in chosen:
            path: tuple[Choice, ...] = (action_choice(action.type),)
            while following := rules.choices(state, seat, action, path):
                path = (*path, following[0])
                if path[-1].question not in rules.QUESTIONS:
                    return f"there is no question {path[-1].question!r}"
                rules.choice_message(game.position(seat), path[-1], path[:-1])
            if path in paths:
                other = rules.action_text(paths[path])
                return f"the same choices lead to {rules.action_text(action)} and {other}"
            paths[path] = action
            preview = rules.preview(state, seat, action).event
            if preview.type != rules.decide(state, seat, action).type:
                return f"the preview of {rules.action_text(action)} is another event"
        for path, action in paths.items():
            if any(path[:length] in paths for length in range(1, len(path))):
                return f"the choices of {rules.action_text(action)} go on after another action"
        return None

    def _check_turns(self, game: Game, seat: int, actions: Sequence[Any]) -> str | None:
        rules = self._rules
        state: Any = game.state
        forfeit = rules.forfeit(state)
        after = rules.copy(state)
        rules.apply(after, forfeit.type, forfeit.data)
        if after.to_act is not None and after.turn <= state.turn:
            return f"the turn {state.turn} goes on after {forfeit.type}"
        for action in _sample(actions):
            event = rules.decide(state, seat, action)
            acted = rules.copy(state)
            rules.apply(acted, event.type, event.data)
            if acted.turn - state.turn not in (0, 1) or acted.round < state.round:
                return f"turn {acted.turn} of round {acted.round} follows turn {state.turn}"
            if acted.turn == state.turn and acted.to_act not in (seat, None):
                return f"seat {acted.to_act} goes on with the turn of seat {seat}"
        for other in state.in_game():
            departed = rules.copy(state)
            removal = rules.remove(state, other)
            rules.apply(departed, removal.type, removal.data)
            if other in departed.in_game():
                return f"seat {other} is in the game after {removal.type}"
        return None

    def _advance_views(self, event: Event, opened: Opened) -> None:
        """Add an event to the game as each viewer knows it, from the first secret on."""
        events = [event] if self._views else self._events
        if not self._views and any(opened.values()):
            self._views = dict.fromkeys((None, *range(events[0]["data"]["seats"])))
        for viewer in self._views:
            visible = known_secrets(opened, viewer)
            for added in events:
                self._views[viewer] = evolve(self._views[viewer], added, visible)

    def _check_secrets(self, game: Game, seat: int, actions: Sequence[Any]) -> str | None:
        for viewer, view in self._views.items():
            assert view is not None
            if game.position(viewer) != view.position(viewer):
                return f"the position differs for the viewer {viewer}"
            if viewer == seat and list(self._rules.legal_actions(view.state, seat)) != list(
                actions
            ):
                return f"the legal actions differ for seat {seat}"
        return None

    # The laws of events

    def _check_event_forms(self, _: Game | None, event: Event, game: Game) -> str | None:
        rules = self._rules
        if event["type"] not in rules.EVENTS:
            return "there is no type of its data"
        differences = faults(event["data"], rules.EVENTS[event["type"]])
        if game.state is not None:
            for viewer in (None, ALL_SECRETS, *range(game.seats)):
                differences += faults(rules.position(game.state, viewer), rules.POSITION)
            for standing in rules.standings(game.state):
                differences += faults(standing, rules.STANDING)
        return differences[0] if differences else None

    def _add_scores(self, before: Game | None, event: Event, game: Game) -> str | None:
        if before is None or before.state is None:
            if game.state is not None:
                standings = self._rules.standings(game.state)
                self._scores = {entry["seat"]: entry["score"] for entry in standings}
            return None
        changes = self._rules.score_changes(before.state, event["type"], recorded_data(event))
        for seat, _, points in changes:
            self._scores[seat] += points
        return None

    def _check_scores(self) -> str | None:
        game = self._game
        if game is None or game.ranking is None:
            return "the game has no ranking"
        ranked = {entry["seat"]: entry["score"] for entry in game.ranking}
        return None if ranked == self._scores else f"{self._scores}, and in the ranking {ranked}"

    def _check_explanation(self, before: Game | None, event: Event, game: Game) -> str | None:
        rules = self._rules
        if before is None or before.state is None or game.status == "open":
            return None
        decided = DomainEvent(event["type"], recorded_data(event))
        seat = event["by"].get("seat")
        for clause, _ in rules.explain(
            before.state, seat if isinstance(seat, int) else None, decided
        ):
            if clause not in rules.CLAUSES:
                return f"the explanation names {clause}, which is no clause"
        if before.to_act is None:
            return None
        for other in range(game.seats):
            fault = self._refusal_fault(before, other)
            if fault is not None:
                return fault
            if other in before.state.in_game():
                removal = rules.remove(before.state, other)
                reasons = rules.explain(before.state, None, removal)
                if not any(
                    clause in rules.OUT_CLAUSES and mentions(why, PlayerAt(other))
                    for clause, why in reasons
                ):
                    return (
                        f"no clause of OUT_CLAUSES explains with its seat that seat {other} leaves"
                    )
        return None

    def _check_tables(self) -> str | None:
        """Return the faults of the clauses in the tables of the game."""
        rules = self._rules
        named = {
            "EXPLAINED_BY": rules.EXPLAINED_BY.values(),
            "OUT_CLAUSES": rules.OUT_CLAUSES,
            "LESSONS": [clause for lesson in rules.LESSONS for clause in lesson.clauses],
        }
        for table, clauses in named.items():
            if unknown := [clause for clause in clauses if clause not in rules.CLAUSES]:
                return f"{table} names {unknown[0]}, which is no clause"
        return None

    def _check_rules_page(self) -> str | None:
        package = package_of(self._rules)
        if not package or not (page := files(package) / "rules.md").is_file():
            return None
        stated, clauses = set(_ANCHOR.findall(page.read_text("utf-8"))), self._rules.CLAUSES.keys()
        if unknown := sorted(stated - clauses):
            return f"{unknown[0]} is not in CLAUSES, so that the page is not that of the game"
        return f"{min(clauses - stated)} is missing" if clauses - stated else None

    def _refusal_fault(self, game: Game, seat: int) -> str | None:
        """Return the fault of refusals of actions that were possible earlier, or for another seat."""
        for action in _sample(list(self._earlier_actions.values())):
            try:
                self._rules.decide(game.state, seat, action)
            except Refused as error:
                if error.clause not in self._rules.CLAUSES:
                    return f"a refusal names {error.clause}, which is no clause"
        return None

    def _check_pictures(self, _: Game | None, event: Event, game: Game) -> str | None:
        if game.state is None:
            return None
        scene = self._rules.scene(game.position(None), event)
        if not scene.cells:
            return "there is nothing to draw"
        if not svg(scene, _ENGLISH).startswith("<svg"):
            return "it cannot be drawn"
        if not english(self._rules.event_message(event["type"], recorded_data(event))):
            return "the event has no sentence"
        return None

    def _check_record(self, record: bytes) -> str | None:
        report = audit(BytesIO(record))
        return "; ".join(english(finding.problem) for finding in report.findings) or None


def _sample(actions: Sequence[Any] | Iterator[Any]) -> Iterator[Any]:
    """Return at most SAMPLE of the actions, spread over all of them."""
    every = list(actions)
    return iter(every[:: 1 + len(every) // SAMPLE])


def _with_other_hexes(raw: Any, hexes: Sequence[Hex]) -> Iterator[Any]:
    """Yield JSON in which one of the hexes, lists of two whole numbers, is replaced by another."""
    if isinstance(raw, dict):
        for name, part in raw.items():
            yield from ({**raw, name: other} for other in _with_other_hexes(part, hexes))
    elif isinstance(raw, list) and len(raw) == 2 and all(type(part) is int for part in raw):
        yield from (list(at) for at in hexes if list(at) != raw)
    elif isinstance(raw, list):
        for place, part in enumerate(raw):
            for other in _with_other_hexes(part, hexes):
                yield [*raw[:place], other, *raw[place + 1 :]]


def possible_seats(rules: AnyRuleSystem, options: Mapping[str, Any]) -> list[int]:
    """Return the numbers of seats, up to ten, with which a game with these options can be created."""
    allowed = []
    for seats in range(1, 11):
        try:
            rules.check_options(seats, options)
        except Refused:
            continue
        allowed.append(seats)
    return allowed
