"""The rules as pages: the texts of docs/rules.md and its translations, with pictures of positions."""
