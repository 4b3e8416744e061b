"""Ratings of players: their projection, calls and charts. `replay.bots.ratings` has the formula."""
