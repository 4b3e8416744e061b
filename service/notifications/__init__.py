"""Notifications: their kinds, what each player wants to receive, and the deliveries to each of them.

Nothing here sends anything: `workers.notifications` does.
"""
