"""Replaces what differs between any two runs of the tests, and what is secret, in an exchange."""

import base64
import hashlib
import re
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from tests.support.http_contract import Json

HANDLES: Final = ("ada", "bea", "cleo", "dora", "emma", "fay", "grace", "hedy")
SECRETS: Final = {
    "password": "correct horse battery",
    "current_password": "correct horse battery",
    "new_password": "staple battery horse",
}
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
_FIRST_TIME: Final = datetime(2026, 11, 22, 10, 53, 12, 345_000, UTC)
_ADDRESS: Final = re.compile(r"http://(?:127\.0\.0\.1|localhost):\d+")
_HANDLE: Final = re.compile(r"\b(?:player|client|groups|guest|example)-\w+\b", re.IGNORECASE)
_RANDOM: Final = re.compile(r"(?<![\w+=-])(?=[\w+-]*\d)[\w+-]{10,}={0,2}(?![\w+=-])")
"""Ids, hashes, signatures, tokens and cursors: long words with a digit."""
_HEX: Final = re.compile(r"(?P<prefix>[a-z]?)(?P<digits>[0-9a-f]{8,})")


class _Replacements:
    """What stands for what in one exchange."""

    def __init__(self, times: list[str]) -> None:
        self._times = {time: _time(number) for number, time in enumerate(sorted(set(times)))}
        self._handles: dict[str, str] = {}
        self._words: dict[str, str] = {}

    def text(self, text: str) -> str:
        """Return a text with everything replaced."""
        text = _TIME.sub(lambda match: f"\0{match[0]}\0", text)
        parts = text.split("\0")
        return "".join(
            self._times[part] if part in self._times else self._without_random(part)
            for part in parts
        )

    def _without_random(self, text: str) -> str:
        text = _ADDRESS.sub("https://play.example.org", text)
        text = _HANDLE.sub(lambda match: self._handle(match[0]), text)
        return _RANDOM.sub(lambda match: self._word(match[0]), text)

    def _handle(self, handle: str) -> str:
        number = len(self._handles)
        name = HANDLES[number] if number < len(HANDLES) else f"gil-{number}"
        return self._handles.setdefault(handle.lower(), name)

    def _word(self, word: str) -> str:
        if re.fullmatch(r"[\d-]+", word) or re.fullmatch(r"[a-z]+([_-][a-z0-9]+)+", word):
            # A number, a day, a name such as `sha-256`.
            return word
        if word not in self._words:
            self._words[word] = _like(word, f"{len(self._words)}")
        return self._words[word]


def redacted(exchange: Json) -> Json:
    """Return an exchange with values that are the same in each run, and with no secret."""
    replacements = _Replacements(_TIME.findall(str(exchange)))

    def replace(value: Any, name: str = "") -> Any:
        if isinstance(value, dict):
            return {replacements.text(key): replace(item, key) for key, item in value.items()}
        if isinstance(value, list):
            return [replace(item, name) for item in value]
        if isinstance(value, str):
            return SECRETS.get(name) or replacements.text(value)
        return value

    result: Json = replace(exchange)
    return result


def _time(number: int) -> str:
    time = _FIRST_TIME + timedelta(minutes=number)
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _like(word: str, seed: str) -> str:
    """Return a word of the same length, with the same kinds of characters in the same places."""
    digest = b"".join(hashlib.sha512(f"{seed} {n}".encode()).digest() for n in range(20))
    if hexadecimal := _HEX.fullmatch(word):
        made = digest.hex() * (len(word) // len(digest.hex()) + 1)
        return hexadecimal["prefix"] + made[: len(hexadecimal["digits"])]
    letters = base64.b32encode(digest * (len(word) // len(digest) + 1)).decode()
    uppers = [letter for letter in letters if letter.isalpha()]
    digits = [letter for letter in letters if letter.isdigit()]
    made = ""
    for number, character in enumerate(word):
        if character.isdigit():
            made += digits[number % len(digits)]
        elif character.isupper():
            made += uppers[number % len(uppers)]
        elif character.islower():
            made += uppers[number % len(uppers)].lower()
        else:
            made += character
    return made
