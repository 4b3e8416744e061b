"""The key with which this server identifies itself to push services (RFC 8292).

It is in the data folder, like the signing key. If it is lost, all push subscriptions become invalid.
"""

import os
import tempfile
from contextlib import suppress
from functools import cached_property
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)
from py_vapid import Vapid02  # type: ignore[import-untyped] # has no annotations
from py_vapid.utils import b64urlencode  # type: ignore[import-untyped] # as above


class VapidKey:
    """The key in a file, which is generated when it is first needed. Safe for concurrent processes."""

    def __init__(self, path: Path, contact: str) -> None:
        """`contact` is a `mailto:` URL of the operator, for the operators of push services."""
        self._path = path
        self._contact = contact

    @cached_property
    def _private(self) -> ec.EllipticCurvePrivateKey:
        with suppress(FileNotFoundError):
            return _load(self._path)
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with suppress(FileExistsError):
            _save(ec.generate_private_key(ec.SECP256R1()), self._path)
        return _load(self._path)

    @property
    def public(self) -> str:
        """The public key in the form that browsers require: an uncompressed point in base64url."""
        point = self._private.public_key().public_bytes(
            Encoding.X962, PublicFormat.UncompressedPoint
        )
        return str(b64urlencode(point))

    def authorization(self, origin: str, expires: int) -> str:
        """Return the header `Authorization` of requests to a push service until `expires` (Unix time)."""
        claims = {"aud": origin, "sub": self._contact, "exp": expires}
        return str(Vapid02(self._private).sign(claims)["Authorization"])


def _load(path: Path) -> ec.EllipticCurvePrivateKey:
    key = load_pem_private_key(path.read_bytes(), None)
    if not isinstance(key, ec.EllipticCurvePrivateKey) or key.curve.name != "secp256r1":
        raise ValueError(f"{path} is not a P-256 private key")
    return key


def _save(key: ec.EllipticCurvePrivateKey, path: Path) -> None:
    """Write a key to a file that only its owner may read, atomically. Raises FileExistsError."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)  # mode 0600
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        os.link(name, path)
    finally:
        Path(name).unlink()
