"""Messages within a game: who reads and writes them, their bounds, mutes, reports and erasure."""

from dataclasses import replace

import pytest

from domain.errors import Malformed, NotNow
from domain.lifecycle import NewGame
from service.bootstrap import Service, build
from service.chat.conversation import ChatMessagePage
from service.errors import (
    Forbidden,
    IdempotencyConflict,
    NotFound,
    TooManyChatMessages,
    TooManyReports,
    Unavailable,
)
from service.recovery.reindex import reindex
from tests.support.redis_contents import contents
from tests.support.service_games import start_game


def create(service: Service, *, private: bool = False) -> str:
    """Create an open game of ada, with bea, the arbiter zoe, and fay, who is invited; return its id."""
    game = service.games.commands.create(
        "ada",
        NewGame(
            rules="baron",
            seats=3,
            options={"private": private},
            invited=("bea", "fay"),
            arbiter="zoe",
        ),
    )
    service.games.commands.join(game.id, "bea")
    return game.id


def texts(page: ChatMessagePage) -> list[str | None]:
    """Return the texts of the messages on a page."""
    return [shown.text for shown in page.messages]


def bounded(service: Service, **bounds: int) -> Service:
    """Return the same service with other bounds."""
    return build(replace(service.settings, bounds=replace(service.settings.bounds, **bounds)))


def test_players_and_the_arbiter_write_to_each_other(service: Service) -> None:
    game = create(service)
    messages = service.chat
    for number, player in enumerate(("ada", "bea", "zoe"), 1):
        posted = messages.post(game, player, f"I am {player}.\nHello!", 1)
        assert (posted.number, posted.author, posted.seq) == (number, player, 1)
    for player in ("ada", "bea", "zoe"):
        assert len(messages.page(game, player).messages) == 3
    seen = messages.page(game, "bea", after=1, limit=1)
    assert (texts(seen), seen.next, seen.last) == (["I am bea.\nHello!"], 2, 3)
    assert messages.page(game, "bea", after=2).next is None
    assert texts(messages.latest(game, "bea", limit=1)) == ["I am zoe.\nHello!"]
    assert texts(messages.latest(game, "bea", before=2)) == ["I am ada.\nHello!"]


@pytest.mark.parametrize(("private", "error"), [(False, Forbidden), (True, NotFound)])
def test_nobody_else_reads_or_writes_messages(
    service: Service, *, private: bool, error: type[Exception]
) -> None:
    game = create(service, private=private)
    service.chat.post(game, "ada", "Hello!")
    for player in ("eve", "fay"):
        # An invited player may see the game, but does not play in it yet.
        expected = Forbidden if player == "fay" else error
        with pytest.raises(expected):
            service.chat.page(game, player)
        with pytest.raises(expected):
            service.chat.latest(game, player)
        with pytest.raises(expected):
            service.chat.post(game, player, "Hello!")
        with pytest.raises(expected):
            service.chat.erase(game, player, 1)
        with pytest.raises(expected):
            service.chat.report(game, player, 1)


def test_players_continue_writing_after_the_end_and_messages_are_kept(service: Service) -> None:
    game = start_game(service)
    service.chat.post(game.id, "ada", "Good luck!")
    service.administration.abandon("operator", game.id, "a test")
    service.chat.post(game.id, "bea", "Well played.")
    assert texts(service.chat.page(game.id, "ada")) == ["Good luck!", "Well played."]


def test_a_message_changes_nothing_in_the_log(service: Service) -> None:
    game = start_game(service)
    before = service.games.queries.event_page(game.id, 0, 100)
    service.chat.post(game.id, "ada", "Look at this.", 4)
    assert service.games.queries.event_page(game.id, 0, 100) == before
    assert b"Look at this" not in b"".join(service.games.queries.record(game.id, 0))


@pytest.mark.parametrize(
    ("text", "seq", "field"),
    [
        ("", None, "text"),
        (" \n ", None, "text"),
        ("x" * 1001, None, "text"),
        ("\u202egnirts", None, "text"),
        ("bell\a", None, "text"),
        ("x", 0, "seq"),
        ("x", 5, "seq"),
    ],
)
def test_an_invalid_message_is_refused(
    service: Service, text: str, seq: int | None, field: str
) -> None:
    game = start_game(service)
    before = contents(service.redis)
    with pytest.raises(Malformed) as refused:
        service.chat.post(game.id, "ada", text, seq)
    assert set(refused.value.fields) == {field}
    assert contents(service.redis) == before


def test_the_messages_of_a_player_are_bounded_and_do_not_use_up_those_of_others(
    service: Service,
) -> None:
    messages = bounded(service, max_messages_per_player=2).chat
    game = start_game(service).id
    for _ in range(2):
        erased = messages.post(game, "ada", "x")
        messages.erase(game, "ada", erased.number)
    with pytest.raises(TooManyChatMessages):
        messages.post(game, "ada", "x")
    assert messages.post(game, "bea", "y").number == 3


def test_a_repeated_request_adds_one_message(service: Service) -> None:
    game = start_game(service).id
    messages = service.chat
    first = messages.post(game, "ada", "Hello!", None, "key")
    assert messages.post(game, "ada", "Hello!", None, "key") == first
    with pytest.raises(IdempotencyConflict):
        messages.post(game, "ada", "Good bye!", None, "key")
    assert messages.post(game, "bea", "Hello!", None, "key").number == 2
    messages.erase(game, "ada", 1)
    # Nothing is left from which the text could be guessed.
    stored = service.redis.hgetall(f"cartulary:{{{game}}}:messages")
    assert not [field for field in stored if b"key/ada" in field]


