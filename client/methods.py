"""Calls as methods of both clients, and groups of calls: `client.clubs.create(...)`.

On a synchronous client a method returns the result, on an asynchronous one an awaitable of it.
"""

from collections.abc import Callable, Coroutine
from functools import update_wrapper
from typing import Any, Generic, ParamSpec, Protocol, Self, TypeVar, overload

from client.evidence import EvidenceKeeper
from client.requests import Call
from client.retries import Steps

P = ParamSpec("P")
T = TypeVar("T")
C_co = TypeVar("C_co", covariant=True)


class SyncCaller(Protocol):
    """What a synchronous client does with the steps of a call."""

    keeper: EvidenceKeeper

    def take(self, steps: Steps[T]) -> T:
        """Take steps until they have a result, and return it."""


class AsyncCaller(Protocol):
    """What an asynchronous client does with the steps of a call."""

    keeper: EvidenceKeeper

    async def take(self, steps: Steps[T]) -> T:
        """Take steps until they have a result, and return it."""


class Group(Generic[C_co]):
    """Calls that belong together, as methods that make them with a client."""

    def __init__(self, client: C_co) -> None:
        self._client = client


class Method(Generic[P, T]):
    """A call as a method of a client, or of a group of calls of either client.

    `steps` returns the steps of the call: by default, only the call itself.
    """

    def __init__(
        self,
        describe: Callable[P, Call[T]],
        steps: Callable[[EvidenceKeeper, Call[T]], Steps[T]] = EvidenceKeeper.send,
    ) -> None:
        self._describe = describe
        self._steps = steps
        self.__doc__ = describe.__doc__

    @overload
    def __get__(self, caller: SyncCaller | Group[SyncCaller], owner: object) -> Callable[P, T]: ...

    @overload
    def __get__(
        self, caller: AsyncCaller | Group[AsyncCaller], owner: object
    ) -> Callable[P, Coroutine[Any, Any, T]]: ...

    @overload
    def __get__(self, caller: None, owner: object) -> Self: ...

    def __get__(self, caller: Any, owner: object) -> Any:
        if caller is None:
            return self
        client = caller._client if isinstance(caller, Group) else caller  # noqa: SLF001 # of this module
        take, keeper = client.take, client.keeper

        def method(*args: P.args, **kwargs: P.kwargs) -> Any:
            return take(self._steps(keeper, self._describe(*args, **kwargs)))

        return update_wrapper(method, self._describe)
