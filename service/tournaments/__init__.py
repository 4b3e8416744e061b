"""Tournaments: their logs, which are separate from those of games, and the actions of players and
organisers.
"""
