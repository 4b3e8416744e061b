"""The pages of a list, one after the other, whichever call lists it."""

from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from inspect import signature
from typing import Any, Final, ParamSpec, TypeVar

from client.errors import InvalidResponse

P = ParamSpec("P")
T = TypeVar("T")

_CONTINUATIONS: Final = ("cursor", "after")
"""The parameters with which calls go on after a page."""


def pages(method: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Iterator[T]:
    """Yield the pages of a method of Client, such as `client.clubs.list`, to the last one.

    The further arguments are those of the method. Raises ClientError.
    """
    name = _continuation(method)
    arguments: dict[str, Any] = dict(kwargs)
    while True:
        page = method(*args, **arguments)
        yield page
        if not _go_on(arguments, name, page):
            return


async def async_pages(
    method: Callable[P, Coroutine[Any, Any, T]], *args: P.args, **kwargs: P.kwargs
) -> AsyncIterator[T]:
    """Yield the pages of a method of AsyncClient, as `pages` does."""
    name = _continuation(method)
    arguments: dict[str, Any] = dict(kwargs)
    while True:
        page = await method(*args, **arguments)
        yield page
        if not _go_on(arguments, name, page):
            return


def _continuation(method: Callable[..., object]) -> str:
    """Return the parameter with which a method goes on. Raises TypeError for one that lists nothing."""
    parameters = signature(method).parameters
    name = next((name for name in _CONTINUATIONS if name in parameters), None)
    if name is None:
        raise TypeError(f"{method} has no pages")
    return name


def _go_on(arguments: dict[str, Any], name: str, page: object) -> bool:
    """Make the arguments those of the next page, and return whether there is one. Raises InvalidResponse."""
    following = page.get("next") if isinstance(page, dict) else getattr(page, "next", None)
    if following is None:
        return False
    if following == arguments.get(name):
        raise InvalidResponse.with_message("the server's list does not come to an end")
    arguments[name] = following
    return True
