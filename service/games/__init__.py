"""Games: `commands` changes them, `queries` reads them, and both load them from a `GameRepository`."""
