"""The calls on clubs, and on challenges between them."""
