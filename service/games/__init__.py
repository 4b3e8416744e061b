"""Games: `commands` changes them through a `GameRepository`, `queries` reads them by a `GameLoader`."""