def test_only_its_author_erases_a_message(service: Service) -> None:
    game = start_game(service).id
    service.chat.post(game, "ada", "A secret.", 4)
    with pytest.raises(Forbidden):
        service.chat.erase(game, "bea", 1)
    with pytest.raises(NotFound):
        service.chat.erase(game, "ada", 2)
    for _ in range(2):
        service.chat.erase(game, "ada", 1)
    (shown,) = service.chat.page(game, "bea").messages
    assert (shown.text, shown.message.author, shown.message.seq) == (None, "ada", None)
    assert "A secret." not in str(contents(service.redis))


def test_a_muted_player_is_not_read(service: Service) -> None:
    game = start_game(service, seats=3).id
    for player in ("ada", "cid"):
        service.chat.post(game, player, f"I am {player}.")
    service.accounts.mutes.add("bea", "ada")
    assert texts(service.chat.page(game, "bea")) == [None, "I am cid."]
    assert texts(service.chat.page(game, "cid")) == ["I am ada.", "I am cid."]
    assert texts(service.chat.page(game, "ada")) == ["I am ada.", "I am cid."]
    service.accounts.mutes.remove("bea", "ada")
    assert texts(service.chat.page(game, "bea")) == ["I am ada.", "I am cid."]
    with pytest.raises(Malformed):
        service.accounts.mutes.add("bea", "bea")


class TestReports:
    def test_administrators_see_what_was_reported_even_if_it_is_erased(
        self, service: Service
    ) -> None:
        game = start_game(service).id
        service.chat.post(game, "ada", "You are a fool.")
        for reason in ("An insult.", "Again!"):
            service.chat.report(game, "bea", 1, reason)
        service.chat.erase(game, "ada", 1)
        (report,), cursor = service.chat_message_reports.page()
        assert cursor is None
        assert (report.game, report.number, report.author, report.reporter) == (
            game,
            1,
            "ada",
            "bea",
        )
        assert (report.text, report.reason) == ("You are a fool.", "An insult.")
        service.chat_message_reports.close(report.id)
        assert service.chat_message_reports.page() == ([], None)
        with pytest.raises(NotFound):
            service.chat_message_reports.close(report.id)

    def test_the_list_has_pages(self, service: Service) -> None:
        game = start_game(service).id
        for _ in range(5):
            number = service.chat.post(game, "ada", "x").number
            service.chat.report(game, "bea", number)
        numbers: list[int] = []
        cursor = None
        while True:
            reports, cursor = service.chat_message_reports.page(cursor, 2)
            numbers += [report.number for report in reports]
            if cursor is None:
                break
        assert sorted(numbers) == [1, 2, 3, 4, 5]
        with pytest.raises(Malformed):
            service.chat_message_reports.page("nothing")

    def test_own_messages_and_erased_ones_are_not_reported(self, service: Service) -> None:
        game = start_game(service).id
        service.chat.post(game, "ada", "x")
        with pytest.raises(NotNow):
            service.chat.report(game, "ada", 1)
        with pytest.raises(Malformed):
            service.chat.report(game, "bea", 1, "\u202e")
        with pytest.raises(NotFound):
            service.chat.report(game, "bea", 2)
        service.chat.erase(game, "ada", 1)
        with pytest.raises(NotNow):
            service.chat.report(game, "bea", 1)
        assert service.chat_message_reports.page() == ([], None)

    def test_open_reports_are_bounded(self, service: Service) -> None:
        limited = bounded(service, max_reports_per_player=1, max_open_reports=2)
        game = start_game(service, seats=3).id
        for _ in range(2):
            limited.chat.post(game, "ada", "x")
        limited.chat.report(game, "bea", 1)
        with pytest.raises(TooManyReports):
            limited.chat.report(game, "bea", 2)
        limited.chat.report(game, "cid", 1)
        limited.chat.post(game, "bea", "y")
        with pytest.raises(Unavailable):
            limited.chat.report(game, "ada", 3)


class TestErasure:
    def test_everything_that_an_erased_player_wrote_is_erased(self, service: Service) -> None:
        ada, _ = service.accounts.players.register("ada", "correct horse")
        games = [start_game(service, players=(ada.id, "bea")).id for _ in range(2)]
        for game in games:
            service.chat.post(game, ada.id, "My address is secret.")
            service.chat.post(game, "bea", "Mine is not.")
        service.chat.report(games[0], "bea", 1, "An address.")
        service.chat.report(games[0], ada.id, 2, "My reason.")
        service.accounts.mutes.add(ada.id, "bea")
        service.accounts.erasure.erase(ada.id, "correct horse")
        for game in games:
            assert texts(service.chat.page(game, "bea")) == [None, "Mine is not."]
        stored = str(contents(service.redis))
        assert "My address" not in stored
        assert "My reason" not in stored
        assert "Mine is not." in stored
        assert service.accounts.mutes.of(ada.id) == ()

    def test_what_comes_back_with_a_backup_is_erased_again(self, service: Service) -> None:
        ada, _ = service.accounts.players.register("ada", "correct horse")
        game = start_game(service, players=(ada.id, "bea")).id
        service.accounts.erasure.erase(ada.id, "correct horse")
        service.chat.post(game, ada.id, "From the backup.")
        reindex(service)
        assert texts(service.chat.page(game, "bea")) == [None]
