"""Sandboxes over HTTP: `sandboxes` opens and changes them, `store` keeps them in Redis until they expire."""
