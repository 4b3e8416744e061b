"""The transparency log: one Merkle tree over the heads of all games, its checkpoints, and proofs."""
