"""Witnessing a server: following its transparency log, keeping a copy, proving that it showed two logs."""
