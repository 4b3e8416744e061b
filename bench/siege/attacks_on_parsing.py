"""Attacks on the parsing of requests: malformed, oversized or costly heads and bodies."""

from collections.abc import Iterator
from typing import Final

from bench.siege.attack import API, ONE_ADDRESS, Attack, Target, once, request, send_and_read
from bench.siege.traffic import Pause, Read, Send, Step, Traffic

MOST_BODY_BYTES: Final = 63_000
HTTP2_PREFACE: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
MOST_FRAME_BYTES: Final = 16_384
POST_GAMES: Final = f"POST {API}/games HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"


def http2_bomb(value_bytes: int = 4096 - 64, references: int = 4_000) -> bytes:
    """Return an HTTP/2 request whose header block refers to one long header many times (HPACK, RFC 7541)."""
    name = b"x-a"
    block = b"\x82\x86\x84"  # :method GET, :scheme http, :path / of the static table
    block += b"\x01" + _hpack_integer(4, 7) + b"bomb"  # a literal :authority that is not indexed
    block += b"\x40" + _hpack_integer(len(name), 7) + name  # a literal that becomes entry 62
    block += _hpack_integer(value_bytes, 7) + b"a" * value_bytes
    block += b"\xbe" * references  # entry 62 again, one byte each
    pieces = [
        block[start : start + MOST_FRAME_BYTES] for start in range(0, len(block), MOST_FRAME_BYTES)
    ]
    frames = [_frame(0x04, 0, 0, b"")]  # SETTINGS
    for number, piece in enumerate(pieces):
        end_headers = 0x04 if number == len(pieces) - 1 else 0
        kind, flags = (0x01, 0x01 | end_headers) if number == 0 else (0x09, end_headers)
        frames.append(_frame(kind, flags, 1, piece))
    return HTTP2_PREFACE + b"".join(frames)


def _hpack_integer(value: int, bits: int) -> bytes:
    """Return an integer with a prefix of this number of bits, the others being 0 (RFC 7541, 5.1)."""
    largest = (1 << bits) - 1
    if value < largest:
        return bytes([value])
    encoded, value = bytearray([largest]), value - largest
    while value >= 128:
        encoded.append(value % 128 + 128)
        value //= 128
    encoded.append(value)
    return bytes(encoded)


def _frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    return (
        len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload
    )


def _hpack(target: Target) -> Traffic:
    small, large = http2_bomb(), http2_bomb(references=48_000)

    def script(number: int) -> Iterator[Step]:
        yield Send(large if number % 2 else small, 1)
        yield Read()

    return Traffic(script, 8, 20, ONE_ADDRESS)


def _large_headers(target: Target) -> Traffic:
    headers = "".join(f"X-Large: {'a' * 1000}\r\n" for _ in range(60))
    return Traffic(
        send_and_read(request("GET", f"{API}/games", headers=headers)), 16, 100, ONE_ADDRESS
    )


def _many_headers(target: Target) -> Traffic:
    headers = "".join(f"X{number}: a\r\n" for number in range(1_700))
    return Traffic(
        send_and_read(request("GET", f"{API}/games", headers=headers)), 16, 100, ONE_ADDRESS
    )


def _long_queries(target: Target) -> Traffic:
    queries = ("a" * 60_000, "&".join(f"a{number}" for number in range(1_500)), "%D9%A1" * 1_500)

    def script(number: int) -> Iterator[Step]:
        yield request("GET", f"{API}/games?{queries[number % len(queries)]}")
        yield Read()

    return Traffic(script, 16, 100, ONE_ADDRESS)


def _long_content_length(target: Target) -> Traffic:
    length = "9" * 5_000
    return Traffic(
        send_and_read(Send(f"{POST_GAMES}Content-Length: {length}\r\n\r\n".encode(), 1)),
        16,
        100,
        ONE_ADDRESS,
    )


def _chunked(*chunks: bytes) -> Send:
    return Send(f"{POST_GAMES}Transfer-Encoding: chunked\r\n\r\n".encode() + b"".join(chunks), 1)


