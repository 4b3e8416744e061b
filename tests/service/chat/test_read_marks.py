"""What players have read of the messages in their games, and which alerts they have dismissed."""

import pytest

from service.bootstrap import Service
from service.chat.read_marks import MAX_DISMISSED, MAX_UNREAD, ReadMark
from service.chat.store import messages_key
from tests.support.round_trips import count_round_trips
from tests.support.service_games import start_game


def mark(service: Service, game_id: str, player: str) -> ReadMark:
    (mark,) = service.chat.marks.of(player, [game_id])
    return mark


def test_messages_of_others_are_unread_until_they_are_read(service: Service) -> None:
    game = start_game(service).id
    assert mark(service, game, "bea") == ReadMark()
    service.chat.post(game, "ada", "Hello.")
    last = service.chat.post(game, "ada", "Are you there?")
    assert mark(service, game, "bea") == ReadMark(2, last, messages=2)
    assert mark(service, game, "ada") == ReadMark(messages=2)
    service.chat.marks.read(game, "bea", 1)
    assert mark(service, game, "bea").unread == 1
    service.chat.marks.read(game, "bea", 2)
    service.chat.marks.read(game, "bea", 1)
    assert mark(service, game, "bea") == ReadMark(messages=2)


def test_the_author_of_a_message_has_read_what_was_written_before(service: Service) -> None:
    game = start_game(service).id
    service.chat.post(game, "ada", "Hello.")
    service.chat.post(game, "bea", "Hi.")
    assert mark(service, game, "bea") == ReadMark(messages=2)
    assert mark(service, game, "ada").unread == 1


def test_erased_messages_and_those_of_muted_players_are_not_unread(service: Service) -> None:
    game = start_game(service, 3).id
    first = service.chat.post(game, "ada", "Hello.")
    service.chat.post(game, "cid", "Insult.")
    service.chat.post(game, "ada", "A mistake.")
    service.chat.erase(game, "ada", 3)
    service.accounts.mutes.add("bea", "cid")
    assert mark(service, game, "bea") == ReadMark(1, first, messages=3)


def test_what_is_counted_and_kept_is_bounded(service: Service) -> None:
    game = start_game(service).id
    for number in range(MAX_UNREAD + 5):
        service.chat.post(game, "ada", f"{number}")
        service.chat.marks.dismiss(game, "bea", f"ruling-{number}")
    current = mark(service, game, "bea")
    assert current.unread == MAX_UNREAD
    assert len(current.dismissed) == MAX_DISMISSED
    assert f"ruling-{MAX_UNREAD + 4}" in current.dismissed


@pytest.mark.needs_redis("single", "sentinel")
def test_the_marks_of_many_games_are_read_in_one_round_trip(service: Service) -> None:
    games = [start_game(service).id for _ in range(4)]
    service.chat.post(games[2], "ada", "Hello.")
    service.chat.marks.of("bea", games)
    with count_round_trips() as trips:
        marks = service.chat.marks.of("bea", games)
    assert trips.count == 1
    assert [mark.unread for mark in marks] == [0, 0, 1, 0]


def test_an_erased_player_leaves_no_marks(service: Service) -> None:
    game = start_game(service).id
    service.chat.post(game, "ada", "Hello.")
    messages = messages_key(game)
    before = service.redis.hgetall(messages)
    service.chat.marks.read(game, "bea", 1)
    service.chat.marks.dismiss(game, "bea", "ruling-9")
    assert service.chat.authors(["bea"]) == ["bea"]
    service.chat.erase_all_of("bea")
    assert service.redis.hgetall(messages) == before
    assert service.chat.authors(["bea"]) == []
