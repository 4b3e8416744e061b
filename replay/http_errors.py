"""The reasons why a request to a server fails before there is a response, as messages."""

import httpx

from domain.messages import Value, message


def request_error_reason(error: Exception) -> Value:
    """Return the reason of an error of httpx, as a clause after a colon.

    Rare reasons are in the words of the library.
    """
    match error:
        case httpx.TimeoutException():
            return message("it takes too long")
        case httpx.ConnectError():
            return message("no connection can be made")
        case httpx.InvalidURL() | httpx.UnsupportedProtocol():
            return message("the URL is not valid")
        case httpx.NetworkError() | httpx.RemoteProtocolError():
            return message("the connection is broken off")
        case _:
            return str(error)
