"""Puzzles: positions of finished public games in which one action is clearly best, found by workers."""
