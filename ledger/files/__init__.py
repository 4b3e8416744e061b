"""Writes files durably and atomically, and describes errors of the operating system."""
