"""Tournaments: registration, draws, pairings, results and standings, as a pure fold of the log of a
tournament.
"""
