"""Completes what the player types word by word, from the short forms of the legal actions."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from typing_extensions import override

Completions: TypeAlias = Callable[[str], Sequence[str]]
"""Returns the words that can stand where a text ends."""


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
