"""Addresses of the clauses of the rules."""

from urllib.parse import quote


def rules_url(clause: str) -> str:
    """Return the address of a clause in the pages of the rules."""
    return f"/rules#{quote(clause)}"
