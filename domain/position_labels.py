"""What people call the fields of every game's positions, the words in them, and the types of its events.

Rule systems extend this table by their own fields, words and types (`LABELS` in `domain.contract`).
"""

from collections.abc import Mapping
from typing import Final

from domain.messages import Text, message_in

COMMON_LABELS: Final[Mapping[str, Text]] = {
    # Fields, and words in them
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
    "statement": message_in("label", "statement"),
    "status": message_in("label", "status"),
    "to_act": message_in("label", "to act"),
    # Types of events
    "AdministratorDecided": message_in("label", "decision of an administrator"),
    "DeadlineExcused": message_in("label", "deadline excused"),
    "DisputeAnswered": message_in("label", "dispute answered"),
    "DisputeOpened": message_in("label", "dispute opened"),
    "DisputeRuled": message_in("label", "dispute ruled"),
    "DisputeWithdrawn": message_in("label", "dispute withdrawn"),
    "EventsLost": message_in("label", "events lost"),
    "GameAbandoned": message_in("label", "game abandoned"),
    "GameCreated": message_in("label", "game created"),
    "GameFinished": message_in("label", "game finished"),
    "GameStarted": message_in("label", "game started"),
    "HintGiven": message_in("label", "hint given"),
    "HolidayAnnounced": message_in("label", "holiday announced"),
    "HolidayCancelled": message_in("label", "holiday cancelled"),
    "InvitationDeclined": message_in("label", "invitation declined"),
    "InvitationRevoked": message_in("label", "invitation revoked"),
    "PauseAgreed": message_in("label", "agreement to a pause"),
    "PlayResumed": message_in("label", "play resumed"),
    "PlayerInvited": message_in("label", "player invited"),
    "PlayerKeyAdded": message_in("label", "key added"),
    "PlayerKeyRevoked": message_in("label", "key revoked"),
    "PlayerRemoved": message_in("label", "player removed"),
    "PlayerResigned": message_in("label", "player resigned"),
    "RoundScored": message_in("label", "round scored"),
    "RulingProposed": message_in("label", "ruling proposed"),
    "SeatLeft": message_in("label", "player left before the start"),
    "SeatTaken": message_in("label", "player joined"),
    "SeatVacated": message_in("label", "seat left vacant"),
    "SubstituteSeated": message_in("label", "substitute seated"),
    "TakebackAnswered": message_in("label", "takeback answered"),
    "TakebackRequested": message_in("label", "takeback requested"),
    "TimeGiven": message_in("label", "more time for another player"),
    "TurnForfeited": message_in("label", "turn forfeited"),
}
