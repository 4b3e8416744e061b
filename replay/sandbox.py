"""Sandboxes: a game continues from any of its events, outside of its log, to explore alternatives.

A sandbox begins with the game as one viewer knows it. Secrets that the viewer does not know are drawn at
random among the possible values, so a sandbox depends only on the knowledge of the viewer, the seed and the
actions: it reveals nothing. Actions are decided by the rules like those of a game, but no events are sealed
or written to a log.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from domain.chance import Chance
from domain.contract import ALL_SECRETS, DomainEvent, Opened, evolve, secret_owner
from domain.errors import Malformed, NotNow, Unreadable, not_now
from domain.event import Event, recorded_data
from domain.fold import EarlierGames, fold
from domain.fold import evolve as evolve_game
from domain.game import Game
from domain.json_types import JsonObject
from domain.messages import comma_list, message, plural_message
from replay.bots.playout import bot_named, bot_names
from replay.history.timeline import unreadable_on_error

SEED_LABEL: Final = b"cartulary sandbox v1"


@dataclass(frozen=True, slots=True)
class SandboxStep:
    """An action in a sandbox, and the events that it caused. `bot` is the name of the bot that chose it.

    There is one event, and `GameFinished` if the action ended the game.
    """

    seat: int
    action: JsonObject
    bot: str | None
    text: str
    events: tuple[DomainEvent, ...]

    def as_json(self) -> JsonObject:
        """Return the action without its events; a sandbox can be replayed from such actions."""
        return {"seat": self.seat, "action": self.action, "bot": self.bot, "text": self.text}


def known_secrets(opened: Opened, viewer: int | None) -> dict[int, dict[str, object]]:
    """Return the opened secrets, of these, that the seat `viewer` may see during the game."""
    return {
        seq: {
            name: value
            for name, value in values.items()
            if viewer is not None and secret_owner(name) == viewer
        }
        for seq, values in opened.items()
    }


def game_with_drawn_secrets(
    events: Sequence[Event], opened: Opened, seed: bytes, before: Game | None = None
) -> Game:
    """Return the game after these events, with a value for every secret.

    `before` is the game before the first of them, in which nothing is secret; None if these are all events.
    Values that `opened` does not have are drawn from `seed` among those that are consistent with the log.
    Raises Unreadable.
    """
    committed = {event["seq"]: event.get("secrets", {}).keys() for event in events}
    is_complete = all(names <= opened.get(seq, {}).keys() for seq, names in committed.items())
    secrets = opened if is_complete else _drawn_secrets(events, opened, seed, before)
    with unreadable_on_error(events[-1]["seq"]):
        game = fold(events, before, secrets)
    assert game is not None, "there is at least one event"
    return game


def _drawn_secrets(
    events: Sequence[Event], opened: Opened, seed: bytes, before: Game | None
) -> Opened:
    """Return values for all secrets of these events: the opened values, and others drawn at random."""
    games = _fold_each(events, opened, before)
    start = next((game for game, event in games if event["type"] == "GameStarted"), None)
    if start is None:
        return opened

    def played() -> Iterator[tuple[int, Any, DomainEvent]]:
        before = start.state
        for after, event in games:
            domain_event = DomainEvent(event["type"], recorded_data(event))
            yield event["seq"], before, domain_event
            before = after.state

    data = events[start.seq - events[0]["seq"]]["data"]
    with unreadable_on_error(start.seq):
        inference = start.rules.infer_secrets(
            start.seats,
            start.options,
            (start.seq, data),
            played(),
            opened,
            _chance(seed, "secrets"),
        )
    return {**opened, **inference.secrets}


def _fold_each(
    events: Sequence[Event], opened: Opened, game: Game | None
) -> Iterator[tuple[Game, Event]]:
    """Yield the game after each event that follows `game`, until one cannot be applied."""
    earlier = EarlierGames(events)
    with suppress(Unreadable):
        for event in events:
            with unreadable_on_error(event["seq"]):
                game = evolve_game(game, event, opened, earlier)
            earlier.keep(game)
            yield game, event


class Sandbox:
    """A game that continues from one of its events, step by step, without a log."""

    def __init__(self, game: Game, seed: bytes) -> None:
        """Begin with a game in which every secret has a value. The choices of bots are derived from `seed`.

        Raises NotNow if the game has not started.
        """
        if game.state is None:
            raise not_now("at event {seq}, the game had not started", seq=game.seq)
        self.game = game
        self.rules = game.rules
        self.steps: list[SandboxStep] = []
        self._seed = seed
        self.state: Any = game.state
        """The rule system's state after the last step; it must not be changed."""

    def copy(self) -> "Sandbox":
        """Return a copy that can be continued without changing this sandbox."""
        duplicate = Sandbox(self.game, self._seed)
        duplicate.steps = [*self.steps]
        duplicate.state = self.state
        return duplicate

    @property
    def to_act(self) -> int | None:
        """The seat whose turn it is; None when play is over."""
        seat: int | None = self.state.to_act
        return seat

    def position(self) -> JsonObject:
        """Return the position, with every secret as it is in this sandbox."""
        position: JsonObject = self.rules.position(self.state, ALL_SECRETS)
        return position

    def legal_actions(self) -> list[JsonObject]:
        """Return the legal actions of the seat whose turn it is, as JSON."""
        seat = self.to_act
        if seat is None:
            return []
        actions = self.rules.legal_actions(self.state, seat)
        return [dict(self.rules.action_to_json(action)) for action in actions]

    def act(self, raw_action: object, seat: int | None = None) -> SandboxStep:
        """Let a seat act, by default the one whose turn it is.

        Raises Malformed, Refused with the clause, and NotNow when play is over.
        """
        action = self.rules.parse_action(raw_action)
        actor = self.to_act if seat is None else seat
        if actor is None:
            raise not_now("the game of this sandbox is over")
        if not 0 <= actor < self.game.seats:
            raise Malformed(
                {"seat": message("must be {first} to {last}", first=0, last=self.game.seats - 1)}
            )
        return self._take(actor, action)

    def replay(self, steps: Sequence[Mapping[str, Any]]) -> None:
        """Take the steps that `SandboxStep.as_json` returned. Raises the errors of `act`."""
        for step in steps:
            self._take(step["seat"], self.rules.parse_action(step["action"]), step["bot"])

    def let_bots_act(
        self, seats: Collection[int], bot: str, *, turns: int, max_actions: int
    ) -> list[SandboxStep]:
        """Let a bot act for these seats, and return the steps that it took.

        Ends before the turn of another seat, when play is over, after `turns` whole turns, or after
        `max_actions` actions. Raises Malformed if there is no such bot or seat.
        """
        check_bots(self.game, seats, bot)
        choose = bot_named(self.rules, bot)
        steps: list[SandboxStep] = []
        first_turn = self.state.turn
        while self.to_act in seats and len(steps) < max_actions:
            if self.state.turn - first_turn >= turns:
                break
            seat = self.to_act
            assert seat is not None, "it is one of the seats"
            legal = self.rules.legal_actions(self.state, seat)
            chance = _chance(self._seed, f"bot {len(self.steps)}")
            position = self.rules.position(self.state, seat)
            steps.append(self._take(seat, choose(position, legal, seat, chance), bot))
        return steps

    def undo(self, count: int = 1) -> None:
        """Undo some steps. Raises NotNow if there are fewer."""
        if count > len(self.steps):
            raise NotNow(
                None,
                plural_message(
                    "the sandbox has only {count} action to take back",
                    "the sandbox has only {count} actions to take back",
                    count=len(self.steps),
                ),
            )
        del self.steps[len(self.steps) - count :]
        events = [event for step in self.steps for event in step.events]
        self.state = evolve(self.rules, self.game.state, events)

    def _take(self, seat: int, action: Any, bot: str | None = None) -> SandboxStep:
        events = [self.rules.decide(self.state, seat, action)]
        after = evolve(self.rules, self.state, events)
        if after.phase == "scoring":
            events.append(self.rules.finish(after))
            after = evolve(self.rules, after, events[-1:])
        step = SandboxStep(
            seat,
            dict(self.rules.action_to_json(action)),
            bot,
            self.rules.action_text(action),
            tuple(events),
        )
        self.steps.append(step)
        self.state = after
        return step


def check_bots(
    game: Game, seats: Collection[int], bot: str, names: Sequence[str] | None = None
) -> None:
    """Raise Malformed if the bot is not one of `names`, or if there is no such seat in the game.

    By default, `names` are the names of all bots for the game.
    """
    errors = {}
    if names is None:
        names = bot_names(game.rules)
    if not seats or any(not 0 <= seat < game.seats for seat in seats):
        errors["seats"] = message("must be among {first} to {last}", first=0, last=game.seats - 1)
    if bot not in names:
        errors["bot"] = message("must be one of: {names}", names=comma_list(names))
    if errors:
        raise Malformed(errors)


def _chance(seed: bytes, purpose: str) -> Chance:
    return Chance(sha256(SEED_LABEL + seed + purpose.encode()).digest())
