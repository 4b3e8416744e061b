"""What a check of a service has found."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import orjson

from domain.messages import Text
from replay.language.renderer import english

Status: TypeAlias = Literal["ok", "warning", "fault"]

_SIGNS: Final[Mapping[Status, str]] = {"ok": "ok", "warning": "? ", "fault": "! "}


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check has found, and for anything but `ok` what to do about it."""

    status: Status
    sentence: Text
    advice: Text | None = None
    page: str | None = None
    """The address of the page on which an administrator sees more of it, or mends it."""

    def as_text(self, subject: Text, render: Callable[[Text], str] = english) -> str:
        """Return the finding on a subject in one line, and its advice in a second one."""
        line = f"{_SIGNS[self.status]} {render(subject)}: {render(self.sentence)}"
        return line if self.advice is None else f"{line}\n    {render(self.advice)}"

    def as_json(self, subject: Text) -> str:
        """Return the finding on a subject as a line of JSON, in English."""
        fields = {
            "subject": english(subject),
            "status": self.status,
            "text": english(self.sentence),
            "advice": None if self.advice is None else english(self.advice),
        }
        return orjson.dumps(fields).decode()
