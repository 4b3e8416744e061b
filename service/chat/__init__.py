"""What players write to each other within a game, beside its log: messages, and reports about them."""
