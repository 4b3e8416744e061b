"""`python -m bench.action_path`: print the path that an accepted action takes through our own code.

`POST /games/ID/actions` is traced with Flask's test client on a real Redis, in a process that has served
such requests before. The path consists of the calls of our own functions, in order. A room is the folder of
a file, and the path changes rooms when a call is in another folder than the call before it.
"""

import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final

from flask.testing import FlaskClient

from service.bootstrap import build
from service.http.app import create_app
from service.operation.embedded_redis import EmbeddedRedis
from service.settings import Settings

ROOT: Final = Path(__file__).parent.parent
PACKAGES: Final = ("cartulary", "client", "domain", "ledger", "replay", "service", "workers")
API: Final = "/api/v1"
TRACED_TYPE: Final = "move"
"""The type of the traced actions, the most frequent one in a game of Barony."""
WARM_UP: Final = 3
"""How many actions of this type are taken before the first one is traced."""
TRACED: Final = 5
"""How many actions are traced. What does not happen in each of them (such as confirming a token, every five
seconds) is not part of the path, so the shortest one is."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call of one of our functions.

    `file` is the path of the function's file within the checkout, and `depth` the number of our own functions
    that are running when it is called.
    """

    file: str
    function: str
    depth: int

    @property
    def room(self) -> str:
        """The folder of the file."""
        return str(Path(self.file).parent)


@dataclass(frozen=True, slots=True)
class ActionPath:
    """The calls of our own functions during a request, in order."""

    calls: tuple[Call, ...]

    @property
    def files(self) -> set[str]:
        """The files of the functions that are called."""
        return {call.file for call in self.calls}

    @property
    def rooms(self) -> set[str]:
        """The folders of these files."""
        return {call.room for call in self.calls}

    @property
    def room_changes(self) -> int:
        """How often a call is in another room than the call before it."""
        return sum(before.room != after.room for before, after in pairwise(self.calls))

    @property
    def figures(self) -> str:
        """The figures of this path, in words."""
        return (
            f"{len(self.files)} files, {len(self.rooms)} rooms, {self.room_changes} changes of room,"
            f" {len(self.calls)} calls"
        )


def main() -> None:
    """Print the path of an action, indented by depth, the number of calls in each file, and the figures."""
    with tempfile.TemporaryDirectory() as folder, EmbeddedRedis(Path(folder)) as redis:
        path = trace_action(redis.url, Path(folder))
    file = ""
    for call in path.calls:
        print(f"{call.file if call.file != file else '':<48} {'  ' * call.depth}{call.function}")
        file = call.file
    print()
    for file in sorted(path.files):
        print(f"{sum(call.file == file for call in path.calls):>4} {file}")
    print(f"\n{path.figures}")


def trace_action(redis_url: str, folder: Path) -> ActionPath:
    """Play a game of Barony for two on this Redis, and return the path of an action.

    `folder` is the data folder of the service.
    """
    settings = Settings(
        data=folder,
        redis_url=redis_url,
        queue_url=redis_url,
        signing_key=folder / "signing-key.pem",
    )
    service = build(settings)
    try:
        actions = _play(create_app(service).test_client())
        for _ in range(WARM_UP):
            next(actions)()
        return min((_trace(next(actions)) for _ in range(TRACED)), key=lambda path: len(path.calls))
    finally:
        service.redis.close()


def _play(client: FlaskClient) -> Iterator[Callable[[], None]]:
    """Play a game; yield a function for each action of the traced type, which has to take it."""
    players = [_register(client, handle) for handle in ("ana", "ben")]
    options = {"rules": "barony", "seats": len(players), "options": {"seating": "joined"}}
    url = f"{API}/games/{_post(client, f'{API}/games', options, players[0])['id']}"
    for player in players[1:]:
        _post(client, f"{url}/players", {}, player)
    while True:
        for player in players:
            legal = client.get(f"{url}/legal-actions", headers=player).get_json()
            if not legal["actions"]:
                continue
            action = min(legal["actions"], key=lambda action: action["type"] != TRACED_TYPE)
            body = {"action": action, "expected_seq": legal["seq"]}

            def act(body: Mapping[str, Any] = body, player: Mapping[str, str] = player) -> None:
                _post(client, f"{url}/actions", body, player)

            if action["type"] == TRACED_TYPE:
                yield act
            else:
                act()


def _register(client: FlaskClient, handle: str) -> dict[str, str]:
    """Register a player, and return the headers with which the player sends requests."""
    account = {"handle": handle, "password": "correct horse"}
    return {"Authorization": f"Bearer {_post(client, f'{API}/players', account, {})['token']}"}


def _post(
    client: FlaskClient, url: str, body: Mapping[str, Any], headers: Mapping[str, str]
) -> Any:
    response = client.post(url, json=body, headers=headers)
    if response.status_code != 201:
        raise RuntimeError(f"POST {url} was answered with {response.status}: {response.text}")
    return response.get_json()


def _trace(request: Callable[[], None]) -> ActionPath:
    """Return the path of a request through the code of our packages, in this thread."""
    calls: list[Call] = []
    depth = 0

    def profile(frame: FrameType, event: str, _argument: object) -> None:
        nonlocal depth
        if event not in ("call", "return") or (file := _our_file(frame.f_code)) is None:
            return
        if event == "return":
            depth -= 1
        else:
            calls.append(Call(file, frame.f_code.co_qualname, depth))
            depth += 1

    with _profiling(profile):
        request()
    return ActionPath(tuple(calls))


@contextmanager
def _profiling(profile: Callable[[FrameType, str, object], None]) -> Iterator[None]:
    sys.setprofile(profile)
    try:
        yield
    finally:
        sys.setprofile(None)


def _our_file(code: CodeType) -> str | None:
    """Return the file of one of our functions, None for other code.

    Comprehensions are no functions: only some versions of Python run them in frames of their own.
    """
    if code.co_name.startswith("<") and code.co_name != "<lambda>":
        return None
    path = Path(code.co_filename)
    if not path.is_relative_to(ROOT):
        return None
    file = path.relative_to(ROOT)
    return str(file) if file.parts[0] in PACKAGES else None


if __name__ == "__main__":
    main()
