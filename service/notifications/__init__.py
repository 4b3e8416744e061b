"""Notifications: their kinds, the preferences of players, and the deliveries to players.

`workers.notifications` sends them.
"""
