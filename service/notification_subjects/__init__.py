"""The kinds and subjects of notifications."""
