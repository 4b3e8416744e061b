"""Schemas of requests about holidays and pauses. They check bodies."""

from service.http.schemas.fields import Flag, StrictSchema, String


class AnnounceHoliday(StrictSchema):
    """The days of a holiday."""

    first_day = String(
        required=True,
        metadata={"format": "date", "example": "2027-07-14", "description": "The first day."},
    )
    last_day = String(
        required=True,
        metadata={"format": "date", "example": "2027-07-20", "description": "The last day."},
    )


class AgreeToPause(StrictSchema):
    """An agreement to a pause, or its withdrawal."""

    agree = Flag(required=True)
