"""Disputes about a game, and takebacks: commands, calls and pages. `domain.disputes` has the rules."""
