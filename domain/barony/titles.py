"""F. Noble title (BY-TTL): resource tokens for a rank."""

from itertools import product
from operator import mul

from domain.barony.actions import NobleTitle, SomeTokens
from domain.barony.components import (
    DUKE,
    POINTS_A_RANK,
    RANKS,
    RESOURCE_POINTS,
    RESOURCES,
    TITLE_PRICE,
)
from domain.barony.formats import TitleBought
from domain.barony.state import State
from domain.barony.terms import RESOURCE_POINT, TOKENS
from domain.barony.turn_order import after_turn
from domain.contract import DomainEvent
from domain.errors import refusal
from domain.messages import PlayerAt, counted


def worth(tokens: tuple[int, ...]) -> int:
    """BY-MAT-3: the resource points of tokens, counted by kind."""
    return sum(map(mul, tokens, RESOURCE_POINTS))


def has_needless_token(tokens: tuple[int, ...]) -> bool:
    """BY-TTL-3: whether the tokens would be enough without one of them."""
    spare = worth(tokens) - TITLE_PRICE
    # The cheapest kind of token decides.
    for count, points in zip(tokens, RESOURCE_POINTS, strict=True):
        if count:
            return points <= spare
    return False


def decide_title(state: State, seat: int, action: NobleTitle) -> DomainEvent:
    """BY-TTL-1, 2, 3: tokens go to the bank, and the seat rises one rank. Raises Refused."""
    rank, tokens = state.rank[seat], state.resources[seat]
    if rank == DUKE:
        raise refusal(
            "BY-TTL-2", "{player} is a duke, and there is no higher rank", player=PlayerAt(seat)
        )
    for kind, count in enumerate(action.discard):
        if count > tokens[kind]:
            raise refusal(
                "BY-TTL-1",
                "{player} has {tokens}, not {number}",
                player=PlayerAt(seat),
                tokens=counted(tokens[kind], TOKENS[RESOURCES[kind]]),
                number=count,
            )
    paid = worth(action.discard)
    if paid < TITLE_PRICE:
        raise refusal(
            "BY-TTL-1",
            "these tokens are worth {points}, and a title costs {price}",
            points=counted(paid, RESOURCE_POINT),
            price=TITLE_PRICE,
        )
    if has_needless_token(action.discard):
        raise refusal(
            "BY-TTL-3",
            "these tokens are worth {points}; one could be taken back and still leave {price}",
            points=counted(paid, RESOURCE_POINT),
            price=TITLE_PRICE,
        )
    discarded: SomeTokens = {}
    for name, count in zip(RESOURCES, action.discard, strict=True):
        if count:
            discarded[name] = count
    data: TitleBought = {
        "seat": seat,
        "rank": RANKS[rank + 1],
        "discarded": discarded,
        "points": POINTS_A_RANK,
        "then": after_turn(state, becomes_duke=rank + 1 == DUKE),
    }
    return DomainEvent("TitleBought", data)


def legal_titles(state: State, seat: int) -> list[NobleTitle]:
    """BY-TTL: every payment without a needless token."""
    tokens = state.resources[seat]
    if state.rank[seat] == DUKE or worth(tokens) < TITLE_PRICE:
        return []
    most = (TITLE_PRICE - 1) // min(RESOURCE_POINTS) + 1
    return [
        NobleTitle((mountain, forest, plain, field))
        for mountain, forest, plain, field in product(
            *(range(min(count, most) + 1) for count in tokens)
        )
        if worth((mountain, forest, plain, field)) >= TITLE_PRICE
        and not has_needless_token((mountain, forest, plain, field))
    ]
