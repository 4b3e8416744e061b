"""Drawing scenes: `svg` for pictures, `embedded_map` and `map_links` for pages, `text` for the terminal.

A `domain.scene.Scene` becomes a picture. Terrains and kinds of pieces are looked up by name, and a name
without a drawing gets a hex or a plaque with the name on it, so nothing here depends on a game.
"""
