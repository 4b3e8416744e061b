"""What is derived from all events of a store: their feed, and the projections that follow it."""
