"""Receipts on the disk of a player: `client` gets them from a server, `folder` keeps them by game."""
