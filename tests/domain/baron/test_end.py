"""BN-END-1, 3, 4: the last turns, the ranking, and seats that leave the game."""

from collections import Counter

import pytest

from domain import baron
from domain.baron.state import State
from domain.contract import ALL_SECRETS, evolve
from tests.support.baron_positions import given, places, random_game, started
from tests.support.given_when import (
    play_lines,
    progress_of,
    when,
    when_removed,
    when_scored,
    when_time_is_up,
)

LAST_TILE = """
    {phase} round 30 seat {seat}
    0: 3, MM
    1: 0, MM
    2: 0, MM
    {rest}
    board
    M
    """


def turns_left(state: State) -> list[int | None]:
    """As the position shows them."""
    return [entry["turns_left"] for entry in baron.position(state, None)["players"]]


@pytest.mark.allows("BN-END-1")
def test_after_the_turn_that_takes_the_last_tile_each_seat_has_two_more_turns() -> None:
    state = given(LAST_TILE.format(phase="draw", seat=1, rest="market V"))
    assert turns_left(state) == [None] * 3
    state = play_lines(state, "1 draw 1")
    assert turns_left(state) == [None] * 3
    state = play_lines(state, "1 lay village 1,0")
    assert (progress_of(state), turns_left(state)) == ("keep round 30 seat 1", [None] * 3)
    state = when(state, 1, "end").leads_to("lay round 30 seat 2")
    assert turns_left(state) == [2, 2, 2]


@pytest.mark.allows("BN-END-1")
def test_play_is_over_after_the_last_of_these_turns() -> None:
    state = given(LAST_TILE.format(phase="keep", seat=1, rest=""))
    history = []
    for _ in range(7):
        state = when_time_is_up(state).after
        history.append((progress_of(state), turns_left(state)))
    assert history == [
        ("lay round 30 seat 2", [2, 2, 2]),
        ("lay round 31 seat 0", [2, 2, 1]),
        ("lay round 31 seat 1", [1, 2, 1]),
        ("lay round 31 seat 2", [1, 1, 1]),
        ("lay round 32 seat 0", [1, 1, 0]),
        ("lay round 32 seat 1", [0, 1, 0]),
        ("scoring round 32", [0, 0, 0]),
    ]


@pytest.mark.allows("BN-END-1")
@pytest.mark.parametrize(
    ("seats", "draws"), [(2, [34] * 2), (3, [22] * 3), (4, [16] * 4), (5, [12] * 5)]
)
def test_all_seats_draw_the_same_number_of_tiles(seats: int, draws: list[int]) -> None:
    """Where no keep is put down nobody falls, and the first slot costs nothing."""
    state, done = started(seats, 4), Counter[tuple[str, int | None]]()
    while state.to_act is not None:
        action = baron.legal_actions(state, state.to_act)[-1 if state.phase == "keep" else 0]
        done[action.type, state.to_act] += 1
        state = evolve(baron, state, [baron.decide(state, state.to_act, action)])
    assert [done["draw", seat] for seat in range(seats)] == draws
    assert [done["place_tile", seat] for seat in range(seats)] == [count + 2 for count in draws]
    assert (state.market, state.pile_left) == ((), 0)
    assert all(player.reserve == () for player in state.players)


@pytest.mark.refuses("BN-END-1")
@pytest.mark.parametrize("rest", ["market V", "market MV", "market MVF\npile 1"])
def test_turns_do_not_count_while_there_is_a_tile_to_draw(rest: str) -> None:
    state = given(LAST_TILE.format(phase="keep", seat=1, rest=rest))
    assert turns_left(when(state, 1, "end").leads_to("draw round 30 seat 2")) == [None] * 3


@pytest.mark.refuses("BN-END-1")
def test_a_seat_without_turns_left_gets_no_more_turns() -> None:
    state = given("keep round 31 seat 0\n0: 0, M, turns 1\n1: 0, M, turns 0\nboard\nM")
    when(state, 0, "end").leads_to("scoring round 31")


def test_the_game_is_not_ranked_before_play_is_over() -> None:
    state = given("lay round 31 seat 0\n0: 0, M, turns 1\n1: 0, M, turns 0\nboard\nM")
    when_scored(state).is_refused("BN-END-1", "not being scored")


def scored(*words: str) -> State:
    """Seats like these when play is over."""
    seats = "\n".join(f"{seat}: {text}" for seat, text in enumerate(words))
    return given(f"scoring round 9\n{seats}\nboard\nM")


@pytest.mark.allows("BN-END-3")
@pytest.mark.parametrize(
    ("words", "ranked"),
    [
        (("3", "5"), [(1, 1, 5), (2, 0, 3)]),
        (("5", "5", "4"), [(1, 0, 5), (1, 1, 5), (3, 2, 4)]),
        (("4", "-1", "4", "9"), [(1, 3, 9), (2, 0, 4), (2, 2, 4), (4, 1, -1)]),
        (("0", "0", "0", "0", "0"), [(1, seat, 0) for seat in range(5)]),
        (("9, out 1", "-4", "1"), [(1, 2, 1), (2, 1, -4), (3, 0, 9)]),
        (("-5, out 2", "7, out 1", "-4", "-4"), [(1, 2, -4), (1, 3, -4), (3, 0, -5), (4, 1, 7)]),
        (("-9, out 1", "-5, out 1", "2", "1"), [(1, 2, 2), (2, 3, 1), (3, 0, -9), (3, 1, -5)]),
    ],
)
def test_the_most_honour_wins(words: tuple[str, ...], ranked: list[tuple[int, int, int]]) -> None:
    assert places(scored(*words)) == ranked


