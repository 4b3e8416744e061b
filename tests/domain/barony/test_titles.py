"""BY-TTL: action F, resource tokens for a noble title."""

import pytest

from domain.barony.state import State
from domain.errors import Malformed
from tests.support.barony_positions import given
from tests.support.barony_results import scores
from tests.support.given_when import when


def position_with(words: str) -> State:
    """A position in which seat 0, to act, has this rank and these tokens."""
    return given(f"play round 7 seat 0\n0: {words}\n1: baron\nboard\nP0ck P P1ck")


@pytest.mark.allows("BY-TTL-1", "BY-END-1")
def test_example_1_a_count_pays_16_for_marquis_and_has_45_points() -> None:
    after = when(position_with("count, 4P 1M"), 0, "title 4 plain").becomes("""
        play round 7 seat 1
        0: marquis, 1M
        1: baron
        board
        P0ck P P1ck
        """)
    assert scores(after) == [45, 0]


@pytest.mark.allows("BY-TTL-1")
@pytest.mark.parametrize(
    ("rank", "next_rank"),
    [("baron", "viscount"), ("viscount", "count"), ("count", "marquis"), ("marquis", "duke")],
)
def test_each_title_leads_to_the_next(rank: str, next_rank: str) -> None:
    when(position_with(f"{rank}, 3D"), 0, "title 3 field").produces(
        "TitleBought", rank=next_rank, discarded={"field": 3}, points=15
    )


@pytest.mark.allows("BY-TTL-1")
def test_no_change_is_given_and_the_tokens_go_to_the_bank() -> None:
    state = position_with("baron, 4F 1D")
    after = when(state, 0, "title 4 forest 1 field").after
    assert after.resources[0] == (0, 0, 0, 0)
    assert after.bank == [20, 20, 20, 20]


def test_change_is_not_carried_over_to_the_next_title() -> None:
    state = when(position_with("baron, 4F 2D 2P"), 0, "title 2 field 2 plain").after
    assert scores(state) == [15, 0]
    state.to_act = 0
    when(state, 0, "title 4 forest").is_refused("BY-TTL-1", "worth 12")


@pytest.mark.allows("BY-TTL-2")
def test_tokens_for_two_titles_buy_one_in_each_action() -> None:
    state = when(position_with("baron, 6D"), 0, "title 3 field").becomes("""
        play round 7 seat 1
        0: viscount, 3D
        1: baron
        board
        P0ck P P1ck
        """)
    when(state, 0, "title 3 field").is_refused("BY-TURN-3")


@pytest.mark.refuses("BY-TTL-2")
def test_paying_thirty_points_at_once_does_not_buy_two_titles() -> None:
    when(position_with("baron, 6D"), 0, "title 6 field").is_refused("BY-TTL-3", "worth 30")


@pytest.mark.allows("BY-TTL-3")
@pytest.mark.parametrize(
    "paid",
    ["4 plain", "1 forest 3 plain", "3 forest 2 plain", "2 plain 2 field", "4 forest 1 field"],
)
def test_more_than_15_may_be_paid_where_every_token_is_needed(paid: str) -> None:
    state = position_with("baron, 5M 5F 5P 5D")
    when(state, 0, f"title {paid}").produces("TitleBought", rank="viscount")


@pytest.mark.refuses("BY-TTL-1")
def test_a_title_is_not_free() -> None:
    with pytest.raises(Malformed):
        when(position_with("baron, 3D"), 0, "title")
