"""Processes that start other processes: starting, watching, restarting and stopping them.

Nothing here knows what the processes do. `cartulary serve`, `cartulary web --processes N` and the embedded
Redis are built on it.
"""
