"""Reads logs back: positions at any event, explanations, differences, audits, pictures and playouts.

This package needs neither Redis nor HTTP, so a record can be read where there is no server. It reaches every
game through `domain.contract` and never asks which game it is.
"""
