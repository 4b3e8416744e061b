"""What a transparency log is made of: a Merkle tree, signed notes and checkpoints."""
