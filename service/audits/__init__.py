"""Audits of games of this server, for visitors who want to see them on a page."""
