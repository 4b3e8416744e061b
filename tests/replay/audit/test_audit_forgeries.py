"""Audits of running games that a program forged: what can be refuted is reported, and nothing else is.

The honest server of tests/support/honest_server.py decides which forgeries can be refuted. The others are
explained in `UNDETECTABLE` by the reasons that docs/verifying.md has.
"""

import random
from collections.abc import Collection, Iterator
from typing import Final, NamedTuple

import pytest

from tests.games.records import record_of
from tests.support import forged_events, forged_fields, forged_set_ups
from tests.support.forger import Forgery, forge
from tests.support.honest_server import refutation
from tests.support.records import audit_record
from tests.support.running_games import RunningGame
from tests.support.variants import nightly_except

KINDS: Final = {**forged_fields.KINDS, **forged_events.KINDS, **forged_set_ups.KINDS}


class Cut(NamedTuple):
    """A recorded game that is cut off after so many events, and the secrets that its record opens."""

    name: str
    length: int
    shown: Collection[str] = ()

    def game(self) -> RunningGame:
        """The game as it was then."""
        return RunningGame.cut(self.name, record_of(self.name), self.length, self.shown)


CUTS: Final = (
    Cut("clock-runs-out", 33),
    Cut("agreement", 36),
    Cut("sorcery-round-limit", 45),
    Cut("sorcery-sweeps", 40),
    Cut("baron-last-turns-run-out", 40),
    Cut("baron-battles", 60, ["reserve/1"]),
    Cut("baron-five", 45),
    Cut("baron-nothing-can-be-laid", 21),
)
LATE_CUTS: Final = (
    Cut("duke-of-three", 120),
    Cut("blocked-by-departure", 33),
    Cut("sorcery-construction", 110),
    Cut("sorcery-resignation", 65),
    Cut("baron-last-turns-run-out", 240),
    Cut("baron-five", 180, ["reserve/4"]),
    Cut("baron-ties", 215),
    Cut("baron-one-left", 66, ["reserve/0"]),
)
"""More games for the long test, most of them near their ends."""

CHANCE: Final = "chance could have given this as well"
PLAYER: Final = "a player could have done this as well"
SERVER: Final = "the server decides when this happens"
ARBITER: Final = "an arbiter may do this at any time"
IRRELEVANT: Final = "this has made no difference to the game so far"
EARLIER: Final = "the game was like this at an earlier time"

UNDETECTABLE: Final = {
    "action and data changed": {PLAYER},
    "action changed": {PLAYER},
    "action of another moment": {PLAYER},
    "board changed": {CHANCE},
    "commitment changed": {CHANCE},
    "creation changed": {IRRELEVANT},
    "data changed": {CHANCE, IRRELEVANT},
    "data of play changed": {CHANCE},
    "end cut off": {EARLIER},
    "event doubled": {SERVER},
    "event dropped": {PLAYER, SERVER, EARLIER},
    "event moved": {PLAYER, SERVER},
    "forfeit after its time": {SERVER},
    "game abandoned": {ARBITER},
    "game deserted": {SERVER},
    "joining changed": {IRRELEVANT},
    "later times changed": {SERVER},
    "market changed": {CHANCE},
    "neighbours exchanged": {PLAYER, SERVER},
    "other action": {PLAYER},
    "other secret": {CHANCE},
    "players changed": {CHANCE},
    "removal put in": {ARBITER},
    "resignation put in": {PLAYER},
    "round scored": {SERVER},
    "spells changed": {CHANCE},
    "time changed": {SERVER},
}
"""By kind, why nobody can refute some such forgeries before the secret of the game is published.

Every forgery of another kind is reported.
"""


def forgeries(game: RunningGame, samples: int) -> Iterator[Forgery]:
    """So many attempts at every kind of forgery."""
    for kind, change in KINDS.items():
        for sample in range(samples):
            chance = random.Random(f"{game.name} {len(game.events)} {kind} {sample}")
            forgery = forge(game, kind, change, chance, mends=chance.random() < 0.5)
            if forgery is not None:
                yield forgery


def check_audits(game: RunningGame, samples: int) -> None:
    """Compare what audits report with what the honest server refutes, for forgeries of this game."""
    assert audit_record(game.record()).verdict != "broken"
    assert refutation(game.record()) is None
    refuted = 0
    for forgery in forgeries(game, samples):
        reason = refutation(forgery.data)
        report = audit_record(forgery.data)
        assert (report.verdict == "broken") == (reason is not None), (
            forgery.kind,
            reason,
            report.first,
        )
        if reason is None:
            assert forgery.kind in UNDETECTABLE
        refuted += reason is not None
    assert refuted > len(KINDS) * samples // 2


@pytest.mark.parametrize("cut", nightly_except(CUTS[::3], CUTS), ids=lambda cut: cut.name)
def test_a_forgery_of_a_running_game_is_reported_if_it_can_be_refuted(cut: Cut) -> None:
    check_audits(cut.game(), samples=1)


@pytest.mark.soak
@pytest.mark.parametrize("cut", CUTS + LATE_CUTS, ids=lambda cut: f"{cut.name}-{cut.length}")
def test_thousands_of_forgeries_are_reported_if_they_can_be_refuted(cut: Cut) -> None:
    check_audits(cut.game(), samples=30)
