"""Reading logs back: what a game's record says, checked, explained and shown.

This floor stands on `domain` alone. It seals facts into events and reads records, rebuilds the
position at any event, compares two positions, audits a whole game and draws what it finds
(`replay.render`). It knows no Redis and no HTTP, so that a record can be read where no server is,
and it never asks which game it reads: it asks the rule system, through `domain.contract`.
"""
