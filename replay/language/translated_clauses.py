"""Records the English text from which each clause of the translated rules pages was translated.

`docs/rules.translated.json` has, for each language and clause, a digest of the English clause at the time
when its translation was last checked. A clause whose English has changed since then is stale, and a test
names it. When its translation is up to date again, `make translated ARGS="LANGUAGE CLAUSE..."` runs this file
to record that. Cartulary does not need it at run time.
"""

import hashlib
import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, TypeAlias

DOCS: Final = Path(__file__).parents[2] / "docs"
RULES: Final = DOCS / "rules.md"
DIGESTS: Final = DOCS / "rules.translated.json"
_CLAUSE: Final = re.compile(
    r'^<a id="([A-Z]{2}-[A-Z]+-\d+)"></a>(.*?)(?=^<a id="[A-Z]|^#|^---$|\Z)',
    re.MULTILINE | re.DOTALL,
)
"""A clause with the notes that follow it, up to the next clause, heading or rule."""

Digests: TypeAlias = Mapping[str, Mapping[str, str]]
"""Digests of English clauses by language and clause."""


def clause_digests(page: str) -> dict[str, str]:
    """Return a digest of each clause of a rules page, which does not depend on line breaks."""
    return {
        clause: hashlib.sha256(" ".join(text.split()).encode()).hexdigest()[:16]
        for clause, text in _CLAUSE.findall(page)
    }


def recorded_digests() -> Digests:
    """Return the digests that were recorded when the translations were last checked."""
    digests: Digests = json.loads(DIGESTS.read_text())
    return digests


def stale_clauses(page: str, recorded: Mapping[str, str]) -> list[str]:
    """Return the clauses of the English page that have changed since their translation, or have none."""
    return [
        clause for clause, digest in clause_digests(page).items() if recorded.get(clause) != digest
    ]


def main(language: str, clauses: Sequence[str]) -> None:
    """Record that the translations of these clauses match the current English page."""
    current = clause_digests(RULES.read_text())
    unknown = [clause for clause in clauses if clause not in current]
    if unknown or not clauses or not (DOCS / f"rules.{language}.md").exists():
        sys.exit('usage: make translated ARGS="LANGUAGE CLAUSE..."; unknown: ' + ", ".join(unknown))
    digests = {name: dict(recorded) for name, recorded in recorded_digests().items()}
    stored = digests.setdefault(language, {}) | {clause: current[clause] for clause in clauses}
    digests[language] = {clause: stored[clause] for clause in current if clause in stored}
    DIGESTS.write_text(json.dumps(digests, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main(sys.argv[1] if sys.argv[1:] else "", sys.argv[2:])
