"""Takebacks: the last action is taken back when all other seats agree before anyone acts again."""

import pytest

from domain.disputes.takebacks import seats_to_answer
from domain.errors import Malformed, NotNow
from domain.lifecycle import check_options
from domain.registry import RULES
from tests.support.faults import raises
from tests.support.local_game import LocalGame


def game_with_takebacks(seats: int = 3, rules: str = "barony") -> LocalGame:
    """A game with takebacks, after two actions: by seat 2, and before it by another seat, in Barony."""
    game = LocalGame(seats, rules=rules, takebacks=True, per_turn=3600)
    game.act(2)
    return game


def last_seat(game: LocalGame) -> int:
    """Return the seat that acted last."""
    last = game.game.last_play
    assert last is not None
    return last.actions[-1].seat


@pytest.mark.parametrize("rules", RULES)
def test_the_last_action_is_taken_back_when_all_others_agree(rules: str) -> None:
    game = game_with_takebacks(rules=rules)
    seat, last = last_seat(game), game.game.seq
    number = game.request_takeback(seat)
    assert game.pending.events[-1]["data"] == {"seat": seat, "from": last - 1}
    first, second = (other for other in range(3) if other != seat)
    game.answer_takeback(number, first, agree=True)
    assert game.types[-1] == "TakebackAnswered"
    game.answer_takeback(number, second, agree=True)
    answer, resumed = game.pending.events[-2:]
    assert resumed["data"] == {"from": last - 1, "because": answer["seq"]}
    assert resumed["by"] == {"system": "takeback"}
    assert game.game.state_hash == game.pending.game_at(last - 1).state_hash
    assert game.game.is_superseded(last)


def game_after_a_turn(rules: str = "barony") -> LocalGame:
    """A game of three with takebacks in which another seat is to act than the one that acted last."""
    game = game_with_takebacks(rules=rules)
    while game.game.to_act == last_seat(game):
        game.act()
    return game


def act_conditionally(game: LocalGame) -> int:
    """Let the seat to act take a conditional action, and return the seat."""
    seat = game.game.to_act
    assert seat is not None
    action = game.game.rules.legal_actions(game.game.state, seat)[0]
    game.pending.act(seat, action, is_conditional=True)
    return seat


@pytest.mark.parametrize("rules", RULES)
def test_conditional_actions_do_not_prevent_a_takeback_and_are_taken_back_with_it(
    rules: str,
) -> None:
    game = game_after_a_turn(rules)
    seat, last = last_seat(game), game.game.seq
    conditional = [act_conditionally(game) for _ in range(2)]
    number = game.request_takeback(seat)
    assert game.pending.events[-1]["data"] == {"seat": seat, "from": last - 1}
    for other in range(3):
        if other != seat:
            game.answer_takeback(number, other, agree=True)
    assert game.pending.events[-1]["data"]["from"] == last - 1
    assert game.game.state_hash == game.pending.game_at(last - 1).state_hash
    assert all(game.game.is_superseded(last + count) for count in range(len(conditional) + 1))


def test_the_player_of_a_conditional_action_can_take_it_back() -> None:
    game = game_after_a_turn()
    last = game.game.seq
    seat = act_conditionally(game)
    game.request_takeback(seat)
    assert game.pending.events[-1]["data"]["from"] == last


def test_an_action_that_is_not_conditional_ends_the_takebacks_of_those_before_it() -> None:
    game = game_after_a_turn()
    seat = last_seat(game)
    act_conditionally(game)
    game.act()
    assert last_seat(game) != seat
    with raises(NotNow, match="acted last"):
        game.request_takeback(seat)


def test_a_takeback_of_an_action_with_conditional_ones_after_it_is_requested_once() -> None:
    game = game_after_a_turn()
    seat = last_seat(game)
    other = act_conditionally(game)
    game.answer_takeback(game.request_takeback(seat), other, agree=False)
    with raises(NotNow, match="requested before"):
        game.request_takeback(seat)
    game.request_takeback(other)