def _malformed_chunks(target: Target) -> Traffic:
    bodies = (
        b"zz\r\n{}\r\n0\r\n\r\n",
        b"-1\r\n\r\n",
        b"f" * 40 + b"\r\n",
        b"1\r\n{}}\r\n0\r\n\r\n",
    )

    def script(number: int) -> Iterator[Step]:
        yield _chunked(bodies[number % len(bodies)])
        yield Read()

    return Traffic(script, 16, 100, ONE_ADDRESS)


def _endless_chunks(target: Target) -> Traffic:
    chunk = Send(b"400\r\n" + b"a" * 1024 + b"\r\n")

    def script(number: int) -> Iterator[Step]:
        yield _chunked()
        while True:
            yield chunk
            yield Pause(0.01)

    return Traffic(script, 20, 40, ONE_ADDRESS)


def _chunk_extensions(target: Target) -> Traffic:
    chunk = Send(b"1;" + b"a" * 8_000 + b"\r\na\r\n")

    def script(number: int) -> Iterator[Step]:
        yield _chunked()
        while True:
            yield chunk
            yield Pause(0.01)

    return Traffic(script, 20, 40, ONE_ADDRESS)


def _many_keys(target: Target) -> Traffic:
    keys = ",".join(f'"{number:x}":0' for number in range(7_000))
    body = f"{{{keys}}}".encode()[: MOST_BODY_BYTES - 1].rpartition(b",")[0] + b"}"
    return Traffic(
        send_and_read(request("POST", f"{API}/games", body, target.tokens[3])), 16, 30, ONE_ADDRESS
    )


def _nested_bodies(target: Target) -> Traffic:
    half = MOST_BODY_BYTES // 2
    bodies = (b"[" * half + b"]" * half, b'{"options":' * 5_000 + b"1" + b"}" * 5_000)

    def script(number: int) -> Iterator[Step]:
        yield request("POST", f"{API}/games", bodies[number % 2], target.tokens[4])
        yield Read()

    return Traffic(script, 16, 50, ONE_ADDRESS)


def _entity_tags(target: Target) -> Traffic:
    tags = ",".join(f'"{number}"' for number in range(2_000))
    send = request(
        "GET", f"{API}/games/{target.long_game}/position", headers=f"If-None-Match: {tags}\r\n"
    )
    return Traffic(send_and_read(send), 16, 100, ONE_ADDRESS)


def _pipelining(target: Target) -> Traffic:
    send = request("GET", f"{API}/games")
    pipelined = Send(send.data * 500, 500)
    return Traffic(once(pipelined, Read(500)), 4, 4, ONE_ADDRESS)


ATTACKS: Final = (
    Attack(
        "hpack",
        "sends HTTP/2 requests that refer to one header of 4 kB 4,000 or 48,000 times",
        _hpack,
    ),
    Attack("large-headers", "sends 60 headers of 1 kB with the same name", _large_headers),
    Attack("many-headers", "sends 1,700 short headers with different names", _many_headers),
    Attack("long-queries", "sends query strings of up to 60 kB", _long_queries),
    Attack("long-content-length", "sends a Content-Length of 5,000 digits", _long_content_length),
    Attack("malformed-chunks", "sends chunked bodies that are malformed", _malformed_chunks),
    Attack("endless-chunks", "sends chunked bodies that never end", _endless_chunks),
    Attack(
        "chunk-extensions",
        "sends chunks of one byte, each with an extension of 8 kB",
        _chunk_extensions,
    ),
    Attack(
        "many-keys", "sends bodies of 63 kB with as many keys as possible in one object", _many_keys
    ),
    Attack(
        "nested-bodies", "sends bodies of 63 kB that consist of nested brackets", _nested_bodies
    ),
    Attack("entity-tags", "sends If-None-Match headers with 2,000 entity tags", _entity_tags),
    Attack("pipelining", "sends 500 requests at once on each of four connections", _pipelining),
)
