"""Corrections of rules: what the rules decided in earlier versions of this program.

A recorded game stands as it was played, even if a rule that it used is corrected later. An audit decides
every event again by today's rules. Where these say otherwise, it decides the event by the rules before each
correction too. So it can distinguish an event that was right when it was played from one that never was.

When a rule is corrected after a release, a `Correction` is added here. Its `former` is the rule system with
the uncorrected function. The recorded games stay as they are.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from domain.contract import AnyRuleSystem
from domain.json_types import Timestamp
from domain.messages import Message, message


@dataclass(frozen=True, slots=True)
class Correction:
    """A correction of some clauses of a game.

    `corrected` is the rule system with the correction, and `former` the same one as it decided just before.
    `engine` is the first version of this program with the correction, which was released at `released`.
    """

    corrected: AnyRuleSystem
    former: AnyRuleSystem
    clauses: tuple[str, ...]
    engine: str
    released: Timestamp


@dataclass(frozen=True, slots=True)
class LifeCycleCorrection:
    """A correction of what surrounds play, which is the same in every game.

    `subject` is what was corrected, as a noun phrase; `engine` and `released` are those of a `Correction`.
    """

    subject: Message
    engine: str
    released: Timestamp


_RELEASED: Final = "2026-11-22T22:30:00.000Z"
"""When version 0.1.0 got these corrections."""

MISSED_DEADLINES: Final = LifeCycleCorrection(
    message("the count of missed deadlines after play has resumed"), "0.1.0", _RELEASED
)
"""When play resumed, the position restored counts of missed deadlines that an action had reset since, even
those of a player whose seat a substitute had taken. Now they stay reset.
"""

TAKEBACKS: Final = LifeCycleCorrection(
    message("the number of requests for the takeback of one action"), "0.1.0", _RELEASED
)
"""A takeback could be requested again when play had come back to the action. Now a player requests it once
for each action."""

RULINGS_SINCE: Final[Timestamp] = _RELEASED
"""Since then, the log says from which ruling, or from which decision of an administrator, a removal of a seat
or an end of a game by an arbiter follows."""

CORRECTIONS: Final[tuple[Correction, ...]] = ()
"""All corrections since the first release, the oldest first."""


def corrections_of(rules: AnyRuleSystem) -> Iterator[Correction]:
    """Yield the corrections of a rule system as it is today, the newest first."""
    return (correction for correction in reversed(CORRECTIONS) if correction.corrected is rules)
