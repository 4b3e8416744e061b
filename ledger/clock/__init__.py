"""How much time a game's clock has counted, and when the deadline of a turn is.

`domain.clock` decides what happens in a game because of its clock. Nothing here reads the current time: a
service has that from `service.wall_clock`.
"""
