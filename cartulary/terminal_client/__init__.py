"""The terminal client behind `cartulary play`: plays a game on a server, with `cartulary.client`.

`address` reads the URL and `tokens` keeps the player's tokens. `beginning` signs the player in and finds a
game, and `session` plays it: `table` has what the client knows of the game and shows it, `short_forms`
completes what the player types. `console` reads lines and writes text, in a terminal or from a pipe.
"""