def test_the_seats_to_answer_are_the_others_that_have_not_agreed() -> None:
    game = game_with_takebacks()
    seat = last_seat(game)
    first, second = (other for other in range(3) if other != seat)
    assert not seats_to_answer(game.game)
    number = game.request_takeback(seat)
    assert seats_to_answer(game.game) == [first, second]
    game.answer_takeback(number, first, agree=True)
    assert seats_to_answer(game.game) == [second]
    game.answer_takeback(number, second, agree=False)
    assert not seats_to_answer(game.game)


def test_the_first_action_is_taken_back_to_the_start() -> None:
    game = LocalGame(2, takebacks=True)
    start = game.game.seq
    game.act()
    seat = last_seat(game)
    game.answer_takeback(game.request_takeback(seat), 1 - seat, agree=True)
    assert game.game.state_hash == game.pending.game_at(start).state_hash
    with raises(NotNow, match="acted last"):
        game.request_takeback(seat)


def test_after_a_takeback_the_action_before_it_can_be_taken_back() -> None:
    game = LocalGame(2, takebacks=True)
    start = game.game.seq
    game.act(2)
    for _ in range(2):
        seat = last_seat(game)
        game.answer_takeback(game.request_takeback(seat), 1 - seat, agree=True)
    assert game.game.state_hash == game.pending.game_at(start).state_hash


def test_an_action_after_a_takeback_is_taken_back_to_where_play_resumed() -> None:
    game = LocalGame(2, takebacks=True)
    game.act(2)
    origin = game.game.seq - 1
    for _ in range(2):
        seat = last_seat(game)
        game.answer_takeback(game.request_takeback(seat), 1 - seat, agree=True)
        assert game.pending.events[-1]["data"]["from"] == origin
        game.act()


def test_only_the_player_who_acted_last_asks_and_only_once() -> None:
    game = game_with_takebacks()
    seat = last_seat(game)
    for other in range(3):
        if other != seat:
            with raises(NotNow, match="acted last"):
                game.request_takeback(other)
    number = game.request_takeback(seat)
    with raises(NotNow, match="requested before"):
        game.request_takeback(seat)
    game.answer_takeback(number, (seat + 1) % 3, agree=False)
    with raises(NotNow, match="requested before"):
        game.request_takeback(seat)


def test_a_declined_takeback_is_not_requested_again_when_play_has_come_back() -> None:
    """A player asks and is declined, another one acts and takes that back: the answer stands."""
    game = LocalGame(2, takebacks=True)
    game.act()
    first = last_seat(game)
    game.answer_takeback(game.request_takeback(first), 1 - first, agree=False)
    game.act()
    second = last_seat(game)
    assert second != first
    game.answer_takeback(game.request_takeback(second), first, agree=True)
    assert last_seat(game) == first
    with raises(NotNow, match="requested before"):
        game.request_takeback(first)


def test_a_takeback_is_not_requested_again_after_a_ruling_has_let_play_resume() -> None:
    game = game_with_takebacks()
    seat, last = last_seat(game), game.game.play_seq
    game.request_takeback(seat)
    dispute = game.dispute(0)
    for proposer in range(3):
        game.propose(dispute, proposer, {"type": "resume", "from": last})
    assert last_seat(game) == seat
    with raises(NotNow, match="requested before"):
        game.request_takeback(seat)


def test_a_takeback_that_lapsed_because_a_seat_became_vacant_is_not_requested_again() -> None:
    game = LocalGame(3, takebacks=True, substitutes=True)
    game.act()
    seat = last_seat(game)
    game.request_takeback(seat)
    game.leave_seat((seat + 1) % 3)
    assert game.game.last_play is not None
    assert game.game.last_play.takeback is None
    with raises(NotNow, match="requested before"):
        game.request_takeback(seat)


