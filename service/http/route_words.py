"""The reserved words in paths where other paths have a handle, such as `me` in `/clubs/CLUB/members/me`.

Nobody can register one of them as a handle. A player who has it already, because the route is newer than the
account, is addressed with HANDLE_MARK before it: `/clubs/CLUB/members/@me`.
"""

from collections.abc import Iterable
from typing import Final

HANDLE_PARAMETERS: Final = frozenset({"<handle>", "<other>"})
"""The segments of rules that are handles of players."""


def words_for_handles(rules: Iterable[str]) -> frozenset[str]:
    """Return the words in the places of handles, from the rules of all routes."""
    paths = [rule.split("/") for rule in rules]
    return frozenset(
        other[index]
        for path in paths
        for index, segment in enumerate(path)
        if segment in HANDLE_PARAMETERS
        for other in paths
        if len(other) > index
        and not _is_variable(other[index])
        and all(map(_can_be_equal, path[:index], other))
    )


def _can_be_equal(one: str, other: str) -> bool:
    """Return whether two segments of rules match a common segment of a path."""
    return one == other or _is_variable(one) or _is_variable(other)


def _is_variable(segment: str) -> bool:
    return "<" in segment
