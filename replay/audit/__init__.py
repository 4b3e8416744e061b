"""Auditing a record: everything that can be checked without trusting whoever wrote it.

The checks, in this order: `form` and `head` (form.py), `chain`, `state` and `secrets` (chain.py), `chance`
(drawing.py), `decisions` (judging.py), `receipts` (form.py). They are put together in whole.py; what they
find is in findings.py.
"""

from replay.audit.findings import Check, Finding, Report
from replay.audit.runner import audit

__all__ = ["Check", "Finding", "Report", "audit"]
