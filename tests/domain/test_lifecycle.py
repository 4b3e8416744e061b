"""The life cycle of a game, in decisions and in folding (domain/lifecycle.py, domain/game.py)."""

from collections.abc import Mapping
from typing import cast

import pytest

from domain import lifecycle
from domain.contract import DomainEvent
from domain.errors import Malformed, NotNow, Refused, Unreadable
from domain.event import ZEROS, By, Event
from domain.fold import evolve, fold
from domain.game import Game
from domain.json_types import JsonObject
from domain.lifecycle import NewGame
from domain.registry import EXPANSIONS, RULES, rule_system_for
from tests.support.events import data_of, event_of
from tests.support.faults import raises

SECRET = bytes(range(32))
AT = "2026-11-20T09:15:{:02}.000Z"
NO_BOOLEANS: list[object] = [None, 0, 1, "true", "", [], {}]
"""Values that are neither true nor false."""


class UnsealedLog:
    """A log of events without hashes, one second apart, and the game that they lead to."""

    def __init__(self, event: DomainEvent, player: str = "ana") -> None:
        self.events: list[Event] = []
        self.game: Game | None = None
        self.add(event, {"player": player})

    def add(self, event: DomainEvent, by: By, action: Mapping[str, object] | None = None) -> Game:
        seq = len(self.events) + 1
        entry: Event = {
            "v": 1,
            "game": "g",
            "seq": seq,
            "type": event.type,
            "at": AT.format(seq),
            "by": by,
            "action": cast("JsonObject | None", action),
            "data": data_of(event),
            "state": ZEROS,
            "prev": ZEROS,
            "hash": f"hash {seq}",
        }
        self.events.append(entry)
        self.game = evolve(self.game, entry)
        return self.game

    def join(self, *players: str) -> Game:
        for player in players:
            event = lifecycle.join(self.now, player, player.encode())
            self.add(event, {"player": player})
        return self.now

    def start(self) -> Game:
        return self.add(lifecycle.start(self.now, SECRET), {"system": "start"})

    def act(self, text: str) -> Game:
        game = self.now
        assert game.to_act is not None
        action = game.rules.parse_action_text(text)
        event = game.decide(game.to_act, action)
        return self.add(event, {"seat": game.to_act}, game.rules.action_to_json(action))

    @property
    def now(self) -> Game:
        assert self.game is not None
        return self.game


def log_of_a_new_game(seats: int = 2, **options: object) -> UnsealedLog:
    event = lifecycle.create(
        NewGame(rules="barony", seats=seats, options={"seating": "joined", **options}), SECRET
    )
    return UnsealedLog(event)


def log_of_a_played_out_game() -> UnsealedLog:
    """A game of two seats whose play is over after round 1, by its limit."""
    log = log_of_a_new_game(round_limit=1)
    log.join("ana", "ben")
    log.start()
    while (game := log.now).to_act is not None:
        actions = game.rules.legal_actions(game.state, game.to_act)
        log.act(game.rules.action_text(actions[0]))
    return log


def test_options_are_completed_with_their_defaults() -> None:
    assert lifecycle.check_options("barony", 2, {}) == {
        "sorcery": False,
        "round_limit": None,
        "end_by_agreement": False,
        "seating": "drawn",
        "private": False,
    }


@pytest.mark.parametrize(
    ("rules", "seats", "options", "field"),
    [
        ("chess", 2, {}, "rules"),
        (None, 2, {}, "rules"),
        ("barony", 1, {}, "seats"),
        ("barony", 5, {}, "seats"),
        ("barony", True, {}, "seats"),
        ("barony", "2", {}, "seats"),
        ("barony", 2, {"round_limit": 0}, "options.round_limit"),
        ("barony", 2, {"round_limit": True}, "options.round_limit"),
        ("barony", 2, {"round_limit": "4"}, "options.round_limit"),
        ("barony", 2, {"end_by_agreement": 1}, "options.end_by_agreement"),
        *(("barony", 2, {"sorcery": value}, "options.sorcery") for value in NO_BOOLEANS),
        ("barony", 5, {"sorcery": False}, "seats"),
        ("barony", 6, {"sorcery": True}, "seats"),
        ("barony", 1, {"sorcery": True}, "seats"),
        ("barony", 5, {"sorcery": True, "round_limit": 0}, "options.round_limit"),
        ("barony", 5, {"sorcery": True, "spells": []}, "options.spells"),
        ("barony", 2, {"seating": "chosen"}, "options.seating"),
        ("barony", 2, {"private": "yes"}, "options.private"),
        ("barony", 2, {"luck": 1}, "options.luck"),
    ],
)
def test_wrong_options_are_named(
    rules: object, seats: object, options: dict[str, object], field: str
) -> None:
    with pytest.raises(Malformed) as refused:
        lifecycle.check_options(rules, seats, options)
    assert list(refused.value.fields) == [field]


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_up_to_five_may_play_with_the_expansion(seats: int) -> None:
    options = lifecycle.check_options("barony", seats, {"sorcery": True})
    assert options == {**lifecycle.check_options("barony", 2, {}), "sorcery": True}
    log = log_of_a_new_game(seats, sorcery=True)
    log.join(*(f"player-{number}" for number in range(seats)))
    position = log.start().position(None)
    assert position is not None
    assert (position["sorcery"], len(position["players"]), len(position["spells"])) == (
        *(True, seats, 5),
    )


