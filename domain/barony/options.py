"""The options of a game of Barony (BY-END-5)."""

from collections.abc import Mapping
from typing import cast

from domain.barony.components import MOST_SEATS
from domain.barony.formats import OwnBaronyOptions
from domain.contract import Json
from domain.errors import Malformed

_MOST_ROUNDS = 10_000
_MORE_SEATS = ", or 5 with Sorcery"


def check_options(
    seats: int, options: Mapping[str, object], most_seats: int = MOST_SEATS
) -> OwnBaronyOptions:
    """The options whole. Raises Malformed naming every wrong one."""
    wrong: dict[str, str] = {}
    known: Json = {"sorcery": False, "round_limit": None, "end_by_agreement": False}
    whole = {**known, **{name: value for name, value in options.items() if name in known}}
    for name in options.keys() - known.keys():
        wrong[f"options.{name}"] = "is no option of this game"
    limit = whole["round_limit"]
    if limit is not None and (
        isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= _MOST_ROUNDS
    ):
        wrong["options.round_limit"] = f"must be a whole number from 1 to {_MOST_ROUNDS}, or null"
    for name in ("sorcery", "end_by_agreement"):
        if not isinstance(whole[name], bool):
            wrong[f"options.{name}"] = "must be true or false"
    if not 2 <= seats <= most_seats:
        more = _MORE_SEATS if most_seats == MOST_SEATS else ""
        wrong["seats"] = f"must be 2 to {most_seats}{more}"
    if wrong:
        raise Malformed(wrong)
    return cast("OwnBaronyOptions", whole)
