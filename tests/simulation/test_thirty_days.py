"""Thirty days of fifty games, with holidays, nights, pauses and faults."""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from io import BytesIO
from typing import Final

import pytest
from freezegun import freeze_time

from domain.event import Event
from ledger.clock import turn_clock
from ledger.commands import CLOCK
from replay.audit import audit
from replay.history.timeline import Transition, transitions
from service.notifications.delivery import Delivery
from service.settings import Settings
from tests.simulation.world import START, World
from tests.support.records import read, trusting_signer

LATEST: Final = timedelta(seconds=1)
"""How late a deadline takes effect at most."""
LATEST_AFTER_FAULT: Final = timedelta(seconds=61)
"""The same when a worker has died or Redis was away: sweeps find what was lost."""


@pytest.mark.parametrize(
    ("games", "days"),
    [(4, 3), pytest.param(50, 30, marks=pytest.mark.soak)],
    ids=["four-games-three-days", "fifty-games-thirty-days"],
)
def test_nothing_is_missed_early_or_doubled(settings: Settings, games: int, days: int) -> None:
    with freeze_time(START) as time:
        world = World(settings, time.move_to, games, days)
        world.run()
        # Everything that was planned in the last hours reaches its receiver.
        for mailbox in world._mailboxes:
            mailbox.is_down = False
        assert world.deaths or games < 50
        for game_id in world.games:
            check_game(world, game_id)
        check_all_notifications(world)
        if games == 50:
            check_everybody_left(world)


def check_game(world: World, game_id: str) -> None:
    """Check the audit of a game's record, and each deadline in it."""
    data = b"".join(world.service.games.queries.record(game_id))
    report = audit(BytesIO(data), trusted=trusting_signer(data))
    assert report.verdict != "broken", (game_id, report.first)
    for transition in transitions(read(data)):
        if transition.before is not None and transition.event["by"] == CLOCK:
            check_deadline(world, transition)
    game = world.game(game_id)
    deadline = turn_clock.deadline(game)
    assert game.to_act is None or deadline is None or deadline > world.now - LATEST


def check_deadline(world: World, transition: Transition) -> None:
    """Check that an event of the clock came at the deadline, or at once for a vacant seat."""
    event, before = transition.event, transition.before
    assert before is not None
    if event["type"] == "GameAbandoned":
        return
    at = datetime.fromisoformat(event["at"])
    deadline = turn_clock.deadline(before)
    if before.is_vacant_turn:
        deadline = datetime.fromisoformat(before.at)
    assert deadline is not None
    assert at >= deadline
    late = at - deadline
    assert late < LATEST or fault_between(world, deadline, at), (event["game"], event["seq"], late)


def fault_between(world: World, since: datetime, until: datetime) -> bool:
    """Return whether a fault explains that something was done so much later."""
    return any(
        start - LATEST <= until and since - LATEST <= end and until <= end + LATEST_AFTER_FAULT
        for start, end in world.faults
    )


def check_all_notifications(world: World) -> None:
    """Check that everybody who asked to be notified of an event is notified of it exactly once."""
    received = Counter(
        (sent.delivery.player, sent.delivery.game_id, sent.delivery.subject, key_of(sent.delivery))
        for sent in world.sent
    )
    assert {key: number for key, number in received.items() if number > 1} == {}
    missing = []
    for game_id in world.games:
        data = b"".join(world.service.games.queries.record(game_id))
        for transition in transitions(read(data)):
            for player, subject in expected_notifications(transition):
                key = (player, game_id, subject, transition.event["seq"])
                if (
                    world.wants(player, subject)
                    and key not in received
                    and not (
                        subject == "game_started"
                        and world.has_mail_of_turn(player, transition.after)
                    )
                ):
                    missing.append((*key, transition.event["at"]))
    assert missing == [], (len(missing), missing[:5])
    subjects = {sent.delivery.subject for sent in world.sent}
    assert {"game_started", "your_turn", "deadline_near", "turn_forfeited", "game_over"} <= subjects


def key_of(delivery: Delivery) -> object:
    """Return what distinguishes notifications of one subject: the event, or the deadline."""
    return delivery.data.get("deadline", delivery.seq)


def expected_notifications(transition: Transition) -> Iterator[tuple[str, str]]:
    """Yield whom an event concerns, and with which subject, as far as no delay can make it out of date."""
    event, before, after = transition.event, transition.before, transition.after
    people = [player for player in after.participants if after.bot_of(player) is None]
    match event["type"]:
        case "GameStarted":
            yield from ((player, "game_started") for player in people)
        case "RoundScored":
            yield from ((player, "round_scored") for player in people)
        case "GameFinished" | "GameAbandoned":
            yield from ((player, "game_over") for player in people)
        case "TurnForfeited" | "DeadlineExcused" if before is not None:
            seat = event["data"]["seat"]
            if seat in before.seats_of_people():
                yield before.players[seat], subject_of(event)
        case _:
            return


def subject_of(event: Event) -> str:
    """Return the subject of the notification about a missed deadline."""
    return "turn_excused" if event["type"] == "DeadlineExcused" else "turn_forfeited"


def check_everybody_left(world: World) -> None:
    """Check that the games that everybody has left have ended by themselves, in each system."""
    games = [world.game(game_id) for game_id in world.deserted_games]
    assert [game.id for game in games if not game.has_ended] == []
    systems = {(game.rules.NAME, bool(game.options.get("sorcery"))) for game in games}
    assert systems == {("barony", False), ("barony", True), ("baron", False)}
    assert "abandoned" in {game.status for game in games}
