"""The contract that a rule system fulfils, and the words it shares with everything above it.

A rule system is a package of `domain` whose module-level names are those of `RuleSystem`; `domain.registry`
lists them. Nothing outside a package asks which game it is: whoever needs to know something of a game
asks through this contract.

Deciding and applying are separate. `decide`, `forfeit`, `remove` and `finish` return a `DomainEvent`,
which says what was done and all that came of it. `apply` writes a recorded fact into a state and never
judges, so that a rule mended tomorrow changes no game of yesterday.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Protocol, TypeAlias

from domain.chance import Chance
from domain.scene import Scene

Json: TypeAlias = dict[str, Any]
"""A JSON object, decoded."""

ALL_SECRETS: Final = -1
"""The viewer of a game that has ended: who sees every secret that a position could show."""


@dataclass(frozen=True, slots=True)
class DomainEvent:
    """An event as the domain knows it: `type` (a past participle), `data` and, by name, values that
    only some may see; of those only commitments reach the log.

    A secret's name says whose it is (`secret_owner`). Only a set-up has secrets: `initial_state` gets those
    that are known, `apply` none.
    """

    type: str
    data: Json
    secrets: Mapping[str, Any] = field(default_factory=dict, repr=False)


def secret_owner(name: str) -> int | None:
    """Who may see the secret of this name while the game is on: of `…/SEAT` that seat, else nobody."""
    seat = name.rpartition("/")[2] if "/" in name else ""
    return int(seat) if seat.isdecimal() else None


@dataclass(frozen=True, slots=True)
class Resign:
    """Leave the game for good; any game, at any time (BY-END-6, BN-END-4)."""

    type: ClassVar[str] = "resign"


class Action(Protocol):
    """What a player sends, parsed."""

    @property
    def type(self) -> str:
        """The word that names it in JSON."""


class State(Protocol):
    """What every rule system's state says of the course of its game.

    `turn` counts the turns begun, from 1, placements of the set-up included: a clock runs for as long
    as it stays the same. `round` is 0 in set-up. `to_act` is None in the phases `scoring` and `finished`.
    """

    phase: str
    round: int
    turn: int
    to_act: int | None


class Bot(Protocol):
    """Chooses among the legal actions as a person would: from what its seat may see."""

    def __call__(self, position: Json, actions: Sequence[Json], seat: int, chance: Chance) -> Json:
        """The action chosen, one of `actions` (never empty); all chance comes from `chance`."""


class RuleSystem(Protocol):
    """One rule system. States are its own; only this package's functions may look inside them."""

    NAME: str
    """As in `"rules"`: `barony`."""

    CLAUSES: Mapping[str, str]
    """Every clause it can name or explain: id → one short sentence."""

    BOTS: Mapping[str, Bot]
    """Bots that know the game: `sensible` at least."""

    def check_options(self, seats: int, options: Mapping[str, Any]) -> Json:
        """The game's own options, whole, with the defaults filled in (`seating` and `private` are not
        its business). Raises Malformed, every wrong field named (`seats`, `options.NAME`).
        """

    def set_up(self, seats: int, options: Json, chance: Chance) -> DomainEvent:
        """Draw the set-up: the fact `GameStarted` without `players`."""

    def initial_state(
        self, seats: int, options: Json, data: Json, opened: Mapping[str, Any]
    ) -> Any:
        """The state that a recorded `GameStarted` begins; `opened` has the secret values by name, as far
        as they are known.
        """

    def parse_action(self, raw: object) -> Any:
        """The action that decoded JSON stands for. Raises Malformed."""

    def action_to_json(self, action: Any) -> Json:
        """The action as JSON, without empty optional fields; `parse_action(action_to_json(a)) == a`."""

    def decide(self, state: Any, seat: int, action: Any) -> DomainEvent:
        """Judge an action of a seat. Raises Refused with the clause, NotNow when play is over."""

    def forfeit(self, state: Any) -> DomainEvent:
        """What it means that `to_act` let its deadline pass: `TurnForfeited`, or `PlayerRemoved`."""

    def remove(self, state: Any, seat: int) -> DomainEvent:
        """`PlayerRemoved`: as if the seat had resigned. Raises Refused when it is out already."""

    def finish(self, state: Any) -> DomainEvent:
        """`GameFinished` with the ranking, from a state in the phase `scoring`."""

    def copy(self, state: Any) -> Any:
        """A state that may be changed without changing this one."""

    def apply(self, state: Any, type: str, data: Json) -> None:
        """Write a recorded fact into a state that the caller owns. Never refuses, never decides."""

    def legal_actions(self, state: Any, seat: int) -> Sequence[Any]:
        """Every outcome that an action of the seat could have, by at least one action that `decide`
        accepts; [] when it is not the seat's turn. `resign` and `agree_to_end` are not listed.
        """

    def position(self, state: Any, viewer: int | None) -> Json:
        """The whole state as docs/formats.md has it, as the seat `viewer` may see it.

        None is a spectator while the game is on, ALL_SECRETS who looks at one that has ended. This is the
        only door by which a position leaves the domain, so here it is redacted: it says the same of a state
        in which nothing is known but the secrets of `viewer`. Who looks is `Game.position`'s to say.
        """

    def standings(self, state: Any) -> list[Json]:
        """The entries of `RoundScored.standings` in order of seats, from the state at a round's end."""

    def action_text(self, action: Any) -> str:
        """The action in the short form that people type and read: `move 0,0>1,0 take plain`."""

    def parse_action_text(self, text: str) -> Any:
        """The other way. Raises Malformed."""

    def event_text(self, type: str, data: Json) -> str:
        """What a recorded fact says, in one readable line of English, without the seat's name in front."""

    def explain(self, state: Any, seat: int | None, fact: DomainEvent) -> list[tuple[str, str]]:
        """The clauses that let this fact come of this state: (id, a sentence about this board) each."""

    def scene(self, position: Json, event: Json | None) -> Scene:
        """What there is to draw of a position; what `event`, the last one, has changed is marked."""


def evolve(rules: RuleSystem, state: Any, facts: Iterable[DomainEvent]) -> Any:
    """The state after the facts; the one given stays as it was."""
    after = rules.copy(state)
    for fact in facts:
        rules.apply(after, fact.type, fact.data)
    return after
