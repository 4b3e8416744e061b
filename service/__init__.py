"""The service: the event store, the commands and queries on games, accounts, listings and HTTP.

The rules of the games are in `domain`, the tools that read logs back in `replay`, and the background
jobs in `workers`. Nothing here depends on which game is played.
"""
