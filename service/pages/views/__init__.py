"""The pages, by what a visitor does there. Each module has a blueprint."""
