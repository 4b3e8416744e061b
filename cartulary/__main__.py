"""`python -m cartulary` is `cartulary`."""

from cartulary.cli import main

if __name__ == "__main__":
    main()
