"""The append-only file of the embedded Redis: its parts, the writes in it, and repairing it.

Redis stores every write in this file before it responds. The code here reads the file only when Redis cannot
load it, and while no Redis runs on it.
"""
