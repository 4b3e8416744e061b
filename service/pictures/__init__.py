"""Pictures of positions as PNG: drawn in separate processes, with an included font, and cached."""
