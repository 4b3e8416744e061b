"""The rules of the games: pure functions that depend on the standard library alone.

Only the pairing of tournaments uses a library (networkx). They read no clock, no random source, no
environment and no files; times, seeds and secrets are passed in.
"""
