"""What a finished game meant: shares of winning by turn, better actions, accuracy, and the turning point.

docs/analysis.md says what is computed and what is claimed. `positions` has the turns and decisions of a
finished game, `playouts` plays games out, `estimates` has the arithmetic, `examination` examines one turn,
`analysis` a whole game, and `summary` sums it up.
"""
