"""Benchmarks of Cartulary and of comparable programs, as ratios. `make bench` prints them as a table.

Nothing else in the project measures time: no test depends on it. The programs to compare with (the peers) are
installed in an environment of their own, .venv-bench. docs/benchmarks.md describes what is measured.
"""
