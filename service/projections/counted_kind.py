"""The kinds of games that projections count apart."""

from typing import NamedTuple


class CountedKind(NamedTuple):
    """Games that are counted together: of one rule system, one number of seats, with or without bots."""

    system: str
    seats: int
    has_bots: bool

    @classmethod
    def parse(cls, text: str) -> "CountedKind":
        """Return the kind that this text encodes."""
        system, seats, *bots = text.split()
        return cls(system, int(seats), bool(bots))

    def encode(self) -> str:
        """Return the kind as text, for storage."""
        return f"{self.system} {self.seats}" + (" bots" if self.has_bots else "")
