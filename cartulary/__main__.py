"""Runs the command line as `python -m cartulary`."""

from cartulary.cli import main

if __name__ == "__main__":
    main()