def test_the_expansion_is_chosen_only_by_an_option_that_is_true() -> None:
    base = rule_system_for("barony", {})
    assert base is RULES["barony"]
    expanded = rule_system_for("barony", {"sorcery": True, "round_limit": 3})
    assert expanded is EXPANSIONS["barony", "sorcery"]
    assert expanded is not base
    assert expanded.NAME == base.NAME
    for value in (False, *NO_BOOLEANS):
        assert rule_system_for("barony", {"sorcery": value}) is base


@pytest.mark.parametrize("name", ["chess", "sorcery", "", None, 1, [], {}])
def test_unknown_rules_are_refused(name: object) -> None:
    with pytest.raises(Malformed) as refused:
        rule_system_for(name, {"sorcery": True})
    assert list(refused.value.fields) == ["rules"]


def test_every_wrong_option_is_named_at_once() -> None:
    with pytest.raises(Malformed) as refused:
        lifecycle.check_options("barony", 7, {"seating": 1, "private": 1, "round_limit": -1})
    assert set(refused.value.fields) == {
        *("seats", "options.seating", "options.private", "options.round_limit")
    }


def test_a_game_is_open_until_its_last_place_is_taken() -> None:
    log = log_of_a_new_game(seats=3)
    log.join("ana", "ben")
    assert (log.now.status, lifecycle.can_start(log.now)) == ("open", False)
    with pytest.raises(NotNow):
        lifecycle.start(log.now, SECRET)
    log.join("cyd")
    assert lifecycle.can_start(log.now)
    with pytest.raises(NotNow):
        lifecycle.join(log.now, "dan", b"")
    game = log.start()
    assert (game.status, game.players, game.to_act) == ("playing", ("ana", "ben", "cyd"), 0)


def test_a_player_cannot_join_twice_or_leave_without_a_place() -> None:
    log = log_of_a_new_game()
    log.join("ana")
    with pytest.raises(NotNow):
        lifecycle.join(log.now, "ana", b"")
    with pytest.raises(NotNow):
        lifecycle.leave(log.now, "ben")
    log.add(lifecycle.leave(log.now, "ana"), {"player": "ana"})
    assert log.now.places == ()


def test_no_player_joins_or_leaves_after_the_start() -> None:
    log = log_of_a_new_game()
    log.join("ana", "ben")
    log.start()
    with pytest.raises(NotNow):
        lifecycle.leave(log.now, "ana")
    with pytest.raises(NotNow):
        lifecycle.join(log.now, "cyd", b"")


def test_a_nonce_has_at_most_64_bytes() -> None:
    log = log_of_a_new_game()
    assert data_of(lifecycle.join(log.now, "ana", bytes(64)))["nonce"] == "00" * 64
    with pytest.raises(Malformed) as refused:
        lifecycle.join(log.now, "ana", bytes(65))
    assert list(refused.value.fields) == ["nonce"]


def test_participants_are_in_the_order_of_joining_before_the_start_and_of_seats_after_it() -> None:
    log = log_of_a_new_game(seats=3, seating="drawn")
    names = ("ana", "ben", "cyd")
    game = log.join(*names)
    assert game.participants == names
    game = log.start()
    assert game.participants == game.players
    assert sorted(game.participants) == sorted(names)


def test_drawn_seating_comes_from_the_seed() -> None:
    """BY-SET-7: the seating depends on the nonces alone."""

    def seats(nonce: bytes) -> tuple[str, ...]:
        log = log_of_a_new_game(seats=4, seating="drawn")
        for player in ("ana", "ben", "cyd", "dan"):
            log.add(lifecycle.join(log.now, player, nonce), {"player": player})
        return log.start().players

    assert seats(b"a") == seats(b"a")
    assert len({seats(bytes([n])) for n in range(20)}) > 10


