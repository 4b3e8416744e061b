"""The accounts of players: `accounts` is the interface of this package."""
