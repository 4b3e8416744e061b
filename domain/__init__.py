"""The rules of the games: pure functions that depend on the standard library alone.

Only the pairing of tournaments uses a library (networkx). They use no clock, no randomness of their own, no
environment and no I/O; times, seeds and secrets are passed in.
"""
