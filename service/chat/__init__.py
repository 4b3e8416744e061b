"""Chat messages and comments of players on games, beside the logs, and reports about them."""
