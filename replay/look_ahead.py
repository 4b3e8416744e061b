"""Looks ahead from a position: follows a tree of conditional actions, with the knowledge of one seat.

The game must not contain more knowledge than that seat has: other secrets are drawn at random
(`replay.sandbox.game_with_drawn_secrets`). Refusals therefore do not depend on hidden data, and reveal
nothing.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from domain.conditional import Node, Tree
from domain.contract import DomainEvent, evolve, secret_owner
from domain.errors import Malformed, Refused
from domain.event import EventData
from domain.game import Game
from domain.json_types import JsonObject
from domain.messages import Text, comma_list, message

_NOT_BY_CHANCE: Final = message("is not a part of the outcome that chance decides here")


@dataclass(frozen=True, slots=True)
class Outlook:
    """A possible continuation of a game, for one of its seats.

    `state` is the rule system's state; None if it cannot be known, because it depends on a secret.
    `is_certain` is False if chance or a secret may have changed it: actions that the rules then refuse may
    still be legal. `hides_secrets` states whether other seats have secrets, on which their possible actions
    can depend. `last` is the event that led here.
    """

    game: Game
    seat: int
    state: Any
    hides_secrets: bool
    is_certain: bool = True
    last: tuple[int, DomainEvent] | None = None

    @property
    def to_act(self) -> int | None:
        """The seat whose turn it is; None if that cannot be known, or play is over."""
        return None if self.state is None else self.state.to_act

    def unknown(self) -> "Outlook":
        """Return the outlook in which nothing is known."""
        return Outlook(self.game, self.seat, None, self.hides_secrets, is_certain=False)

    def preview(self, seat: int, action: JsonObject) -> "Outlook":
        """Return the outlook after an action of a seat. Raises Refused."""
        return self.after(Node(seat, action, {}))

    def after(self, node: Node) -> "Outlook":
        """Return the outlook after the action of a node.

        Raises Refused with the clause if the rules certainly refuse its action, and Malformed for an outcome
        that it certainly cannot have.
        """
        rules, state = self.game.rules, self.state
        if state is None:
            return self.unknown()
        try:
            preview = rules.preview(state, node.seat, rules.parse_action(node.action))
        except Refused:
            if self.is_certain and (node.seat == self.seat or not self.hides_secrets):
                raise
            return self.unknown()
        if self.is_certain:
            _check_outcome(node, preview.outcomes)
        event = preview.event
        if node.outcome:
            data: EventData = {**event.data, **node.outcome}  # type: ignore[typeddict-item] # fields that any event may have
            event = DomainEvent(event.type, data, event.secrets)
        is_known = preview.outcomes.keys() <= node.outcome.keys()
        return Outlook(
            self.game,
            self.seat,
            evolve(rules, state, [event]),
            self.hides_secrets,
            is_certain=self.is_certain and is_known,
            last=(node.seat, event),
        )


def outlook(game: Game, seat: int, secrets: Iterable[str]) -> Outlook:
    """Return the outlook of a seat from the head of a game with secrets of these names."""
    hides_secrets = any(secret_owner(name) not in (None, seat) for name in secrets)
    return Outlook(game, seat, game.state, hides_secrets)


def check_tree(start: Outlook, tree: Tree) -> None:
    """Raise Refused for the first action that the rules certainly refuse, with its path in the sentence.

    Raises Malformed, by path, for an outcome that an action certainly cannot have.
    """
    pending = [(start, tree, "")]
    while pending:
        before, side_by_side, path = pending.pop()
        for index, node in enumerate(side_by_side):
            at = f"{path}{index}"
            try:
                after = before.after(node)
            except Malformed as error:
                raise Malformed(
                    {f"{at}.{name}": fault for name, fault in error.fields.items()}
                ) from None
            except Refused as error:
                raise Refused(
                    error.clause,
                    message(
                        "the action at {path} is not possible then: {reason}",
                        path=at,
                        reason=error.why,
                    ),
                ) from None
            if node.then:
                pending.append((after, node.then, f"{at}.then."))


def _check_outcome(node: Node, outcomes: Any) -> None:
    """Raise Malformed if chance cannot give the action this outcome."""
    faults: dict[str, Text] = {}
    for name, value in node.outcome.items():
        if name not in outcomes:
            faults[f"outcome.{name}"] = _NOT_BY_CHANCE
        elif value not in outcomes[name]:
            faults[f"outcome.{name}"] = message(
                "must be one of {words}", words=comma_list(outcomes[name])
            )
    if faults:
        raise Malformed(faults)
