"""Ratings of players: the calls and the charts."""
