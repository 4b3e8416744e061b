"""A game's life: what may happen when, and what a log says of it (domain/lifecycle.py, domain/game.py)."""

from collections.abc import Mapping
from typing import cast

import pytest

from domain import lifecycle
from domain.contract import DomainEvent, Json
from domain.errors import Malformed, NotNow, Refused, Unreadable
from domain.event import ZEROS, By, Event
from domain.game import Game, evolve, fold
from domain.registry import EXPANSIONS, RULES, rule_system_for
from tests.support.events import data_of, event_of

SECRET = bytes(range(32))
AT = "2026-11-20T09:15:{:02}.000Z"
NEITHER: list[object] = [None, 0, 1, "true", "", [], {}]
"""What is neither true nor false."""


class Table:
    """A game in the making: adds facts as events, without hashes, one second apart."""

    def __init__(self, fact: DomainEvent, player: str = "ana") -> None:
        self.events: list[Event] = []
        self.game: Game | None = None
        self.add(fact, {"player": player})

    def add(self, fact: DomainEvent, by: By, action: Mapping[str, object] | None = None) -> Game:
        seq = len(self.events) + 1
        event: Event = {
            "v": 1,
            "game": "g",
            "seq": seq,
            "type": fact.type,
            "at": AT.format(seq),
            "by": by,
            "action": cast("Json | None", action),
            "data": data_of(fact),
            "state": ZEROS,
            "prev": ZEROS,
            "hash": f"hash {seq}",
        }
        self.events.append(event)
        self.game = evolve(self.game, event)
        return self.game

    def join(self, *players: str) -> Game:
        for player in players:
            fact = lifecycle.join(self.now, player, player.encode())
            self.add(fact, {"player": player})
        return self.now

    def start(self) -> Game:
        return self.add(lifecycle.start(self.now, SECRET), {"system": "start"})

    def act(self, text: str) -> Game:
        game = self.now
        assert game.to_act is not None
        action = game.rules.parse_action_text(text)
        fact = lifecycle.act(game, game.to_act, action)
        return self.add(fact, {"seat": game.to_act}, game.rules.action_to_json(action))

    @property
    def now(self) -> Game:
        assert self.game is not None
        return self.game


def created(seats: int = 2, **options: object) -> Table:
    fact = lifecycle.create("barony", seats, {"seating": "joined", **options}, None, SECRET)
    return Table(fact)


def played_out() -> Table:
    """A game of two that ended in round 1 by its limit: five placements and two recruitments."""
    table = created(round_limit=1)
    table.join("ana", "ben")
    table.start()
    while (game := table.now).to_act is not None:
        actions = game.rules.legal_actions(game.state, game.to_act)
        table.act(game.rules.action_text(actions[0]))
    return table


def test_options_come_whole_with_their_defaults() -> None:
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
        *(("barony", 2, {"sorcery": value}, "options.sorcery") for value in NEITHER),
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
def test_with_the_expansion_up_to_five_play(seats: int) -> None:
    whole = lifecycle.check_options("barony", seats, {"sorcery": True})
    assert whole == {**lifecycle.check_options("barony", 2, {}), "sorcery": True}
    table = created(seats, sorcery=True)
    table.join(*(f"player-{number}" for number in range(seats)))
    position = table.start().position(None)
    assert position is not None
    assert (position["sorcery"], len(position["players"]), len(position["spells"])) == (
        *(True, seats, 5),
    )


def test_an_option_picks_the_expansion_and_only_when_it_is_true() -> None:
    base = rule_system_for("barony", {})
    assert base is RULES["barony"]
    expanded = rule_system_for("barony", {"sorcery": True, "round_limit": 3})
    assert expanded is EXPANSIONS["barony", "sorcery"]
    assert expanded is not base
    assert expanded.NAME == base.NAME
    for value in (False, *NEITHER):
        assert rule_system_for("barony", {"sorcery": value}) is base


@pytest.mark.parametrize("name", ["chess", "sorcery", "", None, 1, [], {}])
def test_rules_of_another_name_are_not_known(name: object) -> None:
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
    table = created(seats=3)
    table.join("ana", "ben")
    assert (table.now.status, lifecycle.can_start(table.now)) == ("open", False)
    with pytest.raises(NotNow):
        lifecycle.start(table.now, SECRET)
    table.join("cyd")
    assert lifecycle.can_start(table.now)
    with pytest.raises(NotNow):
        lifecycle.join(table.now, "dan", b"")
    game = table.start()
    assert (game.status, game.players, game.to_act) == ("playing", ("ana", "ben", "cyd"), 0)


def test_nobody_joins_twice_or_leaves_without_a_place() -> None:
    table = created()
    table.join("ana")
    with pytest.raises(NotNow):
        lifecycle.join(table.now, "ana", b"")
    with pytest.raises(NotNow):
        lifecycle.leave(table.now, "ben")
    table.add(lifecycle.leave(table.now, "ana"), {"player": "ana"})
    assert table.now.places == ()


def test_nobody_joins_or_leaves_after_the_start() -> None:
    table = created()
    table.join("ana", "ben")
    table.start()
    with pytest.raises(NotNow):
        lifecycle.leave(table.now, "ana")
    with pytest.raises(NotNow):
        lifecycle.join(table.now, "cyd", b"")