def test_the_same_action_taken_again_is_another_action() -> None:
    game = LocalGame(2, takebacks=True)
    for _ in range(2):
        game.act()
        seat = last_seat(game)
        game.answer_takeback(game.request_takeback(seat), 1 - seat, agree=True)


def test_a_request_lapses_when_a_player_declines() -> None:
    game = game_with_takebacks()
    seat = last_seat(game)
    number = game.request_takeback(seat)
    game.answer_takeback(number, (seat + 1) % 3, agree=False)
    with raises(NotNow, match="lapsed"):
        game.answer_takeback(number, (seat + 2) % 3, agree=True)
    assert "PlayResumed" not in game.types


@pytest.mark.parametrize("happening", ["act", "forfeit", "resign"])
def test_a_request_lapses_when_play_goes_on(happening: str) -> None:
    game = game_with_takebacks()
    seat = last_seat(game)
    number = game.request_takeback(seat)
    game.answer_takeback(number, (seat + 1) % 3, agree=True)
    match happening:
        case "act":
            game.act()
        case "forfeit":
            game.wait(hours=2)
            game.forfeit()
        case _:
            game.resign((seat + 2) % 3)
    with raises(NotNow, match="lapsed"):
        game.answer_takeback(number, (seat + 2) % 3, agree=True)


def test_nobody_asks_after_a_forfeited_turn() -> None:
    game = game_with_takebacks()
    seat = last_seat(game)
    game.wait(hours=2)
    game.forfeit()
    with raises(NotNow, match="acted last"):
        game.request_takeback(seat)


def test_a_scored_round_does_not_prevent_a_takeback() -> None:
    game = LocalGame(2, takebacks=True)
    while not game.game.rounds_ended:
        game.act()
    game.score()
    seat = last_seat(game)
    game.answer_takeback(game.request_takeback(seat), 1 - seat, agree=True)
    assert game.game.rounds_scored == 0
    game.act()
    game.score()
    assert game.types.count("RoundScored") == 2


def test_each_other_player_answers_once() -> None:
    game = game_with_takebacks()
    seat = last_seat(game)
    number = game.request_takeback(seat)
    with raises(NotNow, match="does not answer"):
        game.answer_takeback(number, seat, agree=True)
    game.answer_takeback(number, (seat + 1) % 3, agree=True)
    with raises(NotNow, match="agreed already"):
        game.answer_takeback(number, (seat + 1) % 3, agree=True)


def test_a_player_who_has_left_is_not_asked() -> None:
    game = LocalGame(3, takebacks=True)
    game.resign(2)
    game.act()
    seat = last_seat(game)
    number = game.request_takeback(seat)
    with raises(NotNow, match="still in the game"):
        game.answer_takeback(number, 2, agree=True)
    game.answer_takeback(number, 1 - seat, agree=True)
    assert game.types[-1] == "PlayResumed"


def test_a_resignation_can_be_taken_back() -> None:
    game = LocalGame(2, takebacks=True)
    game.resign(0)
    assert game.game.is_played_out
    game.answer_takeback(game.request_takeback(0), 1, agree=True)
    assert game.game.to_act is not None


def test_takebacks_are_an_option_that_is_left_out_when_it_is_false() -> None:
    game = LocalGame(2)
    game.act()
    with raises(NotNow, match="options do not allow"):
        game.request_takeback(0)
    assert "takebacks" not in check_options("barony", 2, {"takebacks": False})
    assert check_options("barony", 2, {"takebacks": True})["takebacks"] is True
    with pytest.raises(Malformed) as refused:
        check_options("barony", 2, {"takebacks": 1})
    assert refused.value.fields.keys() == {"options.takebacks"}


def test_a_ruling_ends_a_request() -> None:
    game = game_with_takebacks()
    seat = last_seat(game)
    number = game.request_takeback(seat)
    dispute = game.dispute(0)
    for proposer in range(3):
        game.propose(dispute, proposer, {"type": "resume", "from": 6})
    with raises(NotNow, match="lapsed"):
        game.answer_takeback(number, (seat + 1) % 3, agree=True)
