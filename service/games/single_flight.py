"""Makes one call for all threads that need the same result at the same time."""

from collections.abc import Callable
from concurrent.futures import Future
from threading import Lock
from typing import Generic, TypeVar

Result = TypeVar("Result")


class SingleFlight(Generic[Result]):
    """Runs one call at a time, and one for all threads that need the same key. Thread-safe."""

    def __init__(self) -> None:
        self._is_computing = Lock()
        self._calls: dict[str, Future[Result]] = {}
        self._lock = Lock()

    def run(self, key: str, call: Callable[[], Result]) -> Result:
        """Return the result of `call`, or raise its error.

        If a call with this key is under way in another thread, `call` does not run: this method waits
        for the other one and returns its result, which may be older than this request for it.
        """
        with self._lock:
            future = self._calls.get(key)
            is_under_way = future is not None
            if future is None:
                future = self._calls[key] = Future()
        if is_under_way:
            return future.result()
        try:
            with self._is_computing:
                result = call()
        except BaseException as error:
            future.set_exception(error)
            raise
        else:
            future.set_result(result)
            return result
        finally:
            # This comes after the result is set: until then, other threads must find the call.
            with self._lock:
                del self._calls[key]
