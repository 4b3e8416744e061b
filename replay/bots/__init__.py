"""Games among bots without a server, and the actions that a bot takes in place of an absent player."""
