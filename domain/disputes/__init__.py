"""Disputes, rulings and takebacks, which suspend a game or take it back to an earlier position.

`events` has the data of the events, `disputes` and `takebacks` decide them, and `records` keeps what
follows from them.
"""
