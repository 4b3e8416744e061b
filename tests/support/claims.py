"""What sentences of audits and pages claim, and which of them cannot be true together."""

import re
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Claim:
    """Patterns of English sentences that claim something, and of those that deny or doubt it."""

    about: str
    claims: str
    denies: str


CLAIMS: Final = (
    Claim(
        "the whole",
        r"Everything checks out|[Ee]very check holds|Everything that your browser can check is right",
        r"cannot be known|Something is broken|^  ✗|^  \?|^broken:",
    ),
    Claim("faults", r"Nothing is broken", r"Something is broken|^  ✗|^broken:"),
    Claim(
        "the first draws",
        r"nobody alone could choose what was drawn|[Tt]he server could not (choose|have chosen) the draws"
        r"|A player supplied the last|nobody chose them",
        r"whether the server chose (what was drawn at the start|the random draws)"
        r"|[Tt]he server supplied the last nonce|the server c(an choose|ould have chosen) the draws",
    ),
    Claim(
        "the signatures of players",
        r"Every action was signed by its player",
        r"rests? on the server's word|only the word of the server",
    ),
    Claim("the rules", r"What happened is within the rules", r"✗ decisions|the rules do not allow"),
    Claim("changes", r"nothing was changed since", r"✗ (chain|form|head)"),
    Claim(
        "the history",
        r"Everybody sees the same|everybody sees the same",
        r"whether everybody was shown the same history|is not in the log|no proof that this history is",
    ),
    Claim(
        "lateness", r"The clock of the server did this, and no player", r"\d s late|The action came"
    ),
)


def contradictions(text: str, *, without: frozenset[str] = frozenset()) -> list[str]:
    """Return what a text, in its lines, both claims and denies."""
    flat = re.sub(r"\s+", " ", text)
    return [
        claim.about
        for claim in CLAIMS
        if claim.about not in without
        and any(re.search(claim.claims, form, re.MULTILINE) for form in (text, flat))
        and any(re.search(claim.denies, form, re.MULTILINE) for form in (text, flat))
    ]