def test_a_nonce_has_64_bytes_at_most() -> None:
    table = created()
    assert data_of(lifecycle.join(table.now, "ana", bytes(64)))["nonce"] == "00" * 64
    with pytest.raises(Malformed) as refused:
        lifecycle.join(table.now, "ana", bytes(65))
    assert list(refused.value.fields) == ["nonce"]


def test_drawn_seating_comes_from_the_seed() -> None:
    """BY-SET-7: other nonces, other seats; the same, the same."""

    def seats(nonce: bytes) -> tuple[str, ...]:
        table = created(seats=4, seating="drawn")
        for player in ("ana", "ben", "cyd", "dan"):
            table.add(lifecycle.join(table.now, player, nonce), {"player": player})
        return table.start().players

    assert seats(b"a") == seats(b"a")
    assert len({seats(bytes([n])) for n in range(20)}) > 10


def test_nobody_acts_before_the_start() -> None:
    table = created()
    game = table.join("ana")
    with pytest.raises(NotNow, match="has not started"):
        lifecycle.act(game, 0, game.rules.parse_action_text("pass"))
    with pytest.raises(NotNow):
        lifecycle.forfeit(game)
    with pytest.raises(NotNow):
        lifecycle.remove(game, 0)


def test_rounds_are_scored_in_order_and_then_the_game_is_finished() -> None:
    table = played_out()
    game = table.now
    assert game.is_played_out
    assert game.rounds_ended == {1: game.seq}
    with pytest.raises(NotNow):
        lifecycle.score(game, 2, game)
    with pytest.raises(NotNow, match="round 1 is to be scored first"):
        lifecycle.finish(game, SECRET)

    fact = lifecycle.score(game, 1, game)
    assert [entry["seat"] for entry in data_of(fact)["standings"]] == [0, 1]
    game = table.add(fact, {"system": "scorer"})
    assert (game.rounds_scored, game.rounds_ended) == (1, {})
    with pytest.raises(NotNow):
        lifecycle.score(game, 1, game)

    game = table.add(lifecycle.finish(game, SECRET), {"system": "scorer"})
    assert game.status == "finished"
    assert game.ranking is not None
    assert table.events[-1]["data"]["secret"] == SECRET.hex()
    with pytest.raises(NotNow):
        lifecycle.finish(game, SECRET)
    with pytest.raises(NotNow):
        lifecycle.abandon(game, SECRET)
    with pytest.raises(Refused, match="BY-TURN-3"):
        lifecycle.act(game, 0, game.rules.parse_action_text("resign"))


def test_the_standings_are_those_of_the_rounds_end() -> None:
    table = played_out()
    with pytest.raises(ValueError, match="ended with"):
        lifecycle.score(table.now, 1, fold(table.events[:-1]) or table.now)


def test_an_abandoned_game_keeps_its_position_and_takes_nothing_more() -> None:
    table = created()
    table.join("ana", "ben")
    position = table.start().position(None)
    game = table.add(lifecycle.abandon(table.now, SECRET), {"system": "arbiter"})
    assert (game.status, game.to_act, game.position(None)) == ("abandoned", None, position)
    with pytest.raises(NotNow):
        lifecycle.act(game, 0, game.rules.parse_action_text("resign"))
    with pytest.raises(NotNow):
        lifecycle.forfeit(game)


def test_a_turn_begins_with_the_event_that_passed_it_on() -> None:
    table = created()
    table.join("ana", "ben")
    assert table.start().turn_at == table.events[-1]["at"]
    hexes = table.now.rules.legal_actions(table.now.state, 0)
    table.act(table.now.rules.action_text(hexes[0]))
    assert table.now.turn_at == table.events[-1]["at"]


def test_folding_leaves_the_game_it_started_from_as_it_was() -> None:
    table = played_out()
    half = fold(table.events[:8])
    assert half is not None
    before = half.position(None)
    whole = fold(table.events[8:], half)
    assert half.position(None) == before
    assert whole is not None
    assert whole.position(None) == table.now.position(None)
    assert fold([]) is None


@pytest.mark.parametrize("change", [{"seq": 3}, {"v": 2}, {"type": "SeatTaken"}])
def test_what_is_no_log_is_unreadable(change: Json) -> None:
    event = created().events[0]
    with pytest.raises(Unreadable):
        fold([{**event, **change}])  # type: ignore[typeddict-item]


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
def test_a_game_that_is_not_known_is_unreadable(change: Json) -> None:
    event = created().events[0]
    data = {**event["data"], **change}
    with pytest.raises(Unreadable, match="the game is unknown here"):
        fold([{**event, "data": data}])


def test_a_gap_in_a_log_is_unreadable() -> None:
    events = played_out().events
    with pytest.raises(Unreadable, match="event 4 follows event 2"):
        fold([*events[:2], *events[3:]])


def test_an_event_without_an_action_that_is_not_known_changes_no_position() -> None:
    """A later version may add such events, and an older reader goes on."""
    table = played_out()
    before = table.now.position(None)
    table.add(event_of("NoteWritten", {"text": "hello"}), {"system": "arbiter"})
    assert table.now.position(None) == before