@pytest.mark.allows("BN-END-3")
def test_the_position_of_a_finished_game_has_the_ranking() -> None:
    after = when_scored(scored("3", "5")).leads_to("finished round 9")
    assert baron.position(after, None)["ranking"] == [
        {"seat": 1, "score": 5, "place": 1},
        {"seat": 0, "score": 3, "place": 2},
    ]


@pytest.mark.refuses("BN-END-3")
def test_seats_with_equal_honour_share_a_place() -> None:
    assert [place for place, _, _ in places(scored("2", "2"))] == [1, 1]


@pytest.mark.refuses("BN-END-3")
def test_a_seat_that_is_out_ranks_last_whatever_its_honour() -> None:
    assert places(scored("-4", "50, out 1", "-4"))[-1] == (3, 1, 50)


FOUR = """
    lay round 6 turn 22 seat {seat}
    0: 3, MP, keeps 1, resting 1
    1: 0, MM{turns}
    2: 7, MM{turns}
    3: 4, MM{turns}
    {market}
    board
    M0k M1b0 M
    """


def table(seat: int, turns: str = "", market: str = "market MVF") -> State:
    text = FOUR.format(seat=seat, turns=turns, market=market)
    return given(text.replace("0: 3, MP", f"0: 3, MP{turns}"))


@pytest.mark.allows("BN-END-4")
@pytest.mark.parametrize("line", ["0 resign", "arbiter 0"])
def test_a_seat_that_leaves_is_out_with_its_honour_unchanged(line: str) -> None:
    state = play_lines(table(2), line)
    assert progress_of(state) == "lay round 6 seat 2"
    assert baron.position(state, ALL_SECRETS)["players"][0] == {
        "seat": 0,
        "status": "out",
        "out": 1,
        "honour": 3,
        "keeps": 0,
        "keeps_resting": 0,
        "turns_left": None,
        "reserve": [],
        "reserve_size": 0,
    }
    assert state.keeps == {(0, 0): (0, "knight"), (1, 0): (1, "baron")}


@pytest.mark.allows("BN-END-4")
@pytest.mark.parametrize(
    ("seat", "progress"), [(0, "draw round 6 seat 1"), (3, "draw round 7 seat 0")]
)
def test_the_turn_ends_if_the_seat_leaves_during_it(seat: int, progress: str) -> None:
    state = when(table(seat), seat, "resign").leads_to(progress)
    assert state.turn == 23
    assert when_removed(table(seat), seat).event.type == "PlayerRemoved"


@pytest.mark.allows("BN-END-4")
def test_a_seat_that_leaves_has_no_turns_left() -> None:
    state = table(2, turns=", turns 2", market="")
    assert turns_left(play_lines(state, "0 resign")) == [0, 2, 2, 2]
    assert turns_left(play_lines(state, "2 resign")) == [2, 2, 0, 2]


@pytest.mark.allows("BN-END-4")
def test_seats_that_left_later_rank_before_earlier_ones() -> None:
    state = play_lines(table(2), "3 resign", "arbiter 0", "2 resign")
    assert progress_of(state) == "scoring round 6"
    assert places(state) == [(1, 1, 0), (2, 2, 7), (3, 0, 3), (4, 3, 4)]


@pytest.mark.allows("BN-END-4")
def test_a_departure_ends_the_turn_in_which_the_last_tile_was_taken() -> None:
    state = given(LAST_TILE.format(phase="lay", seat=1, rest=""))
    state = when(state, 1, "resign").leads_to("lay round 30 seat 2")
    assert turns_left(state) == [2, 0, 2]


@pytest.mark.refuses("BN-END-4")
def test_a_seat_cannot_leave_twice() -> None:
    state = play_lines(table(2), "0 resign")
    when(state, 0, "resign").is_refused("BN-TRN-2", "out")
    when_removed(state, 0).is_refused("BN-TRN-2", "out")


@pytest.mark.refuses("BN-END-4")
def test_play_ends_when_one_of_the_last_two_seats_leaves() -> None:
    state = play_lines(table(2), "0 resign", "1 resign")
    when(state, 3, "resign").leads_to("scoring round 6")


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_folding_the_events_leads_to_the_states_of_the_game(seats: int) -> None:
    game = list(random_game(seats, seed=6, forfeits=0.05))
    state = game[0][0]
    for before, event in game:
        for viewer in [None, *range(seats), ALL_SECRETS]:
            assert baron.position(state, viewer) == baron.position(before, viewer)
        state = evolve(baron, state, [event])
    assert state.phase == "finished"
    assert all(player.resting == 0 for player in state.players)
