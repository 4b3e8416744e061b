"""Tournaments: registration, draws, pairings, results and standings, as a pure fold of a log of their own."""
