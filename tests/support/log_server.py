"""A server whose transparency log a test controls, behind HTTP in the process of the test."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import parse_qs

import httpx
import orjson

from client.clients import Client
from client.retries import UNTRUSTED_SERVER
from ledger.keys import SigningKey
from ledger.transparency.checkpoint import Checkpoint, EpochDeclaration
from ledger.transparency.merkle import MemoryTree, leaf_hash, prove_consistency
from ledger.transparency.signed_note import SignedNote, sign_text

URL = "http://log.test"


def leaves(*names: str) -> list[bytes]:
    """Return the hashes of leaves with these names."""
    return [leaf_hash(name.encode()) for name in names]


class LogServer:
    """Serves the checkpoints, proofs and leaves of a log like the service.

    `withheld` are paths that are answered with 404. If `signed_note` is set, it is served as the checkpoint.
    """

    def __init__(
        self, *names: str, key: SigningKey | None = None, origin: str = "log.test"
    ) -> None:
        self.key = key or SigningKey.from_seed(b"l" * 32)
        self.origin = origin
        self.withheld: set[str] = set()
        self.submitted: list[SignedNote] = []
        self.bodies: dict[str, bytes] = {}
        """By path, what is responded instead of the right thing."""
        self.is_down = False
        self.epochs: list[str] = []
        self.signed_note: SignedNote | None = None
        self.show(*names)

    def show(self, *names: str) -> None:
        """Show the log with these entries from now on."""
        self.tree = MemoryTree()
        self.tree.append(leaves(*names))

    def add(self, *names: str) -> None:
        """Add entries to the log."""
        self.tree.append(leaves(*names))

    def begin_epoch(self, origin: str, *names: str, key: SigningKey | None = None) -> None:
        """Declare a new epoch that begins with these entries."""
        last = Checkpoint(self.origin, self.tree.size, self.tree.root())
        self.show(*names)
        start = Checkpoint(origin, self.tree.size, self.tree.root())
        text = EpochDeclaration(last, start, "2026-11-22T21:36:02.000Z").text
        note = SignedNote(text, (sign_text(text, self.origin, key or self.key),))
        self.epochs.append(str(note))
        self.origin = origin

    def note(self) -> SignedNote:
        """Return the signed checkpoint of the whole log, unless another one is set."""
        if self.signed_note is not None:
            return self.signed_note
        text = Checkpoint(self.origin, self.tree.size, self.tree.root()).text
        return SignedNote(text, (sign_text(text, self.origin, self.key),))

    def client(self) -> Client:
        """Return a client of this server with the bounds for servers that are not trusted."""
        return Client(URL, limits=UNTRUSTED_SERVER, transport=self.transport)

    @property
    def transport(self) -> httpx.MockTransport:
        """The transport of a client that talks to this server."""
        # A test may replace `respond` later.
        return httpx.MockTransport(lambda request: self.respond(request))  # noqa: PLW0108 # see above

    def respond(self, request: httpx.Request) -> httpx.Response:
        """Return the response to a request."""
        if self.is_down:
            raise httpx.ConnectError("connection refused")
        path = request.url.path.removeprefix("/api/v1")
        if path in self.withheld:
            return httpx.Response(404, json={"detail": "there is nothing here"})
        if path in self.bodies:
            return httpx.Response(200, content=self.bodies[path])
        query = {name: values[0] for name, values in parse_qs(request.url.query.decode()).items()}
        answer: Mapping[str, Callable[[], Any]] = {
            "/log/checkpoint": self.note,
            "/keys": lambda: {
                "keys": [{"key": self.key.id, "public": self.key.public}],
                "next": None,
            },
            "/log/proofs/consistency": lambda: self._consistency(query),
            "/log/epochs": lambda: {"epochs": self.epochs},
            "/log/leaves": lambda: self._leaves(query),
            "/log/cosignatures": lambda: self._take(orjson.loads(request.content)),
        }
        value = answer[path]()
        if isinstance(value, SignedNote):
            return httpx.Response(200, text=str(value))
        return httpx.Response(200, json=value)

    def _consistency(self, query: Mapping[str, str]) -> dict[str, Sequence[str]]:
        path = prove_consistency(self.tree, int(query["from"]), int(query["to"]))
        return {"path": [hash.hex() for hash in path]}

    def _leaves(self, query: Mapping[str, str]) -> dict[str, Sequence[str]]:
        start = int(query["after"])
        end = min(start + int(query["limit"]), self.tree.size)
        hashes = self.tree.read_nodes([(0, index) for index in range(start, end)])
        return {"leaves": [hash.hex() for hash in hashes]}

    def _take(self, body: Mapping[str, str]) -> Mapping[str, str]:
        self.submitted.append(SignedNote.parse(body["checkpoint"]))
        return body
