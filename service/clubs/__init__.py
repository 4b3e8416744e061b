"""Clubs: `clubs` is the interface; `names` and `store` are its parts."""
