"""The body of a request to take a vacant seat."""

from service.http.schemas.fields import NonNegativeInteger, StrictSchema


class TakeSeat(StrictSchema):
    """The vacant seat that a substitute takes."""

    seat = NonNegativeInteger(
        required=True, metadata={"description": "A seat, counted from 0 (`vacant` of the game)."}
    )
