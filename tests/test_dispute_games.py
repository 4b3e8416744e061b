"""The recorded games with disputes and takebacks, played over HTTP (tests/games/dispute_scripts.py).

tests/test_games.py checks that they can be folded and decided again, and that they pass an audit.
"""

import re
from collections.abc import Iterable
from hashlib import sha256

import pytest

from domain import chance
from domain.baron.components import TILES
from domain.baron.state import State as BaronState
from domain.event import Event
from domain.game import Game
from ledger.canonical import unhex
from replay.history.branches import branches
from replay.history.timeline import head, transition_at
from tests.games.records import course_of, record_of
from tests.support.explanations import log_of

WITH_ALL_RULINGS = ("disputes", "sorcery-disputes", "baron-disputes")
GAMES = (*WITH_ALL_RULINGS, "baron-rulings-by-agreement")


def events_of_type(name: str, type: str) -> list[Event]:
    return [event for event in record_of(name).events if event["type"] == type]


def rulings_of(name: str) -> list[str]:
    """Return the types of the rulings in a game, in order."""
    return [event["data"]["ruling"]["type"] for event in events_of_type(name, "DisputeRuled")]


@pytest.mark.parametrize("name", WITH_ALL_RULINGS)
def test_each_ruling_and_a_takeback_are_in_a_game_of_every_rule_system(name: str) -> None:
    assert rulings_of(name) == ["dismiss", "resume", "remove_seat", "result_stands"]
    assert [event["by"] for event in events_of_type(name, "PlayResumed")] == [
        {"system": "takeback"},
        {"system": "arbiter"},
    ]
    (removed,) = events_of_type(name, "PlayerRemoved")
    assert removed["by"] == {"system": "arbiter"}


def test_players_without_an_arbiter_have_agreed_on_rulings() -> None:
    name = "baron-rulings-by-agreement"
    assert rulings_of(name) == ["resume", "abandon"]
    for event in events_of_type(name, "DisputeRuled"):
        assert (event["data"]["arbiter"], event["data"]["agreed_by"]) == (None, [0, 1])
    assert len(events_of_type(name, "DisputeWithdrawn")) == 1
    assert [event["data"]["agree"] for event in events_of_type(name, "TakebackAnswered")] == [False]


@pytest.mark.parametrize("name", GAMES)
def test_a_game_is_replayed_on_all_of_its_branches(name: str) -> None:
    record, course = record_of(name), course_of(name)
    all_branches = branches(record)
    assert len(all_branches) == 1 + len(events_of_type(name, "PlayResumed"))
    for branch in all_branches:
        game = head(record, branch)
        assert game.state_hash == course[branch.last - 1].state_hash


@pytest.mark.parametrize("name", WITH_ALL_RULINGS)
def test_a_round_that_was_superseded_is_scored_again(name: str) -> None:
    scored = [event["data"]["round"] for event in events_of_type(name, "RoundScored")]
    assert scored == [1, 2, 2, 3]


@pytest.mark.parametrize("name", GAMES)
def test_the_log_calls_actions_superseded_but_no_step_of_a_dispute(name: str) -> None:
    superseded = [line for line in log_of(record_of(name)) if "superseded by event" in line]
    assert superseded
    for line in superseded:
        assert not re.search("dispute|takeback", line), line


def baron_state(game: Game) -> BaronState:
    assert isinstance(game.state, BaronState)
    return game.state


def resumptions_in_baron() -> list[tuple[str, Event]]:
    return [
        (name, event)
        for name in ("baron-disputes", "baron-rulings-by-agreement")
        for event in events_of_type(name, "PlayResumed")
    ]


def test_no_player_of_baron_gains_from_what_they_saw_before_a_rewind() -> None:
    """The tiles that came up on the branch that was left are back in the pile, in an order drawn anew."""
    for name, event in resumptions_in_baron():
        transition = transition_at(record_of(name), event["seq"])
        assert transition.origin is not None
        origin, resumed = baron_state(transition.origin), baron_state(transition.after)
        before = origin.tiles_in_pile()
        after = resumed.tiles_in_pile()
        assert sorted(after) == sorted(before)
        assert after != before
        # Everything that was public or dealt at that moment is as it was.
        assert resumed.market == origin.market
        assert [player.reserve for player in resumed.players] == [
            player.reserve for player in origin.players
        ]
        refills = [
            later["data"]["refill"]
            for later in record_of(name).events[transition.origin.seq : event["seq"]]
            if later["type"] == "TileDrawn" and later["data"]["refill"] is not None
        ]
        assert refills == list(before[: len(refills)])
        if len(refills) > 1:
            assert list(after[: len(refills)]) != refills


def test_the_new_piles_follow_from_the_nonces_of_those_who_agreed_and_ruled() -> None:
    """A second implementation of the definition, with seed version 2."""
    record = record_of("baron-new-draws")
    data_by_seq = {event["seq"]: event["data"] for event in record.events}

    def with_lengths(nonces: Iterable[str]) -> bytes:
        parts = map(bytes.fromhex, nonces)
        return b"".join(bytes([len(part)]) + part for part in parts)

    taken = events_of_type("baron-new-draws", "SeatTaken")
    secret = unhex(record.events[-1]["data"]["secret"])
    nonces = with_lengths(event["data"]["nonce"] for event in taken)
    seed = sha256(b"cartulary seed v2" + secret + nonces).digest()
    resumed = events_of_type("baron-new-draws", "PlayResumed")
    led_to = [(18, 19, 20), (23, 24, 25), (33, 34, 35)]
    for number, (event, seqs) in enumerate(zip(resumed, led_to, strict=True), 1):
        assert event["data"]["because"] == seqs[-1]
        label = b"cartulary resume v2" + seed + number.to_bytes(8, "big")
        added = with_lengths(data_by_seq[seq]["nonce"] for seq in seqs)
        draws = chance.Chance(sha256(label + added).digest())
        transition = transition_at(record, event["seq"])
        assert transition.origin is not None
        pile = sorted(baron_state(transition.origin).tiles_in_pile(), key=list(TILES).index)
        assert record.openings[event["seq"]]["pile"]["value"] == draws.shuffle(pile)


def test_nobody_knows_the_new_pile_before_the_ruling() -> None:
    """It follows from the secret and the hash of the event before: another ruling, another pile."""
    for name, event in resumptions_in_baron():
        record = record_of(name)
        nonces = [unhex(joined["data"]["nonce"]) for joined in events_of_type(name, "SeatTaken")]
        seed = chance.seed(unhex(record.events[-1]["data"]["secret"]), nonces, 1)
        transition = transition_at(record, event["seq"])
        assert transition.origin is not None
        piles = []
        for hash in (event["prev"], record.events[event["seq"] - 3]["hash"]):
            draws = chance.Chance(chance.first_resumed_seed(seed, bytes.fromhex(hash)))
            piles.append(transition.origin.rules.redraw(transition.origin.state, draws)["pile"])
        assert record.openings[event["seq"]]["pile"]["value"] == piles[0]
        assert piles[1] != piles[0]
