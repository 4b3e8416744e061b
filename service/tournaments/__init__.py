"""Tournaments: logs of their own beside those of their games, and what players and organisers do in them."""
