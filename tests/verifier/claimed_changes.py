"""Changes of records that touch what the verifier of the pages claims to check.

Half of them are made by somebody who has the server's key, and who repairs the hash chain and the signature
of the head: what is left to find is what the repairs do not cover. The others repair nothing, or are made by
somebody who has another key.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import count
from typing import Any, Final, TypeAlias

import orjson

from ledger.canonical import canonical
from ledger.player_signatures import STATED_FIELDS
from tests.mutations import changes, repairs
from tests.mutations.audits import REPAIRS
from tests.mutations.changes import Lines
from tests.mutations.subjects import Subject, subjects
from tests.support.records import KEY

Change: TypeAlias = Callable[[list[Any], random.Random], bool]
"""Changes the decoded lines of a record, and returns whether there was anything to change."""


@dataclass(frozen=True, slots=True)
class ClaimedChange:
    """A changed record. `check` is the check that must be broken; None if any verdict but "holds" will do."""

    name: str
    check: str | None
    data: bytes


def other_hex(text: str, chance: random.Random) -> str:
    """Return a text in which one hexadecimal digit differs."""
    at = chance.randrange(len(text))
    digit = chance.choice([digit for digit in "0123456789abcdef" if digit != text[at]])
    return text[:at] + digit + text[at + 1 :]


def chosen(lines: Sequence[Any], chance: random.Random, is_fit: Callable[[Any], object]) -> Any:
    """Return one of the lines that fit; None if there is none."""
    fit = [line for line in lines if is_fit(line)]
    return chance.choice(fit) if fit else None


def move_time_back(lines: list[Any], chance: random.Random) -> bool:
    event = chosen(lines[3:], chance, lambda line: "prev" in line)
    event["at"] = f"20{chance.randrange(10, 26)}" + event["at"][4:]
    return True


def change_game(lines: list[Any], chance: random.Random) -> bool:
    chosen(lines[2:], chance, lambda line: "prev" in line)["game"] += "x"
    return True


def change_signed_action(lines: list[Any], chance: random.Random) -> bool:
    signed = [line for line in lines if "signature" in line and line["action"]]
    if not signed:
        return False
    # Later signatures name later hashes, which change too: only the last signed action stands alone.
    event = chance.choice([signed[-1], chance.choice(signed)])
    match chance.randrange(4):
        case 0:
            event["action"] = {**event["action"], "at": [chance.randrange(9), 99]}
        case 1:
            event["signature"]["signature"] = other_hex(event["signature"]["signature"], chance)
        case 2:
            event["signature"]["key"] = other_hex(event["signature"]["key"], chance)
        case _:
            event["signature"]["head"] = other_hex(event["signature"]["head"], chance)
    return True


def change_signed_statement(lines: list[Any], chance: random.Random) -> bool:
    """Change what a person has stated, or use the signature for another statement of the same person."""
    event = chosen(lines, chance, lambda line: "signature" in line and not line["action"])
    if event is None:
        return False
    later = lines[lines.index(event) + 1 :]
    for line in later:
        # Later signatures cover later hashes, which change too: without them, this one stands alone.
        line.pop("signature", None)
    data, other = event["data"], chance.choice(later)
    match chance.choice([*data, "type", "signature", "secrets", "again"]):
        case "about" | "dispute" | "request" as name:
            data[name] += chance.choice([-1, 1, 2])
        case "agree":
            data["agree"] = not data["agree"]
        case "ruling":
            data["ruling"] = {"type": "result_stands"}
        case "type":
            # The form of the data of a substitute is checked before the signature.
            others = STATED_FIELDS.keys() - {event["type"], "SubstituteSeated"}
            event["type"] = chance.choice(sorted(others))
        case "secrets" if "secrets" in event:
            event["secrets"]["statement"] = other_hex(event["secrets"]["statement"], chance)
        case "again" if "prev" in other and "signature" not in other:
            lines.insert(lines.index(other), {**deepcopy(event), "at": other["at"]})
            _number_again(lines)
        case _:
            field = chance.choice(["key", "head", "signature"])
            event["signature"][field] = other_hex(event["signature"][field], chance)
    return True


def change_prepared_action(lines: list[Any], chance: random.Random) -> bool:
    """Change an action that its player had prepared and signed, or its proof, or what came before it."""
    event = chosen(lines, chance, lambda line: "prepared" in line)
    if event is None:
        return False
    for line in lines[lines.index(event) + 1 :]:
        line.pop("signature", None)
        line.pop("prepared", None)
    proof, before = event["prepared"], lines[lines.index(event) - 1]
    match chance.choice([*proof, "action", "before", "mark", "outcomes", "other"]):
        case "index":
            proof["index"] = (proof["index"] + chance.randrange(1, 256)) % 256
        case "path":
            at = chance.randrange(len(proof["path"]))
            proof["path"][at] = other_hex(proof["path"][at], chance)
        case "action":
            event["action"] = {**event["action"], "at": [chance.randrange(9), 99]}
        case "before":
            before.pop("signature", None)
            before["action"] = {"type": "pass"}
        case "mark":
            del event["conditional"]
        case "outcomes":
            proof["outcomes"] = [chance.choice([{}, {"refill": "forest"}])]
        case "other":
            proofs = [line["prepared"] for line in lines if "prepared" in line]
            event["prepared"] = chance.choice(
                [other for other in proofs if other != proof] or [None]
            )
            return event["prepared"] is not None
        case name:
            proof[name] = other_hex(proof[name], chance)
    return True


def _number_again(lines: list[Any]) -> None:
    """Number the events in their order."""
    seqs = count(1)
    for line in lines:
        if "prev" in line:
            line["seq"] = next(seqs)


def change_players_key(lines: list[Any], chance: random.Random) -> bool:
    event = chosen(lines, chance, lambda line: line.get("type") == "PlayerKeyAdded")
    if event is None:
        return False
    field = chance.choice(["key", "public"])
    event["data"][field] = other_hex(event["data"][field], chance)
    return True


def change_commitment(lines: list[Any], chance: random.Random) -> bool:
    event = chosen(lines, chance, lambda line: "prev" in line and "secrets" in line)
    if event is None:
        return False
    name = chance.choice(sorted(event["secrets"]))
    event["secrets"][name] = other_hex(event["secrets"][name], chance)
    return True


def change_opening(lines: list[Any], chance: random.Random) -> bool:
    line = chosen(lines, chance, lambda line: "open" in line)
    if line is None:
        return False
    opening = line["open"][chance.choice(sorted(line["open"]))]
    if chance.random() < 0.5:
        opening["salt"] = other_hex(opening["salt"], chance)
    else:
        opening["value"] = [opening["value"], chance.randrange(100)]
    return True


def close_secret(lines: list[Any], chance: random.Random) -> bool:
    line = chosen(lines, chance, lambda line: "open" in line and set(line["open"]) != {"statement"})
    if line is None:
        return False
    del line["open"][chance.choice(sorted(line["open"]))]
    if not line["open"]:
        lines.remove(line)
    return True


def change_games_secret(lines: list[Any], chance: random.Random) -> bool:
    data = chosen(
        lines, chance, lambda line: {"secret", "commitment"} & line.get("data", {}).keys()
    )["data"]
    field = "secret" if "secret" in data else "commitment"
    data[field] = other_hex(data[field], chance)
    return True


def change_seats(lines: list[Any], chance: random.Random) -> bool:
    players = chosen(lines, chance, lambda line: line.get("type") == "GameStarted")["data"][
        "players"
    ]
    before = [*players]
    if chance.random() < 0.5:
        players[chance.randrange(len(players))] += "x"
    else:
        chance.shuffle(players)
    return bool(players != before)


def change_receipt(lines: list[Any], chance: random.Random) -> bool:
    line = chosen(lines, chance, lambda line: "receipt" in line)
    field = chance.choice(["hash", "signature", "key", "game", "seq", "at"])
    value = line["receipt"][field]
    match field:
        case "seq":
            line["receipt"][field] = value + chance.choice([-1, 1, 1000])
        case "at" | "game":
            line["receipt"][field] = value[:-4] + chance.choice("abc") + value[-3:]
        case _:
            line["receipt"][field] = other_hex(value, chance)
    return True


def change_event_with_receipt(lines: list[Any], chance: random.Random) -> bool:
    """Change an event for which, or after which, the server has issued receipts that are not changed."""
    last = max(line["receipt"]["seq"] for line in lines if "receipt" in line)
    event = lines[chance.randrange(2, last + 1)]
    event["state"] = other_hex(event["state"], chance)
    return True


def change_inclusion(lines: list[Any], chance: random.Random) -> bool:
    inclusion = lines[0].get("inclusion")
    if inclusion is None:
        return False
    match chance.randrange(5):
        case 0:
            inclusion["index"] = chance.choice(
                [number for number in range(9) if number != inclusion["index"]]
            )
        case 1:
            at = chance.randrange(len(inclusion["path"]))
            inclusion["path"][at] = other_hex(inclusion["path"][at], chance)
        case 2:
            inclusion["hash"] = other_hex(inclusion["hash"], chance)
        case 3:
            del inclusion["path"][chance.randrange(len(inclusion["path"]))]
        case _:
            own = inclusion["checkpoint"].index("\n\n")
            at = chance.randrange(own)
            inclusion["checkpoint"] = (
                inclusion["checkpoint"][:at] + "~" + inclusion["checkpoint"][at + 1 :]
            )
    return True


def change_head(lines: list[Any], chance: random.Random) -> bool:
    header = lines[0]
    match chance.randrange(5):
        case 0:
            header["head"]["seq"] += chance.choice([-1, 1])
        case 1:
            header["head"]["hash"] = other_hex(header["head"]["hash"], chance)
        case 2:
            header["game"] += "x"
        case 3:
            header["rules"] += "x"
        case _:
            header["keys"][0]["until"] = f"2026-{chance.randrange(10, 13)}-01T00:00:00.000Z"
    return True


def _seal(lines: Lines) -> Lines:
    return repairs.issue_receipts_again(
        repairs.seal_again(lines, key=KEY, with_states=False), key=KEY
    )


def _seal_without_receipts(lines: Lines) -> Lines:
    return repairs.seal_again(lines, key=KEY, with_states=False)


def _sign_head(lines: Lines) -> Lines:
    return repairs.sign_head_again(lines, key=KEY)


def _leave(lines: Lines) -> Lines:
    return lines


TARGETED: Final[Mapping[str, tuple[Change, Callable[[Lines], Lines], str]]] = {
    "time moved back": (move_time_back, _seal, "chain"),
    "event of another game": (change_game, _seal, "chain"),
    "signed action changed": (change_signed_action, _seal, "signatures"),
    "signed statement changed": (change_signed_statement, _seal, "signatures"),
    "prepared action changed": (change_prepared_action, _seal, "signatures"),
    "key of a player changed": (change_players_key, _seal, "signatures"),
    "commitment changed": (change_commitment, _seal, "secrets"),
    "opening changed": (change_opening, _leave, "secrets"),
    "secret closed": (close_secret, _leave, "secrets"),
    "secret of the game changed": (change_games_secret, _seal, "secrets"),
    "seats changed": (change_seats, _seal, "chance"),
    "receipt changed": (change_receipt, _leave, "receipts"),
    "event with a receipt changed": (change_event_with_receipt, _seal_without_receipts, "receipts"),
    "inclusion changed": (change_inclusion, _sign_head, "inclusion"),
    "head changed": (change_head, _sign_head, "head"),
}
"""Changes by somebody who has the server's key: how they are repaired, and which check finds them."""
_UNTARGETED_REPAIRS: Final = (
    "nothing",
    "head by a stranger",
    "everything by a stranger",
    "everything by a stranger under the server's key id",
)


