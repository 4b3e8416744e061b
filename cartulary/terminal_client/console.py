"""Where the terminal client reads lines, completes them word by word, and writes text.

In a terminal, prompt_toolkit edits the line, completes it, and keeps it below what is written meanwhile. A
terminal without cursor movement, a pipe or a file is read line by line.
"""

import getpass
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final, Protocol, TypeAlias

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from typing_extensions import override

MAX_LINE: Final = 4096
"""The most characters of a line that are read."""
_CONTROLS: Final = re.compile(r"\x1b(?!\[[0-9;]*m)|[\x00-\x09\x0b-\x1a\x1c-\x1f\x7f-\x9f]")
"""Control characters, except for line breaks and the beginnings of sequences that set colours."""
_DUMB_TERMINALS: Final = frozenset({"", "dumb", "unknown"})

Prompt: TypeAlias = Callable[[], str]
Completions: TypeAlias = Callable[[str], Sequence[str]]
"""Returns the words that can stand where a text ends."""


class Console(Protocol):
    """Reads lines and writes text."""

    shows_events_while_editing: bool
    """Whether other threads may write while a line is read."""

    def show(self, text: str) -> None:
        """Write lines."""

    def ask(self, prompt: Prompt, completions: Completions | None = None) -> str | None:
        """Return a line without spaces around it; None at the end of the input."""

    def ask_secret(self, prompt: str) -> str | None:
        """Return a line that is not shown; None at the end of the input."""


class LineConsole(Console):
    """Reads lines from standard input and writes to standard output."""

    shows_events_while_editing = False

    @override
    def show(self, text: str) -> None:
        sys.stdout.write(harmless(text) + "\n")
        sys.stdout.flush()

    @override
    def ask(self, prompt: Prompt, completions: Completions | None = None) -> str | None:
        sys.stdout.write(prompt())
        sys.stdout.flush()
        line = sys.stdin.readline(MAX_LINE)
        if not sys.stdin.isatty():
            sys.stdout.write(line if line.endswith("\n") else f"{line}\n")
        return line.strip() if line else None

    @override
    def ask_secret(self, prompt: str) -> str | None:
        if not sys.stdin.isatty():
            line = sys.stdin.readline(MAX_LINE)
            return line.rstrip("\n") if line else None
        try:
            return getpass.getpass(prompt)
        except EOFError:
            return None


class WordCompleter(Completer):
    """Completes the last word of a line."""

    def __init__(self, completions: Completions) -> None:
        """`completions` returns the words that can stand where a text ends."""
        self._completions = completions

    @override
    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterable[Completion]:
        """Return the completions of the word before the cursor."""
        text = document.text_before_cursor
        partial = "" if text[-1:].isspace() else text.rpartition(" ")[2]
        for word in self._completions(text):
            yield Completion(word, start_position=-len(partial))


class PromptConsole(Console):
    """Edits lines in a terminal. Ctrl-C and Ctrl-D end the input."""

    shows_events_while_editing = True

    def __init__(self) -> None:
        from prompt_toolkit import PromptSession

        self._session: PromptSession[str] = PromptSession()

    @override
    def show(self, text: str) -> None:
        sys.stdout.write(harmless(text) + "\n")
        sys.stdout.flush()

    @override
    def ask(self, prompt: Prompt, completions: Completions | None = None) -> str | None:
        completer = None if completions is None else WordCompleter(completions)
        try:
            line = self._session.prompt(prompt, completer=completer, is_password=False)
        except (EOFError, KeyboardInterrupt):
            return None
        return line[:MAX_LINE].strip()

    @override
    def ask_secret(self, prompt: str) -> str | None:
        from prompt_toolkit import prompt as ask

        try:
            return ask(prompt, is_password=True)
        except (EOFError, KeyboardInterrupt):
            return None


@contextmanager
def open_console() -> Iterator[Console]:
    """Yield the console for the standard input and output of this process."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()) or _is_dumb():
        yield LineConsole()
        return
    from prompt_toolkit.patch_stdout import patch_stdout

    console = PromptConsole()
    with patch_stdout(raw=True):
        yield console


def harmless(text: str) -> str:
    """Return a text that cannot control the terminal: what a server has sent may be a part of it."""
    return _CONTROLS.sub("\ufffd", text)


def _is_dumb() -> bool:
    return os.environ.get("TERM", "") in _DUMB_TERMINALS


def next_words(typed: str, forms: Iterable[str]) -> tuple[str, ...]:
    """Return the words that can stand where `typed` ends, in the order of the forms.

    The last word of `typed` may be the beginning of one; after a space, a new word begins.
    """
    words = typed.split()
    partial = words.pop() if words and not typed[-1:].isspace() else ""
    place = len(words)
    candidates = (form.split() for form in forms)
    return tuple(
        dict.fromkeys(
            form[place]
            for form in candidates
            if len(form) > place and form[:place] == words and form[place].startswith(partial)
        )
    )


def is_beginning(typed: str, forms: Iterable[str]) -> bool:
    """Return whether whole words begin at least one of the forms, without being all of it."""
    words = typed.split()
    return any(
        len(form) > len(words) and form[: len(words)] == words
        for form in (form.split() for form in forms)
    )
