"""The webhooks of clubs: what they report, in each format, to whom, and when they end."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any, Literal

import pytest
from freezegun import freeze_time

from domain.game import Game
from domain.lifecycle import NewGame
from service.bootstrap import Service
from service.errors import NotFound
from service.notifications.channels import club_reader
from service.notifications.webhooks.webhooks import Format, Webhook
from tests.support.faults import raises
from tests.support.receiver import WebhookReceiver, webhook_receiver
from tests.support.service_games import play_until
from tests.support.worker_harness import WorkerHarness
from workers.webhooks.channel import chat_body

PASSWORD = "correct horse"


@pytest.fixture
def other() -> Iterator[WebhookReceiver]:
    """A receiver to which nothing may be posted."""
    with webhook_receiver() as receiver:
        yield receiver
        assert receiver.requests == []


@pytest.fixture
def ada(service: Service) -> str:
    return service.accounts.players.register("ada", PASSWORD)[0].id


@pytest.fixture
def ben(service: Service) -> str:
    return service.accounts.players.register("ben", PASSWORD)[0].id


def new_club(service: Service, ada: str, ben: str, *, is_private: bool = False) -> str:
    name = "Thursdays" if is_private else "Wednesdays"
    club = service.clubs.create(ada, name, is_private=is_private).id
    service.clubs.invite(club, ada, ben)
    service.clubs.join(club, ben)
    return club


def address(receiver: WebhookReceiver) -> str:
    return receiver.url.replace("somebody:secret-word@", "")


def set_webhook(
    service: Service, club: str, owner: str, receiver: WebhookReceiver, format: Format = "plain"
) -> Webhook:
    return service.club_webhooks.set(club, owner, address(receiver), format)


def create(service: Service, player: str, club: str | None, **options: Any) -> Game:
    chosen = {"seating": "joined", **options, **({} if club is None else {"club": club})}
    return service.games.commands.create(player, NewGame(rules="baron", seats=2, options=chosen))


def work(workers: WorkerHarness, game: Game) -> None:
    workers.scheduler.enqueue_tasks_of({game.id})
    workers.work()


def finish(service: Service, workers: WorkerHarness, game: Game) -> Game:
    play_until(service, game.id, lambda game: game.is_played_out)
    while service.games.queries.game(game.id).status != "finished":
        work(workers, game)
    work(workers, game)
    return service.games.queries.game(game.id)


def test_a_program_is_posted_the_creation_the_start_and_the_end_with_the_winners(
    service: Service, workers: WorkerHarness, receiver: WebhookReceiver, ada: str, ben: str
) -> None:
    club = new_club(service, ada, ben)
    set_webhook(service, club, ada, receiver)
    game = create(service, ada, club)
    work(workers, game)
    service.games.commands.join(game.id, ben)
    work(workers, game)
    game = finish(service, workers, game)
    bodies = [request.body for request in receiver.requests]
    assert [body["type"] for body in bodies] == ["game_created", "game_started", "game_over"]
    created, started, over = (body["data"] for body in bodies)
    assert {(data["game"], data["club"]) for data in (created, started, over)} == {(game.id, club)}
    assert [data["players"] for data in (created, started, over)] == [[], [], []]
    assert (created["creator"], created["places"]) == (ada, 2)
    assert set(started["seats"]) == {ada, ben}
    winners = [entry["seat"] for entry in game.ranking or () if entry["place"] == 1]
    assert over["winners"] == [game.players[seat] for seat in winners]
    assert winners
    assert all("webhook-signature" in request.headers for request in receiver.requests)
    deliveries, _ = service.club_webhooks.deliveries(club, ada, 10)
    assert [delivery.status for delivery in deliveries] == ["sent"] * 3


@pytest.mark.parametrize("format", ["discord", "slack"])
def test_chats_get_a_sentence_with_the_names_and_a_link(
    service: Service,
    workers: WorkerHarness,
    receiver: WebhookReceiver,
    ada: str,
    ben: str,
    format: Literal["discord", "slack"],
) -> None:
    club = new_club(service, ada, ben)
    set_webhook(service, club, ada, receiver, format)
    game = create(service, ada, club, name="<@everyone> [a](b) & *c*")
    service.games.commands.join(game.id, ben)
    work(workers, game)
    game = finish(service, workers, game)
    bodies = [request.body for request in receiver.requests]
    if format == "discord":
        name = r"\<@everyone\> \[a\]\(b\) & \*c\*"
        assert all(body.pop("allowed_mentions") == {"parse": []} for body in bodies)
        texts = [body.pop("content") for body in bodies]
    else:
        name = "&lt;@everyone&gt; [a](b) &amp; *c*"
        texts = [body.pop("text") for body in bodies]
    assert bodies == [{}] * 3
    link = f"{service.settings.public_url}/games/{game.id}"
    winners = [entry["seat"] for entry in game.ranking or () if entry["place"] == 1]
    handles = {ada: "ada", ben: "ben"}
    winner = handles[game.players[winners[0]]]
    assert texts[:2] == [
        f"{name}: ada has created the game\n{link}",
        f"{name}: the game has begun\n{link}",
    ]
    assert texts[2].startswith(f"{name}: the game is over. The winner")
    assert winner in texts[2].removeprefix(name)
    assert "webhook-signature" not in receiver.requests[0].headers


def test_the_message_is_in_the_language_of_the_owner(
    service: Service, workers: WorkerHarness, receiver: WebhookReceiver, ben: str
) -> None:
    eve = service.accounts.players.register("eve", PASSWORD, locale="fr")[0].id
    club = new_club(service, eve, ben)
    set_webhook(service, club, eve, receiver, "slack")
    work(workers, create(service, ben, club, name="Soir"))
    service.club_webhooks.request_test(club, eve)
    workers.work()
    created, test = (request.body["text"] for request in receiver.requests)
    assert created.startswith("Soir\u00a0: ben a créé la partie\n")
    assert (
        test == f"Ceci est un test du webhook du club.\n{service.settings.public_url}/clubs/{club}"
    )


def test_a_private_game_reaches_the_webhook_of_its_own_club_only(
    service: Service,
    workers: WorkerHarness,
    receiver: WebhookReceiver,
    other: WebhookReceiver,
    ada: str,
    ben: str,
) -> None:
    private = new_club(service, ada, ben, is_private=True)
    public = new_club(service, ada, ben)
    set_webhook(service, private, ada, receiver)
    set_webhook(service, public, ada, other)
    game = create(service, ada, private, private=True)
    work(workers, game)
    (request,) = receiver.requests
    assert request.body["data"]["game"] == game.id
    # Not even a delivery that was made for another club is posted.
    ((delivery,), _) = service.notifications.deliveries.of_player(club_reader(private), 10)
    ((endpoint,),) = (service.notifications.webhooks.of(club_reader(public)),)
    moved = replace(delivery, id="f" * 32, player=club_reader(public), endpoint=endpoint.id)
    service.notifications.deliveries.create(moved)
    workers.work()
    stored = service.notifications.deliveries.find(moved.id)
    assert stored is not None
    assert stored.status == "cancelled"
    # Games of no club are reported to none.
    work(workers, create(service, ada, None))
    assert len(receiver.requests) == 1


def test_a_failed_request_is_repeated_and_a_dead_webhook_disabled(
    service: Service, workers: WorkerHarness, receiver: WebhookReceiver, ada: str, ben: str
) -> None:
    club = new_club(service, ada, ben)
    set_webhook(service, club, ada, receiver, "discord")
    webhooks = service.club_webhooks
    with freeze_time("2026-01-01T09:00:00Z", tick=False) as time:
        receiver.statuses = [500]
        game = create(service, ada, club)
        for pause in (0, 6):
            time.tick(timedelta(seconds=pause))
            work(workers, game)
        assert [request.body for request in receiver.requests] == [receiver.requests[0].body] * 2
        assert webhooks.find(club, ada).failures == 0
        receiver.statuses = [500] * 10
        game = create(service, ada, club)
        for pause in (0, 6, 61, 301, 1801):
            time.tick(timedelta(seconds=pause))
            work(workers, game)
    assert len(receiver.requests) == 5
    assert webhooks.find(club, ada).disabled_at is not None
    set_webhook(service, club, ada, receiver, "discord")
    assert webhooks.find(club, ada).disabled_at is None


@pytest.mark.parametrize("end", ["removed", "replaced", "closed", "erased"])
def test_nothing_is_posted_to_a_webhook_that_has_ended(
    service: Service,
    workers: WorkerHarness,
    receiver: WebhookReceiver,
    other: WebhookReceiver,
    ada: str,
    ben: str,
    end: str,
) -> None:
    club = new_club(service, ada, ben)
    set_webhook(service, club, ada, other)
    game = create(service, ben, club)
    workers.runner.run(workers.tasks(game.id)["notify/created"])
    webhooks = service.club_webhooks
    webhooks.request_test(club, ada)
    match end:
        case "removed":
            webhooks.remove(club, ada)
        case "replaced":
            set_webhook(service, club, ada, receiver)
        case "closed":
            service.clubs.close(club, ada)
        case _:
            service.clubs.leave(club, ben)
            service.accounts.erasure.erase(ada, PASSWORD)
    workers.work()
    work(workers, create(service, ben, None))
    assert receiver.requests == []
    found = service.notifications.webhooks.of(club_reader(club))
    assert [webhook.url for webhook in found] == ([address(receiver)] * (end == "replaced"))


def test_the_webhook_of_an_erased_owner_is_deleted_although_the_club_passes_to_another(
    service: Service, workers: WorkerHarness, receiver: WebhookReceiver, ada: str, ben: str
) -> None:
    club = new_club(service, ada, ben)
    set_webhook(service, club, ada, receiver)
    service.accounts.erasure.erase(ada, PASSWORD)
    assert service.club_webhooks.get(club, ben) is None
    work(workers, create(service, ben, club))
    assert receiver.requests == []
    webhook = set_webhook(service, club, ben, receiver)
    service.accounts.erasure.erase_without_password(ada)
    assert service.club_webhooks.find(club, ben) == webhook


def test_a_webhook_that_outlives_its_club_gets_nothing(
    service: Service, workers: WorkerHarness, other: WebhookReceiver, ada: str, ben: str
) -> None:
    club = new_club(service, ada, ben)
    game = create(service, ada, club)
    service.clubs.close(club, ada)
    # As if it had been set while the club was closed.
    service.notifications.webhooks.replace_all(club_reader(club), address(other), "plain")
    work(workers, game)
    with raises(NotFound, match="no club"):
        set_webhook(service, club, ada, other)


def test_markdown_and_entities_are_escaped_and_the_link_is_not() -> None:
    url = "https://example.org/games/a_b"
    assert chat_body("slack", "<!here> & 'x'", url) == {"text": f"&lt;!here&gt; &amp; 'x'\n{url}"}
    assert chat_body("discord", "a_b # `c`", url)["content"] == f"a\\_b \\# \\`c\\`\n{url}"
