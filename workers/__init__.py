"""The workers: separate processes that do the work that events require.

The scheduler reads the outboxes of games and enqueues a job for each entry. A worker runs the job through
the same commands as a player's request, and acknowledges the entry. Both may die at any moment, because an
entry that is not acknowledged is enqueued again. Nothing here depends on HTTP or on a rule system.
"""