def claimed_change(number: int) -> ClaimedChange | None:
    """Return the change of this number, which determines everything about it; None if it changes nothing."""
    chance = random.Random(f"claimed {number}")
    return _targeted(chance) if number % 2 else _untargeted(chance.choice(subjects()), chance)


def _targeted(chance: random.Random) -> ClaimedChange | None:
    """Change what only one check can find, in one of the records that have it."""
    name = chance.choice(list(TARGETED))
    change, repair, check = TARGETED[name]
    for subject in chance.sample(subjects(), len(subjects())):
        lines = [orjson.loads(line) for line in subject.data.splitlines()]
        if change(lines, chance):
            repaired = repair([canonical(line) for line in lines])
            return ClaimedChange(f"{name} in {subject.name}", check, b"\n".join(repaired) + b"\n")
    return None


def _untargeted(subject: Subject, chance: random.Random) -> ClaimedChange | None:
    """Change bytes, lines or values anywhere, without the server's key."""
    kinds = {**changes.BYTES, **changes.LINES, **changes.VALUES}
    name = chance.choice(list(kinds))
    repair = chance.choice(_UNTARGETED_REPAIRS) if name not in changes.BYTES else "nothing"
    lines = kinds[name](subject.data.splitlines(), chance)
    if lines is None:
        return None
    try:
        lines = REPAIRS[repair](lines)
    except repairs.UNREPAIRABLE:
        return None
    if _is_record_with_less_evidence(subject, lines):
        return None
    return ClaimedChange(f"{name} in {subject.name}, {repair}", None, b"\n".join(lines) + b"\n")


def _is_record_with_less_evidence(subject: Subject, lines: Lines) -> bool:
    """Whether the record only lacks some receipts or statements, or has receipts twice or in another order.

    A record need not contain any, so nobody can find that.
    """
    original = subject.data.splitlines()
    added = [line for line in lines if line not in original]
    missing = [line for line in original if line not in lines]
    kept = [line for line in lines if not line.startswith(b'{"receipt"')]
    is_in_order = kept == [line for line in original if line in kept]
    return (
        not added
        and is_in_order
        and all(line.startswith((b'{"receipt"', b'{"open":{"statement"')) for line in missing)
    )
