"""Makes service/pages/rules/pictures.json from the recorded games: `-m tests.games.make_rules_pictures`.

Each picture of the rules shows the position after an event of a recorded game.
"""

import json
from pathlib import Path
from typing import Any, Final, NamedTuple

from domain.registry import rule_systems
from ledger.record import read
from replay.history.timeline import Transition, transitions
from service.pages.rules.pictures import SOURCE

_GAMES: Final = Path(__file__).parent
_EVENT_FIELDS: Final = ("type", "v", "by", "action", "data")
"""What a picture needs of an event: not its place in a log."""


class RecordedPicture(NamedTuple):
    """A picture of the position after event `seq` of a recorded game, for a clause."""

    name: str
    clause: str
    game: str
    seq: int
    whole: bool = False


PICTURES: Final = (
    RecordedPicture("set-up", "BY-SET-3", "duke-of-two", 10, whole=True),
    RecordedPicture("recruitment", "BY-REC-1", "duke-of-two", 11),
    RecordedPicture("movement", "BY-MOV-1", "duke-of-two", 15),
    RecordedPicture("conflict", "BY-CON-2", "duke-of-four", 40),
    RecordedPicture("construction", "BY-BLD-1", "duke-of-four", 33),
    RecordedPicture("city", "BY-CTY-1", "duke-of-two", 24),
    RecordedPicture("expedition", "BY-EXP-1", "clock-runs-out", 18),
    RecordedPicture("sanctuary", "BS-SAN-1", "sorcery-construction", 42),
    RecordedPicture("celerity", "BS-CEL-1", "sorcery-movement", 45),
    RecordedPicture("tornado", "BS-TOR-1", "sorcery-movement", 55),
    RecordedPicture("tile", "BN-LAY-3", "baron-battles", 51),
    RecordedPicture("keep", "BN-KEP-1", "baron-battles", 58),
    RecordedPicture("barony", "BN-BAR-1", "baron-battles", 57),
    RecordedPicture("fight", "BN-FGT-5", "baron-five", 70),
)


def rules_pictures() -> str:
    """Return the contents of pictures.json, with each picture on a line of its own."""
    lines = (
        f'"{picture.name}":{json.dumps(_entry(picture), separators=(",", ":"), sort_keys=True)}'
        for picture in PICTURES
    )
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _entry(picture: RecordedPicture) -> dict[str, Any]:
    with (_GAMES / f"{picture.game}.jsonl").open("rb") as file:
        record = read(file)
    transition: Transition = next(
        transition for transition in transitions(record) if transition.event["seq"] == picture.seq
    )
    event: Any = transition.event
    return {
        "clause": picture.clause,
        "event": {name: event[name] for name in _EVENT_FIELDS},
        "position": transition.after.position(None, ended=False),
        "rules": next(
            name for name, entry in rule_systems().items() if entry.system is transition.after.rules
        ),
        "whole": picture.whole,
    }


if __name__ == "__main__":
    SOURCE.write_text(rules_pictures(), encoding="utf-8")
