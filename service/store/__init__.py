"""The event store: the logs of all games, and the outbox and records that are written with them."""
