"""Drawing a tile from the market (BN-DRW)."""

from domain.baron.actions import Draw
from domain.baron.components import DEEPEST_DEBT, SLOT_COSTS
from domain.baron.state import State
from domain.baron.turn_order import turn_goes_on
from domain.contract import DomainEvent, untyped_event
from domain.errors import Refused


def decide_draw(state: State, seat: int, action: Draw) -> DomainEvent:
    """BN-DRW-1, 2, 3: take the tile of a slot, which another one fills. Raises Refused."""
    slot, honour = action.slot, state.players[seat].honour
    if slot > len(state.market):
        raise Refused("BN-DRW-2", f"slot {slot} is empty: the market has {len(state.market)}")
    cost = SLOT_COSTS[slot - 1]
    if not can_pay(honour, cost):
        left = f"{honour} honour, less {cost}, would be {honour - cost}"
        raise Refused("BN-DRW-3", f"{left}; {DEEPEST_DEBT} is the deepest debt")
    return untyped_event(
        "TileDrawn",
        {
            "seat": seat,
            "slot": slot,
            "tile": state.market[slot - 1],
            "cost": cost,
            "refill": state.top_of_pile(),
            "then": turn_goes_on(state, "lay"),
        },
    )


def can_pay(honour: int, cost: int) -> bool:
    """BN-DRW-3: whether who has this honour may take a tile of this cost."""
    return cost == 0 or honour - cost >= DEEPEST_DEBT


def legal_draws(state: State, seat: int) -> list[Draw]:
    """The slots that are filled and can be paid for."""
    honour = state.players[seat].honour
    costs = enumerate(SLOT_COSTS[: len(state.market)], start=1)
    return [Draw(slot) for slot, cost in costs if can_pay(honour, cost)]
