"""Administration: the operations of administrators of the service, each of which is recorded."""
