"""Studies of finished games: `model` is what they are, `store` keeps them, `studies` is who may do what."""
