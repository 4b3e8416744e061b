"""Ratings of players: their projection, calls and charts. `replay.ratings` has the formula."""
