"""What may stand in the texts of a club: its name, its description, its question and the answers to it."""

from collections.abc import Mapping
from typing import Final

from domain.errors import Malformed
from domain.messages import Text, message, plural_message
from service.clubs.model import Club
from service.clubs.names import name_fault

MAX_ABOUT_CHARACTERS: Final = 1_000
MAX_QUESTION_CHARACTERS: Final = 300
MAX_ANSWER_CHARACTERS: Final = 1_000


def checked_answer(club: Club, answer: str | None) -> str | None:
    """Return the answer to the question of a club; None if it asks none. Raises Malformed."""
    if club.question is None:
        return None
    if not answer:
        raise Malformed({"answer": message("must answer the question of the club")})
    if fault := text_fault(answer, MAX_ANSWER_CHARACTERS):
        raise Malformed({"answer": fault})
    return answer


def require_valid(name: str, about: str, question: str = "") -> None:
    """Raise Malformed, which names every wrong field of a club."""
    raise_faults(
        {
            "name": name_fault(name),
            "about": text_fault(about, MAX_ABOUT_CHARACTERS),
            "question": text_fault(question, MAX_QUESTION_CHARACTERS),
        }
    )


def raise_faults(fault_by_field: Mapping[str, Text | None]) -> None:
    """Raise Malformed with the fields that have a fault, if there are any."""
    faults = {field: fault for field, fault in fault_by_field.items() if fault is not None}
    if faults:
        raise Malformed(faults)


def text_fault(text: str, most: int) -> Text | None:
    """Return what is wrong with a text that everybody or the officers of a club read; None if nothing is."""
    if len(text) > most:
        return plural_message(
            "must have at most one character", "must have at most {count} characters", count=most
        )
    for character in text:
        if not (character.isprintable() or character == "\n"):
            code = f"{ord(character):04X}"
            return message("must not contain the character U+{code}", code=code)
    return None
