"""Disputes and takebacks as JSON, as every viewer of the game sees them, and the checks of their texts."""

import unicodedata
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict
from typing import Final

from domain.contract import STATEMENT
from domain.disputes.history import Answer, Dispute, Ending, Proposal
from domain.errors import Malformed
from domain.game import Game
from domain.json_types import JsonObject
from domain.messages import Message, Text, message, plural_message
from service.store.log_check import decode_opening

LAPSED: Final = "lapsed"
"""The status of a dispute that was open when the game ended."""


def dispute_summary(game: Game, dispute: Dispute) -> JsonObject:
    """Return a dispute as it stands in lists and in the summary of a game."""
    is_open = dispute.ending is None
    return {
        "dispute": dispute.seq,
        "at": dispute.at,
        "seat": dispute.seat,
        "about": dispute.about,
        "status": LAPSED if is_open and game.has_ended else dispute.status,
        "clock_stopped_until": dispute.clock_stopped_until,
    }


def open_dispute_summary(game: Game) -> JsonObject | None:
    """Return the summary of the open dispute of a game; None if there is none."""
    dispute = game.open_dispute
    return None if dispute is None else dispute_summary(game, dispute)


def pending_takeback(game: Game) -> JsonObject | None:
    """Return the takeback of a game that waits for answers; None if there is none."""
    takeback = None if game.last_play is None else game.last_play.takeback
    if takeback is None or takeback.declined_by is not None or game.status != "playing":
        return None
    return {
        "takeback": takeback.seq,
        "seat": takeback.seat,
        "from": takeback.origin,
        "agreed_by": list(takeback.agreed_by),
    }


def dispute_details(
    game: Game, dispute: Dispute, secrets: Callable[[str, Collection[str]], Mapping[str, str]]
) -> JsonObject:
    """Return a dispute with all details. A statement that was erased or never made is null.

    `secrets` is `LogReader.secrets`.
    """
    ending = dispute.ending
    entries = [dispute, *dispute.answers, *dispute.proposals, *(() if ending is None else [ending])]
    stored = secrets(game.id, [f"{entry.seq}/{STATEMENT}" for entry in entries])

    def statement(seq: int) -> str | None:
        opening = stored.get(f"{seq}/{STATEMENT}")
        return None if opening is None else decode_opening(opening)["value"]

    def details(entry: Answer | Proposal | Ending) -> JsonObject:
        return {**asdict(entry), "statement": statement(entry.seq)}

    return {
        **dispute_summary(game, dispute),
        "statement": statement(dispute.seq),
        "answers": [details(answer) for answer in dispute.answers],
        "proposals": [details(proposal) for proposal in dispute.proposals],
        "ending": None if ending is None else details(ending),
    }


_LINE_FEED: Final = "\n"
_FORBIDDEN_CATEGORIES: Final = frozenset({"Cc", "Cs", "Zl", "Zp"})
"""Control characters, surrogates, line and paragraph separators."""
_DIRECTION_CONTROLS: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Characters that change the direction of the text after them, and so could disguise it."""


def statement_fault(text: str, max_characters: int) -> Message | None:
    """Return the fault of a statement, as the end of a sentence about it; None if it is allowed."""
    if not text.strip():
        return message("must not be empty")
    if len(text) > max_characters:
        return plural_message(
            "must have at most one character",
            "must have at most {count} characters",
            count=max_characters,
        )
    for character in text:
        if character != _LINE_FEED and (
            unicodedata.category(character) in _FORBIDDEN_CATEGORIES
            or character in _DIRECTION_CONTROLS
        ):
            return message("must not contain the character U+{code}", code=f"{ord(character):04X}")
    return None


def check_text_about(game: Game, seq: int | None, text: str, max_characters: int) -> None:
    """Raise Malformed unless a text about a game, or about event `seq` of it, would be a valid statement."""
    faults: dict[str, Text] = {}
    if fault := statement_fault(text, max_characters):
        faults["text"] = fault
    if seq is not None and not 1 <= seq <= game.seq:
        faults["seq"] = plural_message(
            "must be 1, the only event of the game",
            "must be an event of the game, from 1 to {count}",
            count=game.seq,
        )
    if faults:
        raise Malformed(faults)
