"""The evidence that a client keeps without being asked: nonces, the player's own key, and receipts.

An `EvidenceKeeper` adds the data to some calls that makes a game provable: 16 random bytes where a person
contributes to a draw, and the player's signature of an action or a statement. It keeps what it has sent, and
the receipts that it gets, in a folder for each server. If it cannot keep or sign something, it reports that
once and sends the call all the same.

The folder is `evidence` in the folder of the user's data, unless CARTULARY_EVIDENCE names another one:

    nonce-secret                 the bytes from which nonces are derived
    SERVER/GAME.receipts         receipts, one in each line (see `receipts`)
    SERVER/GAME.nonces           nonces that were sent, one in each line
    SERVER/keys/ACCOUNT.pem      the player's key
"""

import hmac
import logging
import os
import secrets
import tempfile
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, TypeVar

import httpx

import client.calls as api
from client.errors import ClientError, Conflict, Forbidden, InvalidResponse, Problem
from client.receipts import (
    NONCES,
    ReceiptFolder,
    append_lines,
    check_receipt,
    locked,
    nonces_of_game,
    user_folder,
)
from client.requests import Call
from client.results import AcceptedAction, Event, EventPage, GameSummary
from client.retries import Limits, Steps, with_retries
from domain.contract import AnyRuleSystem
from domain.errors import CartularyError, Malformed, Unreadable
from domain.json_types import JsonObject
from domain.messages import Text, message
from domain.registry import rule_system_for
from ledger.canonical import canonical
from ledger.envelope import is_game_id, is_hash
from ledger.files.os_errors import cannot_write
from ledger.keys import SigningKey
from ledger.pending import commitment
from ledger.player_signatures import key_payload, sign, sign_action, statement_payload
from replay.language.renderer import english

T = TypeVar("T")

NONCE_BYTES: Final = 16
_SECRET_FILE: Final = "nonce-secret"  # noqa: S105 # the name of a file
_SECRET_BYTES: Final = 32
_SALT_BYTES: Final = 32
_DRAWN_FROM_NONCES: Final = 2
"""The first version of the seed in which the nonces of statements go into what is drawn when play resumes."""
_MAX_REMEMBERED: Final = 4096
"""Events whose hashes, and games whose rules, a keeper remembers."""

_log: Final = logging.getLogger("cartulary.client")


def server_name(url: str) -> str:
    """Return host and port of a server as the name of a folder."""
    parts = httpx.URL(url)
    host = parts.host.replace(":", "-")
    return host if parts.port is None else f"{host}-{parts.port}"


def log_warning(text: Text) -> None:
    """Log that something could not be kept or signed, in the log `cartulary.client`."""
    _log.warning("%s", english(text))


class Evidence:
    """Where a client keeps evidence, whether it signs actions, and how it reports failures.

    Without a folder it keeps nothing and signs nothing; nonces are sent all the same.
    """

    def __init__(
        self,
        folder: Path | None,
        *,
        signs: bool = True,
        report: Callable[[Text], None] = log_warning,
    ) -> None:
        self.folder = folder
        self.signs = signs and folder is not None
        self.report = report

    @classmethod
    def of_user(cls, **settings: Any) -> "Evidence":
        """Return an Evidence that uses the folder of the user. The parameters are those of `Evidence`."""
        return cls(user_folder(os.environ), **settings)

    @classmethod
    def none(cls) -> "Evidence":
        """Return an Evidence that keeps nothing."""
        return cls(None)

    def nonce_secret(self) -> bytes:
        """Return the bytes from which nonces are derived, which no server knows. Raises OSError.

        They are generated once, so that a request that is repeated later has the same nonce.
        """
        if self.folder is None:
            return secrets.token_bytes(_SECRET_BYTES)
        path = self.folder / _SECRET_FILE
        with suppress(FileNotFoundError):
            return path.read_bytes()
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=self.folder, prefix=_SECRET_FILE)  # mode 0600
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(secrets.token_bytes(_SECRET_BYTES))
            with suppress(FileExistsError):
                os.link(name, path)
        finally:
            Path(name).unlink()
        return path.read_bytes()


