"""Completion of words for prompt_toolkit."""

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
