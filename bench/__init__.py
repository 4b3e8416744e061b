"""Benchmarks: ours and a peer in the same run, as ratios. `make bench` runs them and prints a table.

Time is measured here and nowhere else: no test knows it. The peers live in an environment of their own.
"""