class EvidenceKeeper:
    """Adds evidence to the calls of one client, and keeps it.

    Its public methods except `note` return the steps of a call, which the client takes.
    """

    def __init__(
        self, url: str, evidence: Evidence, limits: Limits, token: Callable[[], str | None]
    ) -> None:
        """`token` returns the token with which the client makes requests now."""
        self._evidence = evidence
        self._limits = limits
        self._token = token
        self._folder = None if evidence.folder is None else evidence.folder / server_name(url)
        self._lock = threading.Lock()
        self._hashes: dict[tuple[str, int], str] = {}
        self._rules: dict[str, AnyRuleSystem | None] = {}
        self._keys: dict[str, SigningKey | None] = {}
        """By token, the registered key of its player; None if actions cannot be signed."""
        self._created: dict[str, JsonObject] = {}
        """By game, the data of its first event."""
        self._statements: dict[str, JsonObject] = {}
        """By idempotency key, the bodies of statements."""
        self._server_keys: Sequence[JsonObject] = ()
        self._secret: bytes | None = None
        self._reported: set[str] = set()

    def send(self, call: Call[T]) -> Steps[T]:
        """Send a call as it is."""
        return self.note((yield from with_retries(call, self._limits)))

    def create_game(self, call: Call[GameSummary]) -> Steps[GameSummary]:
        """Create a game, and add its bots only when its commitment can be seen.

        A nonce that is sent earlier proves nothing. If a bot cannot be added, the player leaves the game.
        """
        yield from self._own_key()
        body = dict(call.body or {})
        bots = body.pop("bots", [])
        game = yield from self._contribute(replace(call, body=body), None)
        for number, bot in enumerate(bots, 1):
            key = f"{call.idempotency_key} bot {number}"
            add = api.add_bot(game.id, bot, idempotency_key=_digest(key))
            try:
                game = yield from self.add_bot(add)
            except Problem as problem:
                if isinstance(problem, Conflict):
                    game = yield from self.send(api.game(game.id))
                    if game.status != "open":
                        # Somebody else took the place.
                        return game
                yield from self.send(api.leave(game.id))
                raise
        return game

    def join(self, call: Call[GameSummary]) -> Steps[GameSummary]:
        """Join a game, or add a bot, with a nonce that is sent after the commitment was seen."""
        yield from self._own_key()
        created = yield from self._first_event(call.game or "")
        return (yield from self._contribute(call, _commitment(created)))

    add_bot = join

    def submit(self, call: Call[AcceptedAction]) -> Steps[AcceptedAction]:
        """Submit an action, with the player's signature unless there is one already."""
        body = dict(call.body or {})
        if "signature" not in body:
            signature = yield from self._signature(
                call.game or "", body["action"], body["expected_seq"]
            )
            if signature is not None:
                body["signature"] = signature
        accepted = yield from self.send(replace(call, body=body))
        yield from self._keep_receipt(call.game, accepted)
        return accepted

    def state(self, call: Call[T]) -> Steps[T]:
        """Send a statement, with the player's signature, and with a nonce if something may be drawn after it.

        Games with seed version 1 have no such nonces. A repeated call sends the same nonce and signature.
        """
        key, game = call.idempotency_key or "", call.game or ""
        first = yield from self._first_event(game)
        body = self._statements.get(key)
        if body is None:
            body = yield from self._statement(
                call, is_drawn_from_nonces=first.get("seed") == _DRAWN_FROM_NONCES
            )
            with self._lock:
                _remember(self._statements, key, body)
        result = yield from self.send(replace(call, body=body))
        if isinstance(result, AcceptedAction):
            yield from self._keep_receipt(game, result)
            if "nonce" in body and first.get("seed") == _DRAWN_FROM_NONCES:
                seq = max(event.seq for event in result.events)
                self._keep_nonce(game, seq, body["nonce"], _commitment(first))
        return result

    def _statement(self, call: Call[Any], *, is_drawn_from_nonces: bool) -> Steps[JsonObject]:
        """Return the body of a call that states something, with a nonce and a signature."""
        body, statement = dict(call.body or {}), call.statement
        assert statement is not None, "the call states something"
        data = statement.data()
        if statement.takes_nonce and is_drawn_from_nonces:
            body.setdefault("nonce", self._nonce(call))
        if "nonce" in body and is_drawn_from_nonces:
            data["nonce"] = body["nonce"]
        key = yield from self._own_key()
        if key is None:
            return body
        head = (yield from self.send(api.game(call.game or ""))).head
        opening = {"salt": secrets.token_hex(_SALT_BYTES), "value": body.get("statement")}
        commitments = {"statement": commitment(opening)} if "statement" in body else None
        payload = statement_payload(call.game or "", head.hash, statement.EVENT, data, commitments)
        signature = sign(key, payload)
        body["signature"] = {
            "key": signature["key"],
            "expected_seq": head.seq,
            "signature": signature["signature"],
        }
        if commitments is not None:
            body["signature"]["salt"] = opening["salt"]
        return body

    def note(self, result: T) -> T:
        """Remember the hashes of events and the rules of a game in a result, and return the result."""
        with self._lock:
            match result:
                case Event():
                    _remember(self._hashes, (result.game, result.seq), result.hash)
                case EventPage() | AcceptedAction():
                    for event in result.events:
                        _remember(self._hashes, (event.game, event.seq), event.hash)
                case GameSummary():
                    _remember(self._hashes, (result.id, result.head.seq), result.head.hash)
                    _remember(self._rules, result.id, _rules_of(result))
                case _:
                    pass
        return result

    def _contribute(self, call: Call[GameSummary], seen: str | None) -> Steps[GameSummary]:
        """Send a call with a nonce, and keep the nonce and the commitment that was seen before."""
        body = dict(call.body or {})
        nonce = body.setdefault("nonce", self._nonce(call))
        game = yield from self.send(replace(call, body=body))
        self._keep_nonce(game.id, game.head.seq, nonce, seen)
        return game

    def _nonce(self, call: Call[Any]) -> str:
        """Return 16 bytes in hex that no server can predict; the same ones if the call is repeated."""
        if self._secret is None:
            try:
                self._secret = self._evidence.nonce_secret()
            except OSError as error:
                self._report_unwritable(error)
                self._secret = secrets.token_bytes(_SECRET_BYTES)
        request = f"{call.method} {call.path} {call.idempotency_key}"
        return hmac.digest(self._secret, request.encode(), "sha256")[:NONCE_BYTES].hex()

    def _first_event(self, game: str) -> Steps[JsonObject]:
        """Return the data of the first event of a game; empty if the player may not see it yet."""
        if game not in self._created:
            try:
                page = yield from self.send(api.events(game, limit=1))
            except Problem:
                return {}
            if not page.events:
                return {}
            with self._lock:
                _remember(self._created, game, page.events[0].data)
        return self._created[game]

    def _keep_nonce(self, game: str, seq: int, nonce: str, commitment: str | None) -> None:
        if self._folder is None or not is_game_id(game):
            return
        entry = {"game": game, "seq": seq, "nonce": nonce, "commitment": commitment}
        try:
            with locked(self._folder):
                if entry not in nonces_of_game(self._folder.parent, game):
                    append_lines(self._folder / f"{game}{NONCES}", [canonical(entry)])
        except CartularyError as error:
            self._report_once(error.message)

    def _signature(
        self, game: str, action: JsonObject, expected_seq: int
    ) -> Steps[JsonObject | None]:
        key = yield from self._own_key()
        if key is None:
            return None
        if game not in self._rules:
            yield from self.send(api.game(game))
        if (game, expected_seq) not in self._hashes:
            yield from self.send(api.events(game, after=max(0, expected_seq - 1), limit=1))
        head = self._hashes.get((game, expected_seq))
        if head is None:
            # The server refuses the action, as it has no such event.
            return None
        rules = self._rules.get(game)
        try:
            signed = action if rules is None else rules.action_to_json(rules.parse_action(action))
        except Malformed:
            return None
        signature = sign_action(key, game, head, signed)
        return {"key": signature["key"], "signature": signature["signature"]}

    def _own_key(self) -> Steps[SigningKey | None]:
        """Return the player's key, which is registered when it is first used; None if there is none."""
        token = self._token()
        if token is None or self._folder is None or not self._evidence.signs:
            return None
        if token not in self._keys:
            key = None
            try:
                player = (yield from self.send(api.me(limit=1))).player.id
                key = self._load_key(player)
                proof = key.signature(canonical(key_payload(player, key.public)))
                try:
                    yield from self.send(api.register_key(key.public, proof))
                except Forbidden:
                    # A personal token cannot register keys, but sign with one that is registered.
                    registered = (yield from self.send(api.my_keys())).keys
                    if not any(k.public == key.public and k.until is None for k in registered):
                        raise
            except OSError as error:
                self._report_unwritable(error)
            except (ClientError, Unreadable) as error:
                key = None
                self._report_once(
                    message("your actions are not signed: {reason}", reason=error.message)
                )
            _remember(self._keys, token, key)
        return self._keys[token]

    def _load_key(self, player: str) -> SigningKey:
        assert self._folder is not None, "without a folder there is no key"
        if not is_game_id(player):
            raise InvalidResponse.with_message(
                "the server's response is not a valid id of a player"
            )
        return SigningKey.load_or_generate(self._folder / "keys" / f"{player}.pem")

    def _keep_receipt(self, game: str | None, accepted: AcceptedAction) -> Steps[None]:
        """Keep the receipt of an action. Faults in it are reported."""
        if self._folder is None:
            return
        receipt, event = accepted.receipt.json, accepted.events[0] if accepted.events else None
        try:
            if receipt.get("key") not in {entry["key"] for entry in self._server_keys}:
                published = yield from self.send(api.server_keys())
                self._server_keys = [
                    {"key": key.key, "public": key.public} for key in published.keys
                ]
            check_receipt(receipt, self._server_keys)
            if event is None or any(
                receipt[name] != event.json.get(name) for name in ("seq", "hash", "at")
            ):
                raise InvalidResponse.with_message("it is for another event")
            if receipt["game"] != game:
                raise InvalidResponse.with_message("it is for another game")
        except ClientError as error:
            self._report_once(
                message("the server gave no valid receipt: {reason}", reason=error.message)
            )
            return
        try:
            conflicts = ReceiptFolder(self._folder).add([receipt]).conflicts
        except CartularyError as error:
            self._report_once(error.message)
            return
        for conflict in conflicts:
            self._report_once(
                message(
                    "the server has signed two different events {seq} of game {game}: the second receipt"
                    " is in {file}",
                    seq=conflict.seq,
                    game=conflict.game,
                    file=str(conflict.path),
                )
            )

    def _report_unwritable(self, error: OSError) -> None:
        assert self._evidence.folder is not None, "without a folder nothing is written"
        self._report_once(cannot_write(self._evidence.folder, error))

    def _report_once(self, text: Text) -> None:
        sentence = english(text)
        if sentence not in self._reported:
            self._reported.add(sentence)
            self._evidence.report(text)


def _commitment(created: JsonObject) -> str | None:
    """Return the commitment to the secret in the data of the first event of a game."""
    value = created.get("commitment")
    return value if is_hash(value) else None


def _rules_of(summary: GameSummary) -> AnyRuleSystem | None:
    try:
        return rule_system_for(summary.rules, summary.options)
    except Malformed:
        return None


def _remember(cache: dict[Any, Any], key: object, value: object) -> None:
    cache[key] = value
    if len(cache) > _MAX_REMEMBERED:
        del cache[next(iter(cache))]


def _digest(text: str) -> str:
    return hmac.digest(b"cartulary idempotency key", text.encode(), "sha256").hex()[:32]
