"""What people call the fields of every game's positions, and the words in them.

Rule systems extend this table by their own fields and words (`LABELS` in `domain.contract`).
"""

from collections.abc import Mapping
from typing import Final

from domain.messages import Text, message_in

COMMON_LABELS: Final[Mapping[str, Text]] = {
    "active": message_in("label", "active"),
    "finished": message_in("label", "finished"),
    "out": message_in("label", "out of the game"),
    "phase": message_in("label", "phase"),
    "place": message_in("label", "place"),
    "players": message_in("label", "players"),
    "ranking": message_in("label", "ranking"),
    "reserve": message_in("label", "reserve"),
    "resign": message_in("label", "resign"),
    "round": message_in("label", "round"),
    "rules": message_in("label", "rules"),
    "score": message_in("label", "score"),
    "scoring": message_in("label", "scoring"),
    "seat": message_in("label", "seat"),
    "status": message_in("label", "status"),
    "to_act": message_in("label", "to act"),
}
