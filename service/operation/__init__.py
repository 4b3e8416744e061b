"""Runs the service on a machine: processes, the data folder, the embedded Redis, logs and reports.

Nothing here knows what the processes do. `cartulary serve`, `cartulary web --processes N` and the embedded
Redis are built on it.
"""
