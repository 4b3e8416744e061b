"""Comparisons of two records: is one a continuation of the other, and if not, who signed what.

`compare` (comparison.py) finds the relation of two histories (histories.py), collects what was signed about
each of them (attestations.py), and finds what that proves against whom (proofs.py). conclusions.py has the
sentences about the result, and report.py renders them all. witness_files.py compares what browsers have seen.
"""
