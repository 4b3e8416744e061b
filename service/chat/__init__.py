"""What players write to each other within a game, beside its log: chat messages, and reports about them."""