def test_no_seat_acts_before_the_start() -> None:
    log = log_of_a_new_game()
    game = log.join("ana")
    with raises(NotNow, match="has not started"):
        game.decide(0, game.rules.parse_action_text("pass"))
    with pytest.raises(NotNow):
        lifecycle.forfeit(game)
    with pytest.raises(NotNow):
        lifecycle.remove(game, 0)


def test_rounds_are_scored_in_order_and_then_the_game_is_finished() -> None:
    log = log_of_a_played_out_game()
    game = log.now
    assert game.is_played_out
    assert game.rounds_ended == {1: game.seq}
    with pytest.raises(NotNow):
        lifecycle.score(game, 2, game)
    with raises(NotNow, match="round 1 is to be scored first"):
        lifecycle.finish(game, SECRET)

    event = lifecycle.score(game, 1, game)
    assert [entry["seat"] for entry in data_of(event)["standings"]] == [0, 1]
    game = log.add(event, {"system": "scorer"})
    assert (game.rounds_scored, game.rounds_ended) == (1, {})
    with pytest.raises(NotNow):
        lifecycle.score(game, 1, game)

    game = log.add(lifecycle.finish(game, SECRET), {"system": "scorer"})
    assert game.status == "finished"
    assert game.ranking is not None
    assert log.events[-1]["data"]["secret"] == SECRET.hex()
    with pytest.raises(NotNow):
        lifecycle.finish(game, SECRET)
    with pytest.raises(NotNow):
        lifecycle.abandon(game, SECRET)
    with raises(Refused, match="BY-TURN-3"):
        game.decide(0, game.rules.parse_action_text("resign"))


def test_a_round_is_scored_from_the_game_at_its_end() -> None:
    log = log_of_a_played_out_game()
    with pytest.raises(ValueError, match="ended with"):
        lifecycle.score(log.now, 1, fold(log.events[:-1]) or log.now)


def test_an_abandoned_game_keeps_its_position_and_accepts_no_more_commands() -> None:
    log = log_of_a_new_game()
    log.join("ana", "ben")
    position = log.start().position(None)
    game = log.add(lifecycle.abandon(log.now, SECRET), {"system": "arbiter"})
    assert (game.status, game.to_act, game.position(None)) == ("abandoned", None, position)
    with pytest.raises(NotNow):
        game.decide(0, game.rules.parse_action_text("resign"))
    with pytest.raises(NotNow):
        lifecycle.forfeit(game)


def test_a_turn_begins_with_the_event_that_ended_the_turn_before() -> None:
    log = log_of_a_new_game()
    log.join("ana", "ben")
    assert log.start().turn_at == log.events[-1]["at"]
    hexes = log.now.rules.legal_actions(log.now.state, 0)
    log.act(log.now.rules.action_text(hexes[0]))
    assert log.now.turn_at == log.events[-1]["at"]


def test_folding_does_not_change_the_game_that_it_starts_from() -> None:
    log = log_of_a_played_out_game()
    half = fold(log.events[:8])
    assert half is not None
    before = half.position(None)
    folded = fold(log.events[8:], half)
    assert half.position(None) == before
    assert folded is not None
    assert folded.position(None) == log.now.position(None)
    assert fold([]) is None


@pytest.mark.parametrize("change", [{"seq": 3}, {"v": 2}, {"type": "SeatTaken"}])
def test_events_that_cannot_begin_a_log_are_unreadable(change: JsonObject) -> None:
    event = log_of_a_new_game().events[0]
    with pytest.raises(Unreadable):
        fold([{**event, **change}])  # type: ignore[typeddict-item] # the change is wrong on purpose


@pytest.mark.parametrize(
    "change",
    [
        {"rules": "chess"},
        {"rules": None},
        {"rules": []},
        {"options": None},
        {"options": ["sorcery"]},
        {"options": "sorcery"},
        {"options": True},
    ],
)
def test_a_game_with_unknown_rules_is_unreadable(change: JsonObject) -> None:
    event = log_of_a_new_game().events[0]
    data = {**event["data"], **change}
    with raises(Unreadable, match="the game is unknown here"):
        fold([{**event, "data": data}])


def test_a_gap_in_a_log_is_unreadable() -> None:
    events = log_of_a_played_out_game().events
    with raises(Unreadable, match="event 4 follows event 2"):
        fold([*events[:2], *events[3:]])


def test_an_unknown_event_without_an_action_changes_no_position() -> None:
    """Later versions may add such events, which older readers skip."""
    log = log_of_a_played_out_game()
    before = log.now.position(None)
    log.add(event_of("NoteWritten", {"text": "hello"}), {"system": "arbiter"})
    assert log.now.position(None) == before
