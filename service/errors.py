"""What only a server can run into; drawn under `ServiceError` in the tree of domain/errors.py.

Each knows the HTTP status that fits it; how the errors of the rules map to HTTP stands with the
problem details, once.
"""

from typing import ClassVar

from domain.errors import CartularyError


class ServiceError(CartularyError):
    """`why` is one sentence for who asked; `status` is the HTTP status."""

    status: ClassVar[int] = 500

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class Unauthorised(ServiceError):
    """Nobody is known by this token, or by this handle and password."""

    status = 401


class Forbidden(ServiceError):
    """Known, but not one who may see or do this."""

    status = 403


class NotFound(ServiceError):
    """There is no such thing, or none that the viewer may know of: the two look the same."""

    status = 404


class Stale(ServiceError):
    """The position is another one than at the seq the action was meant for; `head` is the game's
    seq.
    """

    status = 409

    def __init__(self, why: str, head: int) -> None:
        super().__init__(why)
        self.head = head


class Taken(ServiceError):
    """A name that somebody has already."""

    status = 409


class IdempotencyConflict(ServiceError):
    """An idempotency key that was used before, for another request."""

    status = 422


class TooMany(ServiceError):
    """Too many requests; `retry_after` in seconds."""

    status = 429

    def __init__(self, why: str, retry_after: int) -> None:
        super().__init__(why)
        self.retry_after = retry_after


class Unavailable(ServiceError):
    """A part that the service needs does not answer now; `retry_after` in seconds.

    After a write it leaves open whether the write was done: repeat it with the same idempotency
    key.
    """

    status = 503

    def __init__(self, why: str, retry_after: int = 2) -> None:
        super().__init__(why)
        self.retry_after = retry_after
