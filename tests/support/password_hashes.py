"""Hashes of passwords with the least work, so that tests can register many players."""

from typing import Final

from argon2 import PasswordHasher

from service.accounts import passwords

HASHER: Final = passwords._HASHER
"""What hashes the passwords of a service."""
QUICK_HASHER: Final = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


def hash_quickly() -> None:
    """Hash the passwords of this process with the least work from now on."""
    vars(passwords)["_HASHER"] = QUICK_HASHER
