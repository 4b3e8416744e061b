"""Changes of what a record says about people: marks, invitations, bots, substitutes, holidays and pauses.

They are like those in tests/mutations/changes.py.
"""

import random
from collections.abc import Mapping
from typing import Any, Final

import orjson

from domain.disputes.events import DISPUTE_EVENTS
from ledger.canonical import canonical
from tests.mutations.changes import Change, Lines, event_indices


def change_mark(lines: Lines, chance: random.Random) -> Lines | None:
    """Add a mark to an event or remove it, such as that an action was prepared or who invited a player."""
    indices = [
        index
        for index in event_indices(lines)
        if (event := orjson.loads(lines[index]))["action"] or event["type"] == "SeatTaken"
    ]
    index = chance.choice(indices)
    event = orjson.loads(lines[index])
    values: list[Any] = [True]
    if event["action"]:
        container = event
        marks = [name for name in ("signature", "prepared") if name in event]
        mark = chance.choice(["conditional", *marks])
    else:
        container = event["data"]
        mark = chance.choice(["bot", "invited_by", "nonce_from"])
        values = {
            "bot": ["random", "sensible"],
            "invited_by": [*_players(lines), "stranger"],
            "nonce_from": ["player", "server", "none"],
        }[mark]
    if mark in container:
        del container[mark]
    else:
        container[mark] = chance.choice(values)
    return [*lines[:index], canonical(event), *lines[index + 1 :]]


def change_seed_version(lines: Lines, chance: random.Random) -> Lines | None:
    event = orjson.loads(lines[1])
    version = chance.choice([None, 1, 2, 3, True, "2"])
    event["data"].pop("seed", None)
    if version is not None:
        event["data"]["seed"] = version
    return [lines[0], canonical(event), *lines[2:]]


def change_nonce(lines: Lines, chance: random.Random) -> Lines | None:
    """Change the nonce with which a place was taken, also by a player who left, and who supplied it."""
    indices = [
        index for index in event_indices(lines) if orjson.loads(lines[index])["type"] == "SeatTaken"
    ]
    index = chance.choice(indices)
    event = orjson.loads(lines[index])
    data = event["data"]
    if chance.randrange(3):
        data["nonce"] = chance.choice(
            ["", "00", data["nonce"] + "00", "ff" * 64, "ff" * 65, "0", None]
        )
    if chance.randrange(3):
        data["nonce_from"] = chance.choice(["player", "server", "none", "arbiter"])
    return [*lines[:index], canonical(event), *lines[index + 1 :]]


def change_new_nonce(lines: Lines, chance: random.Random) -> Lines | None:
    """Change, add or remove the nonce of an event of a takeback or a dispute, or of another event."""
    indices = event_indices(lines)
    fit = [i for i in indices if orjson.loads(lines[i])["type"] in DISPUTE_EVENTS]
    index = chance.choice(fit or indices) if chance.randrange(10) else chance.choice(indices)
    event = orjson.loads(lines[index])
    if not event["data"].pop("nonce", None) or chance.randrange(3):
        event["data"]["nonce"] = chance.choice(["", "00", "ff" * 64, "ff" * 65, "0", 5, None])
    return [*lines[:index], canonical(event), *lines[index + 1 :]]


def _players(lines: Lines) -> list[str]:
    """The ids of all players that take part in a record, or are invited."""
    events = [orjson.loads(lines[index]) for index in event_indices(lines)]
    ids = (event["data"].get("player") for event in events)
    return sorted({id for id in ids if isinstance(id, str)})


def _insert(lines: Lines, chance: random.Random, events: list[Any]) -> Lines | None:
    """Insert one of these events, each `(type, by, data)`, anywhere after the first event."""
    index = chance.choice(event_indices(lines))
    type, by, data = chance.choice(events)
    before = orjson.loads(lines[index])
    names = ("v", "game", "at", "state", "prev", "hash", "seq")
    event = {name: before[name] for name in names}
    event.update(type=type, by=by, data=data, action=None)
    return [*lines[: index + 1], canonical(event), *lines[index + 1 :]]


