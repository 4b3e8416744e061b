"""Reproducible chance: what is random in a service is the same in every run of a test."""

import random
import secrets


def make_reproducible(seed: str) -> None:
    """Let `secrets` draw everything from a generator with this seed, until the next call, in this process.

    Games, accounts and tokens that a test creates are then the same whenever it runs, so that no test passes
    or fails by chance.
    """
    generator = random.Random(seed)
    # token_bytes() draws from it, and token_hex() and token_urlsafe() call token_bytes().
    secrets._sysrand = generator  # type: ignore[attr-defined] # private, and replaced by nothing else
    secrets.choice = generator.choice
