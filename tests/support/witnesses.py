"""A witness for tests: its key, and its cosignatures."""

from typing import Final

from ledger.keys import SigningKey
from ledger.signed_note import SignedNote, cosign_text

WITNESS_KEY: Final = SigningKey.from_seed(b"w" * 32)
WITNESS_NAME: Final = "test-witness"


def cosigned(note: SignedNote, timestamp: int = 1_700_000_000) -> SignedNote:
    """Return a checkpoint with the cosignature of the test's witness."""
    line = cosign_text(note.text, WITNESS_NAME, WITNESS_KEY, timestamp)
    return note.with_signatures([line])
