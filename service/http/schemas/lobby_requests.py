"""Schemas of requests about lists of games and messages; see requests.py."""

from typing import Final

from domain.registry import EXPANSIONS, RULES
from service.games.game_filter import PACES
from service.games.listings import STATUSES
from service.http.schemas.fields import (
    Choice,
    PositiveInteger,
    QueryInteger,
    StrictSchema,
    String,
)
from service.http.schemas.requests import PageQuery

ListGames: Final = PageQuery.from_dict(
    {
        "status": String(
            load_default=None,
            metadata={
                "description": f"One or several of {', '.join(STATUSES)}, separated by commas."
            },
        ),
        "player": String(
            load_default=None, metadata={"description": "Handle of a player in the game."}
        ),
        "vacant": Choice(
            choices=("true", "false"),
            load_default="false",
            metadata={
                "description": "Whether to list only games in progress with vacant seats. It goes with"
                " neither `status` nor `player`."
            },
        ),
        "rules": Choice(
            choices=sorted(RULES),
            load_default=None,
            metadata={"description": "Only games with these rules."},
        ),
        **{
            option: Choice(
                choices=("true", "false"),
                load_default=None,
                metadata={"description": f"Only games of {rules} with or without this expansion."},
            )
            for rules, option in EXPANSIONS
        },
        "seats": QueryInteger(
            minimum=1,
            load_default=None,
            metadata={"description": "Only games for so many players."},
        ),
        "free": QueryInteger(
            minimum=1,
            load_default=None,
            metadata={
                "description": "Only games that have not started and have at least so many free places."
            },
        ),
        "clock": Choice(
            choices=PACES,
            load_default=None,
            metadata={
                "description": "Only games with this time for a turn: any (`none`), at most an hour (`hour`),"
                " more than an hour and at most a day (`day`), more than a day (`slow`)."
            },
        ),
    },
    name="ListGames",
)
"""Which games to list."""


class MessagesQuery(StrictSchema):
    """Which messages to show."""

    after = QueryInteger(
        load_default=0,
        metadata={"description": "`next` of the previous page, or the number of a message."},
    )
    limit = QueryInteger(
        minimum=1,
        load_default=100,
        metadata={"description": "Messages per page, at most 200."},
    )


class PostMessage(StrictSchema):
    """A message to the other players and the arbiter of a game."""

    text = String(
        required=True,
        metadata={"minLength": 1, "description": "Its length is bounded by the server."},
    )
    seq = PositiveInteger(
        allow_none=True,
        load_default=None,
        metadata={"nullable": True, "description": "The event that the message is about."},
    )


class ReportMessage(StrictSchema):
    """Why a message is reported."""

    reason = String(
        allow_none=True,
        load_default=None,
        metadata={"nullable": True, "description": "A text for the administrators."},
    )
