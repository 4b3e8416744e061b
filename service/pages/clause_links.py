"""Addresses of the clauses of the rules."""

from service.pages.rules.source import address_of


def rules_url(clause: str) -> str:
    """Return the address of a clause in the pages of the rules."""
    return address_of(clause)
