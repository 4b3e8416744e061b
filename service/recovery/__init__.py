"""Making the data whole after a loss: what depends on lost writes, and records that bring games back."""
