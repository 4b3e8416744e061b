"""The backup section of docs/recovery.md names every file that a service creates in its data folder."""

import re
from pathlib import Path

from service.bootstrap import build
from service.operation.data_folder import embedded_redis_socket
from service.operation.embedded_redis import EmbeddedRedis
from service.settings import Settings
from tests.support.service_games import start_game

PAGE = (Path(__file__).parent.parent / "docs" / "recovery.md").read_text()


def test_the_page_names_every_file_of_the_data_folder(tmp_path: Path) -> None:
    with EmbeddedRedis(tmp_path) as server:
        service = build(
            Settings(
                tmp_path, server.url, server.url, tmp_path / "signing-key.pem", is_embedded=True
            )
        )
        service.transparency.head_log.log([start_game(service).id])
        service.transparency.checkpoints.latest()
        assert service.notifications.vapid_key.public
        player, _ = service.accounts.players.register("ada", "correct horse")
        service.accounts.erasure.erase_without_password(player.id)
        service.redis.close()
        files = {
            str(path.relative_to(tmp_path))
            for path in (*tmp_path.iterdir(), *(tmp_path / "redis").iterdir())
        } - {"redis"}
        assert embedded_redis_socket(tmp_path).exists()
    (table,) = re.findall(r"^\| in the data folder .*?\n\n", PAGE, re.MULTILINE | re.DOTALL)
    names = {
        name
        for row in table.strip().splitlines()
        for name in re.findall(r"`([^`]+)`", row.split("|")[1])
    }
    assert files <= names
    occasional = {name for name in names if "TIME" in name or "repair" in name}
    assert names - files <= occasional | {
        "archive",
        "restored",
        "redis/appendonlydir",
        "redis/appendonly.aof",
        "redis/redis.sock",
    }
