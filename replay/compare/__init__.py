"""Comparisons of two records: whether one continues the other, and if not, what the signatures prove.

`compare` (comparison.py) finds the relation of two histories (histories.py), collects the attestations about
each of them (attestations.py), and finds the proofs in these (proofs.py). conclusions.py has the sentences
about the result, and report.py renders them all. witness_files.py compares the observations of browsers.
"""
