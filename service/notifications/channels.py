"""The channels by which players receive notifications, and their readers that are not players."""

from typing import Final, Literal, TypeAlias, get_args

PlayerChannel: TypeAlias = Literal["email", "webhook", "push"]
PLAYER_CHANNELS: Final[tuple[PlayerChannel, ...]] = get_args(PlayerChannel)
"""The channels whose endpoints belong to players."""

OPERATOR: Final = ""
"""The `player` of a delivery to the operator of the server."""
_CLUB: Final = "club-"


def club_reader(club_id: str) -> str:
    """Return the `player` of a delivery to the webhook of a club. No player has such an id."""
    return _CLUB + club_id


def club_of_reader(player: str) -> str | None:
    """Return the id of the club to whose webhook a delivery goes; None if it goes to a player."""
    return player.removeprefix(_CLUB) if player.startswith(_CLUB) else None
