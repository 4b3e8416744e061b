"""Posts to receivers that players have named, at addresses that are checked on every attempt.

The name is resolved here, and the connection is made to exactly the address that was checked, even if the
name resolves to another address a moment later. Redirects are not followed, proxies of the environment are
not used, and the body of a response is not read.
"""

import asyncio
import ssl
import time
from collections.abc import Mapping
from functools import cache
from typing import Any, Final
from urllib.parse import urlsplit

import httpx

from domain.errors import CartularyError
from service.notifications.webhooks.receivers import Receivers
from workers.bounded_calls import resolve, run_coroutine, time_left

_DEFAULT_PORTS: Final = {"http": 80, "https": 443}


@cache
def _context_of_system() -> ssl.SSLContext:
    """Return a TLS context with the certificate authorities of the system, which take a while to read."""
    return ssl.create_default_context()


class NoResponse(CartularyError):
    """The receiver cannot be reached, is not allowed, or has not responded in time."""


class ReceiverRequests:
    """Posts to receivers, each request within a time limit. Thread-safe."""

    def __init__(
        self, receivers: Receivers, seconds: float, tls: ssl.SSLContext | None = None
    ) -> None:
        """`tls` checks certificates; None stands for the certificate authorities of the system."""
        self._receivers = receivers
        self._seconds = seconds
        self._tls = tls or _context_of_system()

    def post(self, url: str, content: bytes, headers: Mapping[str, str]) -> int:
        """Post a body and return the status of the response. Raises NoResponse.

        Error messages contain only the host of the URL.
        """
        deadline = time.monotonic() + self._seconds
        # The host as it was written: `httpx.URL.host` fails for hosts that only look like IDNA (`xn--a`).
        host = urlsplit(url).hostname or ""
        try:
            target = httpx.URL(url)
            address = self._address(target, deadline)
            posting = post(
                target.copy_with(host=address),
                content,
                {**headers, "Host": target.netloc.decode("ascii")},
                time_left(deadline),
                # The certificate must be valid for the name, not for the address.
                {"sni_hostname": target.raw_host.decode("ascii")},
                trust_env=False,
                verify=self._tls,
            )
            return run_coroutine(posting)
        except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as error:
            # TimeoutError is an OSError. A URL is invalid if its host cannot exist, such as 999.1.1.1.
            reason = str(error) or type(error).__name__
            raise NoResponse.with_message(
                "{host} does not respond: {reason}", host=host, reason=reason
            ) from error

    def _address(self, target: httpx.URL, deadline: float) -> str:
        """Return the first address of a host that is allowed. Raises NoResponse, OSError."""
        port = target.port or _DEFAULT_PORTS[target.scheme]
        host = target.raw_host.decode("ascii")
        for *_, address in resolve(host, port, deadline):
            if self._receivers.allows(address[0]):
                return str(address[0])
        raise NoResponse.with_message("{host} is in a network to which nothing is sent", host=host)


async def post(
    url: httpx.URL,
    content: bytes,
    headers: Mapping[str, str],
    seconds: float,
    extensions: dict[str, Any] | None = None,
    **options: Any,
) -> int:
    """Post a body and return the status of the response, whose body is not read. Raises the errors of httpx.

    `extensions` are those of httpx.
    """
    # The timeout of httpx applies to single operations: a receiver that sends a byte now and then would never
    # exceed it.
    async with asyncio.timeout(seconds), httpx.AsyncClient(timeout=seconds, **options) as client:
        request = client.build_request(
            "POST", url, content=content, headers=headers, extensions=extensions
        )
        response = await client.send(request, stream=True, follow_redirects=False)
        await response.aclose()
        return response.status_code
