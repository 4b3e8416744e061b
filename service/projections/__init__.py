"""The feed of all events of a store, and the projections that follow it."""
