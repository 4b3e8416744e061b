"""The parts of a transparency log: its Merkle tree, signed notes and checkpoints."""
