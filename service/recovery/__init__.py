"""Recovery after a loss of data: removes what depends on lost writes, and imports games from records."""
