"""Conditional actions: players prepare them while they wait, and the server plays them at their turn."""
