"""The numbers in the addresses and forms of a game: the seq of an event, and a seat."""

from flask import request

from domain.errors import Malformed
from domain.messages import message
from service.http.schemas.fields import whole_number


def number_parameter(name: str) -> int | None:
    """Return a parameter of the address that is a whole number; None if it is missing or no such number."""
    return whole_number(request.args.get(name, "").strip())


def sequence_number(text: str, field: str) -> int:
    """Return the seq of an event that a field of a form or an address has. Raises Malformed."""
    number = whole_number(text)
    if number is None:
        raise Malformed({field: message("must be the seq of an event")})
    return number


def seat_parameter() -> int | None:
    """Return the seat of the parameter `as`; None without one. Raises Malformed if it is no number."""
    if not request.args.get("as", ""):
        return None
    seat = number_parameter("as")
    if seat is None:
        raise Malformed({"as": message("must be the number of a seat of this game")})
    return seat
