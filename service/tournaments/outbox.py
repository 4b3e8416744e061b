"""The outbox entries for events of tournaments: of what players will be notified, and when."""

from typing import Any, Final

import orjson

from domain.tournaments.tournament import DrawnRound, Tournament
from replay.tournaments.log import PendingTournamentEvents
from service import wall_clock

REMINDER_SHARE: Final = 0.9
"""The share of a round after which players with an open table are notified of the last date."""


def outbox_entries(pending: PendingTournamentEvents) -> dict[str, str]:
    """Return the outbox entries for new events of a tournament: NAME -> payload (JSON).

    The notifications of `round/N`, `announcement/SEQ`, `team/SEQ` and `over` are due immediately, and those
    of `last-date/N` at `at`. Of a team, those who are named for the first time are notified. If the last date
    of a round is changed by event SEQ, `last-date/N/SEQ` is added; see `is_out_of_date`.
    """
    entries: dict[str, dict[str, Any]] = {}
    base = pending.base
    teams = {} if base is None else {**base.former_teams, **base.teams}
    for event in pending.events:
        data, seq = event["data"], event["seq"]
        match event["type"]:
            case "RoundDrawn" if pending.tournament.format.is_arena:
                # Games are fast, and each notifies of turns: only the beginning is worth a message.
                if data["round"] == 1:
                    entries["round/1"] = {"seq": seq}
            case "RoundDrawn":
                drawn = pending.tournament.rounds[data["round"] - 1]
                entries[f"round/{data['round']}"] = {"seq": seq}
                entries[f"last-date/{data['round']}"] = _reminder(drawn, data["ends"], seq)
            case "RoundExtended" | "TournamentResumed" if "ends" in data:
                drawn = pending.tournament.rounds[-1]
                entries[f"last-date/{drawn.number}/{seq}"] = _reminder(drawn, data["ends"], seq)
            case "AnnouncementMade":
                entries[f"announcement/{seq}"] = {"seq": seq}
            case "TeamEntered" | "TeamChanged":
                captain = data["player"]
                former = teams[captain].named if captain in teams else frozenset({captain})
                if new := sorted({*data["members"]} - former):
                    entries[f"team/{seq}"] = {"seq": seq, "captain": captain, "players": new}
            case "TournamentFinished" | "TournamentCancelled":
                entries["over"] = {"seq": seq}
            case _:
                pass
    return {name: orjson.dumps(payload).decode() for name, payload in entries.items()}


def _reminder(drawn: DrawnRound, ends: str, seq: int) -> dict[str, int | str]:
    begins, last = wall_clock.parse(drawn.drawn_at), wall_clock.parse(ends)
    remind_at = wall_clock.format(begins + (last - begins) * REMINDER_SHARE)
    return {"seq": seq, "at": remind_at, "ends": ends}


def is_out_of_date(tournament: Tournament, name: str, payload: dict[str, Any]) -> bool:
    """Return whether an entry reminds of a last date that is another one by now, or that a pause moves."""
    kind, *numbers = name.split("/")
    if kind != "last-date":
        return False
    drawn = tournament.rounds[int(numbers[0]) - 1]
    return tournament.paused_at is not None or payload.get("ends", drawn.ends) != drawn.ends
