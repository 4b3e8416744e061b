"""The calls on accounts and players."""
