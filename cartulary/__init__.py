"""The composition root: the command line, and the supervisor that runs a whole service on one machine.

Everything is put together here and nothing is decided; no other floor may import this one.
"""
