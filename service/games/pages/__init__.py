"""The pages of games: lists, joining, playing, replay, clocks, proofs."""
