"""The composition root: the command line, and the supervisor that runs a whole service on one machine.

This package puts the others together and contains no logic of its own; no other package imports it.
"""
