"""What followed from an event, and the sources of the chance of a game, in explanations."""

from pathlib import Path

import pytest

from domain.chance import seed
from replay.history.inspect import explain_event, record_context
from replay.history.inspect_page import explanation_page
from replay.history.timeline import transition_at
from tests.support.explanations import PLAIN, explain, log_of, page, renderer_of
from tests.support.local_game import LocalGame
from tests.support.records import SECRET, Table, read

GAMES = Path(__file__).parents[2] / "games"


def test_the_consequences_are_the_next_turn_and_the_round_that_was_scored(eventful: Table) -> None:
    record = read(eventful.record())
    scored = next(e for e in record.events if e["type"] == "RoundScored")
    ended = explain(record, scored["seq"])["consequences"]["round_ended_by"]
    consequences = explain(record, ended)["consequences"]
    assert consequences["rounds"] == [{"round": 1, "scored_by": scored["seq"]}]
    assert consequences["to_act"] == eventful.sealed[ended - 1].game.to_act
    at = record.events[ended - 1]["at"]
    assert consequences["deadline"] > at
    text = page(record, ended)
    assert f"round 1 ended, scored by event {scored['seq']}" in text
    assert "turn of seat " in text
    last = next(e for e in record.events if explain(record, e["seq"])["consequences"]["ends_play"])
    finished = explain(record, last["seq"])["consequences"]["finished_by"]
    assert record.events[finished - 1]["type"] == "GameFinished"
    assert f"play is over, finished by event {finished}" in page(record, last["seq"])


def test_a_round_that_is_not_scored_yet_is_shown_as_such() -> None:
    table = Table(seats=2).start()
    table.take(1)
    table.take(1)
    record = read(table.record())
    assert explain(record, table.game.seq)["consequences"]["rounds"] == [
        {"round": 1, "scored_by": None}
    ]
    assert "round 1 ended, not scored yet" in page(record, table.game.seq)


def test_the_start_shows_the_sources_of_the_seed(eventful: Table) -> None:
    record = read(eventful.record())
    start = explain(record, 8)["start"]
    places = eventful.game.places
    taken = [event["data"] for event in record.events if event["type"] == "SeatTaken"]
    assert len(taken) > len(places), "a player who left again has contributed too"
    nonces = [bytes.fromhex(data["nonce"]) for data in taken]
    assert start["commitment"] == eventful.game.commitment
    assert start["secret"] == SECRET.hex()
    assert start["seed"] == seed(SECRET, nonces).hex()
    assert [entry["player"] for entry in start["nonces"]] == [data["player"] for data in taken]
    assert {entry["nonce_from"] for entry in start["nonces"]} == {"player"}
    text = page(record, 8)
    assert f"seed {start['seed']}" in text
    nonce = f"nonce of {places[0].player}: {places[0].nonce}, supplied by the player"
    assert nonce in text
    running = read(eventful.until(9).record())
    assert (explain(running, 8)["start"]["secret"], explain(running, 8)["start"]["seed"]) == (
        None,
        None,
    )
    assert "is not published before the end of the game" in page(running, 8)


def test_events_that_are_superseded_are_shown_as_such() -> None:
    table = Table(clock={"per_turn": 60}).start()
    origin = table.game.seq
    table.take(1)
    table.take(1)
    left = table.game.seq
    table.score()
    resumed = table.resume(origin)["seq"]
    table.take(2)
    record = read(table.record())
    for seq in range(1, len(record.events) + 1):
        is_superseded = origin < seq < resumed
        superseded_by = explain(record, seq)["consequences"]["superseded_by"]
        assert superseded_by == (resumed if is_superseded else None)
        line = log_of(record)[seq - 1]
        assert (f"superseded by event {resumed}" in line) == is_superseded
    assert f"superseded: with event {resumed}, play resumed from an earlier" in page(record, left)
    assert explain(record, left)["consequences"]["rounds"] == [{"round": 1, "scored_by": left + 1}]
    # The turn that begins again has a new deadline.
    began_again = explain(record, resumed)["consequences"]
    assert began_again["to_act"] == 0
    assert began_again["deadline"] > explain(record, origin)["consequences"]["deadline"]


def test_a_round_that_ended_before_the_event_from_which_play_resumed_stays_scored() -> None:
    table = Table().start()
    table.take(1)
    table.take(1)
    origin = table.game.seq
    table.score()
    scored = table.game.seq
    table.take(1)
    resumed = table.resume(origin)["seq"]
    record = read(table.record())
    assert explain(record, scored)["consequences"]["superseded_by"] is None
    assert explain(record, scored + 1)["consequences"]["superseded_by"] == resumed
    assert explain(record, origin)["consequences"]["rounds"] == [{"round": 1, "scored_by": scored}]
    lines = log_of(record)
    assert "superseded" not in lines[scored - 1]
    assert f"superseded by event {resumed}" in lines[scored]


