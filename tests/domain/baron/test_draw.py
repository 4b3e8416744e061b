"""BN-DRW: the market, the prices of its slots, and debts."""

import pytest

from domain import baron
from domain.contract import ALL_SECRETS, evolve
from domain.errors import Malformed
from tests.support.baron_positions import given, legal_texts, set_up, started_without_secrets
from tests.support.faults import raises
from tests.support.given_when import when

MARKET = """
    draw round 2 seat 0
    0: 3, MP
    1: 0, M
    market MVF
    pile WQS
    board
    M
    """


@pytest.mark.allows("BN-DRW-1")
@pytest.mark.parametrize(
    ("slot", "honour", "reserve", "market"),
    [(1, 3, "MMP", "VFW"), (2, 2, "MPV", "MFW"), (3, 0, "MPF", "MVW")],
)
def test_the_tile_of_a_slot_has_its_price_and_the_tiles_behind_it_move_up(
    slot: int, honour: int, reserve: str, market: str
) -> None:
    when(given(MARKET), 0, f"draw {slot}").becomes(f"""
        lay round 2 seat 0
        0: {honour}, {reserve}
        1: 0, M
        market {market}
        pile QS
        board
        M
        """)


@pytest.mark.allows("BN-DRW-1")
def test_the_event_has_the_drawn_tile_and_the_refill() -> None:
    when(given(MARKET), 0, "draw 2").produces(
        "TileDrawn", seat=0, slot=2, tile="village", cost=1, refill="forest"
    )


@pytest.mark.allows("BN-DRW-1")
def test_a_drawn_tile_is_in_a_reserve_that_others_do_not_see() -> None:
    after = when(given(MARKET), 0, "draw 2").after
    mine, theirs = (baron.position(after, viewer)["players"][0] for viewer in (0, 1))
    assert (mine["reserve"], mine["reserve_size"]) == (["meadow", "pond", "village"], 3)
    assert (theirs["reserve"], theirs["reserve_size"]) == (None, 3)


@pytest.mark.allows("BN-DRW-1")
def test_draws_can_be_followed_without_the_secrets() -> None:
    opening = set_up(2, 4)
    state = baron.initial_state(2, {}, opening.data, opening.secrets)
    event = when(state, 0, "draw 1").event
    blind = evolve(baron, started_without_secrets(2, 4), [event])
    assert baron.position(blind, None) == baron.position(evolve(baron, state, [event]), None)
    assert baron.position(blind, ALL_SECRETS)["players"][0]["reserve"] is None


@pytest.mark.refuses("BN-DRW-1")
@pytest.mark.parametrize("slot", [0, 4, -1])
def test_there_are_three_slots(slot: int) -> None:
    with raises(Malformed, match="slot: must be a market slot, 1 to 3"):
        baron.parse_action({"type": "draw", "slot": slot})


@pytest.mark.allows("BN-DRW-2")
@pytest.mark.parametrize(
    ("slot", "honour", "market", "left"), [(1, 3, "MV", "V"), (2, 2, "MV", "M"), (1, 3, "M", "")]
)
def test_with_an_empty_pile_the_filled_slots_keep_their_prices(
    slot: int, honour: int, market: str, left: str
) -> None:
    state = given(f"draw round 2 seat 0\n0: 3\n1: 0\nmarket {market}\nboard\nM")
    after = when(state, 0, f"draw {slot}").produces("TileDrawn", refill=None)
    assert after.players[0].honour == honour
    assert len(after.market) == len(left)


@pytest.mark.allows("BN-DRW-2")
def test_with_an_empty_market_a_turn_starts_with_laying() -> None:
    state = given("keep round 30 seat 0\n0: 0, turns 2\n1: 0, P, turns 2\nboard\nM")
    when(state, 0, "end").leads_to("lay round 30 seat 1")


@pytest.mark.refuses("BN-DRW-2")
@pytest.mark.parametrize("text", ["lay pond 1,0", "lay meadow 1,0", "end", "keep 0,0"])
def test_a_seat_must_draw(text: str) -> None:
    when(given(MARKET), 0, text).is_refused("BN-TRN-3", "drawn")


@pytest.mark.allows("BN-DRW-3")
@pytest.mark.parametrize(
    ("honour", "slots"), [(40, "123"), (-1, "123"), (-2, "12"), (-3, "12"), (-4, "1")]
)
def test_a_draw_may_lead_to_a_debt_of_4(honour: int, slots: str) -> None:
    state = given(MARKET.replace("0: 3", f"0: {honour}"))
    assert legal_texts(state, 0) == [f"draw {slot}" for slot in slots]
    when(state, 0, f"draw {slots[-1]}").leads_to("lay round 2 seat 0")


@pytest.mark.parametrize(("honour", "slot"), [(-2, 3), (-3, 3), (-4, 2), (-4, 3)])
def test_a_draw_cannot_lead_to_a_greater_debt(honour: int, slot: int) -> None:
    state = given(MARKET.replace("0: 3", f"0: {honour}"))
    when(state, 0, f"draw {slot}").is_refused("BN-DRW-3", "-4 is the least allowed")
