"""The explorer: what finished public games have in common, counted by kind, and where positions occurred."""
