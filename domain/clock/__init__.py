"""The clock of a game: holidays, pauses, deadlines, vacant seats and substitutes.

`events` has the data of the events; `deadlines`, `holidays`, `pauses` and `substitutes` decide them;
`records` and `fold` keep what follows from them. `ledger.clock` computes how much time is left.
"""
