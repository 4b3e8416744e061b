"""Games in which the seats act in turn and nothing is secret: a game states its rules, and gets the rest.

`game.TurnGame` is the base class, with the bots. `definition` has what every game states, `fields` derives
JSON from dataclasses, `formats` and `options` have the JSON of actions, events, positions and options,
`state` and `rules` have the turn order, forfeits and departures, `choices` the way to an action, and
`presentation` sentences and scenes. A game overrides what should be different.
"""
