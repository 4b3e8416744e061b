"""The terminal client behind `cartulary play`: plays a game on a server, with `cartulary.client`.

`beginning` reads the URL, signs the player in and finds a game; `tokens` keeps the player's tokens. `session`
plays the game: `table` has what the client knows of it and shows it, and `completion` completes what is
typed. `console` reads lines and writes text, in a terminal or from a pipe.
"""
