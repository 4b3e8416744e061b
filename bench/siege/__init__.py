"""The siege: attacks on a running service, one after the other, beside eight clients that play.

`make siege` runs it; docs/siege.md describes the attacks and the aims. A whole service runs as real processes
(service_under_siege.py) on accounts and games that are stored beforehand (stored_games.py). The clients play
in a process of their own (players.py), and each attack runs in another one (attackers.py), which sends what
the attack describes (attack.py, traffic.py; the attacks_*.py contain them by kind). measurement.py turns what
the clients have recorded into figures, and report.py prints them.

Everything stays on this machine: the service listens on 127.0.0.1, and attackers use other addresses of
127.0.0.0/8.
"""
