"""Administration: what administrators of the service see and do, each operation on record."""
