"""Disputes about a game: the calls and the pages. `domain.disputes` has the rules."""
