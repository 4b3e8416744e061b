"""The calls on games: lists, joining, playing, history, clocks."""
