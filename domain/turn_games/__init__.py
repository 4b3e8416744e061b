"""Games in which the seats act in turn and nothing is secret: a game states its rules, and gets the rest.

`game.TurnGame` is the base class. `definition` has what every game states, `fields` derives JSON from
dataclasses, `formats` has the JSON of actions, events, options and positions, `state` and `rules` have the
turn order, forfeits and departures, `presentation` has the choices, sentences and scenes, and `bots` the
bots. A game overrides what it wants to be different.
"""
