"""Audits of game records: all checks that do not require trust in the server that wrote them.

`audit` (runner.py) runs these checks: `form`, `head` and `receipts` (signatures.py), `chain` and `state`
(chain.py), `secrets` (secrets.py), `chance` (chance.py), `decisions` (decisions.py), and `signatures`
(player_signatures.py). quick.py has the quick audit. findings.py defines their results, as messages;
report.py renders a report.
"""

from replay.audit.findings import Check, Finding, Report
from replay.audit.quick import quick_audit
from replay.audit.runner import audit
from replay.audit.trusted_keys import TrustedKey, TrustedKeys

__all__ = ["Check", "Finding", "Report", "TrustedKey", "TrustedKeys", "audit", "quick_audit"]
