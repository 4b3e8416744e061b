"""The log of every game, and what is stored beside it in the same step."""
