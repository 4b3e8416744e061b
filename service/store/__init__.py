"""The event store: every game's log, and the outbox and records that are written in the same step."""
