"""Drawing a scene: `svg.svg` for a page or a poster, `text.text` for a terminal.

Here a `domain.scene.Scene` becomes a picture. Every ground and piece is looked up by its name, and
a name that nobody has drawn yet gets a labelled tile or plaque; no file in this folder knows a
game.
"""
