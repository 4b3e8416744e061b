"""Completes short forms of actions, word by word, from those of the legal actions."""

from collections.abc import Iterable


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
