"""The verifier of the pages (service/pages/static/js/verify), run in a Node process."""

import json
import subprocess
import sys
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from domain.json_types import JsonObject
from domain.messages import listing
from replay.audit.summary import broken, one_open, several_open
from replay.language.renderer import english
from service.pages.view_models.verifier_texts import FAULTS, NUMBERS, QUESTIONS, SENTENCES
from tests.support.processes import HANG_SECONDS
from tests.support.records import KEY

NODE: Final = Path(sys.prefix) / "bin" / "node"
TRUSTED: Final = ({"public": KEY.public},)
"""The keys that a reader of test records trusts."""
_SCRIPT: Final = Path(__file__).with_name("verifier.mjs")


@dataclass(frozen=True, slots=True)
class Verification:
    """The result of one verification: the verdict of each check, and everything that was reported."""

    verdicts: Mapping[str, str]
    reports: Sequence[JsonObject]

    @property
    def findings(self) -> list[JsonObject]:
        """What was found, or could not be decided."""
        return [report["finding"] for report in self.reports if report["kind"] == "finding"]

    @property
    def broken(self) -> set[str]:
        """The checks that are broken."""
        return {check for check, verdict in self.verdicts.items() if verdict == "broken"}

    @property
    def is_sound(self) -> bool:
        """Whether every check holds."""
        return set(self.verdicts.values()) == {"holds"}

    @property
    def summary(self) -> JsonObject:
        """What the verifier has summed up for the page."""
        (summary,) = (one["summary"] for one in self.reports if one["kind"] == "summary")
        return dict(summary)

    @property
    def sentence(self) -> str:
        """The English sentence with which the page begins, as static/js/verify.js puts it together."""
        fault, topics = self.summary["fault"], self.summary["topics"]
        if fault is not None:
            sentence = broken(FAULTS[fault["check"]], self.summary["seq"])
        elif not topics:
            sentence = SENTENCES["sound"]
        elif len(topics) == 1:
            sentence = one_open(QUESTIONS[topics[0]])
        else:
            questions = listing(QUESTIONS[topic] for topic in topics)
            sentence = several_open(NUMBERS[len(topics) - 2], questions)
        return english(sentence)

    def codes(self, check: str) -> set[str]:
        """Return the codes of what a check has found, or could not decide."""
        return {finding["code"] for finding in self.findings if finding["check"] == check}

    def faults(self, check: str) -> dict[str, tuple[int | None, int | None]]:
        """Return the line and the event of the first fault of each code that a check has found."""
        return {
            finding["code"]: (finding["details"].get("line"), finding["details"].get("seq"))
            for finding in self.findings
            if (finding["check"], finding["verdict"]) == (check, "broken")
        }

    @property
    def first(self) -> tuple[str, str, int | None]:
        """The first fault: its check, its code and its event."""
        fault = next(finding for finding in self.findings if finding["verdict"] == "broken")
        return fault["check"], fault["code"], fault["details"].get("seq")


class Verifier:
    """A Node process that verifies one record after the other."""

    def __init__(self, *options: str) -> None:
        self._options = options

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [NODE, _SCRIPT, *self._options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._process.communicate(timeout=HANG_SECONDS)

    def call(self, name: str, *arguments: Any) -> Any:
        """Call a function of verifier.mjs."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"call": name, "arguments": arguments}) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def verify(
        self,
        record: bytes,
        trusted: Iterable[Mapping[str, Any]] = TRUSTED,
        receipts: Iterable[JsonObject] = (),
        log: str | None = None,
        nonces: Sequence[JsonObject] = (),
    ) -> Verification:
        """Verify a record as a reader who trusts these keys, has these receipts and knows this log.

        `nonces` are those that the reader's browser sent, as it keeps them.
        """
        result = self.call(
            "verify",
            b64encode(record).decode(),
            list(trusted),
            [*map(dict, receipts)],
            log,
            list(nonces),
        )
        return Verification(**result)

    def parse(self, text: bytes) -> JsonObject:
        """Return the canonical JSON of a text as `text`, or why it is none as `reason`."""
        result: JsonObject = self.call("parse", b64encode(text).decode())
        return result
