"""Clubs: `clubs` is the interface of this package."""
