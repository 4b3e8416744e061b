"""The command trust: lists, accepts and removes the keys of servers whose records this machine trusts."""

import os
import sys
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from cartulary.command_line import argument, command, option, usage_error
from cartulary.commands.options import json_option, live_redis_option
from cartulary.language import command_renderer, text
from cartulary.source import SourceNotFound, read_source
from cartulary.terminal import confirm, echo, print_message
from domain.errors import CartularyError
from domain.json_types import JsonObject
from domain.messages import Instant, Message, comma_list, message, message_in, plural_message
from ledger.canonical import canonical

if TYPE_CHECKING:
    from cartulary.trusted_keys import TrustedKeysFile
    from replay.audit.trusted_keys import TrustedKey, TrustedKeys


@command(
    "trust",
    help=(
        message("List the keys of servers that this machine trusts, or accept or remove some."),
        message(
            "KEY is a public key (32 bytes in hex), RECORD a record file or the id of a live game,"
            " whose signing key is accepted, and URL the address of a server, whose published keys are"
            " accepted. Compare the fingerprints with those that the operator of the server publishes"
            " elsewhere."
        ),
        message(
            "The keys are in the file that CARTULARY_TRUSTED_KEYS names, else in the user's"
            " configuration."
        ),
    ),
)
@argument("sources", metavar=message_in("metavar", "[KEY|RECORD|URL]..."), nargs=-1)
@option(
    "--remove",
    is_flag=True,
    help=message("Remove keys, given by their ids, public keys or origins."),
)
@option(
    "--origin",
    metavar=message_in("metavar", "NAME"),
    help=message("Name of the server that the keys belong to."),
)
@option("--yes", is_flag=True, help=message("Accept without asking."))
@json_option
@live_redis_option
def trust(
    sources: tuple[str, ...],
    remove: bool,  # noqa: FBT001 # click passes options by name
    origin: str | None,
    yes: bool,  # noqa: FBT001 # click passes options by name
    as_json: bool,  # noqa: FBT001 # click passes options by name
) -> None:
    from cartulary.trusted_keys import TrustedKeysFile

    file = TrustedKeysFile(os.environ)
    if remove:
        _remove(file, sources)
        return
    if sources:
        candidates = [key for source in sources for key in _keys_of(source, origin)]
        for key in candidates:
            print_message(_candidate(file.load(), key))
        _confirm(len(candidates), is_confirmed=yes)
        file.add(candidates)
    keys = file.load().keys
    if as_json:
        entries = [_as_json(key) for key in keys]
        echo(canonical({"file": str(file.path), "keys": entries}).decode())
        return
    if sources:
        print_message(message("accepted, and kept in {file}", file=str(file.path)))
        return
    for key in keys:
        echo(text(_description(key)))
    if not keys:
        print_message(message("no keys are trusted ({file})", file=str(file.path)))


def _remove(file: "TrustedKeysFile", names: tuple[str, ...]) -> None:
    if not names:
        raise usage_error(message("name the keys to remove"))
    for name in names:
        removed = file.remove(name)
        if not removed:
            raise CartularyError.with_message(
                "{name} is not the id, the public key or the origin of a key", name=name
            )
        for key in removed:
            print_message(message("removed: {key}", key=_description(key)))


def _keys_of(source: str, origin: str | None) -> list["TrustedKey"]:
    """Return the keys that a source names, as entries of the file."""
    from cartulary.trusted_keys import is_public_key
    from replay.audit.trusted_keys import TrustedKey

    if is_public_key(source.lower()):
        return [TrustedKey(source.lower(), "user", origin)]
    if source.startswith(("http://", "https://")):
        return _published_keys(source, origin)
    return [_signing_key(source, origin)]


def _signing_key(source: str, origin: str | None) -> "TrustedKey":
    """Return the key that signed a record. Raises ClickException if its signature is not valid."""
    from ledger.keys import BadSignature, check_head
    from replay.audit.trusted_keys import TrustedKey

    header = read_source(source).header
    try:
        check_head(header, header["keys"])
    except BadSignature as error:
        raise CartularyError.with_message(
            "{source}: its signature is not valid: {reason}", source=source, reason=error.message
        ) from None
    entry = next(entry for entry in header["keys"] if entry["key"] == header["head"]["key"])
    return TrustedKey(
        entry["public"],
        source,
        origin or header.get("origin"),
        entry["from"],
        entry["until"],
        header.get("log"),
    )


def _published_keys(url: str, origin: str | None) -> list["TrustedKey"]:
    """Return the keys that a server publishes. Raises ClickException."""
    from cartulary.addresses import Address, InvalidAddress
    from client.calls import server_keys
    from client.clients import Client
    from client.errors import ClientError
    from client.retries import UNTRUSTED_SERVER
    from replay.audit.trusted_keys import TrustedKey

    try:
        # The address of a game names its server.
        url = Address.parse(url).server
    except InvalidAddress as error:
        raise SourceNotFound(error.message) from None
    try:
        with Client(url, language=command_renderer().language, limits=UNTRUSTED_SERVER) as client:
            published = client.run(server_keys())
    except ClientError as error:
        raise CartularyError.with_message(
            "{url}: {reason}", url=url, reason=error.message_with_status
        ) from None
    if not published.keys:
        raise CartularyError.with_message("{url} publishes no keys", url=url)
    name = origin or published.origin or urlsplit(url).netloc
    return [
        TrustedKey(key.public, url, name, key.since, key.until, published.log)
        for key in published.keys
    ]


def _candidate(trusted: "TrustedKeys", key: "TrustedKey") -> Message:
    """Return a key that may be accepted, with a warning if it is not one of those known for its server."""
    others = trusted.of_origin(key.origin)
    if key.origin is None or not others or trusted.find(key.public) is not None:
        return _description(key)
    return message(
        "the key of the server {origin} has changed: it was {remembered}, and now there is this one: {key}",
        origin=key.origin,
        remembered=comma_list(other.id for other in others),
        key=_description(key),
    )


def _confirm(count: int, *, is_confirmed: bool) -> None:
    if is_confirmed:
        return
    if not sys.stdin.isatty():
        raise usage_error(message("add --yes to accept keys without being asked"))
    question = plural_message("Accept this key?", "Accept these {count} keys?", count=count)
    confirm(question, err=True)


def _description(key: "TrustedKey") -> Message:
    from replay.audit.trusted_keys import fingerprint

    parts = [message("key {key}", key=key.id)]
    if key.origin is not None:
        parts = [message("key {key} of the server {origin}", key=key.id, origin=key.origin)]
    if key.since is not None:
        parts.append(message("valid from {since}", since=Instant(key.since)))
    if key.until is not None:
        parts.append(message("valid until {until}", until=Instant(key.until)))
    parts += [
        _source(key.source),
        message("fingerprint {fingerprint}", fingerprint=fingerprint(key.public)),
    ]
    return message("{parts}", parts=comma_list(parts))


def _source(source: str) -> Message:
    """Return where a key comes from."""
    match source:
        case "user":
            return message("accepted as a key")
        case "service":
            return message("made by the service on this machine")
        case "playout":
            return message("made by `playout` on this machine")
        case _:
            return message("accepted from {source}", source=source)


def _as_json(key: "TrustedKey") -> JsonObject:
    from replay.audit.trusted_keys import fingerprint

    return {
        "key": key.id,
        "public": key.public,
        "fingerprint": fingerprint(key.public),
        "origin": key.origin,
        "source": key.source,
        "from": key.since,
        "until": key.until,
        "log": key.log,
    }
