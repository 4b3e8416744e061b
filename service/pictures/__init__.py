"""Pictures of positions as PNG: drawn in processes of their own, with a font of ours, and cached."""
