"""Hashes of passwords with the least work, so that tests can register many players."""

from typing import Final

from argon2 import PasswordHasher

from service.accounts import passwords

HASHER: Final = passwords._HASHER
"""What hashes the passwords of a service."""
HASH_OF_NO_PASSWORD: Final = passwords._HASH_OF_NO_PASSWORD
"""What a service verifies a password against if there is no such handle."""
QUICK_HASHER: Final = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


def hash_quickly() -> None:
    """Hash the passwords of this process with the least work from now on."""
    vars(passwords)["_HASHER"] = QUICK_HASHER
    vars(passwords)["_HASH_OF_NO_PASSWORD"] = QUICK_HASHER.hash("")
