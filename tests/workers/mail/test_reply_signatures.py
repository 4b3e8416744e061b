"""Signatures (DKIM) of answers to mails, with the keys in a real name server."""

import base64
import socket
from collections.abc import Iterator
from dataclasses import dataclass, field
from threading import Thread

import dkim
import dns.flags
import dns.message
import dns.name
import dns.rdatatype
import dns.resolver
import dns.rrset
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key

from service.errors import Unavailable
from workers.mail.replies import is_signed

ADDRESS = "ada@mail.example.org"
CONTENT = (
    b"From: Ada <ada@mail.example.org>\r\nTo: play+0@reply.example.org\r\nSubject: Re: your turn\r\n"
    b"Message-ID: <1@mail.example.org>\r\n\r\nplace 0,0\r\n"
)


@dataclass
class NameServer:
    """A name server on 127.0.0.1 with these texts by name; without `is_answering`, it stays silent."""

    texts: dict[str, str] = field(default_factory=dict)
    is_answering: bool = True

    def serve(self, listener: socket.socket) -> None:
        while query := listener.recvfrom(4096):
            if not query[0]:
                # An empty datagram ends the server.
                return
            if self.is_answering:
                listener.sendto(self._response(query[0]), query[1])

    def _response(self, query: bytes) -> bytes:
        question = dns.message.from_wire(query)
        response = dns.message.make_response(question)
        response.flags |= dns.flags.RA
        name = question.question[0].name
        text = self.texts.get(name.to_text().rstrip("."))
        if text is not None:
            parts = " ".join(f'"{text[at : at + 200]}"' for at in range(0, len(text), 200))
            response.answer.append(dns.rrset.from_text(name, 60, "IN", "TXT", parts))
        return response.to_wire()


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> Iterator[NameServer]:
    """A name server, which is that of this process."""
    server = NameServer()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
        listener.bind(("127.0.0.1", 0))
        resolver = dns.resolver.Resolver(configure=False)
        resolver.nameservers, resolver.port = ["127.0.0.1"], listener.getsockname()[1]
        monkeypatch.setattr(dns.resolver, "default_resolver", resolver)
        thread = Thread(target=server.serve, args=(listener,))
        thread.start()
        yield server
        listener.sendto(b"", listener.getsockname())
        thread.join()


@pytest.fixture(scope="module")
def key() -> RSAPrivateKey:
    return generate_private_key(65537, 2048)


def record_of(key: RSAPrivateKey) -> str:
    public = key.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return f"v=DKIM1; k=rsa; p={base64.b64encode(public).decode()}"


def signed(content: bytes, key: RSAPrivateKey, domain: str = "mail.example.org") -> bytes:
    """Return a mail with the signature of a domain."""
    pem = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    )
    header: bytes = dkim.sign(content, b"s1", domain.encode(), pem)
    return header + content


def test_a_signature_of_the_domain_of_the_address_or_of_its_parent_is_valid(
    names: NameServer, key: RSAPrivateKey
) -> None:
    for domain in ("mail.example.org", "example.org"):
        names.texts = {f"s1._domainkey.{domain}": record_of(key)}
        assert is_signed(signed(CONTENT, key, domain), ADDRESS)


@pytest.mark.parametrize(
    "how",
    [
        "no signature",
        "another domain signs",
        "another text",
        "another sender",
        "two senders",
        "another key",
        "no key in the name server",
        "a record that is no key",
        "a signature that cannot be read",
    ],
)
def test_other_mails_are_not_signed(names: NameServer, key: RSAPrivateKey, how: str) -> None:
    names.texts = {
        f"s1._domainkey.{domain}": record_of(key)
        for domain in ("mail.example.org", "evil.example", "ail.example.org")
    }
    content = signed(CONTENT, key)
    match how:
        case "no signature":
            content = CONTENT
        case "another domain signs":
            assert not is_signed(signed(CONTENT, key, "ail.example.org"), ADDRESS)
            content = signed(CONTENT, key, "evil.example")
        case "another text":
            content = content.replace(b"place 0,0", b"resign")
        case "another sender":
            assert not is_signed(content, "bea@mail.example.org")
            content = signed(CONTENT.replace(b"ada@", b"eve@"), key)
        case "two senders":
            content = signed(b"From: eve@evil.example\r\n" + CONTENT, key)
        case "another key":
            names.texts["s1._domainkey.mail.example.org"] = record_of(
                generate_private_key(65537, 2048)
            )
        case "no key in the name server":
            names.texts = {}
        case "a record that is no key":
            names.texts["s1._domainkey.mail.example.org"] = "v=DKIM1; p=!"
        case "a signature that cannot be read":
            content = b"DKIM-Signature: v=1; nonsense\r\n" + CONTENT
        case _:
            raise AssertionError(how)
    assert not is_signed(content, ADDRESS)


def test_a_name_server_that_does_not_respond_is_no_reason_to_refuse_a_mail(
    names: NameServer, key: RSAPrivateKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.mail.replies.DNS_SECONDS", 0.2)
    names.is_answering = False
    with pytest.raises(Unavailable):
        is_signed(signed(CONTENT, key), ADDRESS)
