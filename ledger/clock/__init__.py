"""The counted time of a game's clock, and the deadlines of turns.

`domain.clock` decides what happens in a game because of its clock. Nothing here reads the current time: a
service has that from `service.wall_clock`.
"""
