"""The ground floor: the rules of the games, pure.

Nothing in here knows a clock, a source of randomness, the environment or any input or output: time,
seeds and secrets are passed in. It imports the standard library and itself, nothing else.
"""
