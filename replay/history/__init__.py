"""The history of a game: its positions, branches and scores, and its events in words."""
