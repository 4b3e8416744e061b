"""What is refused before it reaches the application is refused in the language of the request."""

from collections.abc import Iterator

import pytest

from tests.support.front import Front, RawClient, get, post


@pytest.fixture(scope="module")
def front() -> Iterator[Front]:
    """A front that waits little for requests."""
    with Front(max_header_bytes=1000, header_seconds=0.3, body_seconds=0.3) as front:
        yield front


FRENCH = "Accept-Language: fr-CH, en;q=0.5"
REFUSED = {
    "malformed": (
        b"GET / HTTP/1.1\r\nHost: x\r\nAccept-Language: fr\r\nHost: y\r\n\r\n",
        400,
        "la requête doit avoir un seul en-tête Host",
    ),
    "path": (get("//", Accept_Language="fr"), 404, "il n'y a pas de ressource à cette adresse"),
    "slow body": (post("/echo", b"body", FRENCH)[:-1], 408, "la requête n'est pas arrivée à temps"),
    "large body": (
        post("/echo", b"x" * 70_000, FRENCH),
        413,
        "un corps de requête peut avoir au plus 65536 octets",
    ),
    "large head": (
        get("/echo", Accept_Language="fr", X_Large="x" * 1000),
        431,
        "la requête a trop d'en-têtes ou des en-têtes trop grands",
    ),
    "header after the fault": (
        get("/echo", X_Large="x" * 1000, Accept_Language="de;q=,;;fr;q=2"),
        431,
        "the request has too many or too large headers",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_request_that_cannot_be_read_is_refused_in_its_language(front: Front, name: str) -> None:
    data, status, detail = REFUSED[name]
    with RawClient(front.port) as client:
        client.send(data)
        reply = client.reply()
    assert (reply.status, reply.json["detail"]) == (status, detail)
    assert reply.headers["content-language"] == ("en" if name.startswith("header") else "fr")
    assert reply.headers["vary"] == "Accept-Language, Authorization"


def test_the_setting_of_a_player_applies_before_the_header(front: Front) -> None:
    details = []
    for token in ("player-1", "player-1-fr", "unknown-fr"):
        with RawClient(front.port) as client:
            client.get("//", Authorization=f"Bearer {token}", Accept_Language="es")
            details.append(client.reply().json["detail"])
    spanish, french = (
        "no hay ningún recurso en esta dirección",
        "il n'y a pas de ressource à cette adresse",
    )
    assert details == [spanish, french, spanish]
