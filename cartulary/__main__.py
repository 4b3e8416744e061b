"""Runs the command line: `cartulary`, or `python -m cartulary`."""

import signal

from cartulary.imports import quick_imports


def main() -> None:
    """Run the program: the entry point of the `cartulary` script.

    Ctrl-C during the imports ends it immediately and without a traceback, like a program that does not handle
    the signal.
    """
    handler = signal.getsignal(signal.SIGINT)
    if handler is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    with quick_imports():
        from cartulary.cli import main as run
    signal.signal(signal.SIGINT, handler)
    run()


if __name__ == "__main__":
    main()