def test_a_dispute_shows_its_statement_and_the_deadline_that_it_moves() -> None:
    game = LocalGame(2, per_turn=3600)
    before = game.pending.game.seq
    game.dispute(0)
    record = read(game.record())
    opened = explain(record, before + 1)
    assert opened["event"]["type"] == "DisputeOpened"
    assert opened["time"]["remaining_ms"] is None
    assert (opened["seen_position"], opened["legal_actions"]) == (None, None)
    assert opened["consequences"]["deadline"] > opened["time"]["deadline"]
    assert [*opened["opened"]] == ["statement"]
    assert "opened    statement: " in page(record, before + 1)


def test_deliveries_are_shown_with_their_recipients_and_times(eventful: Table) -> None:
    record = read(eventful.record())
    at = "2026-11-20T09:15:12.345Z"
    shown = "Fri, Nov 20, 2026, 9:15:12.345\u202fAM (UTC)"
    sent = {
        "delivery": "d1",
        "channel": "operator_webhook",
        "seq": 10,
        "subject": "your_turn",
        "about": "your turn",
        "players": [eventful.game.players[2]],
        "status": "sent",
        "attempts": 2,
        "tried_at": at,
        "sent_at": at,
    }
    failed = {**sent, "status": "given_up", "sent_at": None, "attempts": 6}
    waiting = {**failed, "status": "retrying", "players": []}
    del waiting["about"]  # as earlier versions return it
    others = [{**failed, "status": status} for status in ("pending", "bounced", "cancelled")]
    deliveries = [sent, failed, waiting, *others]
    transition = transition_at(record, 10)
    context = record_context(record, transition.event, deliveries, is_signed_as_it_is=True)
    explanation = explain_event(transition, renderer_of(record), context)
    assert explanation["deliveries"] == deliveries
    text = explanation_page(explanation, transition.after.rules, renderer_of(record), PLAIN, 200)
    name = eventful.game.players[2]
    to_player = f"  notification “your turn” to {name}, by operator_webhook: "
    assert f"{to_player}sent {shown} at attempt 2\n" in text
    assert f"{to_player}given up after 6 attempts\n" in text
    assert f"to nobody, by operator_webhook: not sent yet, last tried {shown}" in text
    assert f"{to_player}not sent yet\n" in text
    assert f"{to_player}refused by the receiver\n" in text
    assert f"{to_player}not sent, because it was out of date or had no receiver\n" in text
    nothing = explain_event(
        transition,
        renderer_of(record),
        record_context(record, transition.event, [], is_signed_as_it_is=True),
    )
    assert "no notification is stored" in explanation_page(
        nothing, transition.after.rules, renderer_of(record), PLAIN, 80
    )
    assert explain(record, 10)["deliveries"] is None
    assert "notification" not in page(record, 10)


@pytest.mark.parametrize(
    "name", ["disputes", "sorcery-disputes", "baron-disputes", "signed-actions"]
)
def test_every_event_of_a_game_with_disputes_or_signatures_is_explained(name: str) -> None:
    record = read((GAMES / f"{name}.jsonl").read_bytes())
    for event in record.events:
        explanation = explain(record, event["seq"])
        acted = event["action"] is not None
        assert (
            (explanation["seen_position"] is not None)
            == (explanation["legal_actions"] is not None)
            == acted
        )
        if acted:
            means = "signature" if "signature" in event else "token"
            assert explanation["actor"]["means"] == means
            assert explanation["legal_actions"]["count"] or event["type"] == "PlayerResigned"
        text = page(record, event["seq"], has_board=False)
        assert all(len(line) <= 80 for line in text.splitlines() if "statement" not in line)
    assert len(log_of(record)) == len(record.events)


def test_the_start_says_for_whom_the_creator_supplied_a_nonce_and_who_supplied_none() -> None:
    table = Table(seats=3, nonce=b"")
    table.add_bot("robot", b"\x01")
    table.add_bot("another")
    record = read(table.record())
    assert [entry.get("bot") for entry in explain(record, 5)["start"]["nonces"]] == [
        None,
        "random",
        "random",
    ]
    text = page(record, 5)
    assert "nonce of robot: 01, supplied by the creator of the game" in text
    for player in ("player-0", "another"):
        assert f"{player} supplied no nonce" in text