def insert_invitation(lines: Lines, chance: random.Random) -> Lines | None:
    creator = orjson.loads(lines[1])["by"]
    player = chance.choice([*_players(lines), "stranger"])
    data = {"player": player}
    return _insert(
        lines,
        chance,
        [
            ("PlayerInvited", creator, data),
            ("InvitationRevoked", creator, data),
            ("InvitationDeclined", {"player": player}, data),
        ],
    )


def insert_bot(lines: Lines, chance: random.Random) -> Lines | None:
    creator = orjson.loads(lines[1])["by"]
    nonce, source = chance.choice([("00", "player"), ("", "none")])
    robot = {"player": "another-robot", "nonce": nonce, "nonce_from": source, "bot": "random"}
    invited = {**robot, "invited_by": chance.choice([*_players(lines), "stranger"])}
    return _insert(lines, chance, [("SeatTaken", creator, robot), ("SeatTaken", creator, invited)])


def insert_substitution(lines: Lines, chance: random.Random) -> Lines | None:
    """Let a seat be vacated, taken by a substitute, removed or excused."""
    players = [*_players(lines), "stranger"]
    seat = chance.randrange(3)
    player, other = chance.choice(players), chance.choice(players)
    by = chance.choice([{"seat": seat}, {"system": "clock"}])
    seated = {"seat": seat, "player": player, "replaces": other}
    return _insert(
        lines,
        chance,
        [
            ("SeatVacated", by, {"seat": seat, "player": player}),
            ("SubstituteSeated", {"player": player}, seated),
            ("DeadlineExcused", {"system": "clock"}, {"seat": seat}),
        ],
    )


def insert_holiday(lines: Lines, chance: random.Random) -> Lines | None:
    player = chance.choice(_players(lines))
    by = chance.choice([{"player": player}, {"seat": chance.randrange(3)}])
    since, until = (
        f"202{year}-01-01T00:00:00.000Z" for year in sorted(chance.choices("5679", k=2))
    )
    return _insert(
        lines,
        chance,
        [
            ("HolidayAnnounced", by, {"player": player, "from": since, "to": until}),
            ("HolidayCancelled", by, {"player": player, "from": since}),
        ],
    )


def insert_pause(lines: Lines, chance: random.Random) -> Lines | None:
    seat = chance.randrange(3)
    data = {"seat": seat, "agree": chance.choice([True, False])}
    return _insert(lines, chance, [("PauseAgreed", {"seat": seat}, data)])


def insert_time(lines: Lines, chance: random.Random) -> Lines | None:
    seat = chance.randrange(3)
    seconds = chance.choice([0, 60, 86400, 8 * 86400])
    data = {"seat": seat, "to": chance.randrange(3), "seconds": seconds}
    return _insert(lines, chance, [("TimeGiven", {"seat": seat}, data)])


def insert_loss(lines: Lines, chance: random.Random) -> Lines | None:
    lost = orjson.loads(chance.choice(lines[1:]))
    hash = chance.choice([lost.get("hash", ""), "ab" * 32])
    data = {"last": chance.choice([0, 3, 300]), "hash": hash}
    return _insert(lines, chance, [("EventsLost", {"system": "store"}, data)])


NONCES: Final[Mapping[str, Change]] = {
    "seed version changed": change_seed_version,
    "nonce changed": change_nonce,
    "nonce for new draws changed": change_new_nonce,
}
"""Changes of what people added to the draws."""
PEOPLE: Final[Mapping[str, Change]] = {
    **NONCES,
    "mark changed": change_mark,
    "invitation inserted": insert_invitation,
    "bot inserted": insert_bot,
    "substitution inserted": insert_substitution,
    "holiday inserted": insert_holiday,
    "pause inserted": insert_pause,
    "time inserted": insert_time,
    "loss inserted": insert_loss,
}
"""Changes that no rule of play contradicts."""
