"""Players: `accounts` is the interface; `handles`, `passwords` and `tokens` are its parts."""
