"""Analyses of finished games: requested by players, computed by workers in steps, and kept for a while."""
