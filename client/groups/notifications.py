"""Notifications and feeds.

`python -m service.http.client_generator` has written this file.
"""

from typing import Any, NotRequired, TypedDict, Unpack

from client.groups.shared import DeliveryList
from client.methods import C_co, Group, Method
from client.requests import Call, call, reader, segment
from domain.json_types import JsonObject


class ChangeNotifications(TypedDict):
    """The body of a request: ChangeNotifications."""

    kinds: NotRequired[JsonObject]
    digest: NotRequired[Any]
    quiet_hours: NotRequired[Any]


class ChooseGameNotifications(TypedDict):
    """The body of a request: ChooseGameNotifications."""

    notify: Any


class GameNotifications(TypedDict):
    """Which notifications of one game the player gets by e-mail and push."""

    notify: str


class NotificationKinds(TypedDict):
    """By channel, the kinds of notifications that a player receives."""

    email: list[str]
    webhook: list[str]
    push: list[str]


class NotificationPreferences(TypedDict):
    """What a player is notified of. `digest` and `quiet_hours` are local times, such as `08:00`;
    null for none.
    """

    kinds: NotificationKinds
    digest: str | None
    quiet_hours: list[str] | None


class MyNotifications(TypedDict):
    """The preferences of a player, and the channels by which the player can be reached now."""

    preferences: NotificationPreferences
    channels: list[str]


def get_notifications() -> Call[MyNotifications]:
    """Get what the player wants to be notified of, and the channels by which they can be reached
    now.
    """
    return call("GET", "/me/notifications", reader(MyNotifications))


def change_notifications(**body: Unpack[ChangeNotifications]) -> Call[MyNotifications]:
    """Change what the player wants to be notified of.

    Fields that are left out stay as they are, as do the channels that `kinds` does not name. Local
    times are in the time zone of the account. Deliveries that exist already are sent as planned.
    """
    return call("PATCH", "/me/notifications", reader(MyNotifications), body=body)


def get_game_notifications(game: str, /) -> Call[GameNotifications]:
    """Get which notifications of a game the player wants."""
    return call("GET", f"/games/{segment(game)}/notifications", reader(GameNotifications))


def choose_game_notifications(
    game: str, /, **body: Unpack[ChooseGameNotifications]
) -> Call[GameNotifications]:
    """Choose which notifications of a game come by e-mail and push.

    Deliveries that exist already are sent as planned.
    """
    return call(
        "PUT", f"/games/{segment(game)}/notifications", reader(GameNotifications), body=body
    )


def list_deliveries(*, cursor: str | None = None, limit: int | None = None) -> Call[DeliveryList]:
    """List the deliveries of notifications to the player, with their status and the result of
    their attempts.

    Deliveries are kept for 90 days after they have ended, and at most a number that the server
    sets.
    """
    return call(
        "GET", "/me/deliveries", reader(DeliveryList), params={"cursor": cursor, "limit": limit}
    )


class NotificationsCalls(Group[C_co]):
    """Notifications and feeds."""

    get = Method(get_notifications)
    change = Method(change_notifications)
    get_of_game = Method(get_game_notifications)
    choose_of_game = Method(choose_game_notifications)
    list_deliveries = Method(list_deliveries)
