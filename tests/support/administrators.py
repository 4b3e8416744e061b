"""Administrators who use the HTTP interface, and what there is for them to do."""

from datetime import UTC, datetime, timedelta

import redis

from service import wall_clock
from service.administration.log import AdministrationLog
from service.bounds import Bounds
from service.chat.reports import ChatMessageReports
from service.notifications.deliveries import Deliveries
from service.notifications.delivery import Delivery, delivery_id
from tests.games.records import FOLDER
from tests.support.accounts import Accounts, Json, PlayerClient

WHY = {"reason": "the player asked for it"}
ADMIN = "/api/v1/admin"
ANNOUNCEMENT: Json = {
    **WHY,
    "texts": {"en": "Down on <Sunday>", "fr": "Arrêt dimanche"},
    "ends": wall_clock.format(wall_clock.now() + timedelta(days=1)),
}


def last_entries(redis_client: redis.Redis, count: int) -> list[tuple[str, str]]:
    """Return administrator and operation of the last entries of the log."""
    entries = list(AdministrationLog(redis_client).entries())[-count:]
    return [(entry["administrator"], entry["operation"]) for entry in entries]


def ended_delivery(redis_client: redis.Redis, player: str, game: str) -> str:
    """Store a delivery that was given up, and return its id."""
    deliveries = Deliveries(redis_client, Bounds())
    delivery = _delivery(player, game, "2026-11-20T09:00:00.000Z")
    deliveries.create(delivery)
    deliveries.finish([delivery], "given_up", datetime.now(UTC), is_claimed=False)
    return delivery.id


def later_delivery(redis_client: redis.Redis, player: str, game: str) -> str:
    """Store a delivery that is due tomorrow, and return its id."""
    delivery = _delivery(player, game, wall_clock.format(wall_clock.now() + timedelta(days=1)))
    Deliveries(redis_client, Bounds()).create(delivery)
    return delivery.id


def _delivery(player: str, game: str, due_at: str) -> Delivery:
    return Delivery(
        id=delivery_id("your_turn", game, "4", player, "email", "address"),
        kind="your_turn",
        subject="your_turn",
        game_id=game,
        seq=4,
        player=player,
        channel="email",
        endpoint="address",
        created_at="2026-11-20T09:00:00.000Z",
        due_at=due_at,
    )


def reported_message(
    author: PlayerClient, reporter: PlayerClient, game: str, redis_client: redis.Redis
) -> str:
    """Let a player report a message of another one; return the id of the report."""
    path = f"/api/v1/games/{game}/messages"
    author.http.post(path, json={"text": "Spam."})
    response = reporter.http.post(f"{path}/1/report", json={"reason": "spam"})
    assert response.status_code < 300, response.text
    reports, _ = ChatMessageReports(redis_client, 1000, 1000).page(limit=1000)
    return reports[-1].id


def register_administrator(accounts: Accounts, redis_client: redis.Redis) -> PlayerClient:
    """Register a player with the role of an administrator."""
    player = accounts.register()
    redis_client.hset(f"cartulary:player:{player.id}", "role", "admin")
    return player


def uploaded_record(player: PlayerClient) -> str:
    """Have a player upload a record, and return its id."""
    data = (FOLDER / "clock-leaves-one.jsonl").read_bytes()
    headers = {"Content-Type": "application/jsonl"}
    response = player.http.post("/api/v1/imports", content=data, headers=headers)
    assert response.status_code == 201, response.text
    return str(response.json()["id"])
